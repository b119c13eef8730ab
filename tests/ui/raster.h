#pragma once
// Dear ImGui's draw data as an image, drawn in software: slow, exact enough to
// look at and to ask whether anything is there. For tests and for developing.

#include <cstdint>
#include <string>
#include <vector>

struct ImDrawData;

namespace commflow::ui {

struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // three bytes per pixel
  const std::uint8_t* at(int x, int y) const {
    return &rgb[(static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x)) * 3];
  }
};

Image rasterise(const ImDrawData& data, std::uint8_t r, std::uint8_t g, std::uint8_t b);
// Binary PPM.
bool write_ppm(const Image& image, const std::string& path);

}  // namespace commflow::ui

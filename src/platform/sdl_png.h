#pragma once
// A PNG without compression: large, but without a library.

#include <cstdint>
#include <string>
#include <vector>

namespace commflow::platform {

// rgba: four bytes per pixel, bottom row first as OpenGL reads it; alpha is left out.
bool write_png(const std::string& path, int width, int height, const std::vector<std::uint8_t>& rgba);

}  // namespace commflow::platform

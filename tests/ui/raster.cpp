#include "ui/raster.h"

#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace commflow::ui {
namespace {

struct Corner {
  float x, y, u, v;
  float color[4];
};

struct Target {
  Image& image;
  const ImTextureData* texture;
  int clip[4];  // left, top, right, bottom
};

// One texel's alpha, bilinear; glyphs are white with coverage in alpha.
float alpha_at(const ImTextureData& texture, float u, float v) {
  const float x = u * static_cast<float>(texture.Width) - 0.5f;
  const float y = v * static_cast<float>(texture.Height) - 0.5f;
  const int x0 = static_cast<int>(std::floor(x));
  const int y0 = static_cast<int>(std::floor(y));
  const auto texel = [&](int tx, int ty) {
    tx = std::clamp(tx, 0, texture.Width - 1);
    ty = std::clamp(ty, 0, texture.Height - 1);
    const int bytes = texture.BytesPerPixel;
    return static_cast<float>(texture.Pixels[(ty * texture.Width + tx) * bytes + bytes - 1]) / 255;
  };
  const float fx = x - static_cast<float>(x0);
  const float fy = y - static_cast<float>(y0);
  const float top = texel(x0, y0) * (1 - fx) + texel(x0 + 1, y0) * fx;
  const float low = texel(x0, y0 + 1) * (1 - fx) + texel(x0 + 1, y0 + 1) * fx;
  return top * (1 - fy) + low * fy;
}

float edge(const Corner& a, const Corner& b, float x, float y) {
  return (b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x);
}

// The top-left rule: a pixel on a shared edge belongs to one triangle only.
bool owns(const Corner& a, const Corner& b) {
  return a.y == b.y ? b.x > a.x : b.y < a.y;
}

void blend(std::uint8_t* pixel, const float (&rgb)[3], float alpha) {
  for (int i = 0; i < 3; ++i) {
    const float old = static_cast<float>(pixel[i]);
    pixel[i] = static_cast<std::uint8_t>(std::lround(old + (rgb[i] * 255 - old) * alpha));
  }
}

void triangle(const Target& target, const Corner* corners) {
  const Corner& a = corners[0];
  const Corner* b = &corners[1];
  const Corner* c = &corners[2];
  float area = edge(a, *b, c->x, c->y);
  if (area == 0) return;
  if (area < 0) {
    std::swap(b, c);
    area = -area;
  }
  const int x0 = std::max(target.clip[0], static_cast<int>(std::floor(std::min({a.x, b->x, c->x}))));
  const int x1 = std::min(target.clip[2], static_cast<int>(std::ceil(std::max({a.x, b->x, c->x}))));
  const int y0 = std::max(target.clip[1], static_cast<int>(std::floor(std::min({a.y, b->y, c->y}))));
  const int y1 = std::min(target.clip[3], static_cast<int>(std::ceil(std::max({a.y, b->y, c->y}))));
  for (int y = y0; y < y1; ++y) {
    for (int x = x0; x < x1; ++x) {
      const float px = static_cast<float>(x) + 0.5f;
      const float py = static_cast<float>(y) + 0.5f;
      const float wa = edge(*b, *c, px, py);
      const float wb = edge(*c, a, px, py);
      const float wc = edge(a, *b, px, py);
      if (wa < 0 || wb < 0 || wc < 0) continue;
      if ((wa == 0 && !owns(*b, *c)) || (wb == 0 && !owns(*c, a)) || (wc == 0 && !owns(a, *b))) continue;
      const auto mix = [&](float va, float vb, float vc) { return (va * wa + vb * wb + vc * wc) / area; };
      float alpha = mix(a.color[3], b->color[3], c->color[3]);
      if (target.texture) alpha *= alpha_at(*target.texture, mix(a.u, b->u, c->u), mix(a.v, b->v, c->v));
      if (alpha <= 0) continue;
      const float rgb[3] = {mix(a.color[0], b->color[0], c->color[0]), mix(a.color[1], b->color[1], c->color[1]),
                            mix(a.color[2], b->color[2], c->color[2])};
      blend(&target.image.rgb[static_cast<std::size_t>(y * target.image.width + x) * 3], rgb, alpha);
    }
  }
}

Corner corner_of(const ImDrawVert& vertex, float scale) {
  const ImVec4 c = ImGui::ColorConvertU32ToFloat4(vertex.col);
  return {vertex.pos.x * scale, vertex.pos.y * scale, vertex.uv.x, vertex.uv.y, {c.x, c.y, c.z, c.w}};
}

}  // namespace

Image rasterise(const ImDrawData& data, std::uint8_t r, std::uint8_t g, std::uint8_t b) {
  const float scale = data.FramebufferScale.x;
  Image image{static_cast<int>(data.DisplaySize.x * scale), static_cast<int>(data.DisplaySize.y * scale), {}};
  for (int i = 0; i < image.width * image.height; ++i) image.rgb.insert(image.rgb.end(), {r, g, b});
  for (const ImDrawList* list : data.CmdLists) {
    for (const ImDrawCmd& command : list->CmdBuffer) {
      Target target{image, command.TexRef._TexData, {}};
      const float clip[4] = {command.ClipRect.x, command.ClipRect.y, command.ClipRect.z, command.ClipRect.w};
      for (int i = 0; i < 4; ++i) {
        target.clip[i] = std::clamp(static_cast<int>(clip[i] * scale), 0, i % 2 == 0 ? image.width : image.height);
      }
      for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
        Corner corners[3];
        for (unsigned k = 0; k < 3; ++k) {
          const unsigned index = list->IdxBuffer[static_cast<int>(command.IdxOffset + i + k)] + command.VtxOffset;
          corners[k] = corner_of(list->VtxBuffer[static_cast<int>(index)], scale);
        }
        triangle(target, corners);
      }
    }
  }
  return image;
}

bool write_ppm(const Image& image, const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) return false;
  std::fprintf(file, "P6\n%d %d\n255\n", image.width, image.height);
  const std::size_t written = std::fwrite(image.rgb.data(), 1, image.rgb.size(), file);
  std::fclose(file);
  return written == image.rgb.size();
}

}  // namespace commflow::ui

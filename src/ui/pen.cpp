#include "ui/pen.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>

namespace commflow::ui {
namespace {

// From the middle of a line down to the baseline, in em: halfway between the
// middles of capitals and of Han.
constexpr float kMiddle = 0.35f;
constexpr float kShrink = 0.85f;    // figures measure with the native font; others run a little wider
constexpr float kEmbolden = 0.03f;  // em, where there is no bold font
constexpr float kTolerance = 0.5f;  // px that a text may be wider than its box

const char* begin_of(std::string_view text) {
  return text.data();
}
const char* end_of(std::string_view text) {
  return text.data() + text.size();
}

float anchored(Box box, float width, Anchor anchor) {
  switch (anchor) {
    case Anchor::left: return box.x;
    case Anchor::center: return box.x + (box.w - width) / 2;
    case Anchor::right: return box.right() - width;
  }
  return box.x;
}

}  // namespace

float Pen::width(std::string_view text, bool is_bold, float size) const {
  ImFont* font = is_bold ? bold : regular;
  return font->CalcTextSizeA(size, FLT_MAX, 0, begin_of(text), end_of(text)).x;
}

float Pen::snap(float value) const {
  return std::round(value * density) / density;
}

float Pen::stroke(float width) const {
  return std::max(1.0f, std::round(width * density)) / density;
}

float Pen::text_height(std::string_view text, TextStyle style, float room) const {
  return static_cast<float>(wrapped(text, style, room).lines.size()) * line_height(style.size);
}

bool Pen::sees(Box box) const {
  const ImVec2 low = list->GetClipRectMin();
  const ImVec2 high = list->GetClipRectMax();
  return box.bottom() + top >= low.y && box.y + top <= high.y && box.right() + left >= low.x && box.x + left <= high.x;
}

static ImU32 packed(Rgba c, float opacity) {
  return IM_COL32(c.r, c.g, c.b, static_cast<int>(static_cast<float>(c.a) * opacity + 0.5f));
}

void Pen::fill(Box box, Rgba rgba, float radius) const {
  if (rgba.a == 0) return;
  const ImVec2 low{snap(box.x + left), snap(box.y + top)};
  const ImVec2 high{snap(box.right() + left), snap(box.bottom() + top)};
  list->AddRectFilled(low, high, packed(rgba, opacity), radius);
}

void Pen::outline(Box box, Rgba rgba, float radius, float line) const {
  if (rgba.a == 0) return;
  const float thick = stroke(line);
  const ImVec2 low{snap(box.x + left) + thick / 2, snap(box.y + top) + thick / 2};
  const ImVec2 high{snap(box.right() + left) - thick / 2, snap(box.bottom() + top) - thick / 2};
  list->PathRect(low, high, std::max(0.0f, radius - thick / 2));
  list->PathStroke(packed(rgba, opacity), ImDrawFlags_Closed, thick);
}

void Pen::horizontal(float x0, float x1, float y, Rgba rgba, float line) const {
  const float thick = stroke(line);
  const float at = snap(y + top - thick / 2);
  list->AddRectFilled({snap(x0 + left), at}, {snap(x1 + left), at + thick}, packed(rgba, opacity));
}

void Pen::vertical(float x, float y0, float y1, Rgba rgba, float line) const {
  const float thick = stroke(line);
  const float at = snap(x + left - thick / 2);
  list->AddRectFilled({at, snap(y0 + top)}, {at + thick, snap(y1 + top)}, packed(rgba, opacity));
}

void Pen::segment(Point a, Point b, Rgba rgba, float line) const {
  if (a.y == b.y) return horizontal(std::min(a.x, b.x), std::max(a.x, b.x), a.y, rgba, line);
  if (a.x == b.x) return vertical(a.x, std::min(a.y, b.y), std::max(a.y, b.y), rgba, line);
  const Point both[] = {a, b};
  polyline(both, 2, rgba, line);
}

void Pen::polyline(const Point* points, int count, Rgba rgba, float line, bool closed) const {
  for (int i = 0; i < count; ++i) list->PathLineTo({points[i].x + left, points[i].y + top});
  list->PathStroke(packed(rgba, opacity), closed ? ImDrawFlags_Closed : ImDrawFlags_None, stroke(line));
}

void Pen::polygon(const Point* points, int count, Rgba rgba) const {
  for (int i = 0; i < count; ++i) list->PathLineTo({points[i].x + left, points[i].y + top});
  list->PathFillConvex(packed(rgba, opacity));
}

void Pen::disc(Point center, float radius, Rgba rgba) const {
  list->AddCircleFilled({center.x + left, center.y + top}, radius, packed(rgba, opacity));
}

void Pen::ring(Point center, float radius, Rgba rgba, float line) const {
  list->AddCircle({center.x + left, center.y + top}, radius, packed(rgba, opacity), 0, stroke(line));
}

void Pen::hatch(Box box, Rgba rgba, float spacing) const {
  // Along x + y = c, from where the line enters the box to where it leaves it.
  const float step = spacing * 1.41421356f;
  const float last = box.right() + box.bottom();
  for (float c = std::ceil((box.x + box.y) / step) * step; c < last; c += step) {
    const float x0 = std::max(box.x, c - box.bottom());
    const float x1 = std::min(box.right(), c - box.y);
    if (x1 > x0) segment({x0, c - x0}, {x1, c - x1}, rgba, 1);
  }
}

// The draw list puts text at whole CSS pixels; the rest is added afterwards, so
// that it sits on device pixels and moves smoothly.
void Pen::line_of_text(const Line& line, float x, float baseline, float size, Rgba rgba) const {
  for (const Run& run : line.runs) {
    ImFont* font = run.bold ? bold : regular;
    const float ascent = font->GetFontBaked(size)->Ascent;
    const ImVec2 at{x + run.x + left, snap(baseline + top) - ascent};
    const int first = list->VtxBuffer.Size;
    list->AddText(font, size, at, packed(rgba, opacity), begin_of(run.text), end_of(run.text));
    if (run.bold && bold == regular) {
      list->AddText(font, size, at, packed(rgba, opacity), begin_of(run.text), end_of(run.text));
      for (int i = (first + list->VtxBuffer.Size) / 2; i < list->VtxBuffer.Size; ++i) {
        list->VtxBuffer[i].pos.x += size * kEmbolden;
      }
    }
    const ImVec2 rest{at.x - IM_TRUNC(at.x), at.y - IM_TRUNC(at.y)};
    for (int i = first; i < list->VtxBuffer.Size; ++i) {
      list->VtxBuffer[i].pos.x += rest.x;
      list->VtxBuffer[i].pos.y += rest.y;
    }
  }
}

float Pen::paragraph(Box box, std::string_view text, TextStyle style, Rgba rgba, Anchor anchor) {
  const TextBlock& block = wrapped(text, style, box.w);
  if (!block.fits) overflows.emplace_back(text);
  const float height = line_height(style.size);
  float y = box.y;
  for (const Line& line : block.lines) {
    if (sees({box.x, y, box.w, height})) {
      line_of_text(line, anchored(box, line.width, anchor), y + height / 2 + style.size * kMiddle, style.size, rgba);
    }
    y += height;
  }
  return y - box.y;
}

void Pen::label(Box box, std::string_view text, TextStyle style, Rgba rgba, Anchor anchor) {
  if (text.empty()) return;
  const TextBlock* block = &wrapped(text, style, 0);
  if (block->width > box.w + kTolerance) {
    const float wanted = style.size * box.w / block->width;
    if (wanted < style.size * kShrink) overflows.emplace_back(text);
    style.size = std::max(6.0f, std::floor(wanted * 2) / 2);
    block = &wrapped(text, style, 0);
  }
  const float height = line_height(style.size);
  float baseline = box.center_y() - static_cast<float>(block->lines.size() - 1) * height / 2 + style.size * kMiddle;
  for (const Line& line : block->lines) {
    line_of_text(line, anchored(box, line.width, anchor), baseline, style.size, rgba);
    baseline += height;
  }
}

}  // namespace commflow::ui

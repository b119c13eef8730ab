#pragma once
// Draws in page coordinates (CSS px) with Dear ImGui's draw list: crisp on any
// density, in the colours of the theme, with text set by text_layout. Knows
// neither pages nor controls.

#include <string>
#include <string_view>
#include <vector>

#include "story/figure.h"
#include "story/palette.h"
#include "ui/text_layout.h"

struct ImDrawList;
struct ImFont;

namespace commflow::ui {

struct Pen final : Measure {
  ImDrawList* list = nullptr;
  Theme theme = Theme::light;
  ImFont* regular = nullptr;
  ImFont* bold = nullptr;
  float density = 1;  // device pixels per CSS pixel
  float left = 0;     // screen position of the page's corner
  float top = 0;
  float opacity = 1;     // multiplies every colour's
  float leading = 1.5f;  // line height in em
  TextCache* texts = nullptr;
  std::vector<std::string> overflows;  // texts that did not fit their box

  float width(std::string_view text, bool bold, float size) const override;
  float line_height(float size) const { return static_cast<float>(static_cast<int>(size * leading + 0.5f)); }
  // To the nearest device pixel; a width is never thinner than one.
  float snap(float value) const;
  float stroke(float width) const;
  Rgba ink(Ink ink) const { return color(ink, theme); }
  const TextBlock& wrapped(std::string_view text, TextStyle style, float room) const {
    return texts->wrapped(text, style, room, *this);
  }
  float text_height(std::string_view text, TextStyle style, float room) const;

  // Is any of it in the visible slice?
  bool sees(Box box) const;

  void fill(Box box, Rgba rgba, float radius = 0) const;
  void outline(Box box, Rgba rgba, float radius = 0, float line = 1) const;
  void horizontal(float x0, float x1, float y, Rgba rgba, float line = 1) const;
  void vertical(float x, float y0, float y1, Rgba rgba, float line = 1) const;
  void segment(Point a, Point b, Rgba rgba, float line) const;
  void polyline(const Point* points, int count, Rgba rgba, float line, bool closed = false) const;
  void polygon(const Point* points, int count, Rgba rgba) const;  // convex, clockwise
  void disc(Point center, float radius, Rgba rgba) const;
  void ring(Point center, float radius, Rgba rgba, float line) const;
  // Lines at 45 degrees inside the box.
  void hatch(Box box, Rgba rgba, float spacing = 5) const;

  // Text from the box's top, wrapped to its width; returns its height.
  float paragraph(Box box, std::string_view text, TextStyle style, Rgba rgba, Anchor anchor = Anchor::left);
  // One line, centred vertically, shrunk a little where it is too wide.
  void label(Box box, std::string_view text, TextStyle style, Rgba rgba, Anchor anchor = Anchor::left);

 private:
  void line_of_text(const Line& line, float x, float baseline, float size, Rgba rgba) const;
};

}  // namespace commflow::ui

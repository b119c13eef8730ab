#pragma once
// A figure as a display list in logical units (CSS pixels), made by pure
// functions. ImGui draws it, the SVG writer prints it, tests assert on it. No
// shape knows a colour: it names a meaning, the theme gives it a colour.

#include <cstdint>
#include <string>
#include <vector>

namespace commflow {

struct Box {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  float center_x() const { return x + w / 2; }
  float center_y() const { return y + h / 2; }
};
struct Point {
  float x = 0, y = 0;
};

// What a colour means. Theme-dependent values live in one table, palette.h.
enum class Ink : std::uint8_t {
  none,
  page,
  surface,
  raised,
  ink,
  muted,
  hairline,
  accent,
  tp,
  pp,
  dp,
  ep,
  sp,
  cp,  // dimensions: full hue, for links, frames and chips
  tp_soft,
  pp_soft,
  dp_soft,
  ep_soft,  // faint backgrounds of the same hue
  idle,
  broken,
  focus,
  origin0,
  origin1,
  origin2,
  origin3,
  origin4,
  origin5,
  origin6,
  origin7  // where data came from
};
// Tint of the data of a rank; beyond eight they repeat with a pattern.
inline Ink origin_ink(int rank) {
  return static_cast<Ink>(static_cast<int>(Ink::origin0) + rank % 8);
}

// The second sign beside the hue, so that a grey print still reads.
enum class Stroke : std::uint8_t { solid, double_line, chevrons, ring_dashes, dots, comb, long_dashes, thin_dashes };

enum class Anchor : std::uint8_t { left, center, right };
enum class Weight : std::uint8_t { regular, bold };

enum class ShapeKind : std::uint8_t {
  rect,  // box, fill, line, radius, hatch
  text,  // text inside box: anchored horizontally, centred vertically; shrunk if too wide
  path,  // points, line, stroke style, head = arrow at the end
  cell   // data: box, stripes = inks of its origins, text = its digits; hatch where origins repeat
};

struct Shape {
  ShapeKind kind = ShapeKind::rect;
  std::string id;  // stable; "" where nobody needs to find it
  Box box;
  std::vector<Point> points;  // path only
  std::vector<Ink> stripes;   // cell only, left to right
  Ink fill = Ink::none;
  Ink line = Ink::none;
  float line_width = 1;
  float radius = 0;
  Stroke stroke = Stroke::solid;
  bool hatch = false;
  bool head = false;
  std::string text;
  float size = 13;  // font size of text
  Anchor anchor = Anchor::left;
  Weight weight = Weight::regular;
  float opacity = 1;  // pale = about 0.35
};

// Something that can be pressed inside the figure.
struct Target {
  std::string id;     // an action, e.g. "gpu.3"
  std::string label;  // for screen readers
  Box box;
  bool pressed = false;
};

struct Figure {
  float width = 0;
  float height = 0;
  std::vector<Shape> shapes;  // back to front
  std::vector<Target> targets;
};

// The room a figure has; its height follows from its width.
struct FigureSpace {
  float width = 360;
  bool narrow() const { return width < 560; }
};

}  // namespace commflow

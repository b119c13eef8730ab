#include "ui/icons.h"

#include <array>
#include <cmath>

namespace commflow::ui {
namespace {

constexpr float kLine = 1.75f;

struct Drawer {
  const Pen& pen;
  Point at;
  Rgba rgba;

  Point point(float x, float y) const { return {at.x + x, at.y + y}; }

  void triangle(float x0, float x1, float half) const {  // tip at x1
    const float dir = x1 > x0 ? 1.0f : -1.0f;
    const std::array<Point, 3> p{point(x0, -half * dir), point(x1, 0), point(x0, half * dir)};
    pen.polygon(p.data(), 3, rgba);
  }
  void bar(float x, float half, float width) const {
    pen.fill({at.x + x - width / 2, at.y - half, width, half * 2}, rgba, 0.5f);
  }
  void chevron(float x0, float x1, float half) const {
    const std::array<Point, 3> p{point(x0, -half), point(x1, 0), point(x0, half)};
    pen.polyline(p.data(), 3, rgba, kLine);
  }
  void cross(float half) const {
    pen.segment(point(-half, -half), point(half, half), rgba, kLine);
    pen.segment(point(-half, half), point(half, -half), rgba, kLine);
  }
  void gear() const {
    constexpr int kTeeth = 8;
    std::array<Point, kTeeth * 4> rim;
    for (std::size_t i = 0; i < rim.size(); ++i) {
      const float angle = (static_cast<float>(i) - 0.5f) * 6.2831853f / static_cast<float>(rim.size());
      const float r = i % 4 < 2 ? 8.0f : 6.0f;
      rim[i] = point(r * std::cos(angle), r * std::sin(angle));
    }
    pen.polyline(rim.data(), static_cast<int>(rim.size()), rgba, 1.5f, true);
    pen.ring(at, 2.5f, rgba, 1.5f);
  }
  // Two links of a chain, lying from lower left to upper right.
  void chain() const {
    for (const float side : {-1.0f, 1.0f}) {
      std::array<Point, 14> half;
      for (std::size_t i = 0; i < half.size(); ++i) {
        const float angle = static_cast<float>(i) * 3.14159265f / 13 - 1.5707963f;
        const float along = side * (i == 0 || i == 13 ? 0.5f : 4.2f + 3.2f * std::cos(angle));
        const float across = 3.2f * std::sin(angle);
        half[i] = point((along - across) * 0.7071f, (-along - across) * 0.7071f);
      }
      pen.polyline(half.data(), static_cast<int>(half.size()), rgba, 1.5f);
    }
    pen.segment(point(-2.2f, 2.2f), point(2.2f, -2.2f), rgba, 1.5f);
  }
};

}  // namespace

void draw_icon(const Pen& pen, std::string_view name, Point center, Rgba rgba) {
  const Drawer draw{pen, center, rgba};
  if (name == "play") return draw.triangle(-4.5f, 7.5f, 7);
  if (name == "pause") {
    draw.bar(-3.5f, 6, 3.5f);
    return draw.bar(3.5f, 6, 3.5f);
  }
  if (name == "forward") return draw.chevron(-2.5f, 3, 5.5f);
  if (name == "back") return draw.chevron(2.5f, -3, 5.5f);
  if (name == "next" || name == "last") {
    draw.triangle(-5.5f, 3.5f, 5.5f);
    if (name == "last") draw.triangle(-9, -3, 4);
    return draw.bar(5, 5.5f, 2);
  }
  if (name == "previous" || name == "first") {
    draw.triangle(5.5f, -3.5f, 5.5f);
    if (name == "first") draw.triangle(9, 3, 4);
    return draw.bar(-5, 5.5f, 2);
  }
  if (name == "gear") return draw.gear();
  if (name == "close") return draw.cross(5);
  if (name == "down") {
    const std::array<Point, 3> p{draw.point(-4, -2), draw.point(0, 2.5f), draw.point(4, -2)};
    return pen.polyline(p.data(), 3, rgba, 1.5f);
  }
  if (name == "check") {
    const std::array<Point, 3> p{draw.point(-4.5f, 0), draw.point(-1, 3.5f), draw.point(5, -4)};
    return pen.polyline(p.data(), 3, rgba, kLine);
  }
  if (name == "link") return draw.chain();
}

}  // namespace commflow::ui

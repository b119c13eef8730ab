#include "story/figures/draw.h"

#include <algorithm>
#include <cmath>

namespace commflow::draw {

Shape rect(Box box, Ink fill, Ink line, float radius) {
  Shape shape;
  shape.kind = ShapeKind::rect;
  shape.box = box;
  shape.fill = fill;
  shape.line = line;
  shape.radius = radius;
  return shape;
}

Shape text(Box box, std::string words, float size, Ink ink, Anchor anchor, Weight weight) {
  Shape shape;
  shape.kind = ShapeKind::text;
  shape.box = box;
  shape.text = std::move(words);
  shape.size = size;
  shape.fill = ink;
  shape.anchor = anchor;
  shape.weight = weight;
  return shape;
}

Shape path(std::vector<Point> points, Ink ink, float width, Stroke stroke, bool head) {
  Shape shape;
  shape.kind = ShapeKind::path;
  shape.points = std::move(points);
  shape.line = ink;
  shape.line_width = width;
  shape.stroke = stroke;
  shape.head = head;
  return shape;
}

Shape cell(Box box, std::string digits, std::vector<Ink> origins) {
  Shape shape;
  shape.kind = ShapeKind::cell;
  shape.box = box;
  shape.text = std::move(digits);
  shape.stripes = std::move(origins);
  shape.anchor = Anchor::center;
  shape.radius = 3;
  return shape;
}

Shape follow_mark(Box box) {
  Shape mark = rect(inset(box, -1.5F), Ink::none, Ink::accent, 4);
  mark.line_width = 2.5F;
  mark.id = "follow";
  return mark;
}

Box inset(Box box, float by) {
  return {box.x + by, box.y + by, box.w - 2 * by, box.h - 2 * by};
}
Box moved(Box box, float dx, float dy) {
  return {box.x + dx, box.y + dy, box.w, box.h};
}
Point center(Box box) {
  return {box.center_x(), box.center_y()};
}
Box centered(Point at, float w, float h) {
  return {at.x - w / 2, at.y - h / 2, w, h};
}

Point along(Point a, Point b, Point c, float t) {
  const float s = 1 - t;
  return {s * s * a.x + 2 * s * t * b.x + t * t * c.x, s * s * a.y + 2 * s * t * b.y + t * t * c.y};
}

std::vector<Point> circle(int count, Box room, float margin) {
  constexpr float kPi = 3.14159265F;
  const float radius = std::min(room.w, room.h) / 2 - margin;
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) {
    const float angle = 2 * kPi * (static_cast<float>(i) / static_cast<float>(count)) - kPi / 2;
    points.push_back({room.center_x() + radius * std::cos(angle), room.center_y() + radius * std::sin(angle)});
  }
  return points;
}

std::vector<Point> between(Point from, Point to, float radius, float shift) {
  const float dx = to.x - from.x, dy = to.y - from.y;
  const float length = std::max(1.0F, std::sqrt(dx * dx + dy * dy));
  const Point along{dx / length * radius, dy / length * radius};
  const Point side{-dy / length * shift, dx / length * shift};
  return {{from.x + along.x + side.x, from.y + along.y + side.y}, {to.x - along.x + side.x, to.y - along.y + side.y}};
}

}  // namespace commflow::draw

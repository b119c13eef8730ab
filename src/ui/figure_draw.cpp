#include "ui/figure_draw.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace commflow::ui {
namespace {

constexpr float kCellRadius = 3;

Box moved(Box box, Point by) {
  return {box.x + by.x, box.y + by.y, box.w, box.h};
}

// Around a rectangle, corners rounded, clockwise and closed.
std::vector<Point> around(Box box, float radius) {
  std::vector<Point> path;
  const float r = std::min({radius, box.w / 2, box.h / 2});
  const std::array<Point, 4> centers{Point{box.right() - r, box.y + r}, Point{box.right() - r, box.bottom() - r},
                                     Point{box.x + r, box.bottom() - r}, Point{box.x + r, box.y + r}};
  constexpr int kSteps = 4;
  for (int corner = 0; corner < 4; ++corner) {
    for (int i = 0; i <= kSteps; ++i) {
      const float angle = (static_cast<float>(corner - 1) + static_cast<float>(i) / kSteps) * 1.57079633f;
      path.push_back({centers[static_cast<std::size_t>(corner)].x + r * std::cos(angle),
                      centers[static_cast<std::size_t>(corner)].y + r * std::sin(angle)});
    }
  }
  path.push_back(path.front());
  return path;
}

void draw_rect(const Pen& pen, const Shape& shape, Box box) {
  pen.fill(box, pen.ink(shape.fill), shape.radius);
  if (shape.hatch) pen.hatch(box, pen.ink(shape.line == Ink::none ? Ink::idle : shape.line), 6);
  if (shape.line == Ink::none || shape.line_width <= 0) return;
  if (shape.stroke == Stroke::solid) return pen.outline(box, pen.ink(shape.line), shape.radius, shape.line_width);
  const std::vector<Point> path = around(box, shape.radius);
  draw_stroke(pen, path.data(), static_cast<int>(path.size()), shape.stroke, pen.ink(shape.line), shape.line_width);
}

// The head's tip is the path's end; the line stops inside the head.
void draw_path(const Pen& pen, const Shape& shape, Point origin) {
  std::vector<Point> path = shape.points;
  for (Point& p : path) p = {p.x + origin.x, p.y + origin.y};
  if (path.size() < 2) return;
  const Rgba rgba = pen.ink(shape.line);
  if (shape.head) {
    const Point tip = path.back();
    // Curves end in short pieces: the direction comes from a little further back.
    const float size = 5 + 1.6f * shape.line_width;
    std::size_t from = path.size() - 2;
    while (from > 0 && std::hypot(tip.x - path[from].x, tip.y - path[from].y) < size) --from;
    const float span = std::max(std::hypot(tip.x - path[from].x, tip.y - path[from].y), 0.001f);
    const Point d{(tip.x - path[from].x) / span, (tip.y - path[from].y) / span};
    const Point base{tip.x - d.x * size, tip.y - d.y * size};
    const float half = size * 0.48f;
    const std::array<Point, 3> head{tip, Point{base.x - d.y * half, base.y + d.x * half},
                                    Point{base.x + d.y * half, base.y - d.x * half}};
    pen.polygon(head.data(), 3, rgba);
    path.resize(from + 1);
    path.push_back({tip.x - d.x * size * 0.8f, tip.y - d.y * size * 0.8f});
  }
  draw_stroke(pen, path.data(), static_cast<int>(path.size()), shape.stroke, rgba, shape.line_width);
}

void draw_cell(Pen& pen, const Shape& shape, Box box) {
  const float radius = shape.radius > 0 ? shape.radius : kCellRadius;
  const bool filled = !shape.stripes.empty() || shape.fill != Ink::none;
  const Rgba line = pen.ink(shape.line != Ink::none ? shape.line : filled ? Ink::muted : Ink::hairline);
  // On whole device pixels first, so that digits and frame move as one.
  box = {pen.snap(box.x), pen.snap(box.y), box.w, box.h};
  if (shape.stripes.empty()) {
    pen.fill(box, pen.ink(shape.fill), radius);
  } else if (shape.stripes.size() == 1) {
    pen.fill(box, pen.ink(shape.stripes.front()), radius);
  } else {
    const float width = box.w / static_cast<float>(shape.stripes.size());
    const float inset = radius * 0.3f;  // square stripes under a round frame
    for (std::size_t i = 0; i < shape.stripes.size(); ++i) {
      const float x = box.x + width * static_cast<float>(i);
      const bool edge = i == 0 || i + 1 == shape.stripes.size();
      pen.fill({x, box.y, width, box.h}, pen.ink(shape.stripes[i]), edge ? inset : 0);
    }
  }
  const Rgba ground = pen.ink(shape.stripes.empty() ? shape.fill : shape.stripes.front());
  if (shape.hatch) {
    Rgba lines = filled ? text_on(ground) : pen.ink(Ink::idle);
    lines.a = 70;
    pen.hatch({box.x + 1, box.y + 1, box.w - 2, box.h - 2}, lines, 4);
  }
  pen.outline(box, line, radius, shape.line_width);
  // On a pale cell the page shines through, so its own ink reads best.
  const bool pale = shape.opacity < 0.6f;
  const Rgba digits = filled && !pale ? text_on(ground) : pen.ink(Ink::ink);
  pen.label({box.x + 1, box.y, box.w - 2, box.h}, shape.text, {shape.size, shape.weight == Weight::bold}, digits,
            Anchor::center);
}

void draw_text(Pen& pen, const Shape& shape, Box box) {
  const Ink ink = shape.fill != Ink::none ? shape.fill : shape.line;
  pen.label(box, shape.text, {shape.size, shape.weight == Weight::bold}, text_color(ink, pen.theme), shape.anchor);
}

Box bounds(const Shape& shape) {
  if (shape.kind != ShapeKind::path || shape.points.empty()) return shape.box;
  Point low = shape.points.front();
  Point high = low;
  for (const Point& p : shape.points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y)};
  }
  return {low.x, low.y, high.x - low.x, high.y - low.y};
}

Box grown(Box box, float by) {
  return {box.x - by, box.y - by, box.w + 2 * by, box.h + 2 * by};
}

}  // namespace

void draw_figure(Pen& pen, const Figure& figure, Point origin) {
  for (const Shape& shape : figure.shapes) {
    if (shape.opacity <= 0 || !pen.sees(moved(grown(bounds(shape), 16), origin))) continue;
    pen.opacity = shape.opacity;
    const Box box = moved(shape.box, origin);
    switch (shape.kind) {
      case ShapeKind::rect: draw_rect(pen, shape, box); break;
      case ShapeKind::text: draw_text(pen, shape, box); break;
      case ShapeKind::path: draw_path(pen, shape, origin); break;
      case ShapeKind::cell: draw_cell(pen, shape, box); break;
    }
  }
  pen.opacity = 1;
}

}  // namespace commflow::ui

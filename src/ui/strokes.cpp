// Strokes as signs: each dimension has its own, so that a grey print still reads.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "ui/figure_draw.h"

namespace commflow::ui {
namespace {

float length(Point a, Point b) {
  return std::hypot(b.x - a.x, b.y - a.y);
}
Point mix(Point a, Point b, float t) {
  return {a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t};
}

// A walk along a path: positions by distance, and the direction there.
struct Track {
  const Point* points;
  int count;
  std::vector<float> at;  // distance of each point from the start

  Track(const Point* first, int n) : points(first), count(n) {
    at.reserve(static_cast<std::size_t>(n));
    float sum = 0;
    for (int i = 0; i < n; ++i) {
      if (i > 0) sum += length(points[i - 1], points[i]);
      at.push_back(sum);
    }
  }
  float total() const { return at.back(); }

  int segment(float distance) const {
    const auto above = std::upper_bound(at.begin() + 1, at.end() - 1, distance);
    return static_cast<int>(above - at.begin());
  }
  Point position(float distance) const {
    const int i = segment(distance);
    const auto end = static_cast<std::size_t>(i);
    const float span = at[end] - at[end - 1];
    return mix(points[i - 1], points[i], span > 0 ? (distance - at[end - 1]) / span : 0);
  }
  Point direction(float distance) const {
    const int i = segment(distance);
    const float span = std::max(length(points[i - 1], points[i]), 0.001f);
    return {(points[i].x - points[i - 1].x) / span, (points[i].y - points[i - 1].y) / span};
  }
  // The piece between two distances, corners included.
  std::vector<Point> piece(float from, float to) const {
    std::vector<Point> result{position(from)};
    for (std::size_t i = 0; i < at.size(); ++i) {
      if (at[i] > from && at[i] < to) result.push_back(points[i]);
    }
    result.push_back(position(to));
    return result;
  }
};

struct Painter {
  const Pen& pen;
  const Track& track;
  Rgba rgba;
  float width;

  void line(const std::vector<Point>& points, float thick) const {
    if (points.size() == 2) return pen.segment(points[0], points[1], rgba, thick);
    pen.polyline(points.data(), static_cast<int>(points.size()), rgba, thick);
  }

  void dashes(float on, float off, bool round) const {
    // Whole dashes, stretched so that the last one ends where the path does.
    const float periods = std::max(1.0f, std::round((track.total() + off) / (on + off)));
    const float period = (track.total() + off) / periods;
    const float dash = period - off;
    for (float k = 0; k < periods; ++k) {
      const float from = k * period;
      line(track.piece(from, from + dash), width);
      if (round) {
        pen.disc(track.position(from), width / 2, rgba);
        pen.disc(track.position(from + dash), width / 2, rgba);
      }
    }
  }

  // Calls mark(distance) at even spaces, in the middle of each.
  template <class Mark>
  void along(float spacing, Mark mark) const {
    const float count = std::max(1.0f, std::floor(track.total() / spacing));
    const float step = track.total() / count;
    for (float k = 0; k < count; ++k) mark((k + 0.5f) * step);
  }

  void parallel(float offset) const {
    std::vector<Point> moved;
    for (int i = 0; i < track.count; ++i) {
      const Point d = track.direction(track.at[static_cast<std::size_t>(i)]);
      moved.push_back({track.points[i].x - d.y * offset, track.points[i].y + d.x * offset});
    }
    line(moved, std::max(1.0f, width * 0.5f));
  }

  void plain(float thick) const { line({track.points, track.points + track.count}, thick); }

  void chevrons() const {
    plain(std::max(1.0f, width * 0.5f));
    const float size = 2.5f + width;
    along(14, [&](float at) {
      const Point p = track.position(at);
      const Point d = track.direction(at);
      const Point back{p.x - d.x * size * 0.5f, p.y - d.y * size * 0.5f};
      const Point tip{p.x + d.x * size * 0.5f, p.y + d.y * size * 0.5f};
      const std::array<Point, 3> sign{Point{back.x - d.y * size, back.y + d.x * size}, tip,
                                      Point{back.x + d.y * size, back.y - d.x * size}};
      pen.polyline(sign.data(), 3, rgba, std::max(1.5f, width * 0.75f));
    });
  }

  void comb() const {
    plain(width);
    const float tooth = 3 + width;
    along(6, [&](float at) {
      const Point p = track.position(at);
      const Point d = track.direction(at);
      pen.segment(p, {p.x - d.y * tooth, p.y + d.x * tooth}, rgba, std::max(1.0f, width * 0.6f));
    });
  }
};

}  // namespace

void draw_stroke(const Pen& pen, const Point* points, int count, Stroke stroke, Rgba rgba, float width) {
  if (count < 2) return;
  const Track track(points, count);
  const Painter paint{pen, track, rgba, width};
  switch (stroke) {
    case Stroke::solid: return paint.plain(width);
    case Stroke::double_line: paint.parallel(-width * 0.5f - 1); return paint.parallel(width * 0.5f + 1);
    case Stroke::chevrons: return paint.chevrons();
    case Stroke::ring_dashes: return paint.dashes(6, 5, true);
    case Stroke::dots:
      return paint.along(width * 2 + 3, [&](float at) { pen.disc(track.position(at), width * 0.5f + 0.5f, rgba); });
    case Stroke::comb: return paint.comb();
    case Stroke::long_dashes: return paint.dashes(14, 6, false);
    case Stroke::thin_dashes: return paint.dashes(3, 3, false);
  }
}

}  // namespace commflow::ui

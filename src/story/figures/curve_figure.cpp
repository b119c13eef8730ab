#include "story/figures/curve_figure.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "story/figures/draw.h"
#include "story/figures/walk_links.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kAxis = 58;
constexpr float kPlot = 250;
constexpr float kMarks = 22;
constexpr float kLegend = 22;

// Hue and stroke of the i-th curve: told apart by both.
constexpr Ink kInks[] = {Ink::tp, Ink::ep, Ink::dp, Ink::pp, Ink::cp, Ink::sp, Ink::ink, Ink::muted};
constexpr Stroke kStrokes[] = {Stroke::solid, Stroke::thin_dashes, Stroke::long_dashes};

struct Axes {
  Box box;
  double low = 0, high = 1;  // decades of microseconds
  Point at(double bytes, double us) const {
    const double x = std::log2(bytes) / kMostSizeBits;
    const double y = (std::log10(std::max(us, 1e-9)) - low) / (high - low);
    return {box.x + box.w * static_cast<float>(x), box.bottom() - box.h * static_cast<float>(std::clamp(y, 0.0, 1.0))};
  }
};

std::string name_in(const Catalog& words, Algorithm algorithm) {
  const auto key = text_named("algorithm." + underscored(name_of(algorithm)) + ".name");
  return key ? std::string(words.get(*key)) : std::string(name_of(algorithm));
}

Axes axes_of(const CollectiveRun& run, const std::vector<Curve>& curves, Box box) {
  Axes axes{box};
  double low = 1e18, high = 0;
  for (const Curve& curve : curves) {
    low = std::min(low, curve.us(1, run.ports));
    high = std::max(high, curve.us(std::pow(2.0, kMostSizeBits), run.ports));
  }
  axes.low = std::floor(std::log10(std::max(low, 1e-3)));
  axes.high = std::max(axes.low + 1, std::ceil(std::log10(std::max(high, 1e-2))));
  return axes;
}

void draw_grid(Figure& figure, const Axes& axes, bool narrow) {
  for (int bits = 0; bits <= kMostSizeBits; bits += narrow ? 10 : 5) {
    const Point p = axes.at(std::pow(2.0, bits), 1);
    figure.shapes.push_back(draw::path({{p.x, axes.box.y}, {p.x, axes.box.bottom()}}, Ink::hairline, 1));
    figure.shapes.push_back(draw::text({p.x - 34, axes.box.bottom() + 2, 68, kMarks - 4},
                                       text_of_bytes(Bytes{1} << bits), draw::kSmall, Ink::muted, Anchor::center));
  }
  const int every = std::max(1, static_cast<int>((axes.high - axes.low + 4) / 5));
  for (int decade = static_cast<int>(axes.low); decade <= static_cast<int>(axes.high); decade += every) {
    const Point p = axes.at(1, std::pow(10.0, decade));
    figure.shapes.push_back(draw::path({{axes.box.x, p.y}, {axes.box.right(), p.y}}, Ink::hairline, 1));
    figure.shapes.push_back(draw::text({kPad, p.y - 9, kAxis - 8, 18}, text_of_time(std::pow(10.0, decade)),
                                       draw::kSmall, Ink::muted, Anchor::right));
  }
}

void draw_curve(Figure& figure, const CollectiveRun& run, const Axes& axes, const Curve& curve, std::size_t index) {
  std::vector<Point> points;
  for (int bits = 0; bits <= kMostSizeBits; ++bits) {
    const double bytes = std::pow(2.0, bits);
    points.push_back(axes.at(bytes, curve.us(bytes, run.ports)));
  }
  const bool chosen = curve.algorithm == run.first.algorithm;
  Shape line = draw::path(std::move(points), kInks[index % std::size(kInks)], chosen ? 3.5F : 1.8F,
                          kStrokes[index / std::size(kInks) % std::size(kStrokes)]);
  line.id = "curve." + std::string(name_of(curve.algorithm));
  figure.shapes.push_back(std::move(line));
}

float draw_legend(Figure& figure, const CollectiveRun& run, const std::vector<Curve>& curves, const Catalog& words) {
  float x = kPad, y = 0;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string name = name_in(words, curves[i].algorithm);
    const bool chosen = curves[i].algorithm == run.first.algorithm;
    const Weight weight = chosen ? Weight::bold : Weight::regular;
    const float width = text_width(name, draw::kSmall, weight) + 40;
    if (x > kPad && x + width > figure.width - kPad) {
      x = kPad;
      y += kLegend;
    }
    figure.shapes.push_back(draw::path({{x, y + 10}, {x + 22, y + 10}}, kInks[i % std::size(kInks)],
                                       chosen ? 3.5F : 2.0F, kStrokes[i / std::size(kInks) % std::size(kStrokes)]));
    figure.shapes.push_back(
        draw::text({x + 28, y, width - 30, 20}, name, draw::kSmall, Ink::ink, Anchor::left, weight));
    x += width;
  }
  return y + kLegend + 6;
}

// The chosen size, and what was measured where that is known.
void draw_marks(Figure& figure, const CollectiveRun& run, const Axes& axes, const Catalog& words) {
  const Point now = axes.at(static_cast<double>(run.payload), 1);
  figure.shapes.push_back(draw::path({{now.x, axes.box.y}, {now.x, axes.box.bottom()}}, Ink::accent, 1.5F));
  if (!is_measured(run)) return;
  for (const Measured& measured : measured_all_reduce()) {
    const Point p = axes.at(static_cast<double>(measured.bytes), measured.us);
    Shape dot = draw::rect(draw::centered(p, 8, 8), Ink::page, Ink::ink, 4);
    dot.line_width = 2;
    dot.id = "measured";
    figure.shapes.push_back(std::move(dot));
  }
  const std::string name(words.get(Text::curve_measured));
  const Box room{axes.box.x + 6, axes.box.y + 4, std::min(axes.box.w - 12, text_width(name, draw::kSmall)), 18};
  figure.shapes.push_back(draw::rect(draw::inset(room, -2), Ink::page, Ink::none, 0));  // no line runs through it
  figure.shapes.push_back(draw::text(room, name, draw::kSmall, Ink::muted));
}

}  // namespace

Figure curve_figure(const CollectiveRun& run, const Catalog& words, FigureSpace space) {
  Figure figure;
  figure.width = space.width;
  const auto& curves = run.curves;
  if (curves.empty()) return figure;
  const float top = draw_legend(figure, run, curves, words);
  const Axes axes = axes_of(run, curves, {kPad + kAxis, top, space.width - 2 * kPad - kAxis - 24, kPlot});
  draw_grid(figure, axes, space.narrow());
  for (std::size_t i = 0; i < curves.size(); ++i) draw_curve(figure, run, axes, curves[i], i);
  draw_marks(figure, run, axes, words);
  figure.height = axes.box.bottom() + kMarks + 4;
  return figure;
}

}  // namespace commflow

#include "story/figures/glance_chart.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "story/figures/draw.h"
#include "story/figures/walk_links.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kLegend = 22;
constexpr float kTitle = 22;
constexpr float kMark = 10;      // half a line: the topmost mark stands over the plot's edge
constexpr float kPlot = 96;      // height of one scale
constexpr float kNumbers = 22;   // the steps' numbers under the scales
constexpr float kAxis = 56;      // left of the columns
constexpr float kNameLine = 16;  // one dimension's name under a narrow column

constexpr Dimension kShown[] = {Dimension::tp, Dimension::pp, Dimension::dp, Dimension::ep};

const DimensionCost& cost_in(const WalkStepCost& cost, Dimension dimension) {
  return cost.dimensions[static_cast<std::size_t>(dimension)];
}

std::vector<Dimension> dimensions_of(const WalkStepCost& cost) {
  std::vector<Dimension> used;
  for (const Dimension dimension : kShown)
    if (!cost_in(cost, dimension).empty()) used.push_back(dimension);
  return used;
}

std::string short_name(const Catalog& words, Dimension dimension) {
  const auto key = text_named("dim." + std::string(dimension_name(dimension)) + ".short");
  return key ? std::string(words.get(*key)) : std::string{};
}

// Powers of the base between the smallest and the largest value, both widened to whole marks.
struct Scale {
  double base = 10;
  int low = 0, high = 1;  // exponents
  Box box;
  float height_of(double value) const {
    const double place = std::log(std::max(value, std::pow(base, low))) / std::log(base);
    return box.h * static_cast<float>(std::clamp((place - low) / (high - low), 0.0, 1.0));
  }
};

void widen(Scale& scale, double value, bool& first) {
  if (value <= 0) return;
  const double place = std::log(value) / std::log(scale.base);
  const int low = static_cast<int>(std::floor(place)), high = static_cast<int>(std::floor(place)) + 1;
  scale.low = first ? low : std::min(scale.low, low);
  scale.high = first ? high : std::max(scale.high, high);
  first = false;
}

struct Chart {
  const State& state;
  const Derived& derived;
  const Glance& glance;
  const Library& library;
  const Catalog& words;
  Figure figure;
  float column = 0;  // width of one
  std::size_t most = 1;
  bool stacked_names = false;

  void add(Shape shape) { figure.shapes.push_back(std::move(shape)); }
  float left(std::size_t step) const { return kPad + kAxis + static_cast<float>(step) * column; }
};

void draw_legend(Chart& chart) {
  float x = kPad, y = 2;
  const auto entry = [&](Ink fill, bool hatch, Stroke stroke, const std::string& name) {
    const float width = text_width(name, draw::kSmall) + 40;
    if (x > kPad && x + width > chart.figure.width - kPad) {
      x = kPad;
      y += kLegend;
    }
    if (hatch) {
      Shape box = draw::rect({x, y + 4, 22, 12}, Ink::none, Ink::muted, 2);
      box.hatch = true;
      chart.add(std::move(box));
    } else {
      chart.add(draw::path({{x, y + 10}, {x + 22, y + 10}}, fill, 3, stroke));
    }
    chart.add(draw::text({x + 28, y, width - 28, 20}, name, draw::kSmall, Ink::muted));
    x += width;
  };
  for (const Dimension dimension : kShown)
    entry(ink_of(dimension), false, stroke_of(dimension), short_name(chart.words, dimension));
  entry(Ink::muted, true, Stroke::solid, std::string(chart.words.get(Text::glance_compute)));
  chart.figure.height = y + kLegend + 4;
}

void draw_axis(Chart& chart, const Scale& scale, Text title, bool bytes) {
  chart.add(draw::text({kPad, scale.box.y - kMark - kTitle, chart.figure.width - 2 * kPad, kTitle - 2},
                       std::string(chart.words.get(title)), draw::kSmall, Ink::ink, Anchor::left, Weight::bold));
  const int marks = scale.high - scale.low;
  const int every = std::max(1, (marks + 3) / 4);
  for (int power = scale.low; power <= scale.high; power += every) {
    const double value = std::pow(scale.base, power);
    const float y = scale.box.bottom() - scale.height_of(value);
    chart.add(draw::path({{scale.box.x, y}, {scale.box.right(), y}}, Ink::hairline, 1));
    const std::string mark = bytes ? text_of_bytes(static_cast<Bytes>(value)) : text_of_time(value);
    chart.add(draw::text({kPad, y - 9, kAxis - 6, 18}, mark, draw::kSmall, Ink::muted, Anchor::right));
  }
}

Ink soft_ink(Dimension dimension) {
  switch (dimension) {
    case Dimension::tp: return Ink::tp_soft;
    case Dimension::pp: return Ink::pp_soft;
    case Dimension::dp: return Ink::dp_soft;
    default: return Ink::ep_soft;
  }
}

// Pale to the whole step, solid to one micro-batch.
void draw_bar(Chart& chart, const Scale& scale, float x, float width, double once, double all, Ink full, Ink soft) {
  const float tall = scale.height_of(all);
  const bool hatch = soft == Ink::none;
  Shape whole = draw::rect({x, scale.box.bottom() - tall, width, tall}, soft, full, 0);
  whole.hatch = hatch;
  chart.add(std::move(whole));
  if (once <= 0) return;
  const float part = scale.height_of(once);
  Shape solid = draw::rect({x, scale.box.bottom() - part, width, part}, hatch ? Ink::idle : full, full, 0);
  solid.opacity = hatch ? 0.6F : 1.0F;
  chart.add(std::move(solid));
}

void draw_names(Chart& chart, float x, float width, const std::vector<Dimension>& used, float y) {
  for (std::size_t i = 0; i < used.size(); ++i) {
    const Box box = chart.stacked_names ? Box{x - 2, y + static_cast<float>(i) * kNameLine, width + 4, kNameLine}
                                        : Box{x + static_cast<float>(i) * width / static_cast<float>(used.size()), y,
                                              width / static_cast<float>(used.size()), kNameLine};
    chart.add(draw::text(box, short_name(chart.words, used[i]), draw::kSmall, Ink::ink, Anchor::center));
  }
}

void draw_column(Chart& chart, std::size_t step, const Scale& bytes, const Scale& time) {
  const WalkStepCost& cost = chart.glance.steps[step].cost;
  const auto used = dimensions_of(cost);
  const float gap = chart.column < 40 ? 2.0F : 6.0F;
  const float x = chart.left(step) + gap, width = chart.column - 2 * gap;
  const std::size_t bars = std::max<std::size_t>(1, used.size());
  const bool computes = cost.compute.step_us > 0;
  const float one = std::min(22.0F, width / static_cast<float>(bars));
  for (std::size_t i = 0; i < used.size(); ++i) {
    const DimensionCost& in = cost_in(cost, used[i]);
    const float at = x + (width - one * static_cast<float>(bars)) / 2 + static_cast<float>(i) * one;
    draw_bar(chart, bytes, at, one - 1, static_cast<double>(in.micro_batch), static_cast<double>(in.step),
             ink_of(used[i]), soft_ink(used[i]));
  }
  const std::size_t timed = used.size() + (computes ? 1 : 0);
  const float each = std::min(22.0F, width / static_cast<float>(std::max<std::size_t>(1, timed)));
  float at = x + (width - each * static_cast<float>(timed)) / 2;
  for (const Dimension dimension : used) {
    const DimensionCost& in = cost_in(cost, dimension);
    draw_bar(chart, time, at, each - 1, in.micro_batch_us, in.step_us, ink_of(dimension), soft_ink(dimension));
    at += each;
  }
  if (computes)
    draw_bar(chart, time, at, each - 1, cost.compute.micro_batch_us, cost.compute.step_us, Ink::muted, Ink::none);
  draw_names(chart, x, width, used, bytes.box.bottom() + 3);
}

void draw_target(Chart& chart, std::size_t step, Box box) {
  const bool lit = static_cast<int>(step) == chart.state.step;
  if (lit) chart.add(draw::rect(box, Ink::raised, Ink::idle, 4));
  const WalkStep& walk_step = chart.library.walk.steps[step];
  std::string label;
  for (const std::string& line : glance_lines(chart.state, chart.glance, chart.library, static_cast<int>(step)))
    label += (label.empty() ? "" : "; ") + line;
  chart.figure.targets.push_back({"step." + walk_step.id, std::to_string(step + 1) + ". " + label, box, lit});
}

// A tilde says that it is an estimate.
std::string about(double us) {
  return "~" + text_of_time(us);
}

std::string line_of(const Catalog& words, Dimension dimension, const DimensionCost& cost) {
  const std::string name = short_name(words, dimension);
  if (cost.micro_batch == 0)
    return words.get(Text::glance_line_step,
                     {{"name", name}, {"bytes", text_of_bytes(cost.step)}, {"time", about(cost.step_us)}});
  return words.get(Text::glance_line, {{"name", name},
                                       {"once", text_of_bytes(cost.micro_batch)},
                                       {"bytes", text_of_bytes(cost.step)},
                                       {"once_time", about(cost.micro_batch_us)},
                                       {"time", about(cost.step_us)}});
}

}  // namespace

std::vector<std::string> glance_lines(const State& state, const Glance& glance, const Library& library, int step) {
  const Catalog& words = library.catalogs[static_cast<std::size_t>(state.lang)];
  const WalkStepCost& cost = glance.steps[static_cast<std::size_t>(step)].cost;
  std::vector<std::string> lines;
  for (const Dimension dimension : dimensions_of(cost))
    lines.push_back(line_of(words, dimension, cost_in(cost, dimension)));
  if (cost.compute.step_us > 0)
    lines.push_back(words.get(Text::glance_line_compute, {{"once_time", about(cost.compute.micro_batch_us)},
                                                          {"time", about(cost.compute.step_us)}}));
  if (lines.empty()) lines.emplace_back(words.get(Text::glance_line_none));
  return lines;
}

Figure glance_chart(const State& state, const Derived& derived, const Glance& glance, const Library& library,
                    FigureSpace space) {
  Chart chart{state, derived, glance, library, library.catalogs[static_cast<std::size_t>(state.lang)], {}};
  chart.figure.width = space.width;
  const std::size_t steps = glance.steps.size();
  if (steps == 0) return std::move(chart.figure);
  chart.column = (space.width - 2 * kPad - kAxis) / static_cast<float>(steps);
  Scale bytes{1024, 0, 1, {}}, time{10, 0, 1, {}};
  bool first_bytes = true, first_time = true;
  for (const Glance::Step& step : glance.steps) {
    const auto used = dimensions_of(step.cost);
    chart.most = std::max(chart.most, used.size());
    for (const Dimension dimension : used) {
      const DimensionCost& cost = cost_in(step.cost, dimension);
      for (const Bytes value : {cost.micro_batch, cost.step}) widen(bytes, static_cast<double>(value), first_bytes);
      for (const double value : {cost.micro_batch_us, cost.step_us}) widen(time, value, first_time);
    }
    for (const double value : {step.cost.compute.micro_batch_us, step.cost.compute.step_us})
      widen(time, value, first_time);
  }
  chart.stacked_names = chart.column < 26 * static_cast<float>(chart.most);
  draw_legend(chart);
  const float width = space.width - 2 * kPad - kAxis;
  const float top = chart.figure.height;
  bytes.box = {kPad + kAxis, top + kTitle + kMark, width, kPlot};
  const float names = chart.stacked_names ? kNameLine * static_cast<float>(chart.most) : kNameLine;
  time.box = {kPad + kAxis, bytes.box.bottom() + names + 10 + kTitle + kMark, width, kPlot};
  const float frame = bytes.box.y - 4, bottom = time.box.bottom() + kNumbers;  // below the title
  for (std::size_t step = 0; step < steps; ++step)
    draw_target(chart, step, {chart.left(step), frame, chart.column, bottom - frame});
  draw_axis(chart, bytes, Text::glance_bytes, true);
  draw_axis(chart, time, Text::glance_time, false);
  for (std::size_t step = 0; step < steps; ++step) {
    draw_column(chart, step, bytes, time);
    const bool lit = static_cast<int>(step) == state.step;
    chart.add(draw::text({chart.left(step), time.box.bottom() + 2, chart.column, kNumbers - 4},
                         std::to_string(step + 1), draw::kSmall, lit ? Ink::ink : Ink::muted, Anchor::center,
                         lit ? Weight::bold : Weight::regular));
  }
  chart.figure.height = bottom + 4;
  return std::move(chart.figure);
}

}  // namespace commflow

#include "story/figures/expert_charts.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kWidest = 640;

// ---- ways over tokens ---------------------------------------------------------

constexpr int kLastPower = 14;  // 2^14 tokens
constexpr int kPointsPerPower = 2;
constexpr float kAxis = 60;
constexpr float kPlot = 220;
constexpr float kLegend = 24;

struct Look {
  Ink ink;
  Stroke stroke;
};
Look look_of(experts::Way way) {
  switch (way) {
    case experts::Way::all_to_all: return {Ink::ep, Stroke::dots};
    case experts::Way::merged: return {Ink::ep, Stroke::solid};
    case experts::Way::gathered: return {Ink::ep, Stroke::long_dashes};
    case experts::Way::tensor_parallel: break;
  }
  return {Ink::tp, Stroke::double_line};
}

struct Plot {
  Box box;
  double low = 0, high = 1;  // powers of ten of microseconds
  Point at(double power, double time) const {
    const double up = (std::log10(time) - low) / (high - low);
    return {box.x + box.w * static_cast<float>(power / kLastPower), box.bottom() - box.h * static_cast<float>(up)};
  }
};

Plot plot_of(const std::array<experts::Alternative, experts::kWays>& ways, const PortModel& port, Box box) {
  Plot plot{box, 1e9, -1e9};
  for (const experts::Alternative& way : ways)
    for (const double tokens : {1.0, std::exp2(kLastPower)}) {
      const double power = std::log10(std::max(1e-3, experts::time_us(way, tokens, port)));
      plot.low = std::min(plot.low, std::floor(power));
      plot.high = std::max(plot.high, std::ceil(power));
    }
  plot.high = std::max(plot.high, plot.low + 1);
  return plot;
}

void draw_axes(Figure& figure, const Plot& plot, const Catalog& words) {
  for (double power = plot.low; power <= plot.high; ++power) {
    const float y = plot.at(0, std::pow(10, power)).y;
    figure.shapes.push_back(draw::path({{plot.box.x, y}, {plot.box.right(), y}}, Ink::hairline, 1));
    figure.shapes.push_back(draw::text({0, y - 9, kAxis - 6, 18}, "~" + text_of_time(std::pow(10, power)), draw::kSmall,
                                       Ink::muted, Anchor::right));
  }
  constexpr int kMarkEvery = 4;
  for (int power = 0; power <= kLastPower; power += kMarkEvery) {
    const float x = plot.at(power, 1).x;
    figure.shapes.push_back(draw::path({{x, plot.box.y}, {x, plot.box.bottom()}}, Ink::hairline, 1));
    figure.shapes.push_back(draw::text({x - 30, plot.box.bottom() + 3, 60, 18}, text_of_count(std::int64_t{1} << power),
                                       draw::kSmall, Ink::muted, Anchor::center));
  }
  figure.shapes.push_back(draw::text({plot.box.x, plot.box.bottom() + 21, plot.box.w, 18},
                                     std::string(words.get(Text::experts_ways_axis)), draw::kSmall, Ink::muted,
                                     Anchor::center));
}

void draw_way(Figure& figure, const Plot& plot, const experts::Alternative& way, const PortModel& port) {
  std::vector<Point> points;
  for (int i = 0; i <= kLastPower * kPointsPerPower; ++i) {
    const double power = static_cast<double>(i) / kPointsPerPower;
    points.push_back(plot.at(power, std::max(1e-3, experts::time_us(way, std::exp2(power), port))));
  }
  Shape line = draw::path(std::move(points), look_of(way.way).ink, 2, look_of(way.way).stroke);
  line.id = "way." + std::string(experts::name_of(way.way));
  figure.shapes.push_back(std::move(line));
}

// ---- two micro-batches ----------------------------------------------------------

constexpr float kLane = 30;
constexpr float kTitle = 24;
constexpr float kRowGap = 14;

Text stage_key(experts::Stage stage) {
  switch (stage) {
    case experts::Stage::attention: return Text::experts_overlap_attention;
    case experts::Stage::dispatch: return Text::experts_stage_dispatch_short;
    case experts::Stage::experts: return Text::experts_stage_experts_short;
    case experts::Stage::combine: break;
  }
  return Text::experts_stage_combine_short;
}

struct Gantt {
  Figure& figure;
  const Catalog& words;
  Box lanes;
  std::int64_t end = 1;  // of the scale
  float x(std::int64_t time) const {
    return lanes.x + lanes.w * static_cast<float>(static_cast<double>(time) / static_cast<double>(end));
  }
};

void draw_span(const Gantt& gantt, const experts::Span& span) {
  const bool sends = experts::communicates(span.stage);
  const float left = gantt.x(span.start), y = gantt.lanes.y + (sends ? kLane : 0);
  const Box box{left, y, std::max(1.0F, gantt.x(span.end) - left - 1), kLane - 4};
  const bool first = span.micro_batch == 0;
  Shape bar = sends ? draw::rect(box, first ? Ink::ep_soft : Ink::surface, Ink::ep, 3)
                    : draw::rect(box, first ? Ink::hairline : Ink::surface, Ink::muted, 3);
  bar.id = "span." + std::string(sends ? "send." : "compute.") + std::to_string(span.micro_batch);
  gantt.figure.shapes.push_back(std::move(bar));
  const std::string number = std::to_string(span.micro_batch + 1);
  std::string label = std::string(gantt.words.get(stage_key(span.stage))) + " " + number;
  if (text_width(label, draw::kSmall) > box.w - 4) label = number;
  if (text_width(label, draw::kSmall) > box.w - 2) return;
  gantt.figure.shapes.push_back(draw::text(box, label, draw::kSmall, Ink::ink, Anchor::center));
}

void draw_lanes(const Gantt& gantt, const experts::Overlap& overlap, float label) {
  const float end = gantt.x(overlap.total);
  for (const bool sends : {false, true}) {
    const float y = gantt.lanes.y + (sends ? kLane : 0);
    Shape lane = draw::rect({gantt.lanes.x, y, end - gantt.lanes.x, kLane - 4}, Ink::none, Ink::hairline, 3);
    lane.hatch = !sends;
    gantt.figure.shapes.push_back(std::move(lane));
    gantt.figure.shapes.push_back(
        draw::text({gantt.lanes.x - label, y, label - 6, kLane - 4},
                   std::string(gantt.words.get(sends ? Text::experts_overlap_sends : Text::experts_overlap_computes)),
                   draw::kSmall, Ink::muted));
  }
  for (const experts::Span& span : overlap.spans) draw_span(gantt, span);
}

std::string time_text(std::int64_t nanoseconds) {
  return "~" + text_of_time(static_cast<double>(nanoseconds) / 1e3);
}

// Two micro-batches one after the other.
experts::Overlap twice(const experts::Overlap& alone) {
  experts::Overlap both = alone;
  for (experts::Span span : alone.spans) {
    span.micro_batch = 1;
    span.start += alone.total;
    span.end += alone.total;
    both.spans.push_back(span);
  }
  both.total *= 2;
  both.compute *= 2;
  both.communication *= 2;
  return both;
}

}  // namespace

std::string way_name(const Catalog& words, experts::Way way) {
  const auto key = text_named("experts.way." + std::string(experts::name_of(way)));
  return key ? std::string(words.get(*key)) : std::string{};
}

Figure expert_ways_chart(const State& state, const ExpertView& view, const Library& library, FigureSpace space) {
  const Catalog& words = library.catalogs[static_cast<std::size_t>(state.lang)];
  const PortModel port = expert_port(state, view, library);
  const auto ways = expert_ways(view);
  Figure figure;
  figure.width = std::min(space.width, kWidest);
  const float legend = kLegend * static_cast<float>(ways.size());
  const Plot plot = plot_of(ways, port, {kAxis, 12, figure.width - kAxis - 32, kPlot});
  draw_axes(figure, plot, words);
  for (const experts::Alternative& way : ways) draw_way(figure, plot, way, port);
  float y = plot.box.bottom() + 46;
  for (const experts::Alternative& way : ways) {
    const Look look = look_of(way.way);
    figure.shapes.push_back(draw::path({{4, y + 10}, {kAxis - 16, y + 10}}, look.ink, 2, look.stroke));
    figure.shapes.push_back(
        draw::text({kAxis - 6, y, figure.width - kAxis + 6, 20}, way_name(words, way.way), draw::kSmall, Ink::ink));
    y += kLegend;
  }
  figure.height = plot.box.bottom() + 46 + legend;
  return figure;
}

Figure expert_overlap_chart(const ExpertOverlap& overlap, const Catalog& words, FigureSpace space) {
  Figure figure;
  figure.width = space.width;
  const float label = std::max(text_width(words.get(Text::experts_overlap_computes), draw::kSmall),
                               text_width(words.get(Text::experts_overlap_sends), draw::kSmall)) +
                      8;
  const experts::Overlap apart = twice(overlap.alone);
  float y = 0;
  const auto line = [&](float left, const std::string& text) {
    figure.shapes.push_back(draw::text({left, y, figure.width - left, 20}, text, draw::kSmall, Ink::ink));
  };
  const auto add = [&](Text title, const experts::Overlap& one) {
    const std::string total = words.get(title, {{"total", time_text(one.total)}});
    const std::string idle = words.get(Text::experts_overlap_idle, {{"idle", time_text(one.exposed())}});
    const float first = text_width(total, draw::kSmall) + 12;
    line(0, total);
    const bool fits = first + text_width(idle, draw::kSmall) <= figure.width;
    if (!fits) y += 20;
    line(fits ? first : 0, idle);
    const Gantt gantt{figure,
                      words,
                      {label, y + kTitle, figure.width - label, 2 * kLane},
                      std::max<std::int64_t>(1, std::max(apart.total, overlap.together.total))};
    draw_lanes(gantt, one, label);
    y += kTitle + 2 * kLane + kRowGap;
  };
  add(Text::experts_overlap_apart, apart);
  add(Text::experts_overlap_together, overlap.together);
  figure.height = y - kRowGap;
  return figure;
}

}  // namespace commflow

#include "story/figures/calls_figure.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/index.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kName = 30;  // the GPU's number and tint
constexpr float kTitle = 24;
constexpr float kWidestCell = 40;
constexpr float kLeastCell = 24;  // beside the graph
constexpr float kGap = 4;         // between groups
constexpr float kStep = 16;       // the number of the step, below its call
constexpr float kRowGap = 8;
constexpr float kGraph = 240;
constexpr float kBetween = 24;
constexpr float kRadius = 14;  // of a GPU in the graph
constexpr float kPale = 0.5F;

using rendezvous::Call;
using rendezvous::Kind;

constexpr const char* kTo = "\xE2\x86\x92";
constexpr const char* kFrom = "\xE2\x86\x90";

struct Lanes {
  Box box;
  float cell = 0, group_gap = 0;
  bool peers = false;   // room for the number of the peer beside the arrow
  bool arrows = false;  // at least for the arrow
  bool steps = false;   // room for the numbers of steps
  float row() const { return draw::kCellHeight + (steps ? kStep : 0.0F) + kRowGap; }
};

std::size_t calls_of(const rendezvous::Program& program) {
  std::size_t count = 0;
  for (const auto& group : program) count += group.size();
  return count;
}

Lanes lanes_of(const Calls& calls, Box box) {
  Lanes lanes{box};
  const auto count = static_cast<float>(calls_of(calls.programs.front()));
  const auto groups = static_cast<float>(calls.programs.front().size());
  const float room = box.w - kName;
  lanes.group_gap = std::min(kGap, room / count / 6);
  lanes.cell = std::min(kWidestCell, (room - lanes.group_gap * groups) / count);
  const std::string longest = kFrom + std::to_string(calls.programs.size() - 1);
  lanes.peers = lanes.cell >= text_width(longest, draw::kSmall);
  lanes.arrows = lanes.cell >= text_width(kFrom, draw::kSmall);
  lanes.steps = lanes.cell >= text_width("00", draw::kSmall);
  return lanes;
}

float lanes_height(const Lanes& lanes, const Calls& calls) {
  return kTitle + static_cast<float>(calls.programs.size()) * lanes.row();
}

std::string text_of(const Lanes& lanes, const Call& call) {
  if (!lanes.arrows) return {};
  const std::string arrow = call.kind == Kind::send ? kTo : kFrom;
  return lanes.peers ? arrow + std::to_string(call.peer) : arrow;
}

Shape cell_of(const Lanes& lanes, const Call& call, Rank self, int step, Box box) {
  std::vector<Ink> inks;
  if (step >= 0) inks.push_back(origin_ink(call.kind == Kind::send ? self : call.peer));
  Shape cell = draw::cell(box, text_of(lanes, call), std::move(inks));
  if (step == rendezvous::kPosted) {
    cell.kind = ShapeKind::rect;
    cell.fill = Ink::page;
    cell.line = Ink::broken;
    cell.line_width = 2;
    cell.hatch = true;
  }
  if (step == rendezvous::kAhead) cell.opacity = kPale;
  return cell;
}

// On a plate, so that the hatch does not cross it.
void add_label(Figure& figure, Box box, const std::string& label) {
  const float width = std::min(box.w - 4, text_width(label, draw::kSmall, Weight::bold) + 2);
  figure.shapes.push_back(draw::rect(draw::centered(draw::center(box), width, box.h - 4), Ink::page, Ink::none, 2));
  figure.shapes.push_back(draw::text(box, label, draw::kSmall, Ink::ink, Anchor::center, Weight::bold));
}

void draw_lane(Figure& figure, const Calls& calls, const Lanes& lanes, Rank rank) {
  const float y = lanes.box.y + kTitle + static_cast<float>(rank) * lanes.row();
  figure.shapes.push_back(draw::rect({lanes.box.x, y + 4, 8, 12}, origin_ink(rank), Ink::none, 2));
  figure.shapes.push_back(draw::text({lanes.box.x + 10, y, kName - 14, draw::kCellHeight}, std::to_string(rank),
                                     draw::kSmall, Ink::muted, Anchor::center));
  float x = lanes.box.x + kName;
  const auto& program = calls.programs[index_of(rank)];
  for (std::size_t group = 0; group < program.size(); ++group) {
    const float left = x;
    for (std::size_t i = 0; i < program[group].size(); ++i) {
      const Call& call = program[group][i];
      const int step = calls.outcome.over[index_of(rank)][group][i];
      const Box box{x, y, lanes.cell - 2, draw::kCellHeight};
      Shape cell = cell_of(lanes, call, rank, step, box);
      cell.id = "call." + std::to_string(rank) + "." + std::to_string(group) + "." + std::to_string(i);
      const std::string label = step == rendezvous::kPosted ? std::exchange(cell.text, {}) : std::string{};
      figure.shapes.push_back(std::move(cell));
      if (!label.empty()) add_label(figure, box, label);
      if (lanes.steps && step >= 0)
        figure.shapes.push_back(draw::text({x, box.bottom(), box.w, kStep}, std::to_string(step + 1), draw::kSmall,
                                           Ink::muted, Anchor::center));
      x += lanes.cell;
    }
    if (program[group].size() > 1) {
      Shape frame = draw::rect({left - 3, y - 3, x - left + 4, draw::kCellHeight + 6}, Ink::none, Ink::accent, 5);
      frame.line_width = 1.5F;
      frame.id = "group." + std::to_string(rank);
      figure.shapes.push_back(std::move(frame));
    }
    x += lanes.group_gap;
  }
}

// ---- who waits for whom -----------------------------------------------------

std::set<std::pair<Rank, Rank>> ring_of(const std::vector<Rank>& cycle) {
  std::set<std::pair<Rank, Rank>> ring;
  for (std::size_t i = 0; i < cycle.size(); ++i) ring.insert({cycle[i], cycle[(i + 1) % cycle.size()]});
  return ring;
}

void draw_graph(Figure& figure, const Calls& calls, Box box, const Catalog& words) {
  const auto ranks = static_cast<int>(calls.programs.size());
  const Box room{box.x, box.y + kTitle, box.w, box.h - kTitle};
  const auto places = draw::circle(ranks, room, kRadius + 4);
  const auto ring = ring_of(calls.outcome.cycle);
  for (const rendezvous::Stuck& stuck : calls.outcome.stuck) {
    const Rank on = stuck.call.peer;
    const bool in_ring = ring.count({stuck.rank, on}) > 0;
    Shape arrow = draw::path(draw::between(places[index_of(stuck.rank)], places[index_of(on)], kRadius + 2, 4),
                             in_ring ? Ink::broken : Ink::muted, in_ring ? 2.5F : 1.5F,
                             in_ring ? Stroke::solid : Stroke::long_dashes, true);
    arrow.id = "wait." + std::to_string(stuck.rank) + "." + std::to_string(on);
    figure.shapes.push_back(std::move(arrow));
  }
  for (Rank rank = 0; rank < ranks; ++rank) {
    figure.shapes.push_back(draw::cell(draw::centered(places[index_of(rank)], 2 * kRadius, 2 * kRadius),
                                       std::to_string(rank), {origin_ink(rank)}));
    figure.shapes.back().radius = kRadius;
  }
  if (calls.outcome.stuck.empty())
    figure.shapes.push_back(draw::text({room.x, room.center_y() - 10, room.w, 20},
                                       std::string(words.get(Text::calls_nobody)), draw::kSmall, Ink::muted,
                                       Anchor::center));
}

void add_title(Figure& figure, Box box, Text key, const Catalog& words) {
  figure.shapes.push_back(
      draw::text({box.x, box.y, box.w, 20}, std::string(words.get(key)), 14, Ink::ink, Anchor::left, Weight::bold));
}

}  // namespace

Figure calls_figure(const Calls& calls, const Catalog& words, FigureSpace space) {
  Figure figure;
  figure.width = space.width;
  Lanes lanes = lanes_of(calls, {0, 0, space.width - kGraph - kBetween, 0});
  const bool beside = !space.narrow() && lanes.cell >= kLeastCell;
  if (!beside) lanes = lanes_of(calls, {0, 0, space.width, 0});
  add_title(figure, lanes.box, Text::calls_lanes, words);
  const float height = lanes_height(lanes, calls);
  for (Rank rank = 0; rank < static_cast<Rank>(calls.programs.size()); ++rank) draw_lane(figure, calls, lanes, rank);
  const Box graph = beside ? Box{space.width - kGraph, 0, kGraph, kGraph + kTitle}
                           : Box{0, height + 12, std::min(space.width, kGraph + 60), kGraph + kTitle};
  add_title(figure, graph, Text::calls_graph, words);
  draw_graph(figure, calls, graph, words);
  figure.height = std::max(height, graph.bottom()) + 4;
  return figure;
}

}  // namespace commflow

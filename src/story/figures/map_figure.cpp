#include "story/figures/map_figure.h"

#include <algorithm>

#include "story/figures/draw.h"
#include "story/figures/walk_links.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kTitle = 26;
constexpr float kChip = 34;
constexpr float kGap = 6;

struct Entry {
  std::string id, name;
  bool chosen = false;
  bool possible = true;
};

std::string named(const Catalog& words, std::string_view group, std::string_view name) {
  const auto key = text_named(std::string(group) + "." + underscored(name) + ".name");
  return key ? std::string(words.get(*key)) : std::string(name);
}

std::vector<Entry> operations(const CollectiveRun& run, const Catalog& words) {
  std::vector<Entry> list;
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    list.push_back({"collective." + std::string(name_of(collective)), named(words, "primitive", name_of(collective)),
                    collective == run.collective});
  }
  return list;
}

std::vector<Entry> ways(const CollectiveRun& run, const Catalog& words) {
  std::vector<Entry> list;
  for (const Algorithm algorithm : algorithms_of(run.collective))
    list.push_back({"algorithm." + std::string(name_of(algorithm)), named(words, "algorithm", name_of(algorithm)),
                    algorithm == run.first.algorithm, !why_not(run.collective, algorithm, run.ranks, run.tuning)});
  return list;
}

std::vector<Entry> wirings(const CollectiveRun& run, TopologyKind chosen, const Catalog& words) {
  std::vector<Entry> list;
  for (int i = 0; i < kTopologyKinds; ++i) {
    const auto kind = static_cast<TopologyKind>(i);
    bool possible = size_problem(kind, run.ranks) == SizeProblem::none;
    if (possible && run.first.works() && run.first.example.schedule.switches > 0)
      possible = reduces_in_switch(make_topology(kind, run.ranks));
    list.push_back(
        {"topology." + std::string(name_of(kind)), named(words, "topology", name_of(kind)), kind == chosen, possible});
  }
  return list;
}

// One layer as a column, or as rows of chips; returns where it ends.
float draw_layer(Figure& figure, const std::string& title, const std::vector<Entry>& entries, Box room, bool column) {
  figure.shapes.push_back(
      draw::text({room.x, room.y, room.w, 20}, title, draw::kSmall, Ink::muted, Anchor::left, Weight::bold));
  float x = room.x, y = room.y + kTitle;
  for (const Entry& entry : entries) {
    const float wanted = text_width(entry.name, draw::kSmall, Weight::bold) + 22;
    const float width = column ? room.w : std::min(room.w, wanted);
    if (!column && x > room.x && x + width > room.right() + 1) {
      x = room.x;
      y += kChip + kGap;
    }
    const Box box{x, y, width, kChip};
    Shape chip = draw::rect(box, entry.chosen ? Ink::raised : Ink::surface, entry.chosen ? Ink::accent : Ink::hairline);
    chip.line_width = entry.chosen ? 2.0F : 1.0F;
    chip.opacity = entry.possible ? 1.0F : 0.5F;
    figure.shapes.push_back(std::move(chip));
    Shape label = draw::text(draw::inset(box, 4), entry.name, draw::kSmall, entry.possible ? Ink::ink : Ink::muted,
                             Anchor::center, entry.chosen ? Weight::bold : Weight::regular);
    figure.shapes.push_back(std::move(label));
    figure.targets.push_back({entry.id, entry.name, box, entry.chosen});
    if (column) {
      y += kChip + kGap;
    } else {
      x += width + kGap;
    }
  }
  return column ? y : y + kChip + kGap;
}

// From the chosen entry of one column to every possible one of the next.
void draw_joints(Figure& figure, const std::vector<Entry>& from, float x, const std::vector<Entry>& to, float next,
                 float top) {
  const auto middle = [&](std::size_t i) { return top + kTitle + static_cast<float>(i) * (kChip + kGap) + kChip / 2; };
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t j = 0; j < to.size() && from[i].chosen; ++j)
      if (to[j].possible)
        figure.shapes.push_back(draw::path({{x, middle(i)}, {next, middle(j)}}, to[j].chosen ? Ink::accent : Ink::idle,
                                           to[j].chosen ? 2.5F : 1.0F));
}

}  // namespace

Figure map_figure(const CollectiveRun& run, TopologyKind topology, const Catalog& words, FigureSpace space) {
  Figure figure;
  figure.width = space.width;
  const std::vector<std::vector<Entry>> layers{operations(run, words), ways(run, words), wirings(run, topology, words)};
  const Text titles[] = {Text::map_operation, Text::map_algorithm, Text::map_topology};
  const bool columns = !space.narrow();
  const float between = 56;
  const float width = columns ? (space.width - 2 * kPad - 2 * between) / 3 : space.width - 2 * kPad;
  float y = 2;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const float x = columns ? kPad + static_cast<float>(i) * (width + between) : kPad;
    const float top = columns ? 2 : y;
    if (columns && i + 1 < layers.size())
      draw_joints(figure, layers[i], x + width, layers[i + 1], x + width + between, top);
    const float end = draw_layer(figure, std::string(words.get(titles[i])), layers[i], {x, top, width, 0}, columns);
    y = columns ? std::max(y, end) : end + 8;
  }
  figure.height = y + 4;
  return figure;
}

}  // namespace commflow

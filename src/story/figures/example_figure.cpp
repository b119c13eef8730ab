#include "story/figures/example_figure.h"

#include <algorithm>

#include "core/units.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 10;
constexpr float kTitle = 24;
constexpr float kBadges = 22;
constexpr float kLabels = 20;
constexpr float kRow = 24;
constexpr float kName = 26;   // the GPU's number and tint
constexpr float kArrow = 22;  // between before and after
constexpr float kWidest = 34;
constexpr float kDigits = 13;       // narrower cells show their tints only
constexpr float kLeastDigits = 10;  // renderers shrink what is a little too wide; smaller digits are not shown
constexpr float kGhost = 0.32F;     // what is still to come, or no part of the result

bool is_result(const Example& example, Place place) {
  if (place.area == Area::in || example.dimension == Dimension::ep || example.uneven) return true;
  if (place.rank >= example.schedule.ranks) return false;
  const auto blocks =
      output_blocks(example.collective, example.schedule.ranks, example.schedule.slots, example.root, place.rank);
  return std::find(blocks.begin(), blocks.end(), place.slot) != blocks.end();
}

// GPUs, then switches that reduce.
int rows_of(const Example& example) {
  return example.schedule.ranks + example.schedule.switches;
}

// Slots that anyone ever fills; each is a column.
std::vector<int> columns_of(const Example& example, Area area) {
  std::vector<int> used;
  const Buffers& last = example.history.back();
  for (int slot = 0; slot < last.slots(); ++slot)
    for (Rank rank = 0; rank < rows_of(example); ++rank)
      if (last.filled({rank, area, slot})) {
        used.push_back(slot);
        break;
      }
  return used;
}

struct Grid {
  std::vector<int> in, out;
  float cell = 0, top = 0, before = 0, after = 0;
  Box box(Place place) const {
    const auto& columns = place.area == Area::in ? in : out;
    const auto found = std::find(columns.begin(), columns.end(), place.slot);
    const float left = place.area == Area::in ? before : after;
    return {left + static_cast<float>(found - columns.begin()) * cell, top + static_cast<float>(place.rank) * kRow,
            cell - 2, kRow - 4};
  }
};

// Digits of a result, averaged where the operator asks for it, see finish().
std::string digits_of(const Example& example, Value value, bool averaged) {
  if (!averaged) return std::to_string(value);
  const Fraction result = finish(example.op, value, example.schedule.ranks);
  return text_of_decimal(static_cast<double>(result.numerator) / static_cast<double>(result.denominator), 2);
}

// Wide enough for the longest number that ever stands in a cell.
float widest_cell(const Example& example) {
  float widest = kWidest;
  const Buffers& last = example.history.back();
  for (Rank rank = 0; rank < rows_of(example); ++rank)
    for (const Area area : {Area::in, Area::out})
      for (int slot = 0; slot < last.slots(); ++slot)
        if (const Place place{rank, area, slot}; last.filled(place))
          widest = std::max(widest, text_width(std::to_string(last.values(place).front()), draw::kSmall) + 8);
  return widest;
}

// Before and after begin where their cells or their names leave room.
Grid grid_of(const ExamplePicture& picture, Box inside, float top) {
  Grid grid{columns_of(picture.example, Area::in), columns_of(picture.example, Area::out)};
  const auto cells = static_cast<float>(std::max<std::size_t>(1, grid.in.size() + grid.out.size()));
  grid.cell = std::min(widest_cell(picture.example), (inside.w - kName - kArrow) / cells);
  grid.top = top;
  grid.before = inside.x + kName;
  const float name = text_width(picture.before, draw::kSmall) + 14;
  grid.after = grid.before + std::max(static_cast<float>(grid.in.size()) * grid.cell + kArrow, name);
  return grid;
}

float badges_height(const ExamplePicture& picture) {
  return picture.badges.empty() ? 0 : kBadges;
}

// averaged: the result as it is handed over, see finish().
Shape cell_of(const Example& example, const Buffers& buffers, Place place, Box box, bool averaged = false) {
  std::vector<Ink> inks;
  for (const Rank rank : buffers.from(place).ranks()) inks.push_back(origin_ink(rank));
  const Value value = buffers.values(place).front();
  std::string digits = digits_of(example, value, averaged);
  if (box.w < kDigits || text_width(digits, kLeastDigits) > box.w) digits.clear();
  return draw::cell(box, std::move(digits), std::move(inks));
}

struct Now {
  const Buffers& buffers;
  bool finished;
};

Now now_of(const ExamplePicture& picture) {
  const auto& history = picture.example.history;
  if (!picture.chosen) return {history.back(), true};
  const Moment& moment = picture.moment;
  const auto done = static_cast<std::size_t>(std::max(0, moment.at.round)) + (moment.fraction >= 1 ? 1 : 0);
  return {history[std::min(done, history.size() - 1)], done + 1 >= history.size()};
}

void draw_cells(Figure& figure, const ExamplePicture& picture, const Grid& grid, const Now& now) {
  const Example& example = picture.example;
  for (Rank rank = 0; rank < rows_of(example); ++rank)
    for (const Area area : {Area::in, Area::out})
      for (const int slot : area == Area::in ? grid.in : grid.out) {
        const Place place{rank, area, slot};
        const bool result = is_result(example, place);
        if (now.buffers.filled(place)) {
          const bool averaged = now.finished && result && area == Area::out && reduces(example.collective);
          Shape shape = cell_of(example, now.buffers, place, grid.box(place), averaged);
          if (now.finished && !result) shape.opacity = kGhost;
          figure.shapes.push_back(std::move(shape));
        } else if (result && example.history.back().filled(place)) {
          Shape shape = cell_of(example, example.history.back(), place, grid.box(place));
          shape.opacity = kGhost;
          figure.shapes.push_back(std::move(shape));
        }
      }
}

// With reduced motion an arrow stands where a cell would fly.
void draw_travel(Figure& figure, const ExamplePicture& picture, const Grid& grid) {
  const Moment& moment = picture.moment;
  if (!picture.chosen || !moment.started || moment.at.round < 0 || moment.fraction >= 1) return;
  const Example& example = picture.example;
  const auto round = static_cast<std::size_t>(moment.at.round);
  if (round >= example.schedule.rounds.size()) return;
  for (const Transfer& transfer : example.schedule.rounds[round]) {
    const Point a = draw::center(grid.box(transfer.src)), b = draw::center(grid.box(transfer.dst));
    const Point middle{(a.x + b.x) / 2, (a.y + b.y) / 2};
    const Box box = draw::centered(draw::along(a, middle, b, moment.fraction), grid.cell - 2, kRow - 4);
    figure.shapes.push_back(draw::rect(draw::inset(box, -2), Ink::raised, Ink::ink, 4));
    figure.shapes.push_back(cell_of(example, example.history[round], transfer.src, box));
  }
}

void draw_arrows(Figure& figure, const ExamplePicture& picture, const Grid& grid) {
  const Moment& moment = picture.moment;
  const bool at_rest = !moment.started || moment.fraction >= 1;
  if (!picture.chosen || moment.at.round < 0 || !at_rest) return;
  const auto round = static_cast<std::size_t>(moment.at.round);
  if (round >= picture.example.schedule.rounds.size()) return;
  for (const Transfer& transfer : picture.example.schedule.rounds[round]) {
    if (transfer.local()) continue;
    const Box from = grid.box(transfer.src), to = grid.box(transfer.dst);
    figure.shapes.push_back(draw::path({draw::center(from), draw::center(to)}, Ink::muted, 1.5F, Stroke::solid, true));
  }
}

void draw_badges(Figure& figure, Box inside, float y, const std::vector<std::string>& badges) {
  float x = inside.x;
  for (const std::string& badge : badges) {
    const float width = text_width(badge, draw::kSmall) + 14;
    if (x + width > inside.right() + 1) return;
    figure.shapes.push_back(draw::rect({x, y, width, 20}, Ink::none, Ink::hairline, 10));
    figure.shapes.push_back(draw::text({x, y, width, 20}, badge, draw::kSmall, Ink::muted, Anchor::center));
    x += width + 6;
  }
}

}  // namespace

float example_height(const ExamplePicture& picture) {
  return 2 * kPad + kTitle + badges_height(picture) + kLabels + static_cast<float>(rows_of(picture.example)) * kRow;
}

void draw_example(Figure& figure, Box box, const ExamplePicture& picture) {
  const Example& example = picture.example;
  box.h = example_height(picture);
  Shape card = draw::rect(box, Ink::surface, picture.chosen ? Ink::accent : Ink::hairline);
  card.line_width = picture.chosen ? 1.5F : 1.0F;
  card.id = picture.id;
  figure.shapes.push_back(std::move(card));
  const Box inside = draw::inset(box, kPad);
  figure.shapes.push_back(
      draw::text({inside.x, inside.y, inside.w, kTitle - 4}, picture.title, 15, Ink::ink, Anchor::left, Weight::bold));
  draw_badges(figure, inside, inside.y + kTitle, picture.badges);
  const float labels = inside.y + kTitle + badges_height(picture);
  const Grid grid = grid_of(picture, inside, labels + kLabels);
  figure.shapes.push_back(draw::text({grid.before, labels, grid.after - grid.before - 4, kLabels - 2}, picture.before,
                                     draw::kSmall, Ink::muted));
  figure.shapes.push_back(draw::text({grid.after, labels, inside.right() - grid.after, kLabels - 2}, picture.after,
                                     draw::kSmall, Ink::muted));
  for (Rank rank = 0; rank < rows_of(example); ++rank) {
    const bool is_switch = rank >= example.schedule.ranks;
    const float y = grid.top + static_cast<float>(rank) * kRow;
    figure.shapes.push_back(
        draw::rect({inside.x, y + 4, 8, 12}, is_switch ? Ink::idle : origin_ink(rank), Ink::none, 2));
    figure.shapes.push_back(draw::text({inside.x + 10, y, kName - 12, kRow - 4}, is_switch ? "S" : std::to_string(rank),
                                       draw::kSmall, Ink::muted, Anchor::center));
    if (is_switch) continue;
    const float x = grid.after - kArrow + 2, middle = y + (kRow - 4) / 2;
    figure.shapes.push_back(draw::path({{x, middle}, {x + kArrow - 8, middle}}, Ink::muted, 1, Stroke::solid, true));
  }
  draw_cells(figure, picture, grid, now_of(picture));
  draw_arrows(figure, picture, grid);
  draw_travel(figure, picture, grid);
  if (!picture.id.empty()) figure.targets.push_back({picture.id, picture.title, box, picture.chosen});
}

}  // namespace commflow

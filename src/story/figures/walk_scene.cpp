#include "story/figures/walk_scene.h"

#include <algorithm>
#include <array>

#include "core/partition.h"
#include "core/placement.h"
#include "core/units.h"
#include "story/figures/card.h"
#include "story/figures/draw.h"
#include "story/figures/walk_links.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kHead = 44;  // name and role on a card
constexpr float kPad = 8;
constexpr float kColumnGap = 28;
constexpr float kRowGap = 40;  // room for the caption of a row and for links
constexpr float kTop = 30;     // the line that names the operation
constexpr float kChip = 32;
constexpr float kTwoColumns = 330;

std::string number(int value) {
  return std::to_string(value);
}

// Two columns on a phone; one where a card would be too narrow for its words.
int most_columns(const Scene& scene) {
  if (scene.space.width < kTwoColumns) return 1;
  return scene.space.narrow() ? 2 : 4;
}

struct Grid {
  std::vector<std::vector<Rank>> rows;
  std::map<Rank, int> column;
  int columns = 1;
  bool by_replica = false;
};

// Replicas below each other, the same place of each in the same column; inside
// one replica, stages below each other. Long rows wrap.
Grid grid_of(const Scene& scene, const std::vector<Rank>& ranks) {
  const Layout& layout = scene.derived.layout;
  Grid grid;
  grid.by_replica = std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) {
    return coordinates_of(layout, rank).dp != coordinates_of(layout, ranks.front()).dp;
  });
  std::map<int, std::map<int, Rank>> placed;  // row, place in it
  std::map<int, int> columns;                 // places in use
  for (const Rank rank : ranks) {
    const Coordinates at = coordinates_of(layout, rank);
    const int place = grid.by_replica ? at.pp * layout.tp + at.tp : at.tp;
    placed[grid.by_replica ? at.dp : at.pp][place] = rank;
    columns[place] = 0;
  }
  int next = 0;
  for (auto& [place, column] : columns) column = next++;
  const int most = most_columns(scene);
  for (const auto& [key, row] : placed) {
    int line = -1;
    for (const auto& [place, rank] : row) {
      const int column = columns[place];
      if (column / most != line) grid.rows.emplace_back();
      line = column / most;
      grid.rows.back().push_back(rank);
      grid.column[rank] = column % most;
      grid.columns = std::max(grid.columns, column % most + 1);
    }
  }
  return grid;
}

float card_width(const Scene& scene, int columns) {
  const float gap = scene.space.narrow() ? 18 : kColumnGap;
  return (scene.space.width - 2 * kPad - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
}

std::size_t most_cards(const Scene& scene) {
  return scene.space.narrow() ? 4 : 8;
}

// Height of the grid of one phase, every card as tall as the tallest.
float grid_height(Scene& scene, const tiny::Phase& phase) {
  const auto ranks = cards_at(scene, phase, most_cards(scene));
  if (ranks.empty()) return 0;
  const Grid grid = grid_of(scene, ranks);
  const float width = card_width(scene, grid.columns);
  const auto exchanges = exchanges_at(scene, phase);
  float body = 0;
  for (const Rank rank : ranks) {
    Pen pen{scene, {0, 0, width - 2 * kPad, 0}, 0, true};
    draw_body(pen, phase, exchanges, rank);
    body = std::max(body, pen.y);
  }
  return static_cast<float>(grid.rows.size()) * (kHead + body + 2 * kPad + kRowGap);
}

std::string part_text(const Scene& scene, const Coordinates& at) {
  const Catalog& words = scene.words();
  const int tp = scene.derived.layout.tp;
  if (tp == 1) return std::string(words.get(Text::part_tp_whole));
  if (tp == 2) return std::string(words.get(at.tp == 0 ? Text::part_tp_left : Text::part_tp_right));
  return words.get(Text::part_tp, {{"index", number(at.tp + 1)}, {"count", number(tp)}});
}

std::string replica_letter(int dp) {
  return std::string(1, static_cast<char>('A' + dp));
}

std::string joined(const Scene& scene, std::initializer_list<std::string> parts) {
  std::string text;
  for (const std::string& part : parts)
    if (!part.empty()) text += (text.empty() ? "" : std::string(scene.words().get(Text::scene_separator))) + part;
  return text;
}

// The first that fits, or the last.
std::string fitting(std::initializer_list<std::string> candidates, float width, float size, Weight weight) {
  std::string last;
  for (const std::string& words : candidates) {
    last = words;
    if (text_width(words, size, weight) <= width) break;
  }
  return last;
}

std::string stage_text(const Scene& scene, int pp) {
  const Catalog& words = scene.words();
  const LayerRange layers = layers_of_stage(scene.derived.work.model, scene.derived.layout.pp, pp);
  return joined(scene, {words.get(Text::scene_stage, {{"stage", number(pp + 1)}}),
                        words.get(Text::scene_layers, {{"first", number(layers.first + 1)},
                                                       {"last", number(layers.first + layers.count)}})});
}

void draw_card(Scene& scene, const tiny::Phase& phase, const std::vector<Exchange>& exchanges, Rank rank, Box box) {
  const Catalog& words = scene.words();
  const bool active = takes_part(phase, rank);
  const bool chosen = scene.state.gpu == rank;
  Shape card = draw::rect(box, Ink::surface, chosen ? Ink::accent : Ink::hairline);
  card.id = "gpu." + number(rank);
  card.line_width = chosen ? 2.0F : 1.0F;
  scene.add(std::move(card));
  const std::string name = words.get(Text::scene_gpu, {{"gpu", number(rank)}});
  const std::string part = part_text(scene, coordinates_of(scene.derived.layout, rank));
  const std::string role(words.get(role_of(scene, rank)));
  const Box line{box.x + kPad, box.y + 6, box.w - 2 * kPad, 18};
  const float name_width = text_width(name, 15, Weight::bold);
  scene.add(draw::rect({line.x, line.y + 3, 12, 12}, origin_ink(rank), Ink::none, 3));
  Shape title = draw::text({line.x + 18, line.y, name_width, 18}, name, 15, Ink::ink, Anchor::left, Weight::bold);
  Shape detail =
      draw::text({line.x + name_width + 24, line.y, line.w - name_width - 24, 18}, part, draw::kSmall, Ink::muted);
  Shape doing = draw::text({line.x, line.y + 19, line.w, 18}, role, draw::kSmall, active ? Ink::ink : Ink::muted);
  const std::string node = words.get(Text::scene_node, {{"node", number(node_of(rank, scene.state.gpus_per_node))}});
  Shape where =
      draw::text({line.x + line.w / 2, line.y + 19, line.w / 2, 18}, node, draw::kSmall, Ink::muted, Anchor::right);
  where.opacity = text_width(role, draw::kSmall) + text_width(node, draw::kSmall) + 8 > line.w ? 0.0F : 1.0F;
  if (where.opacity > 0) scene.add(std::move(where));
  for (Shape* shape : {&title, &detail, &doing}) {
    shape->opacity = active ? 1 : 0.8F;
    scene.add(std::move(*shape));
  }
  Pen pen{scene,
          {box.x + kPad, box.y + kHead + kPad, box.w - 2 * kPad, box.h - kHead - 2 * kPad},
          box.y + kHead + kPad,
          false};
  draw_body(pen, phase, exchanges, rank);
  scene.figure.targets.push_back({"gpu." + number(rank), name + ", " + part + ": " + role, box, chosen});
}

// Over every run of cards of the same stage: in the first row everything that
// they share, below only what is different, since arrows pass there.
void draw_captions(Scene& scene, const Grid& grid, std::size_t r, const CardBoxes& boxes) {
  const Layout& layout = scene.derived.layout;
  const std::vector<Rank>& row = grid.rows[r];
  for (std::size_t first = 0; first < row.size();) {
    std::size_t last = first;
    while (last + 1 < row.size() && coordinates_of(layout, row[first]).pp == coordinates_of(layout, row[last + 1]).pp)
      ++last;
    const Coordinates at = coordinates_of(layout, row[first]);
    const std::string replica = scene.words().get(Text::scene_replica, {{"letter", replica_letter(at.dp)}});
    const Box& a = boxes.at(row[first]);
    const bool top = r == 0;
    const std::string first_part = first == 0 && (top || grid.by_replica) ? replica : std::string{};
    const bool place = top || !grid.by_replica;
    const std::string stage =
        place ? scene.words().get(Text::scene_stage, {{"stage", number(at.pp + 1)}}) : std::string{};
    const Box box{a.x, a.y - 27, boxes.at(row[last]).right() - a.x, 18};
    const std::string words = fitting({joined(scene, {first_part, place ? stage_text(scene, at.pp) : std::string{}}),
                                       joined(scene, {first_part, stage}), stage},
                                      box.w, draw::kSmall, Weight::regular);
    scene.add(draw::text(box, words, draw::kSmall, Ink::muted));
    first = last + 1;
  }
}

CardBoxes place_cards(const Scene& scene, const Grid& grid, float top, float height) {
  CardBoxes boxes;
  const float gap = scene.space.narrow() ? 18 : kColumnGap;
  const float width = card_width(scene, grid.columns);
  const float row_height = height / static_cast<float>(grid.rows.size());
  for (std::size_t r = 0; r < grid.rows.size(); ++r)
    for (std::size_t c = 0; c < grid.rows[r].size(); ++c)
      boxes[grid.rows[r][c]] = {kPad + static_cast<float>(grid.column.at(grid.rows[r][c])) * (width + gap),
                                top + static_cast<float>(r) * row_height + kRowGap - 10, width, row_height - kRowGap};
  return boxes;
}

// The GPUs that are not drawn in full, as pale chips that can still be pressed.
struct Chip {
  Rank rank;
  std::string words;
  Box box;
};

std::vector<Chip> chips_of_others(const Scene& scene, const std::vector<Rank>& cards, float top) {
  std::vector<Chip> chips;
  float x = kPad, y = top;
  for (Rank rank = 0; rank < world_size(scene.derived.layout); ++rank) {
    if (std::find(cards.begin(), cards.end(), rank) != cards.end()) continue;
    const Coordinates at = coordinates_of(scene.derived.layout, rank);
    std::string words = joined(scene, {scene.words().get(Text::scene_gpu, {{"gpu", number(rank)}}),
                                       scene.words().get(Text::scene_stage, {{"stage", number(at.pp + 1)}})});
    const float width = text_width(words, draw::kSmall) + 20;
    if (x > kPad && x + width > scene.space.width - kPad) {
      x = kPad;
      y += kChip + 8;
    }
    chips.push_back({rank, std::move(words), {x, y, width, kChip}});
    x += width + 8;
  }
  return chips;
}

float height_of_others(const Scene& scene, const std::vector<Rank>& cards) {
  const auto chips = chips_of_others(scene, cards, 0);
  return chips.empty() ? 0 : chips.back().box.bottom() + 8;
}

void draw_others(Scene& scene, const std::vector<Rank>& cards, CardBoxes& places, float y) {
  for (Chip& chip : chips_of_others(scene, cards, y)) {
    const bool chosen = scene.state.gpu == chip.rank;
    scene.add(draw::rect(chip.box, Ink::surface, chosen ? Ink::accent : Ink::hairline));
    scene.add(draw::text(draw::inset(chip.box, 4), chip.words, draw::kSmall, Ink::muted, Anchor::center));
    scene.figure.targets.push_back({"gpu." + number(chip.rank), std::move(chip.words), chip.box, chosen});
    places[chip.rank] = chip.box;
  }
}

WalkRoom room_of_step(Scene& scene) {
  WalkRoom room;
  const tiny::Phase* collective = whole_step(scene);
  for (const Beat& beat : scene.derived.timeline(scene.state).beats) {
    if (beat.phase < 0 || beat.round > 0) continue;
    const tiny::Phase& phase = scene.derived.run.phases[static_cast<std::size_t>(beat.phase)];
    const tiny::Phase& shown = collective != nullptr ? *collective : phase;
    room.grid = std::max(room.grid, grid_height(scene, shown));
    room.others = std::max(room.others, height_of_others(scene, cards_at(scene, shown, most_cards(scene))));
    room.split = room.split || is_expert_phase(phase);
    if (collective != nullptr) break;
  }
  return room;
}

std::string text_or_empty(const Scene& scene, const std::string& key) {
  const auto found = text_named(key);
  return found ? std::string(scene.words().get(*found)) : std::string{};
}

// "EP, All-to-All, pairwise, round 2 of 3, 32 MiB each", as much of it as fits.
std::string operation_line(const Scene& scene, const tiny::Phase& phase, float width) {
  const auto& communication = phase.communications.front();
  const std::string dimension =
      text_or_empty(scene, "dim." + std::string(dimension_name(communication.dimension)) + ".short");
  const std::string primitive =
      text_or_empty(scene, "primitive." + underscored(name_of(communication.collective)) + ".name");
  std::string algorithm, round, bytes;
  if (communication.members.size() > 2)
    algorithm = text_or_empty(scene, "algorithm." + underscored(name_of(communication.algorithm)) + ".name");
  if (scene.phase() == &phase && scene.moment.started)
    round = scene.words().get(Text::log_round,
                              {{"round", number(scene.moment.at.round + 1)}, {"rounds", number(rounds_of(phase))}});
  if (const auto id = quantity_of(scene, phase))
    bytes = scene.words().get(
        Text::scene_each,
        {{"bytes", text_of_bytes(bytes_per_message(count_quantity(scene.derived.work, *id, phase.layer),
                                                   communication.collective))}});
  return fitting({joined(scene, {dimension, primitive, algorithm, round, bytes}),
                  joined(scene, {dimension, primitive, round, bytes}), joined(scene, {dimension, primitive, bytes}),
                  joined(scene, {dimension, primitive}), primitive},
                 width, 14, Weight::bold);
}

void draw_heading(Scene& scene, const tiny::Phase& phase) {
  const bool talks = !phase.communications.empty();
  const Box box{kPad, 2, scene.space.width - 2 * kPad, 22};
  const float indent = talks ? 34.0F : 0.0F;
  const std::string line = talks                  ? operation_line(scene, phase, box.w - indent)
                           : scene.space.narrow() ? std::string(scene.words().get(Text::role_computes))
                                                  : compute_text(scene, phase.compute);
  if (talks) {
    const Dimension dimension = phase.communications.front().dimension;
    scene.add(draw::path({{box.x, 13}, {box.x + 26, 13}}, ink_of(dimension), 3, stroke_of(dimension)));
  }
  scene.add(draw::text({box.x + indent, box.y, box.w - indent, box.h}, line, 14, Ink::ink, Anchor::left, Weight::bold));
}

}  // namespace

WalkRoom measure_walk(const State& state, const Derived& derived, const Library& library, float width) {
  Scene scene{state, derived, library, moment_at(derived.timeline(state), 0, true), true, {width}, {}, {}};
  return room_of_step(scene);
}

void draw_walk(Scene& scene, const WalkRoom& room) {
  scene.figure.width = scene.space.width;
  const Box line{kPad, 2, scene.space.width - 2 * kPad, 22};
  const tiny::Phase* phase = scene.phase();
  CardBoxes places;
  if (phase == nullptr) {
    const Catalog& words = scene.words();
    std::string why = scene.derived.executed ? std::string(words.get(Text::formula_none)) : beyond_text(words);
    scene.add(draw::text(line, std::move(why), 14, Ink::ink, Anchor::left, Weight::bold));
    draw_others(scene, {}, places, kTop + 8);
    scene.figure.height = kTop + 8 + height_of_others(scene, {});
    return;
  }
  const tiny::Phase* collective = whole_step(scene);
  const tiny::Phase& linked = collective != nullptr ? *collective : *phase;
  const auto ranks = cards_at(scene, linked, most_cards(scene));
  const Grid grid = grid_of(scene, ranks);
  const CardBoxes cards = place_cards(scene, grid, kTop, room.grid);
  const auto exchanges = exchanges_at(scene, linked);
  draw_heading(scene, collective != nullptr && scene.moment.started ? *phase : linked);
  draw_group_frames(scene, linked, cards);
  for (std::size_t r = 0; r < grid.rows.size(); ++r) draw_captions(scene, grid, r, cards);
  for (const auto& [rank, box] : cards) draw_card(scene, *phase, exchanges, rank, box);
  float y = kTop + room.grid + 4;
  places = cards;
  draw_others(scene, ranks, places, y);
  draw_links(scene, linked, exchanges, cards);
  draw_flights(scene, exchanges, cards, places);
  y += room.others;
  if (is_expert_phase(*phase)) draw_split_matrix(scene, *phase, ranks.front(), {kPad, y, line.w, 0});
  if (room.split) y += split_matrix_height(scene.derived.layout.ep);
  scene.add(
      draw::text({kPad, y, line.w, 18}, std::string(scene.words().get(Text::scene_origin)), draw::kSmall, Ink::muted));
  scene.figure.height = y + 22;
}

}  // namespace commflow

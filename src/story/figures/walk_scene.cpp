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

constexpr float kHead = 44;        // name and role on a card
constexpr float kPad = 8;
constexpr float kColumnGap = 28;
constexpr float kRowGap = 40;      // room for the caption of a row and for links
constexpr float kTop = 30;         // the line that names the operation
constexpr float kChip = 32;

struct Grid {
  std::vector<std::vector<Rank>> rows;
  int columns = 1;
};

// Replicas below each other; inside one replica, stages below each other.
Grid grid_of(const Scene& scene, const std::vector<Rank>& ranks) {
  const Layout& layout = scene.derived.layout;
  const bool replicas = std::any_of(ranks.begin(), ranks.end(), [&](Rank rank) {
    return coordinates_of(layout, rank).dp != coordinates_of(layout, ranks.front()).dp;
  });
  std::map<int, std::vector<Rank>> keyed;
  for (const Rank rank : ranks) {
    const Coordinates at = coordinates_of(layout, rank);
    keyed[replicas ? at.dp : at.pp].push_back(rank);
  }
  const std::size_t most = scene.space.narrow() ? 2 : 4;
  Grid grid;
  for (auto& [key, row] : keyed) {
    std::sort(row.begin(), row.end(), [&](Rank a, Rank b) {
      const Coordinates x = coordinates_of(layout, a), y = coordinates_of(layout, b);
      return x.pp != y.pp ? x.pp < y.pp : x.tp < y.tp;
    });
    for (std::size_t i = 0; i < row.size(); i += most)
      grid.rows.emplace_back(row.begin() + static_cast<std::ptrdiff_t>(i),
                             row.begin() + static_cast<std::ptrdiff_t>(std::min(row.size(), i + most)));
  }
  for (const auto& row : grid.rows) grid.columns = std::max(grid.columns, static_cast<int>(row.size()));
  return grid;
}

float card_width(const Scene& scene, int columns) {
  const float gap = scene.space.narrow() ? 18 : kColumnGap;
  return (scene.space.width - 2 * kPad - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
}

std::size_t most_cards(const Scene& scene) { return scene.space.narrow() ? 4 : 8; }

// Height of the grid of one phase, every card as tall as its first.
float grid_height(Scene& scene, const tiny::Phase& phase) {
  const auto ranks = cards_at(scene, phase, most_cards(scene));
  if (ranks.empty()) return 0;
  const Grid grid = grid_of(scene, ranks);
  const float width = card_width(scene, grid.columns);
  Pen pen{scene, {0, 0, width - 2 * kPad, 0}, 0, true};
  draw_body(pen, phase, exchanges_at(scene, phase), ranks.front());
  return static_cast<float>(grid.rows.size()) * (kHead + pen.y + 2 * kPad + kRowGap);
}

// The tallest moment of the step: nothing jumps while it plays.
float step_height(Scene& scene) {
  float height = 0;
  for (const Beat& beat : scene.derived.timeline(scene.state).beats)
    if (beat.phase >= 0 && beat.round <= 0)
      height = std::max(height, grid_height(scene, scene.derived.run.phases[static_cast<std::size_t>(beat.phase)]));
  return height;
}

std::string number(int value) { return std::to_string(value); }

std::string part_text(const Scene& scene, const Coordinates& at) {
  const Catalog& words = scene.words();
  const int tp = scene.derived.layout.tp;
  if (tp == 1) return std::string(words.get(Text::part_tp_whole));
  if (tp == 2) return std::string(words.get(at.tp == 0 ? Text::part_tp_left : Text::part_tp_right));
  return words.get(Text::part_tp, {{"index", number(at.tp + 1)}, {"count", number(tp)}});
}

std::string replica_letter(int dp) { return std::string(1, static_cast<char>('A' + dp)); }

std::string place_text(const Scene& scene, Rank rank) {
  const Catalog& words = scene.words();
  const Coordinates at = coordinates_of(scene.derived.layout, rank);
  const LayerRange layers = layers_of_stage(scene.derived.work.model, scene.derived.layout.pp, at.pp);
  const std::string replica = words.get(Text::scene_replica, {{"letter", replica_letter(at.dp)}});
  const std::string stage = words.get(Text::scene_stage, {{"stage", number(at.pp + 1)}});
  const std::string range = words.get(Text::scene_layers, {{"first", number(layers.first + 1)}, {"last", number(layers.first + layers.count)}});
  return replica + "  " + stage + "  " + range;
}

bool takes_part(const tiny::Phase& phase, Rank rank) {
  return std::find(phase.active.begin(), phase.active.end(), rank) != phase.active.end();
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
  Shape detail = draw::text({line.x + name_width + 24, line.y, line.w - name_width - 24, 18}, part, draw::kSmall, Ink::muted);
  Shape doing = draw::text({line.x, line.y + 19, line.w, 18}, role, draw::kSmall, active ? Ink::ink : Ink::muted);
  for (Shape* shape : {&title, &detail, &doing}) {
    shape->opacity = active ? 1 : 0.8F;
    scene.add(std::move(*shape));
  }
  Pen pen{scene, {box.x + kPad, box.y + kHead + kPad, box.w - 2 * kPad, box.h - kHead - 2 * kPad}, box.y + kHead + kPad, false};
  draw_body(pen, phase, exchanges, rank);
  scene.figure.targets.push_back({"gpu." + number(rank), name + ", " + part + ": " + role, box, chosen});
}

// One caption above every run of cards of the same replica and stage.
void draw_captions(Scene& scene, const std::vector<Rank>& row, const CardBoxes& boxes) {
  const Layout& layout = scene.derived.layout;
  const auto same_place = [&](Rank a, Rank b) {
    const Coordinates x = coordinates_of(layout, a), y = coordinates_of(layout, b);
    return x.dp == y.dp && x.pp == y.pp;
  };
  for (std::size_t first = 0; first < row.size();) {
    std::size_t last = first;
    while (last + 1 < row.size() && same_place(row[first], row[last + 1])) ++last;
    const Box& a = boxes.at(row[first]);
    const Box& b = boxes.at(row[last]);
    std::string words = place_text(scene, row[first]);
    const int node = node_of(row[first], scene.state.gpus_per_node);
    if (node == node_of(row[last], scene.state.gpus_per_node))
      words += "  " + scene.words().get(Text::scene_node, {{"node", number(node)}});
    scene.add(draw::text({a.x, a.y - 26, b.right() - a.x, 18}, std::move(words), draw::kSmall, Ink::muted));
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
      boxes[grid.rows[r][c]] = {kPad + static_cast<float>(c) * (width + gap),
                                top + static_cast<float>(r) * row_height + kRowGap - 10, width, row_height - kRowGap};
  return boxes;
}

// The GPUs that are not drawn in full, as pale chips that can still be pressed.
float draw_others(Scene& scene, CardBoxes& boxes, float y) {
  const int world = world_size(scene.derived.layout);
  float x = kPad;
  const float start = y;
  for (Rank rank = 0; rank < world; ++rank) {
    if (boxes.count(rank) != 0) continue;
    const std::string name = scene.words().get(Text::scene_gpu, {{"gpu", number(rank)}});
    const Coordinates at = coordinates_of(scene.derived.layout, rank);
    const std::string stage = scene.words().get(Text::scene_stage, {{"stage", number(at.pp + 1)}});
    const std::string words = name + "  " + stage;
    const float width = text_width(words, draw::kSmall) + 20;
    if (x + width > scene.space.width - kPad) {
      x = kPad;
      y += kChip + 8;
    }
    const Box box{x, y, width, kChip};
    const bool chosen = scene.state.gpu == rank;
    scene.add(draw::rect(box, Ink::surface, chosen ? Ink::accent : Ink::hairline));
    Shape label = draw::text(draw::inset(box, 4), words, draw::kSmall, Ink::muted, Anchor::center);
    scene.add(std::move(label));
    scene.figure.targets.push_back({"gpu." + number(rank), words, box, chosen});
    boxes[rank] = box;
    x += width + 8;
  }
  return y == start && x == kPad ? y : y + kChip + 8;
}

void draw_heading(Scene& scene, const tiny::Phase& phase) {
  const Catalog& words = scene.words();
  std::string line;
  Ink ink = Ink::muted;
  if (phase.communications.empty()) {
    const auto key = text_named("compute." + std::string(name_of(phase.compute)));
    line = std::string(key ? words.get(*key) : words.get(Text::algorithm_local_note));
  } else {
    const auto& communication = phase.communications.front();
    ink = ink_of(communication.dimension);
    const auto primitive = text_named("primitive." + underscored(name_of(communication.collective)) + ".name");
    const auto algorithm = text_named("algorithm." + underscored(name_of(communication.algorithm)) + ".name");
    const auto group = text_named("dim." + std::string(dimension_name(communication.dimension)) + ".short");
    line = std::string(group ? words.get(*group) : "") + "  " + std::string(primitive ? words.get(*primitive) : "");
    if (communication.members.size() > 2) line += "  " + std::string(algorithm ? words.get(*algorithm) : "");
    if (scene.moment.at.round >= 0 && scene.moment.started)
      line += "  " + words.get(Text::log_round, {{"round", number(scene.moment.at.round + 1)}, {"rounds", number(rounds_of(phase))}});
  }
  const Box box{kPad, 2, scene.space.width - 2 * kPad, 22};
  if (ink != Ink::muted) {
    Shape mark = draw::path({{box.x, 13}, {box.x + 26, 13}}, ink, 3, stroke_of(phase.communications.front().dimension));
    scene.add(std::move(mark));
  }
  const float indent = ink == Ink::muted ? 0.0F : 34.0F;
  scene.add(draw::text({box.x + indent, box.y, box.w - indent, box.h}, std::move(line), 14, Ink::ink, Anchor::left, Weight::bold));
}

}  // namespace

std::vector<Rank> cards_at(const Scene& scene, const tiny::Phase& phase, std::size_t most) {
  std::vector<Rank> ranks;
  const auto take = [&](Rank rank) {
    if (ranks.size() < most && std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
  };
  const Rank focus = takes_part(phase, scene.state.gpu) ? scene.state.gpu : phase.active.empty() ? 0 : phase.active.front();
  const Layout& layout = scene.derived.layout;
  // Whole groups, the focus group first, then those of the focus' TP partners.
  std::vector<Rank> seeds{focus};
  for (const Rank rank : group_of(layout, Dimension::tp, focus)) seeds.push_back(rank);
  for (const Rank rank : phase.active) seeds.push_back(rank);
  for (const Rank seed : seeds) {
    bool grouped = false;
    for (const auto& communication : phase.communications) {
      if (local_rank(communication, seed) < 0) continue;
      grouped = true;
      if (ranks.empty() || ranks.size() + communication.members.size() <= most || communication.members.size() > most)
        for (const Rank member : communication.members) take(member);
    }
    if (!grouped) take(seed);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

Text role_of(const Scene& scene, Rank rank) {
  const tiny::Phase* phase = scene.phase();
  if (phase == nullptr || !takes_part(*phase, rank)) return Text::role_waits;
  const WalkStep& step = scene.library.walk.steps[static_cast<std::size_t>(scene.state.step)];
  const auto& beats = scene.derived.timeline(scene.state).beats;
  const auto is_round = [](const Beat& beat) { return beat.round >= 0; };
  const auto first = std::find_if(beats.begin(), beats.end(), is_round) - beats.begin();
  const auto last = std::find_if(beats.rbegin(), beats.rend(), is_round);
  const auto beat = static_cast<std::ptrdiff_t>(scene.moment.beat);
  const bool after = beats.rend() - last - 1 < beat || (scene.moment.fraction >= 1 && beat + 1 == static_cast<std::ptrdiff_t>(beats.size()));
  const std::string moment = !scene.moment.started || beat < first ? "before" : after ? "after" : "now";
  std::vector<std::string> suffixes{moment};
  for (const auto& communication : phase->communications) {
    const int local = local_rank(communication, rank);
    if (local < 0 || moment != "now") continue;
    if (needs_root(communication.collective) && local == communication.root) suffixes = {"root", "sender", moment};
    else suffixes = {"receiver", moment};
  }
  const bool dense = scene.derived.dense && step.dense_texts;
  const std::string id = dense ? (step.id == "route" ? "dense_up" : step.id == "dispatch" ? "dense_mlp" : "dense_down") : step.id;
  for (const std::string& suffix : suffixes)
    if (const auto key = text_named("role." + id + "." + suffix)) return *key;
  return Text::role_computes;
}

void draw_walk(Scene& scene) {
  scene.figure.width = scene.space.width;
  const tiny::Phase* phase = scene.phase();
  CardBoxes boxes;
  float y = kTop;
  if (phase == nullptr) {
    const Text key = scene.derived.executed ? Text::formula_none : Text::note_beyond;
    scene.add(draw::text({kPad, 2, scene.space.width - 2 * kPad, 22}, std::string(scene.words().get(key)), 14, Ink::ink, Anchor::left, Weight::bold));
    scene.figure.height = draw_others(scene, boxes, y + 8);
    return;
  }
  draw_heading(scene, *phase);
  const auto ranks = cards_at(scene, *phase, most_cards(scene));
  const Grid grid = grid_of(scene, ranks);
  const float height = step_height(scene);
  boxes = place_cards(scene, grid, y, height);
  const CardBoxes cards = boxes;
  const auto exchanges = exchanges_at(scene, *phase);
  draw_group_frames(scene, *phase, cards);
  for (const auto& row : grid.rows) draw_captions(scene, row, cards);
  for (const auto& [rank, box] : cards) draw_card(scene, *phase, exchanges, rank, box);
  y = draw_others(scene, boxes, y + height + 4);
  draw_links(scene, *phase, exchanges, cards);
  draw_flights(scene, exchanges, cards, boxes);
  if (is_expert_phase(*phase)) y = draw_split_matrix(scene, *phase, ranks.front(), {kPad, y + 4, scene.space.width - 2 * kPad, 0});
  scene.add(draw::text({kPad, y, scene.space.width - 2 * kPad, 18}, std::string(scene.words().get(Text::scene_origin)), draw::kSmall, Ink::muted));
  scene.figure.height = y + 22;
}

}  // namespace commflow

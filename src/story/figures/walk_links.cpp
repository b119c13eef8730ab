#include "story/figures/walk_links.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/units.h"
#include "story/figures/card.h"
#include "story/figures/draw.h"
#include "story/follow.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kFrame = 5;  // distance of a group's frame from its cards

// Where a straight link between two cards begins and ends.
struct Ends {
  Point a, b;
  Point middle() const { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }
};

float clamped(float value, float low, float high) {
  return low > high ? (low + high) / 2 : std::clamp(value, low, high);
}

// Ends on the facing edges; `shift` keeps the two directions of a pair apart.
Ends ends_between(const Box& from, const Box& to, float shift) {
  const bool beside = from.right() <= to.x || to.right() <= from.x;
  const bool above = from.bottom() <= to.y || to.bottom() <= from.y;
  Ends ends;
  if (beside && !above) {
    const float y =
        clamped((std::max(from.y, to.y) + std::min(from.bottom(), to.bottom())) / 2, from.y, from.bottom()) + shift;
    ends.a = {from.x < to.x ? from.right() : from.x, y};
    ends.b = {from.x < to.x ? to.x : to.right(), y};
  } else if (above && !beside) {
    const float x =
        clamped((std::max(from.x, to.x) + std::min(from.right(), to.right())) / 2, from.x, from.right()) + shift;
    ends.a = {x, from.y < to.y ? from.bottom() : from.y};
    ends.b = {x, from.y < to.y ? to.y : to.bottom()};
  } else {
    ends.a = {from.x < to.x ? from.right() : from.x, (from.y < to.y ? from.bottom() : from.y) + shift};
    ends.b = {from.x < to.x ? to.x : to.right(), (from.y < to.y ? to.y : to.bottom()) + shift};
  }
  return ends;
}

// Directed pairs of global ranks, and the messages between them.
using Pairs = std::map<std::pair<Rank, Rank>, int>;

void count_pairs(const Exchange& exchange, const Round& round, Pairs& pairs) {
  const auto& members = exchange.communication->members;
  for (const Transfer& transfer : round) {
    if (transfer.local()) continue;
    const Rank from = members[static_cast<std::size_t>(transfer.src.rank)];
    const Rank to = members[static_cast<std::size_t>(transfer.dst.rank)];
    ++pairs[{from, to}];
  }
}

Pairs pairs_of_phase(const std::vector<Exchange>& exchanges) {
  Pairs pairs;
  for (const Exchange& exchange : exchanges)
    for (const Round& round : exchange.communication->schedule.rounds) count_pairs(exchange, round, pairs);
  return pairs;
}

// The pairs that are lit: those of the round under way, or all before the step has begun.
Pairs lit_pairs(const Scene& scene, const std::vector<Exchange>& exchanges) {
  Pairs pairs;
  for (const Exchange& exchange : exchanges)
    if (exchange.round != nullptr) count_pairs(exchange, *exchange.round, pairs);
  return scene.moment.started ? pairs : pairs_of_phase(exchanges);
}

void draw_label(Scene& scene, Point at, const std::string& words, Ink ink) {
  const float width = text_width(words, draw::kSmall, Weight::bold) + 8;
  const Box box = draw::centered(at, width, 20);
  scene.add(draw::rect(box, Ink::page, ink, 4));
  scene.add(draw::text(box, words, draw::kSmall, Ink::ink, Anchor::center, Weight::bold));
}

bool far_apart(const Box& a, const Box& b, const CardBoxes& cards) {
  // Another card lies between them in the same row or column.
  return std::any_of(cards.begin(), cards.end(), [&](const auto& entry) {
    const Box& box = entry.second;
    const bool row = std::fabs(box.y - a.y) < 1 && std::fabs(box.y - b.y) < 1 && box.x > std::min(a.x, b.x) &&
                     box.x < std::max(a.x, b.x);
    const bool column = std::fabs(box.x - a.x) < 1 && std::fabs(box.x - b.x) < 1 && box.y > std::min(a.y, b.y) &&
                        box.y < std::max(a.y, b.y);
    return row || column;
  });
}

// Over the tops of the cards in between.
std::vector<Point> detour(const Box& a, const Box& b, float shift) {
  const float lane = std::min(a.y, b.y) - 6 - shift;
  return {{a.center_x() + shift, a.y},
          {a.center_x() + shift, lane},
          {b.center_x() + shift, lane},
          {b.center_x() + shift, b.y}};
}

std::vector<Point> route(const Box& a, const Box& b, const CardBoxes& cards, float shift) {
  if (far_apart(a, b, cards)) return detour(a, b, std::fabs(shift));
  const Ends ends = ends_between(a, b, shift);
  return {ends.a, ends.b};
}

Point middle_of(const std::vector<Point>& points) {
  const std::size_t half = points.size() / 2;
  return {(points[half - 1].x + points[half].x) / 2, (points[half - 1].y + points[half].y) / 2};
}

// Diagonals cross in the middle, so their labels stand where they begin.
Point label_place(const std::vector<Point>& points) {
  const Point a = points.front(), b = points.back();
  const bool diagonal = points.size() == 2 && std::fabs(a.x - b.x) > 2 && std::fabs(a.y - b.y) > 2;
  return diagonal ? a : middle_of(points);
}

// ---- flights ---------------------------------------------------------------

Box place_of(const Scene& scene, const tiny::Communication& communication, Place place, const CardBoxes& places) {
  const Rank rank = communication.members[static_cast<std::size_t>(place.rank)];
  const auto slot = scene.slots.find({rank, place.area, place.slot});
  if (slot != scene.slots.end()) return slot->second;
  const auto card = places.find(rank);
  return card == places.end() ? Box{} : draw::centered(draw::center(card->second), 30, 20);
}

// Whether the token that is followed is in what this transfer carries.
bool carries_followed(const Scene& scene, const tiny::Communication& communication, const Transfer& transfer) {
  if (const tiny::Copy* copy = copy_of(communication, transfer)) return follows(scene, copy->token);
  const int rows = communication.initial.width(transfer.src.slot) / std::max(1, communication.columns);
  for (int row = 0; row < rows; ++row)
    if (follows(scene, token_of_slot_row(scene.derived.layout, communication, transfer.src.slot, row))) return true;
  return false;
}

// Directed pairs over which the token goes in this phase.
std::set<std::pair<Rank, Rank>> pairs_of_token(const Scene& scene, const std::vector<Exchange>& exchanges) {
  std::set<std::pair<Rank, Rank>> pairs;
  for (const Exchange& exchange : exchanges)
    for (const Round& round : exchange.communication->schedule.rounds)
      for (const Transfer& transfer : round) {
        if (transfer.local() || !carries_followed(scene, *exchange.communication, transfer)) continue;
        const auto& members = exchange.communication->members;
        pairs.insert({members[static_cast<std::size_t>(transfer.src.rank)],
                      members[static_cast<std::size_t>(transfer.dst.rank)]});
      }
  return pairs;
}

void draw_flying(Scene& scene, const Exchange& exchange, const Transfer& transfer, Box box) {
  const auto values = exchange.before.values(transfer.src);
  const auto inks = inks_of(exchange.before.from(transfer.src), exchange.communication->members);
  const auto tall = exchange.communication->parts.empty()
                        ? static_cast<std::size_t>(std::max(1, exchange.communication->columns))
                        : 1;
  const std::size_t columns =
      std::min<std::size_t>(4, std::max<std::size_t>(1, values.size() / std::max<std::size_t>(1, tall)));
  const bool followed = carries_followed(scene, *exchange.communication, transfer);
  Shape back = draw::rect(draw::inset(box, -2), Ink::raised, followed ? Ink::accent : Ink::ink, 4);
  back.line_width = followed ? 2.5F : 1.0F;
  if (followed) back.id = "follow";
  scene.add(std::move(back));
  if (const tiny::Copy* copy = copy_of(*exchange.communication, transfer)) {
    const std::string token = scene.words().get(Text::scene_token_short, {{"token", std::to_string(copy->token)}});
    scene.add(draw::cell(box, box.w < 60 ? token : token + "  " + digits_of(values), inks));
    return;
  }
  const Pen pen{scene, box, 0, false};
  const float width = box.w / static_cast<float>(columns);
  for (std::size_t i = 0; i < columns; ++i)
    draw_column(pen, {box.x + static_cast<float>(i) * width, box.y, width - 1, box.h},
                values.subspan(i * tall, std::min(tall, values.size())), inks, 1);
}

void fly(Scene& scene, const Exchange& exchange, const Transfer& transfer, const CardBoxes& cards,
         const CardBoxes& places) {
  const Box from = place_of(scene, *exchange.communication, transfer.src, places);
  const Box to = place_of(scene, *exchange.communication, transfer.dst, places);
  if (from.w == 0 || to.w == 0) return;
  const Point a = draw::center(from), c = draw::center(to);
  Point b{(a.x + c.x) / 2, (a.y + c.y) / 2};
  const auto& members = exchange.communication->members;
  const auto source = cards.find(members[static_cast<std::size_t>(transfer.src.rank)]);
  const auto target = cards.find(members[static_cast<std::size_t>(transfer.dst.rank)]);
  if (!transfer.local() && source != cards.end() && target != cards.end())
    b = middle_of(route(source->second, target->second, cards, 0));
  const float width = std::clamp(std::min(from.w, to.w), 30.0F, 120.0F);
  draw_flying(scene, exchange, transfer,
              draw::centered(draw::along(a, b, c, scene.moment.fraction), width, std::max(20.0F, from.h)));
}

}  // namespace

Ink ink_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::tp: return Ink::tp;
    case Dimension::pp: return Ink::pp;
    case Dimension::dp:
    case Dimension::expert_dp: return Ink::dp;
    case Dimension::ep: return Ink::ep;
    case Dimension::sp: return Ink::sp;
    case Dimension::cp: return Ink::cp;
    case Dimension::none: break;
  }
  return Ink::muted;
}

Stroke stroke_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::tp: return Stroke::double_line;
    case Dimension::pp: return Stroke::chevrons;
    case Dimension::dp:
    case Dimension::expert_dp: return Stroke::ring_dashes;
    case Dimension::ep: return Stroke::dots;
    case Dimension::sp: return Stroke::comb;
    case Dimension::cp: return Stroke::long_dashes;
    case Dimension::none: break;
  }
  return Stroke::solid;
}

std::string_view dimension_name(Dimension dimension) {
  static constexpr std::array<std::string_view, 8> names{"none", "tp", "pp", "dp", "ep", "sp", "cp", "expert_dp"};
  return names[static_cast<std::size_t>(dimension)];
}

std::string underscored(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

std::optional<QuantityId> quantity_of(const Scene& scene, const tiny::Phase& phase) {
  if (phase.communications.empty()) return std::nullopt;
  const auto& communication = phase.communications.front();
  const WalkStep& step = scene.library.walk.steps[static_cast<std::size_t>(scene.state.step)];
  for (const QuantityId id : counts_of(step, scene.derived.dense)) {
    const QuantityRow& row = quantity_row(id);
    // Counts and tokens use the same collective in the same group.
    const bool tokens = !communication.copies.empty();
    const bool same_content = row.dimension != Dimension::ep || tokens == (id != QuantityId::counts);
    if (row.dimension == communication.dimension && row.collective == communication.collective && same_content)
      return id;
  }
  return std::nullopt;
}

Bytes bytes_per_message(const Quantity& quantity, Collective collective) {
  switch (collective) {
    case Collective::broadcast:
    case Collective::reduce:
    case Collective::send_recv: return quantity.logical;
    default: return quantity.logical / std::max(1, quantity.group);
  }
}

void draw_group_frames(Scene& scene, const tiny::Phase& phase, const CardBoxes& cards) {
  for (const auto& communication : phase.communications) {
    Box frame;
    std::size_t inside = 0;
    for (const auto& [rank, box] : cards) {
      if (local_rank(communication, rank) < 0) continue;
      const float right = inside == 0 ? box.right() : std::max(frame.right(), box.right());
      const float bottom = inside == 0 ? box.bottom() : std::max(frame.bottom(), box.bottom());
      frame.x = inside == 0 ? box.x : std::min(frame.x, box.x);
      frame.y = inside == 0 ? box.y : std::min(frame.y, box.y);
      frame.w = right - frame.x;
      frame.h = bottom - frame.y;
      ++inside;
    }
    const auto covered = std::count_if(cards.begin(), cards.end(), [&](const auto& entry) {
      const Box& box = entry.second;
      return box.x >= frame.x - 1 && box.right() <= frame.right() + 1 && box.y >= frame.y - 1 &&
             box.bottom() <= frame.bottom() + 1;
    });
    if (inside < 2 || static_cast<std::size_t>(covered) != inside) continue;
    const Box box = draw::inset(frame, -kFrame);
    const Ink ink = ink_of(communication.dimension);
    Shape outline = draw::path(
        {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}}, ink,
        1.5F, stroke_of(communication.dimension));
    scene.add(std::move(outline));
  }
}

void draw_links(Scene& scene, const tiny::Phase& phase, const std::vector<Exchange>& exchanges,
                const CardBoxes& cards) {
  const Pairs all = pairs_of_phase(exchanges);
  if (all.empty()) return;
  const Pairs lit = lit_pairs(scene, exchanges);
  const Ink ink = ink_of(phase.communications.front().dimension);
  const bool copies = !phase.communications.front().copies.empty();
  const auto followed = pairs_of_token(scene, exchanges);
  for (const auto& [pair, messages] : all) {
    const auto from = cards.find(pair.first), to = cards.find(pair.second);
    if (from == cards.end() || to == cards.end()) continue;
    const bool both = all.count({pair.second, pair.first}) != 0;
    const float shift = both ? (pair.first < pair.second ? -7.0F : 7.0F) : 0.0F;
    const auto points = route(from->second, to->second, cards, shift);
    const auto on = lit.find(pair);
    const float width = on == lit.end() ? 1.0F : copies ? 2.0F + std::min(6.0F, static_cast<float>(on->second)) : 3.0F;
    scene.add(draw::path(points, on == lit.end() ? Ink::hairline : ink, width, Stroke::solid, on != lit.end()));
    if (followed.count(pair) != 0) {
      Shape way = draw::path(points, Ink::accent, 2, Stroke::solid, true);
      way.id = "follow";
      scene.add(std::move(way));
    }
    // Tokens are counted where they pass; how many bytes a message has stands in the heading.
    if (copies && on != lit.end() && scene.moment.started)
      draw_label(scene, label_place(points), std::to_string(on->second), ink);
  }
}

void draw_flights(Scene& scene, const std::vector<Exchange>& exchanges, const CardBoxes& cards,
                  const CardBoxes& places) {
  if (scene.moment.fraction <= 0 || scene.moment.fraction >= 1) return;
  for (const Exchange& exchange : exchanges) {
    if (exchange.round == nullptr) continue;
    for (const Transfer& transfer : *exchange.round) {
      const Rank from = exchange.communication->members[static_cast<std::size_t>(transfer.src.rank)];
      const Rank to = exchange.communication->members[static_cast<std::size_t>(transfer.dst.rank)];
      if (cards.count(from) != 0 || cards.count(to) != 0) fly(scene, exchange, transfer, cards, places);
    }
  }
}

}  // namespace commflow

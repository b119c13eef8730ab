// The split matrix of an expert group: how many copies each GPU sends to each
// other, counted from the routing that is drawn; what stays lies on the diagonal.

#include <algorithm>

#include "story/figures/card.h"
#include "story/figures/draw.h"
#include "story/figures/walk_scene.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kCell = 34;
constexpr float kLine = 22;

struct Split {
  std::vector<Rank> group;
  std::map<std::pair<Rank, Rank>, int> copies;
  int from_to(Rank from, Rank to) const {
    const auto found = copies.find({from, to});
    return found == copies.end() ? 0 : found->second;
  }
};

Split split_of(const Scene& scene, int layer, Rank rank) {
  Split split{group_of(scene.derived.layout, Dimension::ep, rank), {}};
  for (const auto& copy : copies_of(scene, layer, rank)) ++split.copies[{copy.home, copy.host}];
  return split;
}

// Receivers of the round under way, so that their fields light up.
bool lit(const Scene& scene, const std::vector<Exchange>& exchanges, Rank from, Rank to) {
  const Exchange* exchange = exchange_of(exchanges, from);
  if (exchange == nullptr || exchange->round == nullptr || !scene.moment.started) return false;
  const auto& communication = *exchange->communication;
  return std::any_of(exchange->round->begin(), exchange->round->end(), [&](const Transfer& transfer) {
    const Rank a = communication.members[static_cast<std::size_t>(transfer.src.rank)];
    const Rank b = communication.members[static_cast<std::size_t>(transfer.dst.rank)];
    return a == from && b == to;
  });
}

void number(Scene& scene, Box box, int value, Weight weight, Ink ink = Ink::ink) {
  scene.add(draw::text(box, std::to_string(value), 14, ink, Anchor::center, weight));
}

}  // namespace

float split_matrix_height(int ranks) {
  return 4 + kLine + 20 + static_cast<float>(ranks + 1) * kLine + 6;
}

void draw_split_matrix(Scene& scene, const tiny::Phase& phase, Rank rank, Box room) {
  const Catalog& words = scene.words();
  const Split split = split_of(scene, phase.layer, rank);
  const auto exchanges = exchanges_at(scene, phase);
  const float label = text_width(words.get(Text::scene_gpu, {{"gpu", "00"}}), draw::kSmall) + 8;
  float y = room.y + 4;
  const std::string title =
      std::string(words.get(Text::scene_split_matrix)) + "  " + std::string(words.get(Text::scene_split_axes));
  scene.add(draw::text({room.x, y, room.w, 20}, title, draw::kSmall, Ink::muted));
  y += kLine;
  float x = room.x + label;
  for (const Rank to : split.group) {
    scene.add(draw::text({x, y, kCell, 20}, std::to_string(to), draw::kSmall, Ink::muted, Anchor::center));
    x += kCell;
  }
  y += 20;
  std::map<Rank, int> received;
  for (const Rank from : split.group) {
    scene.add(draw::text({room.x, y, label, kLine}, words.get(Text::scene_gpu, {{"gpu", std::to_string(from)}}),
                         draw::kSmall, Ink::muted));
    x = room.x + label;
    for (const Rank to : split.group) {
      const Box box{x, y, kCell - 2, kLine - 2};
      const int copies = split.from_to(from, to);
      received[to] += copies;
      Shape field =
          draw::cell(box, std::to_string(copies), copies > 0 ? std::vector<Ink>{origin_ink(from)} : std::vector<Ink>{});
      if (lit(scene, exchanges, from, to)) {
        field.line = Ink::ep;
        field.line_width = 2;
      }
      if (from == to) field.hatch = true;
      field.id = "split." + std::to_string(from) + "." + std::to_string(to);
      scene.add(std::move(field));
      x += kCell;
    }
    y += kLine;
  }
  scene.add(draw::path({{room.x, y}, {x, y}}, Ink::hairline, 1));
  scene.add(
      draw::text({room.x, y, label, kLine}, std::string(words.get(Text::scene_received)), draw::kSmall, Ink::muted));
  x = room.x + label;
  for (const Rank to : split.group) {
    number(scene, {x, y + 1, kCell - 2, kLine - 2}, received[to], Weight::bold);
    x += kCell;
  }
  const std::string diagonal(words.get(Text::scene_stays_diagonal));
  const Box beside{x + 8, y - kLine * static_cast<float>(split.group.size()), room.right() - x - 8, 20};
  if (text_width(diagonal, draw::kSmall) <= beside.w) scene.add(draw::text(beside, diagonal, draw::kSmall, Ink::muted));
}

}  // namespace commflow

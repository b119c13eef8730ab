// The GPUs of the walk: replicas below each other, stages beside each other, with
// the groups they belong to.

#include <algorithm>

#include "core/placement.h"
#include "story/figures/concept_figures.h"
#include "story/figures/draw.h"
#include "story/figures/walk_links.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kCaption = 22;
constexpr float kLane = 9;  // over a row, one for each TP rank: arrows to the next stage
constexpr float kCard = 40;
constexpr float kGap = 14;  // between replicas

struct Places {
  std::vector<Box> cards;  // by rank
  float bottom = 0;
};

float lanes(const Layout& layout) {
  return layout.pp > 1 ? kLane * static_cast<float>(layout.tp) + 14 : 14;
}

Places place_cards(const Layout& layout, float width, float top) {
  Places places;
  places.cards.resize(static_cast<std::size_t>(world_size(layout)));
  const int columns = layout.tp * layout.pp;
  const float column = std::min(120.0F, (width - 2 * kPad) / static_cast<float>(columns));
  const float gap = column > 70 ? 22.0F : column > 40 ? 10.0F : 4.0F;
  for (Rank rank = 0; rank < world_size(layout); ++rank) {
    const Coordinates at = coordinates_of(layout, rank);
    const float x = kPad + static_cast<float>(at.pp * layout.tp + at.tp) * column;
    const float y = top + lanes(layout) + static_cast<float>(at.dp) * (kCard + lanes(layout) + kGap);
    places.cards[static_cast<std::size_t>(rank)] = {x + gap / 2, y, column - gap, kCard};
    places.bottom = std::max(places.bottom, y + kCard);
  }
  return places;
}

void link(Figure& figure, std::vector<Point> points, Dimension dimension, bool head) {
  figure.shapes.push_back(draw::path(std::move(points), ink_of(dimension), 2, stroke_of(dimension), head));
}

// From every member of a group to the next, along the side where the dimension lies.
void draw_group(Figure& figure, const Layout& layout, const Places& places, const std::vector<Rank>& group,
                Dimension dimension) {
  for (std::size_t i = 0; i + 1 < group.size(); ++i) {
    const Box& a = places.cards[static_cast<std::size_t>(group[i])];
    const Box& b = places.cards[static_cast<std::size_t>(group[i + 1])];
    if (dimension == Dimension::tp) {
      link(figure, {{a.right(), a.center_y()}, {b.x, b.center_y()}}, dimension, false);
    } else if (dimension == Dimension::dp) {
      link(figure, {{a.x + a.w * 0.3F, a.bottom()}, {b.x + b.w * 0.3F, b.y}}, dimension, false);
    } else if (dimension == Dimension::pp) {
      const float lane = a.y - 12 - kLane * static_cast<float>(coordinates_of(layout, group.front()).tp);
      link(figure, {{a.center_x(), a.y}, {a.center_x(), lane}, {b.center_x(), lane}, {b.center_x(), b.y}}, dimension,
           true);
    }
  }
}

void draw_expert_group(Figure& figure, const Places& places, const std::vector<Rank>& group) {
  Box frame = places.cards[static_cast<std::size_t>(group.front())];
  for (const Rank rank : group) {
    const Box& box = places.cards[static_cast<std::size_t>(rank)];
    const float right = std::max(frame.right(), box.right()), bottom = std::max(frame.bottom(), box.bottom());
    frame.x = std::min(frame.x, box.x);
    frame.y = std::min(frame.y, box.y);
    frame.w = right - frame.x;
    frame.h = bottom - frame.y;
  }
  const Box box = draw::inset(frame, -5);
  link(figure,
       {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}},
       Dimension::ep, false);
}

float draw_legend(Figure& figure, const Catalog& words, const Layout& layout) {
  float x = kPad, y = 0;
  const auto entry = [&](Dimension dimension, int size) {
    if (size < 2) return;
    const auto key = text_named("dim." + std::string(dimension_name(dimension)) + ".name");
    const std::string name = std::string(key ? words.get(*key) : std::string_view{});
    const float width = text_width(name, draw::kSmall) + 50;
    if (x > kPad && x + width > figure.width - kPad) {
      x = kPad;
      y += kCaption;
    }
    link(figure, {{x, y + 10}, {x + 26, y + 10}}, dimension, dimension == Dimension::pp);
    figure.shapes.push_back(draw::text({x + 34, y, width - 34, 20}, name, draw::kSmall, Ink::muted));
    x += width;
  };
  entry(Dimension::tp, layout.tp);
  entry(Dimension::pp, layout.pp);
  entry(Dimension::dp, layout.dp);
  entry(Dimension::ep, layout.ep);
  return y + kCaption + 4;
}

void draw_card(Figure& figure, const State& state, const Catalog& words, Rank rank, const Box& box) {
  const std::string id = "gpu." + std::to_string(rank);
  Shape card = draw::rect(box, Ink::surface, state.gpu == rank ? Ink::accent : Ink::hairline);
  card.id = id;
  figure.shapes.push_back(std::move(card));
  const std::string name = words.get(Text::scene_gpu, {{"gpu", std::to_string(rank)}});
  const bool fits = text_width(name, draw::kSmall, Weight::bold) <= box.w - 4;
  figure.shapes.push_back(draw::text({box.x, box.y + 2, box.w, 18}, fits ? name : std::to_string(rank), draw::kSmall,
                                     Ink::ink, Anchor::center, Weight::bold));
  const std::string node = words.get(Text::scene_node, {{"node", std::to_string(node_of(rank, state.gpus_per_node))}});
  if (text_width(node, draw::kSmall) <= box.w - 4)
    figure.shapes.push_back(draw::text({box.x, box.y + 19, box.w, 18}, node, draw::kSmall, Ink::muted, Anchor::center));
}

}  // namespace

Figure setting_figure(const State& state, const Derived& derived, const Library& library, FigureSpace space) {
  const Catalog& words = library.catalogs[static_cast<std::size_t>(state.lang)];
  Figure figure;
  figure.width = space.width;
  if (derived.problem) return figure;
  const Layout& layout = derived.layout;
  const float top = draw_legend(figure, words, layout);
  const Places places = place_cards(layout, space.width, top);
  for (const Dimension dimension : {Dimension::tp, Dimension::pp, Dimension::dp})
    for (const auto& group : groups_of(layout, dimension)) draw_group(figure, layout, places, group, dimension);
  if (layout.ep > 1)
    for (const auto& group : groups_of(layout, Dimension::ep)) draw_expert_group(figure, places, group);
  for (Rank rank = 0; rank < world_size(layout); ++rank)
    draw_card(figure, state, words, rank, places.cards[static_cast<std::size_t>(rank)]);
  figure.height = places.bottom + 12;
  return figure;
}

}  // namespace commflow

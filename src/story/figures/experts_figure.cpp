// Where everything of the experts figure stands.
#include "story/figures/experts_figure.h"

#include <algorithm>
#include <utility>

#include "core/placement.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kGap = 8;
constexpr float kPad = 8;
constexpr float kHeader = 26;
constexpr float kCaption = 20;
constexpr float kLine = 23;
constexpr float kNode = 22;    // the name of a node above its cards
constexpr float kLeast = 136;  // a narrower card has no room for a token and its choices
constexpr float kWidest = 236;

int ranks(const ExpertPicture& picture) {
  return experts::ranks_of(picture.view.settings);
}

// As many cards side by side as there is room for, so that nodes stay whole or are split evenly.
int columns_of(const ExpertPicture& picture) {
  const int most = std::max(1, static_cast<int>((picture.space.width + kGap) / (kLeast + kGap)));
  const int node = picture.view.settings.gpus_per_node, all = ranks(picture);
  int columns = std::min(most, all);
  while (columns > 1 && !(columns % node == 0 || node % columns == 0)) --columns;
  return columns;
}

// Lines that items of these widths take.
struct Flow {
  float width = 0;
  float x = 0;
  int line = 0;
  // Left of an item of width w; begins a new line if it and what must follow it do not fit.
  float place(float w, float and_next = 0) {
    if (x > 0 && x + w + and_next > width + 0.01F) {
      x = 0;
      ++line;
    }
    const float left = x;
    x += w;
    return left;
  }
};

// What a rank sends, in send order: destination marks and slots.
struct Packed {
  Rank to = -1;  // a mark, if slot < 0
  int slot = -1;
  int departure = -1;
};
std::vector<Packed> packed_of(const experts::LayerRun& run, Rank home) {
  std::vector<Packed> packed;
  Rank last = -1;
  std::vector<Rank> host(run.plan.departures.size(), -1);
  for (const experts::Parcel& parcel : run.plan.parcels) {
    Rank& first = host[index_of(parcel.departure)];
    if (first < 0) first = parcel.host;
  }
  for (std::size_t i = 0; i < run.plan.departures.size(); ++i) {
    const experts::Departure& departure = run.plan.departures[i];
    if (departure.home != home) continue;
    const Rank to = departure.relay >= 0 ? departure.relay : host[i];
    if (to != last) packed.push_back({to, -1, -1});
    last = to;
    packed.push_back({to, departure.slot, static_cast<int>(i)});
  }
  return packed;
}

// A mark stays with the first slot behind it.
float place_item(Flow& flow, const ExpertGrid& grid, const Packed& item) {
  return item.slot < 0 ? flow.place(grid.label_w, grid.cell_w) : flow.place(grid.cell_w);
}

int packed_lines(const ExpertPicture& picture, const ExpertGrid& grid, Rank rank) {
  Flow flow{grid.card_w - 2 * kPad};
  for (const Packed& item : packed_of(picture.view.run, rank)) place_item(flow, grid, item);
  return flow.line + 1;
}

int lines_for(int cells, float width, float cell) {
  const int per_line = std::max(1, static_cast<int>((width + 0.01F) / cell));
  return std::max(1, (cells + per_line - 1) / per_line);
}

int relay_cells(const ExpertPicture& picture, Rank rank) {
  const auto& departures = picture.view.run.plan.departures;
  return static_cast<int>(std::count_if(departures.begin(), departures.end(),
                                        [&](const experts::Departure& d) { return d.relay == rank; }));
}

void place_parts(const ExpertPicture& picture, ExpertGrid& grid) {
  const experts::LayerRun& run = picture.view.run;
  const float inner = grid.card_w - 2 * kPad;
  int packed = 2, relay = 1;
  std::vector<int> rows(run.plan.groups.front().size(), 1);
  for (Rank rank = 0; rank < ranks(picture); ++rank) {
    packed = std::max(packed, packed_lines(picture, grid, rank));
    relay = std::max(relay, lines_for(relay_cells(picture, rank), inner, grid.cell_w));
    const auto& groups = run.plan.groups[index_of(rank)];
    rows.resize(std::max(rows.size(), groups.size()), 1);
    for (std::size_t i = 0; i < groups.size(); ++i)
      rows[i] = std::max(rows[i], lines_for(groups[i].count, inner - grid.chip_w, grid.cell_w));
  }
  grid.tokens_y = kHeader;
  grid.packed_y = grid.tokens_y + static_cast<float>(run.settings.tokens) * grid.token_h + kCaption;
  grid.relay_y = grid.packed_y + static_cast<float>(packed) * kLine + kCaption;
  const bool hops = run.settings.path == experts::Path::two_hop;
  grid.experts_y = grid.relay_y + (hops ? static_cast<float>(relay) * kLine + kCaption : 0);
  float y = grid.experts_y;
  for (const int lines : rows) {
    grid.expert_y.push_back(y);
    y += static_cast<float>(lines) * kLine + 3;
  }
  grid.card_h = y + kPad - 3;
}

void place_tokens(const ExpertPicture& picture, const ExpertGrid& grid, ExpertPlaces& places) {
  const experts::LayerRun& run = picture.view.run;
  for (int token = 0; token < run.routing.all_tokens(); ++token) {
    const Box card = expert_card(picture, grid, token / run.settings.tokens);
    const float y = card.y + grid.tokens_y + static_cast<float>(token % run.settings.tokens) * grid.token_h;
    places.tokens.push_back({card.x + kPad, y, grid.cell_w - 2, kLine - 3});
    const float x = card.x + kPad + grid.cell_w + 2;
    for (int choice = 0; choice < run.routing.topk; ++choice) {
      const int column = choice % grid.chips_per_line, line = choice / grid.chips_per_line;
      places.chips.push_back({x + static_cast<float>(column) * (grid.chip_w + 3), y + static_cast<float>(line) * kLine,
                              grid.chip_w, kLine - 3});
    }
  }
}

void place_packed(const ExpertPicture& picture, const ExpertGrid& grid, ExpertPlaces& places) {
  const experts::LayerRun& run = picture.view.run;
  for (Rank rank = 0; rank < ranks(picture); ++rank) {
    const Box card = expert_card(picture, grid, rank);
    Flow flow{grid.card_w - 2 * kPad};
    for (const Packed& item : packed_of(run, rank)) {
      const float w = item.slot < 0 ? grid.label_w : grid.cell_w;
      const float x = card.x + kPad + place_item(flow, grid, item);
      const Box box{x, card.y + grid.packed_y + static_cast<float>(flow.line) * kLine, w - 2, kLine - 3};
      if (item.slot < 0) {
        places.targets[{rank, item.to}] = box;
        continue;
      }
      const int token = run.plan.departures[index_of(item.departure)].token;
      places.dispatch[{rank, Area::in, item.slot}] = {box, token};
      places.combine[{rank, Area::out, item.slot}] = {box, token};
    }
  }
}

void place_relays(const ExpertPicture& picture, const ExpertGrid& grid, ExpertPlaces& places) {
  const experts::LayerRun& run = picture.view.run;
  std::vector<int> next(index_of(ranks(picture)));
  const float inner = grid.card_w - 2 * kPad;
  const int per_line = std::max(1, static_cast<int>((inner + 0.01F) / grid.cell_w));
  for (const experts::Departure& departure : run.plan.departures) {
    if (departure.relay < 0) continue;
    const int cell = next[index_of(departure.relay)]++;
    const Box card = expert_card(picture, grid, departure.relay);
    const Box box{card.x + kPad + static_cast<float>(cell % per_line) * grid.cell_w,
                  card.y + grid.relay_y + static_cast<float>(cell / per_line) * kLine, grid.cell_w - 2, kLine - 3};
    const Place slot{departure.relay, Area::out, departure.relay_slot};
    places.dispatch[slot] = places.combine[slot] = {box, departure.token};
  }
}

void place_rows(const ExpertPicture& picture, const ExpertGrid& grid, ExpertPlaces& places) {
  const experts::LayerRun& run = picture.view.run;
  const float inner = grid.card_w - 2 * kPad - grid.chip_w;
  const int per_line = std::max(1, static_cast<int>((inner + 0.01F) / grid.cell_w));
  for (Rank rank = 0; rank < ranks(picture); ++rank) {
    const Box card = expert_card(picture, grid, rank);
    std::vector<Box>& rows = places.rows.emplace_back(run.plan.rows[index_of(rank)].size());
    const auto& groups = run.plan.groups[index_of(rank)];
    for (std::size_t group = 0; group < groups.size(); ++group)
      for (int row = 0; row < groups[group].count; ++row)
        rows[index_of(groups[group].first + row)] = {
            card.x + kPad + grid.chip_w + 2 + static_cast<float>(row % per_line) * grid.cell_w,
            card.y + grid.expert_y[group] + static_cast<float>(row / per_line) * kLine, grid.cell_w - 2, kLine - 3};
  }
  for (const experts::Parcel& parcel : run.plan.parcels) {
    const experts::Copy& copy = run.plan.copies[index_of(parcel.copies.front())];
    const Spot spot{places.rows[index_of(parcel.host)][index_of(copy.row)], copy.token};
    places.dispatch[{parcel.host, Area::out, parcel.arrival}] = spot;
    places.combine[{parcel.host, Area::in, parcel.arrival}] = spot;
  }
}

// Behind the cards of each node, with its name; a node may be split over rows.
void draw_nodes(ExpertPicture& picture, const ExpertGrid& grid) {
  const int node_size = picture.view.settings.gpus_per_node;
  const int all = ranks(picture);
  for (Rank rank = 0; rank < all; ++rank) {
    const bool first = rank % grid.columns == 0 || rank % node_size == 0;
    if (!first) continue;
    Rank last = rank;
    while (last + 1 < all && (last + 1) % grid.columns != 0 && (last + 1) % node_size != 0) ++last;
    const Box a = expert_card(picture, grid, rank), b = expert_card(picture, grid, last);
    const Box frame{a.x - 3, a.y - kNode, b.right() - a.x + 6, kNode + a.h + 3};
    picture.add(draw::rect(frame, Ink::ep_soft, Ink::none, 8));
    const int node = node_of(rank, node_size);
    picture.add(draw::text({a.x + 4, frame.y, frame.w - 8, kNode},
                           picture.words.get(Text::experts_node, {{"node", std::to_string(node)}}), draw::kSmall,
                           Ink::muted));
  }
}

}  // namespace

bool ExpertPicture::finished(ExpertStage wanted) const {
  return progress(wanted) >= 1;
}

float ExpertPicture::progress(ExpertStage wanted) const {
  if (!moment.started || stage() < wanted) return 0;
  if (stage() > wanted) return 1;
  const auto last = last_beat_of(view.timeline, wanted);
  return moment.beat < last ? std::min(moment.fraction, 0.999F) : moment.fraction;
}

ExpertGrid expert_grid(const ExpertPicture& picture) {
  const experts::Settings& settings = picture.view.settings;
  ExpertGrid grid;
  grid.columns = columns_of(picture);
  const auto columns = static_cast<float>(grid.columns);
  grid.card_w = std::min(kWidest, (picture.space.width - 6 - kGap * (columns - 1)) / columns);
  grid.top = kNode;
  const std::string last_token = std::to_string(experts::tokens_of_all(settings) - 1);
  grid.cell_w = std::max(24.0F, text_width(last_token, draw::kSmall) + 8);
  grid.label_w =
      text_width(picture.words.get(Text::experts_to, {{"rank", std::to_string(ranks(picture) - 1)}}), draw::kSmall) + 5;
  grid.chip_w = text_width(settings.experts > 10 ? "E00 00" : "E0 00", draw::kSmall) + 4;
  const float room = grid.card_w - 2 * kPad - grid.cell_w - 2 + 3;
  grid.chips_per_line = std::clamp(static_cast<int>(room / (grid.chip_w + 3)), 1, settings.topk);
  const int lines = (settings.topk + grid.chips_per_line - 1) / grid.chips_per_line;
  grid.token_h = static_cast<float>(lines) * kLine + (lines > 1 ? 3.0F : 0.0F);
  place_parts(picture, grid);
  const int rows = (ranks(picture) + grid.columns - 1) / grid.columns;
  grid.height = static_cast<float>(rows) * (grid.card_h + kNode + 3 + kGap);
  return grid;
}

Box expert_card(const ExpertPicture& picture, const ExpertGrid& grid, Rank rank) {
  const auto columns = static_cast<float>(grid.columns);
  const float used = grid.card_w * columns + kGap * (columns - 1);
  const float left = std::max(3.0F, (picture.space.width - used) / 2);
  const auto column = static_cast<float>(rank % grid.columns), row = static_cast<float>(rank / grid.columns);
  return {left + column * (grid.card_w + kGap), grid.top + row * (grid.card_h + kNode + 3 + kGap), grid.card_w,
          grid.card_h};
}

ExpertPlaces expert_places(const ExpertPicture& picture, const ExpertGrid& grid) {
  ExpertPlaces places(picture.view.run);
  place_tokens(picture, grid, places);
  place_packed(picture, grid, places);
  place_relays(picture, grid, places);
  place_rows(picture, grid, places);
  return places;
}

Figure experts_figure(const State& state, const ExpertView& view, const Catalog& words, FigureSpace space,
                      bool reduced_motion) {
  ExpertPicture picture{state, view, words, moment_at(view.timeline, state.at, reduced_motion), space, {}};
  picture.figure.width = space.width;
  if (!view.drawn) return std::move(picture.figure);
  const ExpertGrid grid = expert_grid(picture);
  const ExpertPlaces places = expert_places(picture, grid);
  draw_nodes(picture, grid);
  draw_expert_cards(picture, grid, places);
  draw_expert_travel(picture, grid, places);
  const Box room{3, grid.height + 4, space.width - 6, 0};
  picture.figure.height = room.y + draw_expert_side(picture, room);
  return std::move(picture.figure);
}

}  // namespace commflow

// What moves in the experts figure, and the arrows that stand in its place at rest.
#include <algorithm>
#include <cmath>

#include "core/placement.h"
#include "story/figures/draw.h"
#include "story/figures/experts_figure.h"

namespace commflow {
namespace {

constexpr float kPale = 0.3F;

// Those that do not belong to the followed token step back.
float opacity_of(const ExpertPicture& picture, int token) {
  return picture.state.expert_token < 0 || picture.follows(token) ? 1.0F : kPale;
}

struct Flight {
  Box from, to;
  Shape cell;
  int token = -1;
};

void fly(ExpertPicture& picture, Flight flight) {
  const Point a = draw::center(flight.from), b = draw::center(flight.to);
  const Point middle{(a.x + b.x) / 2, (a.y + b.y) / 2 - std::min(24.0F, std::abs(a.x - b.x) / 8)};
  const Box box = draw::centered(draw::along(a, middle, b, picture.moment.fraction), flight.to.w, flight.to.h);
  flight.cell.box = box;
  flight.cell.opacity = opacity_of(picture, flight.token);
  Shape back = draw::rect(draw::inset(box, -1.5F), Ink::raised, Ink::ink, 4);
  back.opacity = flight.cell.opacity;
  picture.add(std::move(back));
  picture.add(std::move(flight.cell));
  if (picture.follows(flight.token)) picture.add(draw::follow_mark(box));
}

bool crosses_nodes(const ExpertPicture& picture, Rank a, Rank b) {
  const int size = picture.view.settings.gpus_per_node;
  return node_of(a, size) != node_of(b, size);
}

void draw_arrow(ExpertPicture& picture, const Transfer& transfer, const Flight& flight) {
  if (transfer.local()) return;
  Point a = draw::center(flight.from), b = draw::center(flight.to);
  const float dx = b.x - a.x, dy = b.y - a.y, length = std::max(1.0F, std::sqrt(dx * dx + dy * dy));
  constexpr float kOff = 11, kHead = 14;
  if (length < 3 * kOff) return;
  a = {a.x + dx / length * kOff, a.y + dy / length * kOff};
  b = {b.x - dx / length * kHead, b.y - dy / length * kHead};
  const bool network = crosses_nodes(picture, transfer.src.rank, transfer.dst.rank);
  Shape arrow = draw::path({a, b}, network ? Ink::ep : Ink::muted, network ? 2.0F : 1.25F, Stroke::solid, true);
  arrow.opacity = picture.state.expert_token < 0 ? 0.65F : opacity_of(picture, flight.token);
  picture.add(std::move(arrow));
}

void draw_round(ExpertPicture& picture, const ExpertPlaces& places, ExpertStage stage) {
  const bool out = stage == ExpertStage::dispatch;
  const auto& spots = out ? places.dispatch : places.combine;
  const auto& history = out ? picture.view.dispatch : picture.view.combine;
  const ExpertExchange exchange = expert_exchange(picture, stage);
  const Buffers& before = history[index_of(picture.moment.at.round)];
  for (const Transfer& transfer : *exchange.under_way) {
    const Spot& from = spots[transfer.src];
    Flight flight{from.box, spots[transfer.dst].box, expert_cell(before, transfer.src, from.token, from.box, !out),
                  from.token};
    if (picture.moment.fraction >= 1)
      draw_arrow(picture, transfer, flight);
    else
      fly(picture, std::move(flight));
  }
}

// Copies move from where they were chosen into the order in which they are sent.
void draw_packing(ExpertPicture& picture, const ExpertPlaces& places) {
  const auto& run = picture.view.run;
  for (std::size_t i = 0; i < run.plan.copies.size(); ++i) {
    const experts::Copy& copy = run.plan.copies[i];
    if (copy.host < 0) continue;
    const auto& departure = run.plan.departures[index_of(run.plan.parcels[index_of(copy.parcel)].departure)];
    const Place place{departure.home, Area::in, departure.slot};
    const Box to = places.dispatch[place].box;
    fly(picture, {places.chips[i], to, expert_cell(run.dispatch.initial, place, copy.token, to, false), copy.token});
  }
}

// Every rank tells every other how many copies will come.
void draw_counts(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places) {
  const experts::Flow& split = picture.view.counts.split;
  for (const auto& [key, box] : places.targets) {
    const auto [from, to] = key;
    if (from == to || split.at(from, to) == 0) continue;
    const Box card = expert_card(picture, grid, to);
    const Box target{card.x + 8, card.y + grid.experts_y, grid.cell_w - 2, 20};
    const std::string count = std::to_string(split.at(from, to));
    fly(picture, {box, target, draw::cell(target, count, {origin_ink(from)}), -1});
  }
}

// Results are added up where their token stands.
void draw_summing(ExpertPicture& picture, const ExpertPlaces& places) {
  const auto& run = picture.view.run;
  for (const experts::Departure& departure : run.plan.departures) {
    const Place place{departure.home, Area::out, departure.slot};
    const Box from = places.combine[place].box;
    const Box cell = places.tokens[index_of(departure.token)];
    const Box to{cell.right() + 6, cell.y, cell.w, cell.h};
    fly(picture, {from, to, expert_cell(run.combine.final, place, departure.token, to, true), departure.token});
  }
}

}  // namespace

void draw_expert_travel(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places) {
  if (!picture.moment.started) return;
  const ExpertStage stage = picture.stage();
  if (stage == ExpertStage::dispatch || stage == ExpertStage::combine) return draw_round(picture, places, stage);
  if (picture.moment.fraction >= 1) return;
  if (stage == ExpertStage::pack) draw_packing(picture, places);
  if (stage == ExpertStage::exchange) draw_counts(picture, grid, places);
  if (stage == ExpertStage::sum) draw_summing(picture, places);
}

}  // namespace commflow

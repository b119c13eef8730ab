// The inside of the cards: what every rank holds at the moment.
#include <algorithm>
#include <cmath>

#include "core/tiny_matrix.h"
#include "story/figures/draw.h"
#include "story/figures/experts_figure.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kPad = 8;
constexpr float kLine = 20;
constexpr float kGhost = 0.3F;
constexpr float kCaption = 20;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

void mark(ExpertPicture& picture, int token, Box box) {
  if (picture.follows(token)) picture.add(draw::follow_mark(box));
}

Text role_key(const ExpertPicture& picture) {
  if (!picture.moment.started) return Text::experts_role_ready;
  switch (picture.stage()) {
    case ExpertStage::scores: return Text::experts_role_scores;
    case ExpertStage::choose: return Text::experts_role_choose;
    case ExpertStage::count: return Text::experts_role_count;
    case ExpertStage::pack: return Text::experts_role_pack;
    case ExpertStage::exchange: return Text::experts_role_exchange;
    case ExpertStage::dispatch: return Text::experts_role_dispatch;
    case ExpertStage::experts: return Text::experts_role_experts;
    case ExpertStage::combine: return Text::experts_role_combine;
    case ExpertStage::sum: return Text::experts_role_sum;
    case ExpertStage::finish: break;
  }
  return Text::experts_role_finish;
}

int dropped_of(const ExpertPicture& picture, Rank rank) {
  const auto& copies = picture.view.run.plan.copies;
  return static_cast<int>(std::count_if(copies.begin(), copies.end(),
                                        [&](const experts::Copy& copy) { return copy.home == rank && copy.host < 0; }));
}

void draw_header(ExpertPicture& picture, Box card, Rank rank) {
  picture.add(draw::rect({card.x + kPad, card.y + 8, 10, 12}, origin_ink(rank), Ink::none, 2));
  const std::string name = picture.words.get(Text::scene_gpu, {{"gpu", number(rank)}});
  const float left = card.x + kPad + 15, width = text_width(name, 14, Weight::bold);
  picture.add(draw::text({left, card.y + 4, width, 20}, name, 14, Ink::ink, Anchor::left, Weight::bold));
  const int dropped = picture.reached(ExpertStage::count) ? dropped_of(picture, rank) : 0;
  const std::string role = dropped > 0 ? picture.words.get(Text::experts_dropped_here, {{"count", number(dropped)}})
                                       : std::string(picture.words.get(role_key(picture)));
  const Box box{left + width + 6, card.y + 4, card.right() - kPad - left - width - 6, 20};
  if (text_width(role, draw::kSmall) <= box.w)
    picture.add(draw::text(box, role, draw::kSmall, dropped > 0 ? Ink::broken : Ink::muted, Anchor::right,
                           dropped > 0 ? Weight::bold : Weight::regular));
}

void draw_caption(ExpertPicture& picture, Box card, float y, Text key) {
  picture.add(draw::text({card.x + kPad, card.y + y - kCaption + 1, card.w - 2 * kPad, 18},
                         std::string(picture.words.get(key)), draw::kSmall, Ink::muted));
}

// ---- tokens at home ---------------------------------------------------------

void draw_scores(ExpertPicture& picture, const ExpertPlaces& places, int token, float right) {
  const auto& routing = picture.view.run.routing;
  const int count = picture.view.settings.experts;
  const Box cell = places.tokens[index_of(token)];
  const float left = cell.right() + 4, step = (right - left) / static_cast<float>(count);
  const auto* first = &routing.scores[index_of(token * count)];
  const auto [low, high] = std::minmax_element(first, first + count);
  const auto span = static_cast<float>(std::max<Value>(1, *high - *low));
  const float fade = 1 - picture.progress(ExpertStage::choose);
  for (int expert = 0; expert < count; ++expert) {
    const float share = 0.12F + 0.88F * static_cast<float>(first[expert] - *low) / span;
    const float tall = (kLine - 1) * share * picture.progress(ExpertStage::scores);
    const auto* chosen = &routing.experts[routing.at(token, 0)];
    const bool wins = std::find(chosen, chosen + routing.topk, expert) != chosen + routing.topk;
    const bool choosing = picture.reached(ExpertStage::choose);
    Shape bar =
        draw::rect({left + static_cast<float>(expert) * step, cell.bottom() - tall, std::max(1.0F, step - 2), tall},
                   choosing && wins ? Ink::ep : Ink::idle, Ink::none, 1);
    bar.opacity = fade;
    bar.id = "score." + number(token) + "." + number(expert);
    picture.add(std::move(bar));
  }
}

void draw_cross(ExpertPicture& picture, Box box) {
  picture.add(draw::path({{box.x + 4, box.y + 3}, {box.right() - 4, box.bottom() - 3}}, Ink::broken, 1.5F));
  picture.add(draw::path({{box.x + 4, box.bottom() - 3}, {box.right() - 4, box.y + 3}}, Ink::broken, 1.5F));
}

void draw_chips(ExpertPicture& picture, const ExpertPlaces& places, int token) {
  const auto& run = picture.view.run;
  for (int choice = 0; choice < run.routing.topk; ++choice) {
    const std::size_t at = run.routing.at(token, choice);
    const Box box = places.chips[at];
    const bool dropped = run.plan.copies[at].host < 0 && picture.reached(ExpertStage::count);
    Shape chip = draw::rect(box, dropped ? Ink::none : Ink::ep_soft, Ink::hairline, 4);
    chip.hatch = dropped;
    chip.opacity = picture.progress(ExpertStage::choose);
    chip.id = (dropped ? "dropped." : "chip.") + number(token) + "." + number(choice);
    picture.add(std::move(chip));
    Shape label =
        draw::text(box,
                   picture.words.get(Text::scene_expert_short, {{"expert", number(run.routing.experts[at])}}) + " " +
                       number(run.routing.weights[at]),
                   draw::kSmall, Ink::ink, Anchor::center);
    label.opacity = picture.progress(ExpertStage::choose);
    picture.add(std::move(label));
    if (dropped) draw_cross(picture, box);
  }
}

void draw_numbers(ExpertPicture& picture, Box cell, float right, Text key, const std::vector<Value>& values,
                  Weight weight) {
  std::string digits;
  for (const Value value : values) digits += (digits.empty() ? "" : ", ") + number(value);
  picture.add(draw::text({cell.right() + 6, cell.y, right - cell.right() - 6, kLine},
                         picture.words.get(key, {{"values", digits}}), draw::kSmall, Ink::ink, Anchor::left, weight));
}

std::vector<Value> row_of(const tiny::Matrix& matrix, int row, Value divisor) {
  std::vector<Value> values;
  for (int col = 0; col < matrix.cols; ++col)
    values.push_back(divisor == 1 ? matrix.at(row, col) : tiny::rounded_ratio(matrix.at(row, col), divisor));
  return values;
}

// What stands beside a token: its numbers, the scores, the choices, the sum, the result.
void draw_beside(ExpertPicture& picture, const ExpertPlaces& places, int token, float right) {
  const auto& run = picture.view.run;
  const Box cell = places.tokens[index_of(token)];
  if (!picture.moment.started)
    return draw_numbers(picture, cell, right, Text::experts_input, row_of(run.data.tokens, token, 1), Weight::regular);
  if (!picture.finished(ExpertStage::choose)) draw_scores(picture, places, token, right);
  if (picture.reached(ExpertStage::finish))
    return draw_numbers(picture, cell, right, Text::experts_output, row_of(run.output, token, 1), Weight::bold);
  if (picture.finished(ExpertStage::sum))
    return draw_numbers(picture, cell, right, Text::experts_sum, row_of(run.weighted, token, kGateTotal),
                        Weight::regular);
  if (picture.reached(ExpertStage::choose)) draw_chips(picture, places, token);
}

void draw_tokens(ExpertPicture& picture, const ExpertPlaces& places, Box card, Rank rank) {
  const int per_rank = picture.view.settings.tokens;
  const float right = card.right() - kPad;
  for (int token = rank * per_rank; token < (rank + 1) * per_rank; ++token) {
    const Box box = places.tokens[index_of(token)];
    Shape cell = draw::cell(box, number(token), {origin_ink(rank)});
    cell.hatch = rank >= 8;
    cell.id = "token." + number(token);
    picture.add(std::move(cell));
    draw_beside(picture, places, token, right);
    mark(picture, token, box);
    const std::string id = "expert_token." + number(token);
    picture.figure.targets.push_back(
        {id,
         picture.words.get(Text::follow_token, {{"token", number(token)}, {"gpu", number(rank)}}),
         {box.x, box.y, right - box.x, box.h},
         picture.follows(token)});
  }
}

// ---- what is sent, passed on and received ------------------------------------

// Copies for each expert, before they are packed.
void draw_histogram(ExpertPicture& picture, Box area, Rank rank) {
  const int count = picture.view.settings.experts;
  std::vector<int> copies(index_of(count));
  for (const experts::Copy& copy : picture.view.run.plan.copies)
    if (copy.home == rank && copy.host >= 0) ++copies[index_of(copy.expert)];
  const int most = std::max(1, *std::max_element(copies.begin(), copies.end()));
  const float step = area.w / static_cast<float>(count);
  const bool labelled = step >= text_width(number(count - 1), draw::kSmall) + 2;
  const float room = labelled ? area.h - 30 : area.h;
  for (int expert = 0; expert < count; ++expert) {
    const float x = area.x + static_cast<float>(expert) * step;
    const float tall = room * static_cast<float>(copies[index_of(expert)]) / static_cast<float>(most) *
                       picture.progress(ExpertStage::count);
    const float bottom = area.y + area.h - (labelled ? 15 : 0);
    picture.add(draw::rect({x + 1, bottom - tall, step - 2, tall}, Ink::ep, Ink::none, 1));
    if (!labelled) continue;
    picture.add(draw::text({x, bottom, step, 15}, number(expert), draw::kSmall, Ink::muted, Anchor::center));
    Shape digits = draw::text({x, bottom - tall - 15, step, 15}, number(copies[index_of(expert)]), draw::kSmall,
                              Ink::ink, Anchor::center, Weight::bold);
    digits.id = "count." + number(rank) + "." + number(expert);
    picture.add(std::move(digits));
  }
}

// An empty slot that is reserved, or a vector in it; pale once it has gone.
void draw_slot(ExpertPicture& picture, const Buffers& buffers, Place place, const Spot& spot, bool gone, bool result) {
  if (!buffers.filled(place)) {
    Shape frame = draw::rect(spot.box, Ink::none, Ink::hairline, 3);
    picture.add(std::move(frame));
    return;
  }
  Shape cell = expert_cell(buffers, place, spot.token, spot.box, result);
  if (gone) cell.opacity = kGhost;
  picture.add(std::move(cell));
  mark(picture, spot.token, spot.box);
}

void draw_targets(ExpertPicture& picture, const ExpertPlaces& places, Rank rank) {
  for (const auto& [key, box] : places.targets)
    if (key.first == rank)
      picture.add(draw::text(box, picture.words.get(Text::experts_to, {{"rank", number(key.second)}}), draw::kSmall,
                             Ink::muted));
}

// Both exchanges at the moment, found once for all cards.
struct Exchanges {
  ExpertExchange out, home;
  const ExpertExchange& latest(bool back) const { return back ? home : out; }
};

void draw_packed(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places, const Exchanges& exchanges,
                 Box card, Rank rank) {
  const bool back = picture.reached(ExpertStage::combine);
  draw_caption(picture, card, grid.packed_y, back ? Text::experts_back : Text::experts_packed);
  if (picture.reached(ExpertStage::count) && !picture.reached(ExpertStage::pack))
    draw_histogram(picture, {card.x + kPad, card.y + grid.packed_y, card.w - 2 * kPad, 2 * kLine + 3}, rank);
  if (!picture.finished(ExpertStage::pack)) return;
  draw_targets(picture, places, rank);
  const ExpertExchange& exchange = exchanges.latest(back);
  const Area area = back ? Area::out : Area::in;
  const bool gone = picture.finished(ExpertStage::sum);
  const PerPlace<Spot>& spots = back ? places.combine : places.dispatch;
  for (Place place{rank, area, 0}; place.slot < spots.slots(); ++place.slot) {
    const Spot& spot = spots[place];
    const bool relay = spot.box.y >= card.y + grid.relay_y - 1;
    if (spot.token < 0 || relay) continue;
    draw_slot(picture, exchange.now, place, spot, gone || exchange.sent[place] > 0, back);
  }
}

void draw_relay(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places, const Exchanges& exchanges,
                Box card, Rank rank) {
  if (picture.view.settings.path == experts::Path::one_hop) return;
  draw_caption(picture, card, grid.relay_y, Text::experts_relay);
  const bool back = picture.reached(ExpertStage::combine);
  if (!picture.finished(ExpertStage::exchange)) return;
  const ExpertExchange& exchange = exchanges.latest(back);
  for (const experts::Departure& departure : picture.view.run.plan.departures) {
    if (departure.relay != rank) continue;
    const Place place{rank, Area::out, departure.relay_slot};
    draw_slot(picture, exchange.now, place, places.dispatch[place], exchange.sent[place] > 0, back);
  }
}

void draw_expert_name(ExpertPicture& picture, const ExpertGrid& grid, Box card, std::size_t local, Rank rank) {
  const auto& group = picture.view.run.plan.groups[index_of(rank)][local];
  const Box box{card.x + kPad, card.y + grid.expert_y[local], grid.chip_w - 2, kLine};
  const bool busy = picture.stage() == ExpertStage::experts && picture.moment.started && group.count > 0;
  const bool replica = picture.view.counts.hosts.of_expert[index_of(group.expert)].front() != rank;
  Shape name = draw::rect(box, Ink::ep_soft, Ink::ep, 4);
  name.line_width = busy ? 2.5F : 1.0F;
  name.stroke = replica ? Stroke::thin_dashes : Stroke::solid;
  name.id = "expert." + number(rank) + "." + number(group.expert);
  picture.add(std::move(name));
  const std::string label =
      picture.words.get(replica ? Text::experts_replica : Text::scene_expert_short, {{"expert", number(group.expert)}});
  picture.add(draw::text(box, label, draw::kSmall, Ink::ink, Anchor::center, Weight::bold));
}

void draw_row(ExpertPicture& picture, const ExpertPlaces& places, const ExpertExchange& out, const ExpertExchange& home,
              Rank rank, int row) {
  const auto& run = picture.view.run;
  const experts::Copy& copy = run.plan.copies[index_of(run.plan.rows[index_of(rank)][index_of(row)])];
  const experts::Parcel& parcel = run.plan.parcels[index_of(copy.parcel)];
  const bool computed = picture.finished(ExpertStage::experts);
  const Spot spot{places.rows[index_of(rank)][index_of(row)], copy.token};
  const Place arrived{rank, Area::out, parcel.arrival}, leaving{rank, Area::in, parcel.arrival};
  const bool gone = home.sent[leaving] > 0;
  draw_slot(picture, computed ? home.movement.initial : out.now, computed ? leaving : arrived, spot, gone, computed);
}

void draw_experts(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places,
                  const Exchanges& exchanges, Box card, Rank rank) {
  const auto& groups = picture.view.run.plan.groups[index_of(rank)];
  draw_caption(picture, card, grid.experts_y, Text::experts_here);
  for (std::size_t local = 0; local < groups.size(); ++local) draw_expert_name(picture, grid, card, local, rank);
  if (!picture.finished(ExpertStage::exchange)) return;
  for (int row = 0; row < static_cast<int>(std::ssize(places.rows[index_of(rank)])); ++row)
    draw_row(picture, places, exchanges.out, exchanges.home, rank, row);
}

}  // namespace

Shape expert_cell(const Buffers& buffers, Place place, int token, Box box, bool result) {
  std::vector<Ink> inks;
  bool repeats = false;
  for (const Rank rank : buffers.from(place).ranks()) {
    inks.push_back(origin_ink(rank));
    repeats = repeats || rank >= 8;
  }
  Shape cell = draw::cell(box, number(token), std::move(inks));
  cell.hatch = repeats;
  if (result) {
    cell.line = Ink::ep;
    cell.line_width = 1.5F;
  }
  cell.id = "cell." + number(place.rank) + "." + number(token);
  return cell;
}

ExpertExchange expert_exchange(const ExpertPicture& picture, ExpertStage stage) {
  const bool out = stage == ExpertStage::dispatch;
  const experts::Movement& movement = out ? picture.view.run.dispatch : picture.view.run.combine;
  const auto& history = out ? picture.view.dispatch : picture.view.combine;
  const auto& rounds = movement.schedule.rounds;
  std::size_t done = picture.finished(stage) ? rounds.size() : 0, begun = done;
  const Round* under_way = nullptr;
  if (picture.moment.started && picture.stage() == stage) {
    const std::size_t round = index_of(picture.moment.at.round);
    done = round + (picture.moment.fraction >= 1 ? 1 : 0);
    begun = round + 1;
    under_way = &rounds[round];
  }
  ExpertExchange exchange{movement, history[done], under_way, PerPlace<std::uint8_t>(picture.view.run)};
  for (std::size_t round = 0; round < begun; ++round)
    for (const Transfer& transfer : rounds[round]) exchange.sent[transfer.src] = 1;
  return exchange;
}

void draw_expert_cards(ExpertPicture& picture, const ExpertGrid& grid, const ExpertPlaces& places) {
  const Exchanges exchanges{expert_exchange(picture, ExpertStage::dispatch),
                            expert_exchange(picture, ExpertStage::combine)};
  for (Rank rank = 0; rank < experts::ranks_of(picture.view.settings); ++rank) {
    const Box card = expert_card(picture, grid, rank);
    Shape back = draw::rect(card, Ink::surface, Ink::hairline);
    back.id = "rank." + number(rank);
    picture.add(std::move(back));
    draw_header(picture, card, rank);
    draw_tokens(picture, places, card, rank);
    draw_packed(picture, grid, places, exchanges, card, rank);
    draw_relay(picture, grid, places, exchanges, card, rank);
    draw_experts(picture, grid, places, exchanges, card, rank);
  }
}

}  // namespace commflow

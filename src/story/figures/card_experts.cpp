// The card of a GPU while tokens are routed, sent to their experts and summed:
// its own tokens with their chosen experts above, its experts with the copies
// that have arrived below. The way back of the gradients is the same picture.

#include <algorithm>

#include "core/ordering.h"
#include "story/figures/card.h"
#include "story/figures/draw.h"

namespace commflow {
namespace {

using tiny::Compute;
using tiny::Copy;
using tiny::Matrix;
using tiny::Tensor;

constexpr float kLine = 24;  // one token, one row of copies
constexpr float kGhost = 0.32F;
constexpr float kWide = 330;  // from this width on values stand beside the names

// The same journey in both directions.
struct Journey {
  Tensor token, arrived, produced, returned, result;
  Compute leave, work, finish;
};
constexpr Journey kForward{Tensor::n2, Tensor::copies_out, Tensor::expert_out, Tensor::returned,
                           Tensor::x2, Compute::permute,   Compute::experts,   Compute::weighted_sum};
constexpr Journey kBackward{Tensor::grad_x2,        Tensor::grad_expert_out, Tensor::grad_copies_out,
                            Tensor::grad_copies_in, Tensor::grad_n2,         Compute::grad_weighted_sum,
                            Compute::grad_experts,  Compute::grad_route};

bool outward(Tensor subject) {
  return subject == Tensor::copies_in || subject == Tensor::copies_out || subject == Tensor::grad_returned ||
         subject == Tensor::grad_expert_out;
}

// A matrix of this layer and direction on a rank, wherever it was last shown.
const Matrix* layer_matrix(const tiny::Run& run, int layer, bool backward, Rank rank, Tensor tensor) {
  const Matrix* found = nullptr;
  for (const tiny::Phase& phase : run.phases) {
    if (phase.layer != layer || phase.backward != backward) continue;
    if (const Matrix* matrix = find_matrix(phase, rank, tensor)) found = matrix;
  }
  return found;
}

int index_of(const Scene& scene, const tiny::Phase& phase) {
  return static_cast<int>(&phase - scene.derived.run.phases.data());
}

// How far a local computation of this layer has got, 0 to 1.
float progress_of(const Scene& scene, const tiny::Phase& like, Compute compute) {
  for (const tiny::Phase& phase : scene.derived.run.phases) {
    if (phase.layer != like.layer || phase.backward != like.backward || phase.compute != compute) continue;
    const int index = index_of(scene, phase);
    if (index == scene.moment.at.phase) return scene.moment.fraction;
    return index < scene.moment.at.phase ? 1.0F : 0.0F;
  }
  return 0;
}

// Everything that the cards of one layer show, gathered once per card.
struct View {
  const Journey* journey = nullptr;
  std::vector<Copy> copies;         // of the whole EP group
  std::vector<Exchange> out, home;  // dispatch and combine at this moment
  float routed = 0, worked = 0, summed = 0;
  bool values = false;  // room for the numbers
};

std::vector<Exchange> journey_exchanges(const Scene& scene, const tiny::Phase& like, bool away) {
  for (const tiny::Phase& phase : scene.derived.run.phases) {
    if (phase.layer != like.layer || phase.backward != like.backward || phase.communications.empty()) continue;
    const auto& first = phase.communications.front();
    if (first.copies.empty() || outward(first.subject) != away) continue;
    return exchanges_at(scene, phase);
  }
  return {};
}

View view_of(const Scene& scene, const tiny::Phase& phase, Rank rank, float width) {
  View view;
  view.journey = phase.backward ? &kBackward : &kForward;
  view.copies = copies_of(scene, phase.layer, rank);
  view.out = journey_exchanges(scene, phase, true);
  view.home = journey_exchanges(scene, phase, false);
  view.routed = phase.backward ? 1 : progress_of(scene, phase, Compute::scores_and_top);
  view.worked = progress_of(scene, phase, view.journey->work);
  view.summed = progress_of(scene, phase, view.journey->finish);
  view.values = width >= kWide;
  return view;
}

// Whether the slot holds something at this moment; without messages (a group of
// one) everything has arrived as soon as the next computation begins.
bool arrived(const Scene& scene, const std::vector<Exchange>& exchanges, Rank rank, int slot, float otherwise) {
  const Exchange* exchange = exchange_of(exchanges, rank);
  if (exchange == nullptr) return otherwise > 0;
  const Buffers& now = scene.moment.fraction >= 1 ? exchange->after : exchange->before;
  return now.filled({local_rank(*exchange->communication, rank), Area::out, slot});
}

std::string row_digits(const Matrix* matrix, int row) {
  if (matrix == nullptr || row >= matrix->rows) return {};
  return digits_of(std::span(matrix->data)
                       .subspan(static_cast<std::size_t>(row * matrix->cols), static_cast<std::size_t>(matrix->cols)));
}

std::string token_name(const Scene& scene, int token) {
  return scene.words().get(Text::scene_token_short, {{"token", std::to_string(token)}});
}
std::string expert_name(const Scene& scene, int expert) {
  return scene.words().get(Text::scene_expert_short, {{"expert", std::to_string(expert)}});
}

void add_cell(const Pen& pen, Box box, std::string text, std::vector<Ink> inks, float opacity) {
  Shape shape = draw::cell(box, std::move(text), std::move(inks));
  shape.opacity = opacity;
  pen.add(std::move(shape));
}

// One chosen expert of a token: where its copy leaves from and its result returns to.
void draw_choice(const Pen& pen, const View& view, const Copy& copy, Box box) {
  const Scene& scene = pen.scene;
  const bool back = arrived(scene, view.home, copy.home, copy.in_slot, view.summed);
  const tiny::Phase& phase = *scene.phase();
  const Matrix* returned =
      layer_matrix(scene.derived.run, phase.layer, phase.backward, copy.home, view.journey->returned);
  const bool homeward = view.worked > 0 || back;
  pen.slot(copy.home, homeward ? Area::out : Area::in, copy.in_slot, box);
  const std::string gate = std::to_string(copy.gate);
  const std::string times = " " + std::string(scene.words().get(Text::op_prod_sign)) + " ";
  if (back) {
    const std::string digits = row_digits(returned, copy.in_slot);
    add_cell(pen, box, view.values ? digits + times + gate : digits, {origin_ink(copy.host)}, 1);
    return;
  }
  const bool gone = arrived(scene, view.out, copy.host, copy.out_slot, view.worked);
  const std::string name = expert_name(scene, copy.expert) + (view.values ? times : " ") + gate;
  const float opacity = view.routed < 1 ? std::max(kGhost, view.routed) : gone ? 0.5F : 1.0F;
  add_cell(pen, box, name, {origin_ink(copy.home)}, opacity);
}

void draw_scores(const Pen& pen, const Matrix& scores, const View& view, int row, int token, Box box) {
  const float width = box.w / static_cast<float>(scores.cols);
  for (int expert = 0; expert < scores.cols; ++expert) {
    const Box cell{box.x + static_cast<float>(expert) * width, box.y, width - 1, box.h};
    const bool chosen = std::any_of(view.copies.begin(), view.copies.end(),
                                    [&](const Copy& copy) { return copy.token == token && copy.expert == expert; });
    Shape number = draw::text(cell, std::to_string(scores.at(row, expert)), draw::kSmall,
                              chosen ? Ink::ink : Ink::muted, Anchor::center, chosen ? Weight::bold : Weight::regular);
    if (chosen && view.routed > 0) pen.add(draw::rect(cell, Ink::ep_soft, Ink::ep, 3));
    pen.add(std::move(number));
  }
}

// Copies of one token of this rank, best expert first.
std::vector<Copy> copies_of_token(const View& view, int token) {
  std::vector<Copy> own;
  for (const Copy& copy : view.copies)
    if (copy.token == token) own.push_back(copy);
  sort_stably(own, [](const Copy& a, const Copy& b) { return a.choice < b.choice; });
  return own;
}

std::vector<Ink> sum_inks(const std::vector<Copy>& own, Rank rank) {
  std::vector<Ink> inks{origin_ink(rank)};
  for (const Copy& copy : own)
    if (std::find(inks.begin(), inks.end(), origin_ink(copy.host)) == inks.end()) inks.push_back(origin_ink(copy.host));
  return inks;
}

void draw_token(Pen& pen, const tiny::Phase& phase, const View& view, Rank rank, int row, int token) {
  const tiny::Run& run = pen.scene.derived.run;
  const bool route = phase.step == tiny::Step::route || phase.compute == Compute::scores_and_top;
  const auto own = copies_of_token(view, token);
  const float height = kLine - 4;
  const float name = view.values ? 76.0F : 54.0F;
  const Matrix* values = layer_matrix(run, phase.layer, phase.backward, rank, view.journey->token);
  const Matrix* result = layer_matrix(run, phase.layer, phase.backward, rank, view.journey->result);
  const bool summed_here = view.summed > 0 && !view.values;
  Box box{pen.area.x, pen.y, name, height};
  add_cell(pen, box,
           summed_here ? row_digits(result, row)
                       : token_name(pen.scene, token) + (view.values ? "  " + row_digits(values, row) : ""),
           summed_here ? sum_inks(own, rank) : std::vector<Ink>{origin_ink(rank)}, 1);
  const bool followed = follows(pen.scene, token);
  if (followed) draw_follow_mark(pen, box);
  if (!pen.dry)
    pen.scene.figure.targets.push_back(
        {"token." + std::to_string(token), token_name(pen.scene, token), {box.x, box.y - 2, box.w, kLine}, followed});
  float x = box.right() + 8;
  const bool outbound = phase.step == tiny::Step::dispatch;
  const float result_width = view.values && !route && !outbound ? 62.0F : 0.0F;
  const Matrix* scores = route && view.values ? layer_matrix(run, phase.layer, false, rank, Tensor::scores) : nullptr;
  if (scores != nullptr) {
    draw_scores(pen, *scores, view, row, token, {x, pen.y, pen.area.w * 0.42F, height});
    x += pen.area.w * 0.42F + 8;
  }
  const float room = pen.area.right() - result_width - x;
  const float width = room / static_cast<float>(std::max<std::size_t>(1, own.size())) - 4;
  for (const Copy& copy : own) {
    draw_choice(pen, view, copy, {x, pen.y, width, height});
    if (followed) draw_follow_mark(pen, {x, pen.y, width, height});
    x += width + 4;
  }
  if (result_width > 0) {
    pen.add(draw::text({x, pen.y, 14, height}, "=", draw::kSmall, Ink::muted, Anchor::center));
    add_cell(pen, {x + 14, pen.y, result_width - 14, height}, row_digits(result, row), sum_inks(own, rank),
             std::max(kGhost, view.summed));
  }
  pen.y += kLine;
}

// One local expert with the copies that reach it.
void draw_expert(Pen& pen, const tiny::Phase& phase, const View& view, Rank rank, int expert, Box column) {
  const tiny::Run& run = pen.scene.derived.run;
  const Matrix* in = layer_matrix(run, phase.layer, phase.backward, rank, view.journey->arrived);
  const Matrix* out = layer_matrix(run, phase.layer, phase.backward, rank, view.journey->produced);
  const float name = 30;
  pen.add(draw::text({column.x, pen.y, name, kLine - 4}, expert_name(pen.scene, expert), draw::kSmall, Ink::ink,
                     Anchor::left, Weight::bold));
  const float cell = view.values ? std::min(84.0F, (column.w - name) / 2) : 30.0F;
  float x = column.x + name;
  for (const Copy& copy : view.copies) {
    if (copy.expert != expert) continue;
    if (x > column.x + name && x + cell > column.right() + 1) {
      x = column.x + name;
      pen.y += kLine;
    }
    const Box box{x, pen.y, cell - 2, kLine - 4};
    const bool here = arrived(pen.scene, view.out, rank, copy.out_slot, view.worked);
    const bool worked = view.worked >= 0.5F;
    pen.slot(rank, view.worked > 0 ? Area::in : Area::out, copy.out_slot, box);
    const std::string digits = row_digits(worked ? out : in, copy.out_slot);
    add_cell(pen, box, token_name(pen.scene, copy.token) + (view.values ? "  " + digits : ""),
             {origin_ink(worked ? rank : copy.home)}, here ? 1 : kGhost);
    if (follows(pen.scene, copy.token)) draw_follow_mark(pen, box);
    x += cell;
  }
  pen.y += kLine;
}

void draw_experts(Pen& pen, const tiny::Phase& phase, const View& view, Rank rank) {
  const int ep = pen.scene.derived.layout.ep;
  const int count = tiny::kExperts / ep;
  const int first = coordinates_of(pen.scene.derived.layout, rank).ep * count;
  const int columns = view.values && count > 1 ? 2 : 1;
  const float width = pen.area.w / static_cast<float>(columns);
  pen.add(draw::path({{pen.area.x, pen.y + 4}, {pen.area.right(), pen.y + 4}}, Ink::hairline, 1));
  pen.y += 10;
  for (int i = 0; i < count; i += columns) {
    const float top = pen.y;
    float bottom = top;
    for (int c = 0; c < columns && i + c < count; ++c) {
      pen.y = top;
      draw_expert(pen, phase, view, rank, first + i + c,
                  {pen.area.x + static_cast<float>(c) * width, top, width - 8, 0});
      bottom = std::max(bottom, pen.y);
    }
    pen.y = bottom;
  }
}

}  // namespace

bool is_expert_phase(const tiny::Phase& phase) {
  switch (phase.compute) {
    case Compute::scores_and_top:
    case Compute::permute:
    case Compute::experts:
    case Compute::weighted_sum:
    case Compute::grad_weighted_sum:
    case Compute::grad_experts:
    case Compute::grad_route: return true;
    default: break;
  }
  if (phase.communications.empty()) return false;
  const auto& first = phase.communications.front();
  return !first.copies.empty() || first.subject == Tensor::counts || first.subject == Tensor::received_counts;
}

std::vector<Copy> copies_of(const Scene& scene, int layer, Rank rank) {
  const Layout& layout = scene.derived.layout;
  const auto group = group_of(layout, Dimension::ep, rank);
  const int per_rank = tiny::kExperts / layout.ep;
  std::vector<Copy> copies;
  for (const Rank home : group) {
    const Matrix* choices = layer_matrix(scene.derived.run, layer, false, home, Tensor::choices);
    const Matrix* gates = layer_matrix(scene.derived.run, layer, false, home, Tensor::gates);
    if (choices == nullptr || gates == nullptr) continue;
    const Coordinates at = coordinates_of(layout, home);
    for (int row = 0; row < choices->rows; ++row)
      for (int choice = 0; choice < choices->cols; ++choice) {
        Copy copy;
        copy.token = at.dp * tiny::kTokens + at.tp * choices->rows + row;
        copy.choice = choice;
        copy.expert = static_cast<int>(choices->at(row, choice));
        copy.gate = static_cast<int>(gates->at(row, choice));
        copy.home = home;
        copy.host = group[static_cast<std::size_t>(copy.expert / per_rank)];
        copies.push_back(copy);
      }
  }
  sort_stably(copies, [](const Copy& a, const Copy& b) {
    return a.expert != b.expert ? a.expert < b.expert : a.token < b.token;
  });
  std::map<Rank, int> leaving, arriving;
  for (Copy& copy : copies) {
    copy.in_slot = leaving[copy.home]++;
    copy.out_slot = arriving[copy.host]++;
  }
  return copies;
}

void draw_experts_body(Pen& pen, const tiny::Phase& phase, const std::vector<Exchange>& exchanges, Rank rank) {
  const View view = view_of(pen.scene, phase, rank, pen.area.w);
  const Coordinates at = coordinates_of(pen.scene.derived.layout, rank);
  const int share = tiny::kTokens / pen.scene.derived.layout.tp;
  for (int row = 0; row < share; ++row)
    draw_token(pen, phase, view, rank, row, at.dp * tiny::kTokens + at.tp * share + row);
  const Exchange* exchange = exchange_of(exchanges, rank);
  if (exchange != nullptr && exchange->communication->copies.empty()) {
    pen.y += 4;
    draw_blocks(pen, *exchange, rank);
  } else if (phase.step != tiny::Step::route) {
    draw_experts(pen, phase, view, rank);
  }
}

}  // namespace commflow

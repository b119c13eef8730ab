#include "story/follow.h"

#include <algorithm>

#include "core/ordering.h"
#include "story/figures/card.h"

namespace commflow {
namespace {

using tiny::Copy;
using tiny::Matrix;
using tiny::Tensor;

int share_of(const Layout& layout) {
  return tiny::kTokens / layout.tp;
}

bool is_copy_order(Tensor tensor) {
  using enum Tensor;
  switch (tensor) {
    case copies_in:
    case copies_out:
    case expert_out:
    case returned:
    case grad_returned:
    case grad_expert_out:
    case grad_copies_out:
    case grad_copies_in: return true;
    default: return false;
  }
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

// Everything that a line of the journey is made of.
struct Journey {
  const Scene scene;
  int token;
  const Catalog& words;

  const Layout& layout() const { return scene.derived.layout; }
  Rank home(int stage) const { return home_of_token(layout(), token, stage); }

  // The token's row of a matrix of its home, as last shown in that direction.
  std::string values(int stage, bool backward, Tensor tensor) const {
    const Rank rank = home(stage);
    const int row = token % tiny::kTokens % share_of(layout());
    const Matrix* found = nullptr;
    for (const tiny::Phase& phase : scene.derived.run.phases) {
      if (phase.layer != stage || phase.backward != backward) continue;
      if (const Matrix* matrix = find_matrix(phase, rank, tensor)) found = matrix;
    }
    if (found == nullptr || row >= found->rows) return {};
    return digits_of(std::span(found->data)
                         .subspan(static_cast<std::size_t>(row * found->cols), static_cast<std::size_t>(found->cols)));
  }

  std::vector<Copy> copies(int stage) const {
    std::vector<Copy> own;
    for (const Copy& copy : copies_of(scene, stage, home(stage)))
      if (copy.token == token) own.push_back(copy);
    sort_stably(own, [](const Copy& a, const Copy& b) { return a.choice < b.choice; });
    return own;
  }

  std::string ranks(const std::vector<Rank>& list) const {
    std::string text;
    for (const Rank rank : list)
      text += std::string(text.empty() ? std::string_view{} : words.get(Text::scene_and)) + number(rank);
    return text;
  }

  std::string experts(int stage) const {
    std::string text;
    for (const Copy& copy : copies(stage))
      text += std::string(text.empty() ? std::string_view{} : words.get(Text::scene_and)) +
              words.get(copy.home == copy.host ? Text::follow_expert_here : Text::follow_expert_there,
                        {{"expert", number(copy.expert)}, {"gpu", number(copy.host)}, {"gate", number(copy.gate)}});
    return text;
  }
};

std::string line_of(const Journey& j, tiny::Step step) {
  const Layout& layout = j.layout();
  const bool dense = j.scene.derived.dense;
  const Rank home = j.home(0);
  const std::string gpu = number(home);
  const std::string group = j.ranks(group_of(layout, Dimension::tp, home));
  switch (step) {
    case tiny::Step::feed:
      return j.words.get(Text::follow_feed, {{"gpu", gpu}, {"values", j.values(0, false, Tensor::x)}});
    case tiny::Step::gather:
      return j.words.get(Text::follow_gather, {{"group", group}, {"values", j.values(0, false, Tensor::n1)}});
    case tiny::Step::reduce:
      return j.words.get(Text::follow_reduce, {{"gpu", gpu}, {"values", j.values(0, false, Tensor::x1)}});
    case tiny::Step::route:
      if (dense)
        return j.words.get(Text::follow_gather, {{"group", group}, {"values", j.values(0, false, Tensor::n2)}});
      return j.words.get(Text::follow_route, {{"experts", j.experts(0)}, {"total", number(kGateTotal)}});
    case tiny::Step::dispatch:
      if (dense) return {};
      return j.words.get(Text::follow_dispatch,
                         {{"experts", j.experts(0)}, {"values", j.values(0, false, Tensor::n2)}});
    case tiny::Step::combine:
      return j.words.get(Text::follow_combine, {{"gpu", gpu}, {"values", j.values(0, false, Tensor::x2)}});
    case tiny::Step::forward:
      if (layout.pp == 1) return {};
      return j.words.get(Text::follow_forward, {{"gpu", gpu}, {"next", number(j.home(1))}});
    case tiny::Step::stage2: {
      const int last = layout.pp - 1;
      if (last == 0 || dense)
        return j.words.get(Text::follow_loss, {{"values", j.values(last, false, Tensor::x2)},
                                               {"label", j.values(last, false, Tensor::label)}});
      return j.words.get(Text::follow_stage2, {{"experts", j.experts(last)},
                                               {"values", j.values(last, false, Tensor::x2)},
                                               {"label", j.values(last, false, Tensor::label)}});
    }
    case tiny::Step::backward:
      return j.words.get(
          Text::follow_backward,
          {{"last", number(j.home(layout.pp - 1))}, {"gpu", gpu}, {"values", j.values(0, true, Tensor::grad_x)}});
    default: return {};
  }
}

}  // namespace

bool rows_are_tokens(Tensor tensor) {
  using enum Tensor;
  switch (tensor) {
    case gain1:
    case w_in:
    case w_out:
    case gain2:
    case router:
    case expert:
    case mlp_in:
    case mlp_out:
    case grad_expert:
    case grad_router:
    case grad_gain2:
    case grad_w_out:
    case grad_w_in:
    case grad_gain1:
    case grad_mlp_out:
    case grad_mlp_in:
    case checkpoint:
    case weights:
    case gradients:
    case loss: return false;
    default: return true;
  }
}

int token_of_row(const Layout& layout, Rank rank, const tiny::NamedMatrix& named, int row) {
  using enum Tensor;
  const bool counted = named.tensor == counts || named.tensor == received_counts;
  if (!rows_are_tokens(named.tensor) || is_copy_order(named.tensor) || counted) return -1;
  const Coordinates at = coordinates_of(layout, rank);
  const int share = share_of(layout);
  if (named.tensor == batch || named.tensor == label_batch) return row;
  // A matrix with all rows of the replica, or with the rank's own.
  if (named.matrix.rows == tiny::kTokens) return at.dp * tiny::kTokens + row;
  if (named.matrix.rows == share) return at.dp * tiny::kTokens + at.tp * share + row;
  return -1;
}

int token_of_slot_row(const Layout& layout, const tiny::Communication& communication, int slot, int row) {
  const Tensor subject = communication.subject;
  const bool counted = subject == Tensor::counts || subject == Tensor::received_counts;
  const bool tokens = rows_are_tokens(subject) && !is_copy_order(subject) && !counted && communication.parts.empty();
  if (!tokens) return -1;
  const Coordinates at = coordinates_of(layout, communication.members.front());
  const int share = share_of(layout);
  switch (communication.dimension) {
    case Dimension::dp: return slot * tiny::kTokens + row;
    case Dimension::tp: return at.dp * tiny::kTokens + slot * share + row;
    case Dimension::pp: return at.dp * tiny::kTokens + at.tp * share + row;
    default: return -1;
  }
}

Rank home_of_token(const Layout& layout, int token, int stage) {
  const int position = token % tiny::kTokens;
  return rank_at(layout, position / share_of(layout), 0, stage, token / tiny::kTokens);
}

std::vector<std::string> journey_of_token(const State& state, const Derived& derived, const Library& library) {
  std::vector<std::string> lines;
  if (state.token < 0 || !derived.executed) return lines;
  const Journey journey{{state, derived, library, {}, false, {}, {}, {}},
                        state.token,
                        library.catalogs[static_cast<std::size_t>(state.lang)]};
  int number_of_step = 0;
  for (const WalkStep& step : library.walk.steps) {
    ++number_of_step;
    const std::string line = line_of(journey, step.runs);
    if (!line.empty()) lines.push_back(number(number_of_step) + ". " + line);
  }
  return lines;
}

}  // namespace commflow

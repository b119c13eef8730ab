#include "story/sentences.h"

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/ordering.h"
#include "core/tiny_matrix.h"
#include "story/figures/card.h"

namespace commflow {
namespace {

using tiny::Tensor;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

Scene scene_at(const State& state, const Derived& derived, const Library& library, int beat) {
  Moment moment;
  moment.beat = beat;
  moment.started = true;
  moment.at = derived.timeline(state).beats[static_cast<std::size_t>(beat)];
  return Scene{state, derived, library, moment, false, {}, {}, {}};
}

// A noun phrase for what a slot holds.
std::string what(const Catalog& words, const tiny::Communication& communication) {
  switch (communication.subject) {
    case Tensor::weights:
    case Tensor::checkpoint: return std::string(words.get(Text::what_weights));
    case Tensor::gradients: return std::string(words.get(Text::what_gradients));
    case Tensor::batch:
    case Tensor::sequence:
    case Tensor::x: return std::string(words.get(Text::what_inputs));
    case Tensor::label_batch:
    case Tensor::label_sequence:
    case Tensor::label: return std::string(words.get(Text::what_labels));
    case Tensor::counts:
    case Tensor::received_counts: return std::string(words.get(Text::what_counts));
    case Tensor::partial:
    case Tensor::mlp_partial:
    case Tensor::grad_n1_full:
    case Tensor::grad_n2_full: return std::string(words.get(Text::what_partial));
    case Tensor::loss: return std::string(words.get(Text::what_loss));
    case Tensor::x2:
    case Tensor::n1:
    case Tensor::n2: return std::string(words.get(Text::what_activation));
    default: return std::string(words.get(Text::what_gradient));
  }
}

bool goes_out(Tensor subject) {
  return subject == Tensor::copies_in || subject == Tensor::copies_out || subject == Tensor::grad_returned ||
         subject == Tensor::grad_expert_out;
}

std::string transfer_sentence(const Catalog& words, const Exchange& exchange, const Transfer& transfer) {
  const tiny::Communication& communication = *exchange.communication;
  const Rank from = communication.members[static_cast<std::size_t>(transfer.src.rank)];
  const Rank to = communication.members[static_cast<std::size_t>(transfer.dst.rank)];
  if (const tiny::Copy* copy = copy_of(communication, transfer)) {
    const std::string token = number(copy->token), expert = number(copy->expert);
    if (!goes_out(communication.subject))
      return words.get(Text::log_token_home,
                       {{"expert", expert}, {"token", token}, {"src", number(from)}, {"dst", number(to)}});
    if (from == to)
      return words.get(Text::log_token_stay, {{"token", token}, {"expert", expert}, {"gpu", number(from)}});
    return words.get(Text::log_token,
                     {{"token", token}, {"src", number(from)}, {"expert", expert}, {"dst", number(to)}});
  }
  if (communication.subject == Tensor::counts) {
    Value copies = 0;
    for (const Value count : exchange.before.values(transfer.src)) copies += count;
    return words.get(Text::log_counts, {{"src", number(from)}, {"dst", number(to)}, {"count", number(copies)}});
  }
  if (transfer.reduce && exchange.before.width(transfer.src.slot) > 0) {
    const Value value = exchange.before.values(transfer.src)[0], before = exchange.before.values(transfer.dst)[0];
    return words.get(Text::log_add, {{"src", number(from)},
                                     {"what", what(words, communication)},
                                     {"dst", number(to)},
                                     {"before", number(before)},
                                     {"value", number(value)},
                                     {"after", number(combine(communication.op, before, value))}});
  }
  return words.get(Text::log_copy, {{"src", number(from)}, {"what", what(words, communication)}, {"dst", number(to)}});
}

struct Line {
  const Exchange* exchange;
  const Transfer* transfer;
};

// Transfers over links, those around `focus` first; local moves only if they carry tokens.
std::vector<Line> lines_of(const std::vector<Exchange>& exchanges, Rank focus, bool with_local) {
  std::vector<Line> lines;
  for (const Exchange& exchange : exchanges) {
    if (exchange.round == nullptr) continue;
    for (const Transfer& transfer : *exchange.round)
      if (!transfer.local() || with_local) lines.push_back({&exchange, &transfer});
  }
  const auto far = [&](const Line& line) {
    const auto& members = line.exchange->communication->members;
    if (members[static_cast<std::size_t>(line.transfer->src.rank)] == focus) return line.transfer->local() ? 1 : 0;
    return members[static_cast<std::size_t>(line.transfer->dst.rank)] == focus ? 2 : 3;
  };
  sort_stably(lines, [&](const Line& a, const Line& b) { return far(a) < far(b); });
  return lines;
}

std::string capitalised_stop(std::string text, const Catalog& words) {
  return text + std::string(words.get(Text::log_stop));
}

// A token of `rank` and one of its numbers.
struct Sum {
  const tiny::Copy* first = nullptr;
  const tiny::Copy* second = nullptr;
  int column = 0;
  Value y1 = 0, y2 = 0;
  Value total() const { return first->gate * y1 + second->gate * y2; }
};

// The weighted sum of `rank` that shows most: the one of the largest size.
std::optional<Sum> telling_sum(const std::vector<tiny::Copy>& copies, const tiny::Matrix& returned, Rank rank) {
  std::optional<Sum> best;
  for (const tiny::Copy& first : copies) {
    if (first.home != rank || first.choice != 0) continue;
    const auto second = std::find_if(copies.begin(), copies.end(), [&](const tiny::Copy& copy) {
      return copy.token == first.token && copy.choice == 1;
    });
    for (int column = 0; column < returned.cols && second != copies.end(); ++column) {
      const Sum sum{&first, &*second, column, returned.at(first.in_slot, column), returned.at(second->in_slot, column)};
      if (!best || std::abs(sum.total()) > std::abs(best->total())) best = sum;
    }
  }
  return best;
}

std::string weighted_sentence(const Scene& scene, const tiny::Phase& phase, Rank rank) {
  const tiny::Matrix* returned = find_matrix(phase, rank, Tensor::returned);
  if (returned == nullptr) return {};
  const auto copies = copies_of(scene, phase.layer, rank);
  const auto sum = telling_sum(copies, *returned, rank);
  if (!sum) return {};
  const std::string token = number(sum->first->token);
  const Value added = tiny::rounded_ratio(sum->total(), kGateTotal);
  std::string text = scene.words().get(Text::log_weighted, {{"token", token},
                                                            {"w1", number(sum->first->gate)},
                                                            {"y1", number(sum->y1)},
                                                            {"w2", number(sum->second->gate)},
                                                            {"y2", number(sum->y2)},
                                                            {"gates", number(kGateTotal)},
                                                            {"result", number(added)}});
  const tiny::Matrix* before = find_matrix(phase, rank, Tensor::x1);
  const int row = sum->first->token % tiny::kTokens % std::max(1, returned->rows / tiny::kTopk);
  if (before != nullptr && row < before->rows) {
    const Value kept = before->at(row, sum->column);
    text +=
        std::string(scene.words().get(Text::log_join)) +
        scene.words().get(
            Text::log_residual,
            {{"token", token}, {"before", number(kept)}, {"value", number(added)}, {"after", number(kept + added)}});
  }
  return text;
}

// The first token of `rank`: which experts it chose, and with which weights.
std::string scores_sentence(const Scene& scene, const tiny::Phase& phase, Rank rank) {
  const tiny::Matrix* choices = find_matrix(phase, rank, Tensor::choices);
  const tiny::Matrix* gates = find_matrix(phase, rank, Tensor::gates);
  if (choices == nullptr || gates == nullptr) return {};
  const Coordinates at = coordinates_of(scene.derived.layout, rank);
  return scene.words().get(Text::log_scores, {{"token", number(at.dp * tiny::kTokens + at.tp * choices->rows)},
                                              {"first", number(choices->at(0, 0))},
                                              {"second", number(choices->at(0, 1))},
                                              {"w1", number(gates->at(0, 0))},
                                              {"w2", number(gates->at(0, 1))},
                                              {"gates", number(kGateTotal)}});
}

// The weight of w_in that changes most.
std::string update_sentence(const Scene& scene, const tiny::Phase& phase, Rank rank) {
  const tiny::Matrix* before = nullptr;
  const tiny::Matrix* after = find_matrix(phase, rank, Tensor::w_in);
  const tiny::Matrix* gradient = find_matrix(phase, rank, Tensor::grad_w_in);
  for (const auto& shown : phase.shown[static_cast<std::size_t>(rank)])
    if (shown.tensor == Tensor::w_in && before == nullptr) before = &shown.matrix;
  if (before == nullptr || after == nullptr || gradient == nullptr) return {};
  std::size_t most = 0;
  for (std::size_t i = 0; i < gradient->data.size(); ++i)
    if (std::abs(gradient->data[i]) > std::abs(gradient->data[most])) most = i;
  return scene.words().get(Text::log_update, {{"gpu", number(rank)},
                                              {"before", number(before->data[most])},
                                              {"after", number(after->data[most])},
                                              {"gradient", number(gradient->data[most])}});
}

std::string compute_sentence(const Scene& scene, const tiny::Phase& phase, Rank focus) {
  const bool active = std::find(phase.active.begin(), phase.active.end(), focus) != phase.active.end();
  const Rank rank = active ? focus : phase.active.front();
  std::string told;
  if (phase.compute == tiny::Compute::weighted_sum) told = weighted_sentence(scene, phase, rank);
  if (phase.compute == tiny::Compute::scores_and_top) told = scores_sentence(scene, phase, rank);
  if (phase.compute == tiny::Compute::update) told = update_sentence(scene, phase, rank);
  if (!told.empty()) return told;
  return compute_text(scene, phase.compute);
}

}  // namespace

std::string beat_sentence(const State& state, const Derived& derived, const Library& library, int beat, Rank focus) {
  const Scene scene = scene_at(state, derived, library, beat);
  const Catalog& words = scene.words();
  const tiny::Phase* phase = scene.phase();
  if (phase == nullptr) return derived.executed ? std::string(words.get(Text::formula_none)) : beyond_text(words);
  if (phase->compute != tiny::Compute::none) return compute_sentence(scene, *phase, focus);
  const auto exchanges = exchanges_at(scene, *phase);
  auto lines = lines_of(exchanges, focus, false);
  if (lines.empty()) lines = lines_of(exchanges, focus, true);
  if (lines.empty()) return std::string(words.get(Text::log_none));
  std::string text = transfer_sentence(words, *lines.front().exchange, *lines.front().transfer);
  if (lines.size() > 1)
    text += std::string(words.get(Text::log_join)) +
            words.get(Text::log_more, {{"count", number(static_cast<std::int64_t>(lines.size()) - 1)}});
  text = capitalised_stop(text, words);
  return words.get(
      Text::log_round_of,
      {{"round", number(scene.moment.at.round + 1)}, {"rounds", number(rounds_of(*phase))}, {"text", text}});
}

std::string live_sentence(const State& state, const Derived& derived, const Library& library) {
  const Catalog& words = library.catalogs[static_cast<std::size_t>(state.lang)];
  const Timeline& timeline = derived.timeline(state);
  if (!derived.executed || timeline.beats.front().phase < 0) return beat_sentence(state, derived, library, 0, 0);
  if (state.at == 0) return std::string(words.get(Text::log_before));
  const Moment moment = moment_at(timeline, state.at, false);
  return beat_sentence(state, derived, library, moment.beat, state.gpu < 0 ? 0 : state.gpu);
}

std::vector<std::string> beat_log(const State& state, const Derived& derived, const Library& library, int beat) {
  const Scene scene = scene_at(state, derived, library, beat);
  const tiny::Phase* phase = scene.phase();
  if (phase == nullptr) return {beat_sentence(state, derived, library, beat, 0)};
  std::vector<std::string> log;
  if (phase->compute != tiny::Compute::none) {
    log.push_back(compute_sentence(scene, *phase, phase->active.empty() ? 0 : phase->active.front()));
    return log;
  }
  const auto exchanges = exchanges_at(scene, *phase);
  for (const Line& line : lines_of(exchanges, -1, true))
    log.push_back(transfer_sentence(scene.words(), *line.exchange, *line.transfer));
  return log;
}

}  // namespace commflow

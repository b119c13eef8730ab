#include "story/figures/scene.h"

#include <algorithm>

namespace commflow {
namespace {

// Rounds of `phase` that are over, and whether one more is under way.
struct RoundsDone {
  int done = 0;
  bool under_way = false;
};

RoundsDone progress_of(const Scene& scene, const tiny::Phase& phase) {
  const auto index = static_cast<int>(&phase - scene.derived.run.phases.data());
  if (index < scene.moment.at.phase) return {rounds_of(phase), false};
  if (index > scene.moment.at.phase || scene.moment.at.round < 0) return {};
  return {scene.moment.at.round, true};
}

Exchange replay(const tiny::Communication& communication, RoundsDone progress) {
  Exchange exchange{&communication, communication.initial, {}, nullptr};
  const auto& rounds = communication.schedule.rounds;
  const auto done = std::min(static_cast<std::size_t>(progress.done), rounds.size());
  for (std::size_t i = 0; i < done; ++i) exchange.before = run_round(exchange.before, rounds[i], communication.op);
  exchange.after = exchange.before;
  if (progress.under_way && done < rounds.size()) {
    exchange.round = &rounds[done];
    exchange.after = run_round(exchange.before, rounds[done], communication.op);
  }
  return exchange;
}

}  // namespace

std::vector<Exchange> exchanges_at(const Scene& scene, const tiny::Phase& phase) {
  const RoundsDone progress = progress_of(scene, phase);
  std::vector<Exchange> exchanges;
  for (const auto& communication : phase.communications) exchanges.push_back(replay(communication, progress));
  return exchanges;
}

int local_rank(const tiny::Communication& communication, Rank rank) {
  const auto& members = communication.members;
  const auto found = std::find(members.begin(), members.end(), rank);
  return found == members.end() ? -1 : static_cast<int>(found - members.begin());
}

const Exchange* exchange_of(const std::vector<Exchange>& exchanges, Rank rank) {
  for (const Exchange& exchange : exchanges)
    if (local_rank(*exchange.communication, rank) >= 0) return &exchange;
  return nullptr;
}

const tiny::Copy* copy_of(const tiny::Communication& communication, const Transfer& transfer) {
  const Rank from = communication.members[static_cast<std::size_t>(transfer.src.rank)];
  const Rank to = communication.members[static_cast<std::size_t>(transfer.dst.rank)];
  for (const tiny::Copy& copy : communication.copies) {
    const bool out =
        copy.home == from && copy.host == to && copy.in_slot == transfer.src.slot && copy.out_slot == transfer.dst.slot;
    const bool home =
        copy.host == from && copy.home == to && copy.out_slot == transfer.src.slot && copy.in_slot == transfer.dst.slot;
    if (out || home) return &copy;
  }
  return nullptr;
}

std::vector<Ink> inks_of(Origins from, const std::vector<Rank>& members) {
  std::vector<Ink> inks;
  for (const Rank local : from.ranks()) inks.push_back(origin_ink(members[static_cast<std::size_t>(local)]));
  return inks;
}

std::string compute_text(const Scene& scene, tiny::Compute compute) {
  const auto key = text_named("compute." + std::string(name_of(compute)));
  if (!key) return std::string(scene.words().get(Text::log_none));
  return scene.words().get(*key, {{"divisor", std::to_string(tiny::kStepDivisor)},
                                  {"scale", std::to_string(tiny::kLossScale)},
                                  {"gates", std::to_string(kGateTotal)},
                                  {"topk", std::to_string(tiny::kTopk)},
                                  {"hidden", std::to_string(tiny::kHidden)}});
}

std::string beyond_text(const Catalog& words) {
  return words.get(Text::note_beyond, {{"tp", std::to_string(tiny::kMaxTp)},
                                       {"pp", std::to_string(tiny::kMaxPp)},
                                       {"ep", std::to_string(tiny::kMaxEp)},
                                       {"dp", std::to_string(tiny::kMaxDp)}});
}

const tiny::Phase* find_compute(const tiny::Run& run, int layer, tiny::Compute compute) {
  for (const tiny::Phase& phase : run.phases)
    if (phase.layer == layer && phase.compute == compute) return &phase;
  return nullptr;
}

const tiny::Matrix* find_matrix(const tiny::Phase& phase, Rank rank, tiny::Tensor tensor, int index) {
  const tiny::Matrix* found = nullptr;
  for (const auto& shown : phase.shown[static_cast<std::size_t>(rank)])
    if (shown.tensor == tensor && shown.index == index) found = &shown.matrix;
  return found;
}

}  // namespace commflow

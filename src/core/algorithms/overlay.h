#pragma once
// Algorithms made of algorithms: the schedule of a part of the ranks, laid over
// the rounds of a larger one.

#include "core/algorithms/builders.h"
#include "core/algorithms/fold.h"

namespace commflow {

// What the part reads as its input: the rank's own input, or what earlier rounds
// have left in `out`. In the second case its local moves fall away, and it must be
// a schedule that also works in place.
enum class Reads : std::uint8_t { input, earlier_rounds };

// Lays round i of `part` over round first_round + i. rank_of(local rank) -> Rank;
// slots_of(slot of the part) -> Range of slots that take its place.
template <class RankOf, class SlotsOf>
void overlay(Schedule& whole, int first_round, const Schedule& part, Reads reads, RankOf rank_of, SlotsOf slots_of) {
  const std::size_t end = index_of(first_round) + part.rounds.size();
  if (whole.rounds.size() < end) whole.rounds.resize(end);
  for (std::size_t k = 0; k < part.rounds.size(); ++k) {
    Round& round = whole.rounds[index_of(first_round) + k];
    for (const Transfer& transfer : part.rounds[k]) {
      if (transfer.local() && reads == Reads::earlier_rounds) continue;
      const Area area = reads == Reads::earlier_rounds ? Area::out : transfer.src.area;
      const Range src = slots_of(transfer.src.slot);
      const Range dst = slots_of(transfer.dst.slot);
      for (int i = 0; i < src.end - src.begin; ++i) {
        round.push_back({{rank_of(transfer.src.rank), area, src.begin + i},
                         out_of(rank_of(transfer.dst.rank), dst.begin + i),
                         transfer.reduce});
      }
    }
  }
}

inline Range only(int slot) {
  return {slot, slot + 1};
}

}  // namespace commflow

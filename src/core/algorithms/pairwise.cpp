// Pairwise exchange: in round k rank r sends to r + k and receives from r - k,
// so that every port is busy with one partner in every round.
//
//   4 ranks   round 1: 0>1>2>3>0    round 2: 0<>2 1<>3    round 3: 0>3>2>1>0

#include "core/algorithms/builders.h"

namespace commflow {

Schedule pairwise_exchange(int ranks, int slots, std::span<const Item> items) {
  const int last_distance = ranks > 1 ? ranks - 1 : 1;
  Schedule schedule{ranks, slots, std::vector<Round>(index_of(last_distance))};
  for (const Item& item : items) {
    const int distance = around(item.dst_rank - item.src_rank, ranks);
    Round& round = schedule.rounds[index_of(distance > 0 ? distance - 1 : 0)];  // what stays moves first
    round.push_back(copying(in_of(item.src_rank, item.src_slot), out_of(item.dst_rank, item.dst_slot)));
  }
  return schedule;
}

Schedule pairwise_all_to_all(int ranks, Rank) {
  return pairwise_exchange(ranks, ranks, even_items(ranks));
}

}  // namespace commflow

// Bruck: ceil(lg n) rounds for any n.
//
// all-gather: rank r knows blocks r, r + 1, ... and in round k hands them to the
// rank 2^k before it, which so knows twice as many; the last round only what is
// still missing.
//
// all-to-all: a block that is to travel d ranks ahead goes 2^k ranks for every
// bit k of d. On its way it waits in the slot from which it would have d ranks to
// go, so that it arrives in the slot of its sender:
//
//   rank p, distance d  <->  slot p - d
//
// Fewer messages than pairwise, but a block is sent once for every set bit.
// Stops on the way are counted with the size of their slot.
// (Bruck, Ho, Kipnis, Upfal and Weathersby 1997; MPICH src/mpi/coll)

#include <algorithm>

#include "core/algorithms/builders.h"

namespace commflow {

Schedule bruck_all_gather(int ranks, Rank) {
  if (ranks == 1) return alone();
  Schedule schedule{ranks, ranks, {Round()}};
  for (Rank rank = 0; rank < ranks; ++rank) schedule.rounds.front().push_back(keeping(rank, rank));
  for (int known = 1; known < ranks; known *= 2) {
    Round& round = known == 1 ? schedule.rounds.front() : schedule.rounds.emplace_back();
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (int i = 0; i < std::min(known, ranks - known); ++i) {
        const int block = around(rank + i, ranks);
        round.push_back(
            copying({rank, i == 0 ? Area::in : Area::out, block}, out_of(around(rank - known, ranks), block)));
      }
    }
  }
  return schedule;
}

Schedule bruck_all_to_all(int ranks, Rank) {
  if (ranks == 1) return alone();
  Schedule schedule{ranks, ranks, {Round()}};
  for (Rank rank = 0; rank < ranks; ++rank) schedule.rounds.front().push_back(keeping(rank, rank));
  for (int hop = 1; hop < ranks; hop *= 2) {
    Round& round = hop == 1 ? schedule.rounds.front() : schedule.rounds.emplace_back();
    for (Rank rank = 0; rank < ranks; ++rank) {
      for (int distance = hop; distance < ranks; ++distance) {
        if ((distance & hop) == 0) continue;
        const bool leaves_home = distance % hop == 0;  // no bit below this one
        const Place src =
            leaves_home ? in_of(rank, around(rank + distance, ranks)) : out_of(rank, around(rank - distance, ranks));
        const Rank next = around(rank + hop, ranks);
        round.push_back(copying(src, out_of(next, around(next - distance, ranks))));
      }
    }
  }
  return schedule;
}

}  // namespace commflow

// Ring, in NCCL's order: rank r always sends to r + 1, one block per round.
//
// reduce-scatter, 4 ranks: who passes the growing sum of a block to whom
//   block      0    1    2    3
//   round 1   1>2  2>3  3>0  0>1
//   round 2   2>3  3>0  0>1  1>2
//   round 3   3>0  0>1  1>2  2>3     block b is complete at home, on rank b
//
// all-gather: every complete block goes once around from its owner; the second
// half of all-reduce is the same on what the first half has left in `out`.
// (NVIDIA/nccl src/device/all_reduce.h; Patarasuk and Yuan 2009)

#include "core/algorithms/builders.h"

namespace commflow {
namespace {

// The block that rank sends in this round of the reducing half.
int reducing_block(Rank rank, int round, int ranks) {
  return around(rank - 1 - round, ranks);
}

// All own contributions but the one that is sent from `in` in the first round.
void contribute(Round& round, int ranks) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (int block = 0; block < ranks; ++block) {
      if (block != reducing_block(rank, 0, ranks)) round.push_back(contributing(rank, block));
    }
  }
}

Schedule reduce_scatter(int ranks) {
  if (ranks == 1) return alone();
  Schedule schedule{ranks, ranks, std::vector<Round>(index_of(ranks - 1))};
  contribute(schedule.rounds.front(), ranks);
  for (int k = 0; k < ranks - 1; ++k) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      const int block = reducing_block(rank, k, ranks);
      const Place src = k == 0 ? in_of(rank, block) : out_of(rank, block);
      schedule.rounds[index_of(k)].push_back(reducing(src, out_of(around(rank + 1, ranks), block)));
    }
  }
  return schedule;
}

// Round k of the gathering half; own blocks are read where `own_area` says.
void pass_on(Round& round, int k, int ranks, Area own_area) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    const int block = around(rank - k, ranks);
    const Place src{rank, block == rank ? own_area : Area::out, block};
    round.push_back(copying(src, out_of(around(rank + 1, ranks), block)));
  }
}

}  // namespace

Schedule ring_reduce_scatter(int ranks, Rank) {
  return reduce_scatter(ranks);
}

Schedule ring_all_gather(int ranks, Rank) {
  if (ranks == 1) return alone();
  Schedule schedule{ranks, ranks, std::vector<Round>(index_of(ranks - 1))};
  for (Rank rank = 0; rank < ranks; ++rank) schedule.rounds.front().push_back(keeping(rank, rank));
  for (int k = 0; k < ranks - 1; ++k) pass_on(schedule.rounds[index_of(k)], k, ranks, Area::in);
  return schedule;
}

Schedule ring_all_reduce(int ranks, Rank) {
  Schedule schedule = reduce_scatter(ranks);
  for (int k = 0; k < ranks - 1; ++k) pass_on(schedule.rounds.emplace_back(), k, ranks, Area::out);
  return schedule;
}

}  // namespace commflow

// Linear: the root deals with one rank after the other, n - 1 rounds.
//
//   root -> 1        root <- 1
//   root -> 2   or   root <- 2
//   root -> 3        root <- 3

#include "core/algorithms/builders.h"

namespace commflow {
namespace {

// `own` first, then one round per other rank, in rank order after the root.
template <class MakeTransfer>
Schedule one_by_one(int ranks, int slots, Rank root, const Transfer& own, MakeTransfer transfer_with) {
  if (ranks == 1) return alone();
  Schedule schedule{ranks, slots, std::vector<Round>(index_of(ranks - 1))};
  schedule.rounds.front().push_back(own);
  for (int k = 0; k < ranks - 1; ++k) {
    schedule.rounds[index_of(k)].push_back(transfer_with(around(root + 1 + k, ranks)));
  }
  return schedule;
}

}  // namespace

Schedule linear_broadcast(int ranks, Rank root) {
  return one_by_one(ranks, 1, root, keeping(root, 0),
                    [&](Rank peer) { return copying(in_of(root, 0), out_of(peer, 0)); });
}

Schedule linear_reduce(int ranks, Rank root) {
  return one_by_one(ranks, 1, root, contributing(root, 0),
                    [&](Rank peer) { return reducing(in_of(peer, 0), out_of(root, 0)); });
}

Schedule linear_gather(int ranks, Rank root) {
  return one_by_one(ranks, ranks, root, keeping(root, root),
                    [&](Rank peer) { return copying(in_of(peer, peer), out_of(root, peer)); });
}

Schedule linear_scatter(int ranks, Rank root) {
  return one_by_one(ranks, ranks, root, keeping(root, root),
                    [&](Rank peer) { return copying(in_of(root, peer), out_of(peer, peer)); });
}

}  // namespace commflow

// Pipelined chain: ranks in a row from the root, the buffer in chunks that follow
// one another, so that all links are busy at once. n - 2 + chunks rounds.
//
//   broadcast, 4 ranks, chunks a b c    reduce: the same row towards the root
//     round 1   0 a> 1
//     round 2   0 b> 1 a> 2
//     round 3   0 c> 1 b> 2 a> 3
//     round 4        1 c> 2 b> 3
//     round 5             2 c> 3

#include "core/algorithms/builders.h"

namespace commflow {
namespace {

Schedule empty_chain(int ranks, int chunks) {
  return {ranks, chunks, std::vector<Round>(index_of(ranks - 2 + chunks))};
}

}  // namespace

Schedule chain_broadcast(int ranks, Rank root, const Tuning& tuning) {
  if (ranks == 1) return alone();
  Schedule schedule = empty_chain(ranks, tuning.chunks);
  for (int chunk = 0; chunk < tuning.chunks; ++chunk) {
    schedule.rounds.front().push_back(keeping(root, chunk));
    for (int position = 0; position + 1 < ranks; ++position) {
      const Place src{around(root + position, ranks), position == 0 ? Area::in : Area::out, chunk};
      schedule.rounds[index_of(position + chunk)].push_back(
          copying(src, out_of(around(root + position + 1, ranks), chunk)));
    }
  }
  return schedule;
}

Schedule chain_reduce(int ranks, Rank root, const Tuning& tuning) {
  if (ranks == 1) return alone();
  Schedule schedule = empty_chain(ranks, tuning.chunks);
  for (int chunk = 0; chunk < tuning.chunks; ++chunk) {
    for (int position = ranks - 1; position > 0; --position) {
      const bool outermost = position == ranks - 1;
      const Place src{around(root + position, ranks), outermost ? Area::in : Area::out, chunk};
      const Rank next = around(root + position - 1, ranks);
      schedule.rounds.front().push_back(contributing(next, chunk));
      schedule.rounds[index_of(ranks - 1 - position + chunk)].push_back(reducing(src, out_of(next, chunk)));
    }
  }
  return schedule;
}

}  // namespace commflow

// Recursive doubling of whole buffers: partners at distance 1, 2, 4 exchange all
// they have added up so far. lg n rounds, lg n buffers: for small ones.
//
//   4 ranks   round 1: 0<>1 2<>3    round 2: 0<>2 1<>3
//
// Where n is no power of two, ranks fold first: see fold.h. All-gather by
// recursive doubling is the second half of halving_doubling.cpp.
// (MPICH src/mpi/coll; Thakur, Rabenseifner and Gropp 2005)

#include "core/algorithms/builders.h"
#include "core/algorithms/fold.h"

namespace commflow {
namespace {

// In the very first round partial sums are still the inputs.
void exchange(Round& round, const Fold& fold, int distance, Area area) {
  for (int seat = 0; seat < fold.seats; ++seat) {
    round.push_back(reducing({fold.rank_at(seat), area, 0}, out_of(fold.rank_at(seat ^ distance), 0)));
  }
}

}  // namespace

Schedule recursive_doubling_all_reduce(int ranks, Rank) {
  if (ranks == 1) return alone();
  const Fold fold(ranks);
  Schedule schedule{ranks, 1, {Round()}};
  for (int seat = 0; seat < fold.seats; ++seat) schedule.rounds.front().push_back(contributing(fold.rank_at(seat), 0));
  for (int seat = 0; seat < fold.folded; ++seat) {
    const Rank rank = fold.rank_at(seat);
    schedule.rounds.front().push_back(reducing(in_of(rank - 1, 0), out_of(rank, 0)));
  }
  for (int distance = 1; distance < fold.seats; distance *= 2) {
    const bool opens = distance == 1 && fold.folded == 0;
    exchange(opens ? schedule.rounds.front() : schedule.rounds.emplace_back(), fold, distance,
             opens ? Area::in : Area::out);
  }
  if (fold.folded > 0) schedule.rounds.emplace_back();
  for (int seat = 0; seat < fold.folded; ++seat) {
    const Rank rank = fold.rank_at(seat);
    schedule.rounds.back().push_back(copying(out_of(rank, 0), out_of(rank - 1, 0)));
  }
  return schedule;
}

}  // namespace commflow

// Recursive halving and doubling (Rabenseifner): partners at distance 4, 2, 1
// exchange halves of what is left; doubling is the same film run backwards.
//
//   reduce-scatter, 4 ranks, blocks a rank still adds up:
//     rank 0  [0 1 2 3] -2-> [0 1] -1-> [0]        distance 2: 0<>2  1<>3
//     rank 1  [0 1 2 3] -2-> [0 1] -1-> [1]        distance 1: 0<>1  2<>3
//     rank 2  [0 1 2 3] -2-> [2 3] -1-> [2]
//     rank 3  [0 1 2 3] -2-> [2 3] -1-> [3]
//
// Where n is no power of two, ranks fold first: see fold.h.
// (MPICH src/mpi/coll; Thakur, Rabenseifner and Gropp 2005)

#include "core/algorithms/builders.h"
#include "core/algorithms/fold.h"

namespace commflow {
namespace {

// Blocks are either one per seat (all-reduce) or one per rank (the others).
enum class Cut : std::uint8_t { per_seat, per_rank };

Range blocks_of(const Fold& fold, Cut cut, Range seats) {
  if (cut == Cut::per_seat) return seats;
  return {fold.first_own_block(seats.begin), fold.first_own_block(seats.end)};
}

int slots_of(const Fold& fold, Cut cut) {
  return cut == Cut::per_seat ? fold.seats : fold.ranks;
}

// Own contributions go to `out`, but for those that leave in the first exchange
// and are sent from `in`.
void contribute(Round& round, const Fold& fold, Cut cut) {
  for (int seat = 0; seat < fold.seats; ++seat) {
    const bool all = fold.stands_for_two(seat);
    const Range blocks = blocks_of(fold, cut, all ? Range{0, fold.seats} : run_of(seat, fold.seats / 2));
    for (int block = blocks.begin; block < blocks.end; ++block) {
      round.push_back(contributing(fold.rank_at(seat), block));
    }
  }
}

void fold_in(Round& round, const Fold& fold, int slots) {
  for (int seat = 0; seat < fold.folded; ++seat) {
    const Rank rank = fold.rank_at(seat);
    for (int block = 0; block < slots; ++block) round.push_back(reducing(in_of(rank - 1, block), out_of(rank, block)));
  }
}

// One exchange of the halving half: each seat gives away the half of its partner.
void halve(Round& round, const Fold& fold, Cut cut, int distance) {
  const bool first = 2 * distance == fold.seats;
  for (int seat = 0; seat < fold.seats; ++seat) {
    const int partner = seat ^ distance;
    const Range given = blocks_of(fold, cut, run_of(partner, distance));
    const Area area = first && !fold.stands_for_two(seat) ? Area::in : Area::out;
    for (int block = given.begin; block < given.end; ++block) {
      round.push_back(reducing({fold.rank_at(seat), area, block}, out_of(fold.rank_at(partner), block)));
    }
  }
}

// After this every seat holds the complete blocks it answers for.
Schedule halving(const Fold& fold, Cut cut) {
  Schedule schedule{fold.ranks, slots_of(fold, cut), {}};
  Round opening;
  contribute(opening, fold, cut);
  if (fold.folded > 0) {
    fold_in(opening, fold, schedule.slots);
    schedule.rounds.push_back(std::move(opening));
    opening.clear();
  }
  for (int distance = fold.seats / 2; distance >= 1; distance /= 2) {
    halve(opening, fold, cut, distance);
    schedule.rounds.push_back(std::move(opening));
    opening.clear();
  }
  return schedule;
}

// One exchange of the doubling half: each seat gives all that its run has gathered.
// In all-gather a rank's own block is still read from `in`.
void double_up(Round& round, const Fold& fold, Cut cut, int distance) {
  for (int seat = 0; seat < fold.seats; ++seat) {
    const Rank rank = fold.rank_at(seat);
    const Rank partner = fold.rank_at(seat ^ distance);
    const Range known = blocks_of(fold, cut, run_of(seat, distance));
    for (int block = known.begin; block < known.end; ++block) {
      const bool own = cut == Cut::per_rank && block == rank;
      round.push_back(copying({rank, own ? Area::in : Area::out, block}, out_of(partner, block)));
    }
  }
}

// The last round: whoever sat out is given its result blocks.
void hand_back(Schedule& schedule, const Fold& fold, Round (*results_of)(Rank rank, int slots)) {
  if (fold.folded == 0) return;
  Round& last = schedule.rounds.emplace_back();
  for (int seat = 0; seat < fold.folded; ++seat) {
    const Round results = results_of(fold.rank_at(seat) - 1, schedule.slots);
    last.insert(last.end(), results.begin(), results.end());
  }
}

Round own_block_for(Rank rank, int) {
  return {copying(out_of(rank + 1, rank), out_of(rank, rank))};
}

Round all_blocks_for(Rank rank, int slots) {
  Round round;
  for (int block = 0; block < slots; ++block) {
    round.push_back(copying(out_of(rank + 1, block), out_of(rank, block)));
  }
  return round;
}

Round other_blocks_for(Rank rank, int slots) {
  Round round = all_blocks_for(rank, slots);
  std::erase_if(round, [&](const Transfer& transfer) { return transfer.dst.slot == rank; });
  return round;
}

// Before all-gather doubles: everyone's own block, and those of the ranks that sit out.
Round gather_in(const Fold& fold) {
  Round round;
  for (Rank rank = 0; rank < fold.ranks; ++rank) round.push_back(keeping(rank, rank));
  for (int seat = 0; seat < fold.folded; ++seat) {
    const Rank rank = fold.rank_at(seat);
    round.push_back(copying(in_of(rank - 1, rank - 1), out_of(rank, rank - 1)));
  }
  return round;
}

}  // namespace

Schedule halving_doubling_reduce_scatter(int ranks, Rank) {
  if (ranks == 1) return alone();
  const Fold fold(ranks);
  Schedule schedule = halving(fold, Cut::per_rank);
  hand_back(schedule, fold, own_block_for);
  return schedule;
}

Schedule halving_doubling_all_gather(int ranks, Rank) {
  if (ranks == 1) return alone();
  const Fold fold(ranks);
  Schedule schedule{ranks, ranks, {gather_in(fold)}};
  for (int distance = 1; distance < fold.seats; distance *= 2) {
    const bool first_exchange = distance == 1 && fold.folded == 0;
    Round& round = first_exchange ? schedule.rounds.front() : schedule.rounds.emplace_back();
    double_up(round, fold, Cut::per_rank, distance);
  }
  hand_back(schedule, fold, other_blocks_for);
  return schedule;
}

Schedule halving_doubling_all_reduce(int ranks, Rank) {
  if (ranks == 1) return alone();
  const Fold fold(ranks);
  Schedule schedule = halving(fold, Cut::per_seat);
  for (int distance = 1; distance < fold.seats; distance *= 2) {
    double_up(schedule.rounds.emplace_back(), fold, Cut::per_seat, distance);
  }
  hand_back(schedule, fold, all_blocks_for);
  return schedule;
}

}  // namespace commflow

// Broadcast and reduce of large buffers in two halves, by which no port carries
// more than 2S(n-1)/n: broadcast as scatter and all-gather, reduce as
// reduce-scatter and gather. Scatter and gather go over a binomial tree.
//
// Who is on the tree holds more than its own block after the scatter; nobody is
// sent what it has. Where a half needs a power of two, p, the ranks count from the
// root by position, and position i >= p is served by position i - p:
//
//   reduce:     i hands over its buffer before all else
//   broadcast:  i is given the result after all else
//
// (MPICH src/mpi/coll; van de Geijn 1994; Rabenseifner 2004)

#include "core/algorithms/builders.h"
#include "core/algorithms/overlay.h"

namespace commflow {
namespace {

// Which blocks lie in `out` of whom, so that nothing is sent twice.
class Held {
 public:
  explicit Held(const Schedule& schedule)
      : slots_(schedule.slots), held_(index_of(schedule.ranks) * index_of(schedule.slots)) {
    for (const Round& round : schedule.rounds) {
      for (const Transfer& transfer : round) held_[cell(transfer.dst)] = true;
    }
  }
  // Sends unless the receiver has it.
  void send(Round& round, Rank src, Rank dst, int block) {
    if (held_[cell(out_of(dst, block))]) return;
    held_[cell(out_of(dst, block))] = true;
    round.push_back(copying(out_of(src, block), out_of(dst, block)));
  }

 private:
  std::size_t cell(Place place) const { return index_of(place.rank) * index_of(slots_) + index_of(place.slot); }
  int slots_;
  std::vector<bool> held_;
};

void keep_the_rest(Schedule& schedule, Rank root, int own_block) {
  for (int block = 0; block < schedule.slots; ++block) {
    if (block != own_block) schedule.rounds.front().push_back(keeping(root, block));
  }
}

}  // namespace

Schedule scatter_allgather_broadcast(int ranks, Rank root) {
  if (ranks == 1) return alone();
  Schedule schedule = binomial_scatter(ranks, root);
  keep_the_rest(schedule, root, root);
  Held held(schedule);
  for (int k = 0; k < ranks - 1; ++k) {
    Round& round = schedule.rounds.emplace_back();
    for (Rank rank = 0; rank < ranks; ++rank) {
      held.send(round, rank, around(rank + 1, ranks), around(rank - k, ranks));
    }
  }
  return schedule;
}

Schedule scatter_allgather_doubling_broadcast(int ranks, Rank root) {
  if (ranks == 1) return alone();
  const int power = largest_power_up_to(ranks);
  const auto rank_at = [&](int position) { return around(root + position, ranks); };
  Schedule schedule{ranks, power, {}};
  overlay(schedule, 0, binomial_scatter(power, 0), Reads::input, rank_at, only);
  keep_the_rest(schedule, root, 0);
  Held held(schedule);
  for (int distance = 1; distance < power; distance *= 2) {
    Round& round = schedule.rounds.emplace_back();
    for (int position = 0; position < power; ++position) {
      const Range known = run_of(position, distance);
      for (int block = known.begin; block < known.end; ++block) {
        held.send(round, rank_at(position), rank_at(position ^ distance), block);
      }
    }
  }
  if (power < ranks) schedule.rounds.emplace_back();
  for (int position = power; position < ranks; ++position) {
    for (int block = 0; block < power; ++block) {
      held.send(schedule.rounds.back(), rank_at(position - power), rank_at(position), block);
    }
  }
  return schedule;
}

Schedule reduce_scatter_gather_reduce(int ranks, Rank root) {
  if (ranks == 1) return alone();
  const int power = largest_power_up_to(ranks);
  const auto rank_at = [&](int position) { return around(root + position, ranks); };
  Schedule schedule{ranks, power, {}};
  if (power < ranks) {
    Round& round = schedule.rounds.emplace_back();
    for (int block = 0; block < power; ++block) {
      for (int position = 0; position < power; ++position) round.push_back(contributing(rank_at(position), block));
      for (int position = power; position < ranks; ++position) {
        round.push_back(reducing(in_of(rank_at(position), block), out_of(rank_at(position - power), block)));
      }
    }
  }
  const auto rounds = [&] { return static_cast<int>(schedule.rounds.size()); };
  const Reads reads = power < ranks ? Reads::earlier_rounds : Reads::input;
  overlay(schedule, rounds(), halving_doubling_reduce_scatter(power, 0), reads, rank_at, only);
  overlay(schedule, rounds(), binomial_gather(power, 0), Reads::earlier_rounds, rank_at, only);
  return schedule;
}

}  // namespace commflow

// In-switch reduction (NVLS, SHARP): every rank sends its buffer up once, the
// switch adds all of them up and multicasts the sum down: S up and S down per
// port, whatever n. In chunks, so that one goes down while the next comes up.
//
//   rank 0 --\            /--> rank 0        the switch is node n of the schedule
//   rank 1 ---> switch ------> rank 1
//   rank 2 --/            \--> rank 2

#include "core/algorithms/builders.h"

namespace commflow {

Schedule in_switch_all_reduce(int ranks, Rank, const Tuning& tuning) {
  if (ranks == 1) return alone();
  const Rank the_switch = ranks;
  Schedule schedule{ranks, tuning.chunks, std::vector<Round>(index_of(tuning.chunks + 1)), 1};
  for (int chunk = 0; chunk < tuning.chunks; ++chunk) {
    for (Rank rank = 0; rank < ranks; ++rank) {
      schedule.rounds[index_of(chunk)].push_back(reducing(in_of(rank, chunk), out_of(the_switch, chunk)));
      schedule.rounds[index_of(chunk + 1)].push_back(copying(out_of(the_switch, chunk), out_of(rank, chunk)));
    }
  }
  return schedule;
}

}  // namespace commflow

#pragma once
// What leaves the program as a file: a schedule to be replayed elsewhere, and
// what was counted on it, for a spreadsheet.

#include <string>

#include "story/collective_run.h"

namespace commflow {

// {"collective", "algorithm", "ranks", "root", "slots", "switches" (if there are any), "rounds", "inputs", "outputs"}.
// rounds: per round a list of {"src": {"rank", "area", "slot"}, "dst": likewise, "op": "copy" or "reduce"};
// inputs and outputs: per rank the places of the payload's blocks and of the result's, in order.
std::string schedule_json(Collective collective, Algorithm algorithm, Rank root, const Schedule& schedule);

// One line per algorithm, round and rank: algorithm,round,rank,sent_bytes,received_bytes; what an algorithm sends in
// all is the sum of its lines. Rounds count from 1.
std::string counts_csv(const CollectiveRun& run);

}  // namespace commflow

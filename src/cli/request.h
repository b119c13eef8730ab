#pragma once
// What schedule, run, count and time have in common: which collective, by which
// algorithm, among how many ranks, from or to which root.

#include "cli/command.h"
#include "core/algorithms.h"

namespace commflow {

inline constexpr Option kCollectiveOption{"--collective", "C",
                                          "broadcast, reduce, all-reduce, all-gather, reduce-scatter,\n"
                                          "all-to-all, gather, scatter or send-recv"};
inline constexpr Option kAlgorithmOption{"--algorithm", "A",
                                         "ring, direct, halving-doubling, pairwise, linear or binomial"};
inline constexpr Option kRootOption{"--root", "R",
                                    "the root, or the sender of send-recv; 0 if not given;\n"
                                    "collectives without a root ignore it"};

struct Request {
  Collective collective = Collective::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  int ranks = 1;
  Rank root = 0;
};

// Reads the four arguments. The pair is one that the table of algorithms has.
Request read_request(Arguments& arguments, int max_ranks);

Schedule schedule_of(const Request& request);

// The request as the first fields of a report.
Report report_of(const Request& request);

}  // namespace commflow

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
                                         "one that the collective has: ring, direct, one-shot, recursive-doubling,\n"
                                         "recursive-halving, halving-doubling, binomial, double-binary-tree,\n"
                                         "pairwise, bruck, chain, scatter-allgather, scatter-allgather-doubling,\n"
                                         "reduce-scatter-gather, hierarchical, in-switch or linear"};
inline constexpr Option kChunksOption{"--chunks", "K",
                                      "pieces that follow one another, 1 to 256; 4 if not given; chain, in-switch\n"
                                      "and double-binary-tree (K per tree), the others ignore it"};
inline constexpr Option kNodesOption{"--gpus-per-node", "G",
                                     "a divisor of the ranks, for hierarchical; if not given, the largest up to\n"
                                     "8 that makes two nodes or more"};
inline constexpr Option kRootOption{"--root", "R",
                                    "the root, or the sender of send-recv; 0 if not given;\n"
                                    "collectives without a root ignore it"};

struct Request {
  Collective collective = Collective::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  int ranks = 1;
  Rank root = 0;
  Tuning tuning;
};

// Reads these arguments. The pair is one that the table of algorithms has, and the
// schedule can be made.
Request read_request(Arguments& arguments, int max_ranks);
// The same without --ranks.
Request read_request_among(Arguments& arguments, int ranks);

Schedule schedule_of(const Request& request);

// The request as the first fields of a report.
Report report_of(const Request& request);

}  // namespace commflow

#pragma once
// Rounds, messages and bytes of an algorithm without its schedule, for sizes at
// which a schedule would have 10^10 transfers. Exactly what count_traffic() counts,
// per rank and to the byte, whatever the payload (a test holds them equal up to 64
// ranks), but for one: all-to-all by Bruck takes every block as large as the
// largest, which is exact where n divides S and else an upper bound.
//
// Formulas: Thakur, Rabenseifner and Gropp 2005; Patarasuk and Yuan 2009; for trees
// and for what folds, message by message.

#include <optional>

#include "core/algorithms.h"
#include "core/traffic.h"

namespace commflow {

struct Question {
  Collective collective = Collective::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  int ranks = 1;
  Rank root = 0;
  Tuning tuning;
  Bytes payload = 1;  // >= 0; payload * ranks must fit
};

// nullopt where why_not() has a reason. Takes O(n log n), double binary tree
// O(n * chunks).
std::optional<Traffic> traffic_by_formula(const Question& question);
// For hierarchical only: as count_levels() with the nodes of its tuning.
std::optional<LevelTraffic> levels_by_formula(const Question& question);

}  // namespace commflow

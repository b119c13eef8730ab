#pragma once
// The router's choice, in integers so that it is the same on every machine:
// which experts a token goes to, and with which weights their results are
// summed at the end. Knows nothing of ranks or bytes.

#include <span>
#include <vector>

#include "core/buffers.h"

namespace commflow {

// The gate weights of one token sum to this.
inline constexpr int kGateTotal = 64;
// A chosen score further below the best counts as if it were this far below.
inline constexpr int kGateScoreSpan = 16;

// Ids of the k highest scores, best first; of equal scores the lower expert id
// first. k is clamped to 0..scores.size().
std::vector<int> top_k(std::span<const Value> scores, int k);

// Weights proportional to 2^score (a softmax to the base 2), rounded to integers
// with sum kGateTotal by largest remainder; of equal remainders the earlier
// entry gains. One weight per score; none for no scores.
std::vector<int> gate_weights(std::span<const Value> chosen_scores);

}  // namespace commflow

#pragma once
// The experts of layers too large for a score per token and expert: drawn
// directly, token by token, from the distribution that scores would give. Nothing is
// computed that a machine could round its own way. Knows nothing of where the
// experts lie, apart from node-limited routing.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/expert_settings.h"

namespace commflow::experts {

// One stream of random numbers per rank: more tokens per rank change no other's.
std::vector<std::uint64_t> seeds_of_ranks(const Settings& settings);

// Of how many experts node-limited routing adds the scores, on each node:
// ceil(topk / topk_nodes), or all if a node has fewer; 1 without a limit.
int counted_per_node(const Settings& settings);

// The experts of all tokens of a rank, [token][choice], best first; valid until the
// next call. The same for a rank however often and in whichever order it is asked.
using ExpertsOfRank = std::function<std::span<const int>(Rank rank)>;

// The settings have no problem and no table.
ExpertsOfRank drawn_experts(const Settings& settings);

}  // namespace commflow::experts

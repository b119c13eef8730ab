#pragma once
// The two ends of the sharded run: who starts with what, and the full result put
// together again from what the ranks hold. This is the reader's view from above;
// nothing here happens between ranks.

#include <optional>
#include <vector>

#include "core/tiny_data.h"
#include "core/tiny_rank.h"

namespace commflow::tiny {

// Dense weights on replica 0 only, experts on the first of their holders, all
// tokens on the first rank of the first stage, all labels on that of the last.
std::vector<Memory> starting_memories(const Setup& setup, const Model& model);

// nullopt when ranks disagree about something they must hold alike.
std::optional<Result> assembled(const Setup& setup, const std::vector<Memory>& world);

}  // namespace commflow::tiny

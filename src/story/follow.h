#pragma once
// Which drawn numbers belong to the token that is followed, and its way through
// the training step in words. Tokens are numbered replica * tiny::kTokens + position.

#include <string>
#include <vector>

#include "story/derive.h"

namespace commflow {

// Rows of these tensors are tokens; rows of the others are anything else.
bool rows_are_tokens(tiny::Tensor tensor);

// The token in a row of a matrix that `rank` shows; -1 if rows are no tokens. Copies at experts are in another order,
// see tiny::Copy.
int token_of_row(const Layout& layout, Rank rank, const tiny::NamedMatrix& named, int row);

// The token in a row of a slot of a collective; -1 if it holds none.
int token_of_slot_row(const Layout& layout, const tiny::Communication& communication, int slot, int row);

// The rank of `stage` that holds a token between collectives.
Rank home_of_token(const Layout& layout, int token, int stage);

// One line per step of the walk that has anything to say; empty unless the layout is executed.
std::vector<std::string> journey_of_token(const State& state, const Derived& derived, const Library& library);

}  // namespace commflow

#pragma once
// Random states, the same on every machine.

#include <algorithm>

#include "core/rng.h"
#include "story/inputs.h"
#include "story/library.h"

namespace commflow::support {

inline int between(Rng& random, int min, int max) {
  const auto span = static_cast<std::uint64_t>(static_cast<std::int64_t>(max) - min + 1);
  return static_cast<int>(static_cast<std::int64_t>(random.next() % span) + min);
}

// Of any shape, mostly beyond what an input takes.
inline Rows wild_rows(Rng& random) {
  Rows rows;
  for (int left = random.below(20); left > 0; --left) {
    std::vector<int> row;
    for (int i = random.below(10); i > 0; --i) row.push_back(between(random, -120, 120));
    rows.add(row);
  }
  return rows;
}

// A routing table that fits the layer of a state.
inline Rows fitting_routing(Rng& random, const State& state) {
  Rows rows;
  if (state.expert_topk > state.experts) return rows;
  for (int token = 0; token < state.expert_nodes * state.expert_gpus * state.expert_tokens; ++token) {
    std::vector<int> row;
    while (static_cast<int>(row.size()) < state.expert_topk) {
      const int expert = random.below(state.experts);
      if (std::find(row.begin(), row.end(), expert) == row.end()) row.push_back(expert);
    }
    rows.add(row);
  }
  return rows;
}

// Any value that an int can have; mostly near the bounds, where mistakes are.
inline State wild_state(Rng& random, const Library& library) {
  State state;
  for (const Field& f : fields()) {
    int& value = state.*f.member;
    switch (random.next() % 4) {
      case 0: value = static_cast<int>(static_cast<std::uint32_t>(random.next())); break;
      case 1: value = f.min - 2 + static_cast<int>(random.next() % 4); break;
      case 2: value = max_of(f, library) - 2 + static_cast<int>(random.next() % 5); break;
      default: value = between(random, f.min, max_of(f, library));
    }
  }
  if (random.next() % 4 == 0) state.values = wild_rows(random);
  if (random.next() % 4 == 0) state.routing = wild_rows(random);
  return state;
}

// A state that a reader can be in.
inline State random_state(Rng& random, const Library& library) {
  return normalise(wild_state(random, library), library);
}

// One whose layout is often small enough to be run, with a position inside the step.
inline State likely_state(Rng& random, const Library& library) {
  State state = random_state(random, library);
  const State usual = initial_state(library);
  constexpr int kSizes[] = {1, 1, 2, 2, 2, 4};
  for (int State::*size : {&State::tp, &State::pp, &State::dp, &State::ep}) state.*size = kSizes[random.next() % 6];
  if (random.next() % 3 == 0) {
    for (int State::*size : {&State::tp, &State::pp, &State::dp, &State::ep}) state.*size = usual.*size;
  }
  if (random.next() % 2 == 0) state.tokens = 8192;
  if (random.next() % 4 != 0) {  // of the experts page's layers few would fit
    state.expert_nodes = kSizes[random.next() % 6];
    state.expert_gpus = kSizes[random.next() % 6];
    state.experts = state.expert_nodes * state.expert_gpus * between(random, 1, 3);
    state.expert_topk = between(random, 1, 3);
    state.expert_tokens = between(random, 1, 6);
    if (random.next() % 4 != 0) state.preset = 0;  // large layers take long to count
  }
  if (random.next() % 4 == 0) state.routing = fitting_routing(random, state);
  if (random.next() % 4 == 0) state.values = read_rows("3 1 4\n-1 5;9", input(InputId::values).limits).rows;
  state.at = between(random, 0, 60000);
  return normalise(state, library);
}

}  // namespace commflow::support

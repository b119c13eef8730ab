#pragma once
// The whole training step at once: what each step of the walk costs one GPU, and
// what every GPU sends over which link. All estimates of time say so.

#include <vector>

#include "core/step_time.h"
#include "story/fields.h"
#include "story/library.h"

namespace commflow {

struct Glance {
  struct Step {
    Rank rank = 0;  // whose costs these are: the chosen GPU, else one of the stage that the step is about
    WalkStepCost cost;
  };
  std::vector<Step> steps;             // one per step of the walk
  std::vector<TrainingStepCost> gpus;  // one per rank
};
// A layout that cannot be has no costs.
Glance glance_of(const State& state, const Workload& work, const Library& library);

Assumptions assumptions_of(const State& state);

// The GPU whose numbers a step shows.
Rank shown_rank(const State& state, const Layout& layout, tiny::Step step);

// What a step counts: a dense model's own where it replaces the experts.
std::span<const QuantityId> counts_of(const WalkStep& step, bool dense);

}  // namespace commflow

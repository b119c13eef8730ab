#include "story/glance.h"

#include "core/walk_limits.h"

namespace commflow {

Assumptions assumptions_of(const State& state) {
  return {state.compute_percent, state.link_percent, state.latency_us};
}

Rank shown_rank(const State& state, const Layout& layout, tiny::Step step) {
  if (state.gpu >= 0) return state.gpu;
  const bool last = step == tiny::Step::stage2 || step == tiny::Step::backward;
  return rank_at(layout, 0, 0, last ? layout.pp - 1 : 0, 0);
}

std::span<const QuantityId> counts_of(const WalkStep& step, bool dense) {
  // An empty list of a step that has texts of its own means that nothing is sent there.
  if (dense && (step.dense_texts || !step.dense_counts.empty())) return step.dense_counts;
  return step.counts;
}

Glance glance_of(const State& state, const Workload& work, const Library& library) {
  Glance glance;
  if (library.gpus.empty() || walk_problem(work)) return glance;
  const Setting setting{work, library.gpus[static_cast<std::size_t>(state.hardware)], library.walk.algorithms,
                        assumptions_of(state)};
  const bool dense = !has_experts(work.model);
  for (const WalkStep& step : library.walk.steps) {
    const Rank rank = shown_rank(state, work.layout, step.runs);
    glance.steps.push_back({rank, cost_of_step(setting, step.runs, counts_of(step, dense), rank)});
  }
  for (Rank rank = 0; rank < world_size(work.layout); ++rank)
    glance.gpus.push_back(cost_of_training_step(setting, rank));
  return glance;
}

}  // namespace commflow

#pragma once
// One mixture-of-experts layer over several ranks, executed on small integers,
// and the same layer on one rank. A rank reads another's data only through
// run_round(); both must give the same numbers.
//
//   y = x + shared(x) + round(sum of weight * expert(x) over the kept copies / 64)

#include <vector>

#include "core/expert_plan.h"
#include "core/tiny_model.h"

namespace commflow::experts {

// Numbers of one token's vector, as drawn.
inline constexpr int kTokenWidth = 2;

using tiny::Matrix;

// expert(x) = max(0, x * first) * second.
struct ExpertWeights {
  Matrix first, second;
};
Matrix apply_expert(const ExpertWeights& weights, const Matrix& rows);

struct LayerData {
  Matrix tokens;  // [token through all ranks][kTokenWidth]
  std::vector<ExpertWeights> experts;
  ExpertWeights shared;
};
LayerData layer_data(const Settings& settings);

// The layer on one rank: [token][kTokenWidth].
Matrix run_on_one_rank(const Settings& settings, const Routing& routing, const LayerData& data);

struct Movement {
  Schedule schedule;
  Buffers initial;
  Buffers final;
};

// Everything that can be shown, in the order in which it comes about.
struct LayerRun {
  Settings settings;
  LayerData data;
  Routing routing;
  Counts counts;
  Plan plan;
  // Each rank tells each how many copies come for each of its experts: slot j of
  // rank i, an entry per expert of rank j in the order of Hosts::on_rank, padded
  // with zeros.
  Movement counts_exchange;
  Movement dispatch;
  std::vector<Matrix> results;  // per host: what its experts make of each row of the plan
  Movement combine;             // with merging weighted sums travel, otherwise results
  Matrix weighted;              // [token]: sum of weight * expert(x), in 64ths
  Matrix output;                // [token]
  bool complete = true;         // false if something that was to arrive did not
};

// The steps of run_layer(), so that tests can spoil what lies between them.
// The settings are executable.
LayerRun prepare_layer(const Settings& settings);  // up to the dispatch's initial state
void dispatch_tokens(LayerRun& run);
void compute_experts(LayerRun& run);  // up to the combine's initial state
void combine_results(LayerRun& run);

LayerRun run_layer(const Settings& settings);

}  // namespace commflow::experts

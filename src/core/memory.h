#pragma once
// What training keeps on a GPU for every parameter, before a single activation:
// bf16 weights, bf16 gradients, and the optimizer's fp32 weight and two moments
// (ZeRO, arXiv 1910.02054, section 3: 2 + 2 + 12 bytes). Megatron-LM's fp32
// gradients would make it 18 (its distributed-optimizer page).

#include "core/workload.h"

namespace commflow {

struct ModelState {
  Bytes weights = 0;
  Bytes gradients = 0;
  Bytes optimizer = 0;
  Bytes total() const { return weights + gradients + optimizer; }
  bool operator==(const ModelState&) const = default;
};

// Of so many parameters on one GPU.
ModelState model_state(std::int64_t params);

// Of the GPU of `layout` that holds most. sharded: ZeRO-1, every DP rank keeps the
// optimizer's share of its own; of experts, every rank that holds the same ones.
ModelState largest_model_state(const Model& model, const Layout& layout, bool sharded);

// GPUs of so much memory that the whole state fills, at least.
std::int64_t fewest_gpus(const ModelState& state, Bytes memory);

}  // namespace commflow

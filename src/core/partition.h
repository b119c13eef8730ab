#pragma once
// How a model is cut over the GPUs of a layout: the layers of a stage and the
// parameters that one GPU holds, by how they are held. Expert tensor parallelism
// 1 and context parallelism 1, as in the walk. Knows nothing of bytes on links.

#include "core/groups.h"
#include "core/model.h"

namespace commflow {

// Layers first .. first + count - 1, counted from 0.
struct LayerRange {
  int first = 0;
  int count = 0;
  int dense = 0;  // layers with an MLP
  int moe = 0;    // layers with experts
  bool operator==(const LayerRange&) const = default;
};
// Where the layers do not divide, the first stages get one more.
LayerRange layers_of_stage(const Model& model, int stages, int stage);

// Parameters on one GPU. A split that does not divide is rounded up, as
// frameworks pad.
struct GpuParams {
  std::int64_t split = 0;        // this GPU's TP share: attention, dense MLP, shared experts, embeddings
  std::int64_t kv_shared = 0;    // key and value heads that several TP ranks hold (fewer heads than ranks)
  std::int64_t replicated = 0;   // on every TP rank, with a gradient: norms, router, compressions
  std::int64_t no_gradient = 0;  // on every TP rank, set without a gradient
  std::int64_t experts = 0;      // whole routed experts, this GPU's share of each layer's
  std::int64_t dense() const { return split + kv_shared + replicated; }  // what DP must agree on
  std::int64_t total() const { return dense() + no_gradient + experts; }
  bool operator==(const GpuParams&) const = default;
};
GpuParams params_of_gpu(const Model& model, const Layout& layout, int stage);

// TP ranks that hold the same key and value head; 1 where heads suffice.
int kv_head_copies(const Model& model, int tp);

}  // namespace commflow

#pragma once
// Arithmetic of one GPU in the forward pass of one micro-batch: 2 operations (a
// multiplication and an addition) per parameter and token, plus attention's two
// products over the sequence (arXiv 2104.04473, appendix). Experts are taken to
// be equally popular. For estimates only: nothing is decided by it.

#include "core/workload.h"

namespace commflow {

// All layers of the stage together, of one GPU, floating-point operations.
struct ForwardFlops {
  double attention_in = 0;      // products before the heads: queries, keys, values
  double attention_scores = 0;  // heads x sequence: half of all pairs, since no token looks ahead
  double attention_out = 0;     // the product after the heads
  double router = 0;
  double experts = 0;  // routed and shared
  double mlp = 0;      // of dense layers
  double head = 0;     // output head, on the last stage
  double total() const { return attention_in + attention_scores + attention_out + router + experts + mlp + head; }
};
// The tokens of a replica's micro-batch count as one sequence.
ForwardFlops forward_flops(const Workload& work, int stage);

// Backward: every product has two, one for its input and one for its weights.
inline constexpr int kBackwardOverForward = 2;

}  // namespace commflow

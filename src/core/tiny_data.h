#pragma once
// What comes from outside into a training step of the tiny model: starting
// weights, tokens and labels, in full and seeded. Small entries, so that a reader
// can follow the arithmetic. Knows nothing of ranks.

#include <vector>

#include "core/tiny_model.h"

namespace commflow::tiny {

struct Model {
  bool dense = false;
  std::vector<LayerWeights> weights;  // [layer]
  std::vector<Matrix> tokens;         // [replica] kTokens x kHidden
  std::vector<Matrix> labels;         // [replica] the same shape
};

// Layer l and replica r get the same numbers in every layout that has them.
Model make_model(const Setup& setup);

// The step on one rank: plain code that shares only matrix arithmetic and the
// gate with the sharded run.
Result train_serially(const Model& model);

}  // namespace commflow::tiny

#include "core/memory.h"

#include "core/partition.h"
#include "core/portion.h"

namespace commflow {

ModelState model_state(std::int64_t params) {
  return {params * kWeightBytes, params * kGradientBytes, params * kOptimizerBytes};
}

ModelState largest_model_state(const Model& model, const Layout& layout, bool sharded) {
  ModelState largest;
  for (int stage = 0; stage < layout.pp; ++stage) {
    const GpuParams params = params_of_gpu(model, layout, stage);
    ModelState state = model_state(params.total());
    if (sharded) {
      const std::int64_t dense = divide_up(params.total() - params.experts, layout.dp);
      state.optimizer = (dense + divide_up(params.experts, expert_dp_size(layout))) * kOptimizerBytes;
    }
    if (state.total() > largest.total()) largest = state;
  }
  return largest;
}

std::int64_t fewest_gpus(const ModelState& state, Bytes memory) {
  return divide_up(state.total(), memory);
}

}  // namespace commflow

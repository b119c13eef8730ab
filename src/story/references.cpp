#include "story/references.h"

namespace commflow {
namespace {

enum Index : std::size_t {
  kNcclTests,
  kMegatron,
  kMegatronPipeline,
  kSequenceParallelism,
  kZero,
  kDeepSeek,
  kDeepEp,
  kSwitch,
  kRingAttention,
  kUlysses,
  kEngineering,
  kScalingBook,
  kInsights
};

constexpr Reference kReferences[] = {
    {"nccl_tests", "nccl-tests", "https://github.com/NVIDIA/nccl-tests/blob/master/doc/PERFORMANCE.md"},
    {"megatron", "Megatron-LM (1909.08053)", "https://arxiv.org/abs/1909.08053"},
    {"megatron_pipeline", "Megatron-LM (2104.04473)", "https://arxiv.org/abs/2104.04473"},
    {"sequence_parallelism", "Sequence parallelism (2205.05198)", "https://arxiv.org/abs/2205.05198"},
    {"zero", "ZeRO (1910.02054)", "https://arxiv.org/abs/1910.02054"},
    {"deepseek", "DeepSeek-V3 (2412.19437)", "https://arxiv.org/abs/2412.19437"},
    {"deepep", "DeepEP", "https://github.com/deepseek-ai/DeepEP"},
    {"switch", "Switch Transformers (2101.03961)", "https://arxiv.org/abs/2101.03961"},
    {"ring_attention", "Ring Attention (2310.01889)", "https://arxiv.org/abs/2310.01889"},
    {"ulysses", "DeepSpeed-Ulysses (2309.14509)", "https://arxiv.org/abs/2309.14509"},
    {"engineering", "ml-engineering", "https://github.com/stas00/ml-engineering"},
    {"scaling_book", "scaling-book", "https://jax-ml.github.io/scaling-book/gpus/"},
    {"insights", "DeepSeek-V3 hardware (2505.09343)", "https://arxiv.org/abs/2505.09343"},
    {"nccl_calls", "NCCL: point-to-point communication",
     "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/p2p.html"},
    {"nccl_groups", "NCCL: group calls", "https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/usage/groups.html"},
    {"nccl_topo", "NCCL: topo.h", "https://github.com/NVIDIA/nccl/blob/master/src/graph/topo.h"},
    {"nccl_memory", "NCCL, issue 1428", "https://github.com/NVIDIA/nccl/issues/1428"},
    {"nccl_sms", "NCCL, issue 689", "https://github.com/NVIDIA/nccl/issues/689"},
};

}  // namespace

std::span<const Reference> references() {
  return kReferences;
}

const Reference& reference_named(std::string_view id) {
  for (const Reference& reference : kReferences)
    if (reference.id == id) return reference;
  return kReferences[0];
}

const Reference& reference_for(QuantityId id) {
  switch (quantity_row(id).dimension) {
    case Dimension::tp: return kReferences[kSequenceParallelism];
    case Dimension::pp: return kReferences[kMegatronPipeline];
    case Dimension::ep: return kReferences[id == QuantityId::counts ? kDeepEp : kDeepSeek];
    case Dimension::dp:
    case Dimension::expert_dp: return kReferences[kZero];
    default: return kReferences[kNcclTests];
  }
}

}  // namespace commflow

#include "core/flops.h"

#include "core/partition.h"

namespace commflow {
namespace {

constexpr double kPerParameter = 2;

// Numbers of a head that enter its scores, and that leave it.
double head_numbers(const Model& model) {
  if (has_latent_attention(model)) return model.qk_nope_head_dim + model.qk_rope_head_dim + model.v_head_dim;
  return 2.0 * model.head_dim;
}

}  // namespace

ForwardFlops forward_flops(const Workload& work, int stage) {
  const Model& model = work.model;
  const LayerRange layers = layers_of_stage(model, work.layout.pp, stage);
  const double tokens = static_cast<double>(work.tokens), own = static_cast<double>(tokens_per_gpu(work));
  const double tp = work.layout.tp;
  const double output = static_cast<double>(attention_output_params(model));
  const double attention = static_cast<double>(attention_params_per_layer(model)) - output;
  ForwardFlops flops;
  flops.attention_in = layers.count * kPerParameter * tokens * attention / tp;
  flops.attention_scores =
      layers.count * kPerParameter * tokens * (tokens / 2) * model.heads * head_numbers(model) / tp;
  flops.attention_out = layers.count * kPerParameter * tokens * output / tp;
  flops.router = layers.moe * kPerParameter * own * static_cast<double>(router_params(model));
  const double routed = model.topk * static_cast<double>(expert_params(model));
  const double shared = static_cast<double>(shared_expert_params(model));
  flops.experts = layers.moe * kPerParameter * own * (routed + shared);
  flops.mlp = layers.dense * kPerParameter * tokens * static_cast<double>(dense_mlp_params(model)) / tp;
  if (stage == work.layout.pp - 1)
    flops.head = kPerParameter * tokens * static_cast<double>(embedding_params(model)) / tp;
  return flops;
}

}  // namespace commflow

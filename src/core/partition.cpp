#include "core/partition.h"

#include <algorithm>

#include "core/portion.h"

namespace commflow {

namespace {

// Of all layers of the stage together.
void add_layers(GpuParams& params, const Model& model, const Layout& layout, const LayerRange& layers) {
  const AttentionParams attention = attention_params(model);
  const int copies = kv_head_copies(model, layout.tp);
  const std::int64_t kv_share = divide_up(attention.by_kv_head, layout.tp / copies);
  std::int64_t& kv = copies > 1 ? params.kv_shared : params.split;

  params.split += layers.count * divide_up(attention.by_head, layout.tp);
  kv += layers.count * kv_share;
  params.replicated += layers.count * (attention.replicated + norm_params_per_layer(model));
  params.split += layers.dense * divide_up(dense_mlp_params(model), layout.tp);
  params.split += layers.moe * divide_up(shared_expert_params(model), layout.tp);
  params.replicated += layers.moe * trained_router_params(model);
  params.no_gradient += layers.moe * (router_params(model) - trained_router_params(model));
  params.experts += layers.moe * divide_up(model.experts, layout.ep) * expert_params(model);
}

// Input embedding on the first stage; final norm and output head on the last,
// which holds a copy of the embedding where the two are tied.
void add_ends(GpuParams& params, const Model& model, const Layout& layout, int stage) {
  const bool first = stage == 0;
  const bool last = stage == layout.pp - 1;
  const std::int64_t table = divide_up(model.vocab, layout.tp) * model.hidden;
  if (first) params.split += table;
  if (last && !(first && model.tied_embeddings)) params.split += table;
  if (last) params.replicated += final_norm_params(model);
}

}  // namespace

LayerRange layers_of_stage(const Model& model, int stages, int stage) {
  const int each = model.layers / stages;
  const int longer = model.layers % stages;
  LayerRange range;
  range.first = stage * each + std::min(stage, longer);
  range.count = each + (stage < longer ? 1 : 0);
  range.dense = std::clamp(dense_layers(model) - range.first, 0, range.count);
  range.moe = range.count - range.dense;
  return range;
}

int kv_head_copies(const Model& model, int tp) {
  const bool shared = !has_latent_attention(model) && model.kv_heads > 0 && tp > model.kv_heads;
  return shared ? tp / model.kv_heads : 1;
}

GpuParams params_of_gpu(const Model& model, const Layout& layout, int stage) {
  GpuParams params;
  add_layers(params, model, layout, layers_of_stage(model, layout.pp, stage));
  add_ends(params, model, layout, stage);
  return params;
}

}  // namespace commflow

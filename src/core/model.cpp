#include "core/model.h"

namespace commflow {

namespace {

std::int64_t product(std::int64_t a, std::int64_t b) {
  return a * b;
}

// Gate, up and down projection of a SwiGLU MLP.
std::int64_t swiglu_params(const Model& model, std::int64_t intermediate) {
  return 3 * product(model.hidden, intermediate);
}

AttentionParams latent_attention_params(const Model& model) {
  const std::int64_t query_width = product(model.heads, model.qk_nope_head_dim + model.qk_rope_head_dim);
  AttentionParams params;
  params.by_head = product(model.kv_lora_rank, product(model.heads, model.qk_nope_head_dim + model.v_head_dim)) +
                   product(model.hidden, product(model.heads, model.v_head_dim));
  // Compression to the latent, and the norm of the latent.
  params.replicated = product(model.hidden, model.kv_lora_rank + model.qk_rope_head_dim) + model.kv_lora_rank;
  if (model.q_lora_rank > 0) {
    params.by_head += product(model.q_lora_rank, query_width);
    params.replicated += product(model.hidden, model.q_lora_rank) + model.q_lora_rank;
  } else {
    params.by_head += product(model.hidden, query_width);
  }
  return params;
}

AttentionParams grouped_attention_params(const Model& model) {
  const std::int64_t width = product(model.heads, model.head_dim);
  const std::int64_t kv_width = product(model.kv_heads, model.head_dim);
  AttentionParams params;
  params.by_head = 2 * product(model.hidden, width);
  params.by_kv_head = 2 * product(model.hidden, kv_width);
  if (model.qk_norm) params.replicated += 2 * model.head_dim;
  if (model.attention_bias) {
    params.by_head += width;
    params.by_kv_head += 2 * kv_width;
    params.replicated += model.hidden;  // added after the partial sums, so not split
  }
  if (model.attention_sinks) params.by_head += model.heads;
  return params;
}

}  // namespace

int dense_layers(const Model& model) {
  return has_experts(model) ? model.first_dense_layers : model.layers;
}

int moe_layers(const Model& model) {
  return model.layers - dense_layers(model);
}

AttentionParams attention_params(const Model& model) {
  return has_latent_attention(model) ? latent_attention_params(model) : grouped_attention_params(model);
}

std::int64_t attention_params_per_layer(const Model& model) {
  const AttentionParams params = attention_params(model);
  return params.by_head + params.by_kv_head + params.replicated;
}

std::int64_t attention_output_params(const Model& model) {
  const int per_head = has_latent_attention(model) ? model.v_head_dim : model.head_dim;
  return product(model.heads, per_head) * model.hidden;
}

std::int64_t norm_params_per_layer(const Model& model) {
  return product(2, model.hidden);
}

std::int64_t final_norm_params(const Model& model) {
  return model.hidden;
}

std::int64_t dense_mlp_params(const Model& model) {
  return swiglu_params(model, model.dense_intermediate);
}

std::int64_t router_params(const Model& model) {
  return trained_router_params(model) + (model.router_correction ? model.experts : 0);
}

std::int64_t trained_router_params(const Model& model) {
  return product(model.hidden, model.experts) + (model.router_bias ? model.experts : 0);
}

std::int64_t expert_params(const Model& model) {
  const std::int64_t bias = model.expert_bias ? product(2, model.moe_intermediate) + model.hidden : 0;
  return swiglu_params(model, model.moe_intermediate) + bias;
}

std::int64_t shared_expert_params(const Model& model) {
  return swiglu_params(model, product(model.shared_experts, model.moe_intermediate));
}

std::int64_t embedding_params(const Model& model) {
  return product(model.vocab, model.hidden);
}

std::int64_t head_params(const Model& model) {
  return model.tied_embeddings ? 0 : embedding_params(model);
}

std::int64_t total_params(const Model& model) {
  const std::int64_t every_layer = attention_params_per_layer(model) + norm_params_per_layer(model);
  const std::int64_t moe_layer = router_params(model) + shared_expert_params(model);
  return model.layers * every_layer + dense_layers(model) * dense_mlp_params(model) + moe_layers(model) * moe_layer +
         all_expert_params(model) + final_norm_params(model) + embedding_params(model) + head_params(model);
}

std::int64_t all_expert_params(const Model& model) {
  return moe_layers(model) * product(model.experts, expert_params(model));
}

std::int64_t active_params(const Model& model) {
  return total_params(model) - moe_layers(model) * product(model.experts - model.topk, expert_params(model));
}

std::int64_t active_params_without_embedding(const Model& model) {
  // A tied matrix works as the output head and stays.
  return active_params(model) - (model.tied_embeddings ? 0 : embedding_params(model));
}

}  // namespace commflow

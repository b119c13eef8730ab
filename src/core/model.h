#pragma once
// A real model's shape, as its config.json gives it, and exact parameter counts
// that follow from the shape. Nothing is estimated: the counts equal the number
// of elements in the published checkpoints. Knows nothing of GPUs or layouts.

#include <cstdint>
#include <string>
#include <string_view>

namespace commflow {

struct Model {
  std::string id;      // "qwen3-30b-a3b", public and permanent
  std::string name;    // "Qwen3-30B-A3B"
  std::string source;  // where the config comes from

  int hidden = 0;
  int layers = 0;
  int heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  // Multi-head latent attention (DeepSeek); kv_lora_rank = 0: plain or grouped
  // heads. q_lora_rank = 0 with latent attention: queries are not compressed.
  int q_lora_rank = 0;
  int kv_lora_rank = 0;
  int qk_nope_head_dim = 0;
  int qk_rope_head_dim = 0;
  int v_head_dim = 0;

  int first_dense_layers = 0;  // layers before the first mixture-of-experts layer
  int dense_intermediate = 0;  // width of the MLP of a dense layer
  int experts = 0;             // routed experts of a layer; 0: all layers are dense
  int moe_intermediate = 0;    // width of one expert
  int shared_experts = 0;
  int topk = 0;
  int expert_groups = 1;  // node-limited routing: the experts lie in this many groups,
  int topk_groups = 1;    // of which a token may reach this many

  int vocab = 0;
  bool tied_embeddings = false;    // one matrix serves as input embedding and output head
  bool qk_norm = false;            // RMS norm of each query and key head
  bool attention_bias = false;     // on q, k, v and the output product
  bool attention_sinks = false;    // one learned logit per head
  bool router_bias = false;        // trained
  bool router_correction = false;  // e_score_correction_bias: steers the choice, no gradient
  bool expert_bias = false;

  bool operator==(const Model&) const = default;
};

inline constexpr std::string_view kDefaultModel = "qwen3-30b-a3b";

inline bool has_experts(const Model& model) {
  return model.experts > 0;
}
inline bool has_latent_attention(const Model& model) {
  return model.kv_lora_rank > 0;
}
int dense_layers(const Model& model);
int moe_layers(const Model& model);

// One layer's attention, in the parts that matter when it is split over TP: by
// query head, by key-value head, or held in full by every rank.
struct AttentionParams {
  std::int64_t by_head = 0;
  std::int64_t by_kv_head = 0;
  std::int64_t replicated = 0;
};
AttentionParams attention_params(const Model& model);
std::int64_t attention_params_per_layer(const Model& model);
// Of it the matrix after the heads, which is split by rows; without a bias.
std::int64_t attention_output_params(const Model& model);

std::int64_t norm_params_per_layer(const Model& model);  // before attention, before the MLP
std::int64_t final_norm_params(const Model& model);
std::int64_t dense_mlp_params(const Model& model);  // of one dense layer
std::int64_t router_params(const Model& model);     // of one layer, with what has no gradient
std::int64_t trained_router_params(const Model& model);
std::int64_t expert_params(const Model& model);         // one routed expert
std::int64_t shared_expert_params(const Model& model);  // all shared experts of one layer
std::int64_t embedding_params(const Model& model);      // input embedding alone
std::int64_t head_params(const Model& model);           // output head; 0 if tied

std::int64_t total_params(const Model& model);
std::int64_t all_expert_params(const Model& model);  // routed experts of all layers
// Parameters that work on one token. Vendors count with or without the input
// embedding, of which a token reads one row: say which.
std::int64_t active_params(const Model& model);
std::int64_t active_params_without_embedding(const Model& model);

}  // namespace commflow

#include "core/sequence_split.h"

#include "core/portion.h"

namespace commflow {
namespace {

std::int64_t query_numbers(const Model& model) {
  const int per_head = has_latent_attention(model) ? model.qk_nope_head_dim + model.qk_rope_head_dim : model.head_dim;
  return std::int64_t{model.heads} * per_head;
}

std::int64_t output_numbers(const Model& model) {
  return std::int64_t{model.heads} * (has_latent_attention(model) ? model.v_head_dim : model.head_dim);
}

// Keys and values of one token.
std::int64_t kv_numbers(const Model& model) {
  if (has_latent_attention(model)) return model.kv_lora_rank + model.qk_rope_head_dim;
  return 2 * std::int64_t{model.kv_heads} * model.head_dim;
}

}  // namespace

Bytes ring_attention_bytes(const Model& model, std::int64_t tokens, int group) {
  return portion(tokens * kv_numbers(model) * kActivationBytes, {group - 1, group});
}

Bytes ulysses_bytes(const Model& model, std::int64_t tokens, int group) {
  // Heads are what is shared out, so latent attention sends keys and values as the heads see them.
  const std::int64_t kv =
      has_latent_attention(model) ? query_numbers(model) + output_numbers(model) : kv_numbers(model);
  const std::int64_t numbers = query_numbers(model) + kv + output_numbers(model);
  return portion(divide_up(tokens, group) * numbers * kActivationBytes, {group - 1, group});
}

}  // namespace commflow

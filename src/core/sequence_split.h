#pragma once
// What splitting a long sequence sends: ring attention (context parallelism) and
// Ulysses. Bytes of one GPU in one direction, one layer, forward, bf16.
// Sources: Ring Attention (arXiv 2310.01889), DeepSpeed-Ulysses (arXiv 2309.14509).

#include "core/workload.h"

namespace commflow {

// Keys and values of the whole sequence of `tokens` pass every GPU but the share
// it holds itself: 2 * tokens * kv_heads * head_dim numbers * (group - 1) / group.
// With latent attention the compressed vector passes: kv_lora_rank + rope numbers.
Bytes ring_attention_bytes(const Model& model, std::int64_t tokens, int group);

// Four all-to-alls (queries, keys, values, output), each of a GPU's share of the
// tokens, of which (group - 1) / group leave. Numbers per token: as many as heads
// have, keys and values fewer where heads share them; with latent attention as many
// as the heads see.
Bytes ulysses_bytes(const Model& model, std::int64_t tokens, int group);

}  // namespace commflow

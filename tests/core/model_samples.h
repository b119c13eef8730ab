#pragma once
// Real models for tests that cannot read files (they also run as WebAssembly).
// tests/io/model_json_test.cpp holds assets/models equal to these.

#include "core/model.h"

namespace commflow::samples {

inline Model qwen3_30b_a3b() {
  Model model;
  model.id = "qwen3-30b-a3b";
  model.name = "Qwen3-30B-A3B";
  model.hidden = 2048;
  model.layers = 48;
  model.heads = 32;
  model.kv_heads = 4;
  model.head_dim = 128;
  model.experts = 128;
  model.moe_intermediate = 768;
  model.topk = 8;
  model.vocab = 151936;
  model.qk_norm = true;
  return model;
}

inline Model qwen3_235b_a22b() {
  Model model = qwen3_30b_a3b();
  model.id = "qwen3-235b-a22b";
  model.name = "Qwen3-235B-A22B";
  model.hidden = 4096;
  model.layers = 94;
  model.heads = 64;
  model.moe_intermediate = 1536;
  return model;
}

inline Model mixtral_8x7b() {
  Model model;
  model.id = "mixtral-8x7b";
  model.name = "Mixtral-8x7B";
  model.hidden = 4096;
  model.layers = 32;
  model.heads = 32;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.experts = 8;
  model.moe_intermediate = 14336;
  model.topk = 2;
  model.vocab = 32000;
  return model;
}

inline Model deepseek_v3() {
  Model model;
  model.id = "deepseek-v3";
  model.name = "DeepSeek-V3";
  model.hidden = 7168;
  model.layers = 61;
  model.heads = 128;
  model.kv_heads = 128;
  model.q_lora_rank = 1536;
  model.kv_lora_rank = 512;
  model.qk_nope_head_dim = 128;
  model.qk_rope_head_dim = 64;
  model.v_head_dim = 128;
  model.first_dense_layers = 3;
  model.dense_intermediate = 18432;
  model.experts = 256;
  model.moe_intermediate = 2048;
  model.shared_experts = 1;
  model.topk = 8;
  model.expert_groups = 8;
  model.topk_groups = 4;
  model.vocab = 129280;
  model.router_correction = true;
  return model;
}

inline Model deepseek_v2() {
  Model model = deepseek_v3();
  model.id = "deepseek-v2";
  model.name = "DeepSeek-V2";
  model.hidden = 5120;
  model.layers = 60;
  model.first_dense_layers = 1;
  model.dense_intermediate = 12288;
  model.experts = 160;
  model.moe_intermediate = 1536;
  model.shared_experts = 2;
  model.topk = 6;
  model.topk_groups = 3;
  model.vocab = 102400;
  model.router_correction = false;
  return model;
}

inline Model deepseek_v2_lite() {
  Model model = deepseek_v2();
  model.id = "deepseek-v2-lite";
  model.name = "DeepSeek-V2-Lite";
  model.hidden = 2048;
  model.layers = 27;
  model.heads = 16;
  model.kv_heads = 16;
  model.q_lora_rank = 0;
  model.dense_intermediate = 10944;
  model.experts = 64;
  model.moe_intermediate = 1408;
  model.expert_groups = 1;
  model.topk_groups = 1;
  return model;
}

inline Model gpt_oss_120b() {
  Model model;
  model.id = "gpt-oss-120b";
  model.name = "gpt-oss-120b";
  model.hidden = 2880;
  model.layers = 36;
  model.heads = 64;
  model.kv_heads = 8;
  model.head_dim = 64;
  model.experts = 128;
  model.moe_intermediate = 2880;
  model.topk = 4;
  model.vocab = 201088;
  model.attention_bias = true;
  model.attention_sinks = true;
  model.router_bias = true;
  model.expert_bias = true;
  return model;
}

inline Model llama_3_70b() {
  Model model;
  model.id = "llama-3-70b";
  model.name = "Llama-3-70B";
  model.hidden = 8192;
  model.layers = 80;
  model.heads = 64;
  model.kv_heads = 8;
  model.head_dim = 128;
  model.dense_intermediate = 28672;
  model.vocab = 128256;
  return model;
}

}  // namespace commflow::samples

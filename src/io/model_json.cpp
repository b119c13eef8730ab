#include "io/model_json.h"

#include <algorithm>
#include <array>

#include "io/asset.h"

namespace commflow {
namespace {

constexpr int kMostWidth = 1 << 18;
constexpr int kMostHeads = 4096;
constexpr int kMostLayers = 1024;
constexpr int kMostExperts = 4096;
constexpr int kMostChosen = 64;
constexpr int kMostVocab = 1 << 24;

enum class Family : std::uint8_t { llama, mixtral, qwen3_moe, deepseek_v2, deepseek_v3, gpt_oss };
constexpr std::array<std::string_view, 6> kFamilyNames = {"llama",       "mixtral",     "qwen3_moe",
                                                          "deepseek_v2", "deepseek_v3", "gpt_oss"};

// In config.json null means the same as a missing field.
std::optional<Node> given(const Node& config, std::string_view key) {
  std::optional<Node> node = config.find(key);
  return node && !node->json().is_null() ? node : std::nullopt;
}

int whole_or(const Node& config, std::string_view key, int min, int max, int otherwise) {
  const std::optional<Node> node = given(config, key);
  return node ? node->whole(min, max) : otherwise;
}

bool flag_or(const Node& config, std::string_view key, bool otherwise) {
  const std::optional<Node> node = given(config, key);
  return node ? node->flag() : otherwise;
}

// The same thing under the names of different families; the first one given.
std::optional<Node> first_given(const Node& config, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    if (auto node = given(config, key)) return node;
  }
  return std::nullopt;
}

Node any_of(const Node& config, std::initializer_list<std::string_view> keys) {
  const std::optional<Node> node = first_given(config, keys);
  return node ? *node : config.get(*keys.begin());
}

void read_latent_attention(const Node& config, Model& model) {
  model.kv_lora_rank = config.get("kv_lora_rank").whole(1, kMostWidth);
  model.q_lora_rank = whole_or(config, "q_lora_rank", 1, kMostWidth, 0);
  model.qk_nope_head_dim = config.get("qk_nope_head_dim").whole(1, kMostWidth);
  model.qk_rope_head_dim = config.get("qk_rope_head_dim").whole(1, kMostWidth);
  model.v_head_dim = config.get("v_head_dim").whole(1, kMostWidth);
}

void read_grouped_attention(const Node& config, Model& model) {
  if (const auto head_dim = given(config, "head_dim")) {
    model.head_dim = head_dim->whole(1, kMostWidth);
    return;
  }
  if (model.hidden % model.heads != 0) {
    config.get("num_attention_heads").fail("a divisor of hidden_size, or a head_dim beside it");
  }
  model.head_dim = model.hidden / model.heads;
}

void read_attention(const Node& config, Model& model) {
  const Node heads = config.get("num_attention_heads");
  model.heads = heads.whole(1, kMostHeads);
  model.kv_heads = whole_or(config, "num_key_value_heads", 1, kMostHeads, model.heads);
  if (model.heads % model.kv_heads != 0) heads.fail("a multiple of num_key_value_heads");
  if (given(config, "kv_lora_rank")) {
    read_latent_attention(config, model);
  } else {
    read_grouped_attention(config, model);
  }
}

void read_groups(const Node& config, Model& model) {
  model.expert_groups = whole_or(config, "n_group", 1, kMostExperts, 1);
  model.topk_groups = whole_or(config, "topk_group", 1, kMostExperts, model.expert_groups);
  if (model.experts % model.expert_groups != 0) config.get("n_group").fail("a divisor of the number of experts");
  if (model.topk_groups > model.expert_groups) config.get("topk_group").fail("at most n_group");
}

// Experts in every layer behind the first dense ones: nothing else is known here.
void refuse_other_patterns(const Node& config) {
  for (const char* key : {"moe_layer_freq", "decoder_sparse_step"}) whole_or(config, key, 1, 1, 1);
  if (const auto only = given(config, "mlp_only_layers")) only->items(0, 0);
}

void read_experts(const Node& config, const Node& experts, Model& model) {
  model.experts = experts.whole(1, kMostExperts);
  const int most_chosen = std::min(model.experts, kMostChosen);
  model.topk = any_of(config, {"num_experts_per_tok", "experts_per_token"}).whole(1, most_chosen);
  model.moe_intermediate = any_of(config, {"moe_intermediate_size", "intermediate_size"}).whole(1, kMostWidth);
  model.shared_experts = whole_or(config, "n_shared_experts", 0, kMostChosen, 0);
  model.first_dense_layers = whole_or(config, "first_k_dense_replace", 0, model.layers, 0);
  refuse_other_patterns(config);
  read_groups(config, model);
}

void read_family(const Node& config, Model& model) {
  const auto family = static_cast<Family>(config.get("model_type").one_of(kFamilyNames));
  const bool gpt_oss = family == Family::gpt_oss;
  model.qk_norm = family == Family::qwen3_moe;
  model.router_correction = family == Family::deepseek_v3;
  model.attention_bias = flag_or(config, "attention_bias", gpt_oss);
  model.attention_sinks = model.router_bias = model.expert_bias = gpt_oss;
}

void read_config(const Node& config, Model& model) {
  model.hidden = config.get("hidden_size").whole(1, kMostWidth);
  model.layers = config.get("num_hidden_layers").whole(1, kMostLayers);
  model.vocab = config.get("vocab_size").whole(1, kMostVocab);
  model.tied_embeddings = flag_or(config, "tie_word_embeddings", false);
  read_family(config, model);
  read_attention(config, model);
  const auto experts = first_given(config, {"n_routed_experts", "num_local_experts", "num_experts"});
  if (experts) read_experts(config, *experts, model);
  if (dense_layers(model) > 0) model.dense_intermediate = config.get("intermediate_size").whole(1, kMostWidth);
}

}  // namespace

Model read_model(const Node& node) {
  node.allow({"$schema", "id", "name", "source", "config"});
  Model model;
  model.id = read_asset_id(node.get("id"));
  model.name = node.get("name").text();
  model.source = node.get("source").text();
  read_config(node.get("config"), model);
  return model;
}

Parsed<Model> parse_model(std::string_view text, std::string_view file) {
  return parse_asset(text, file, read_model);
}

}  // namespace commflow

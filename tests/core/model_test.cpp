#include "core/model.h"

#include <gtest/gtest.h>

#include "core/model_samples.h"

namespace commflow {
namespace {

struct Count {
  Model model;
  std::int64_t total, active, active_without_embedding;
  double published_billions;
};

// tests/data/models.json has the same counts with their sources.
std::vector<Count> counts() {
  return {
      {samples::deepseek_v3(), 671026419200, 37552297472, 36625618432, 671},
      {samples::deepseek_v2_lite(), 15706484224, 2661150208, 2451435008, 16},
      {samples::mixtral_8x7b(), 46702792704, 12879925248, 12748853248, 46.7},
      {samples::qwen3_30b_a3b(), 30532122624, 3353032704, 3041867776, 30},
      {samples::gpt_oss_120b(), 116829156672, 5711982912, 5132849472, 117},
      {samples::llama_3_70b(), 70553706496, 70553706496, 70553706496 - 128256LL * 8192, 70},
  };
}

TEST(Model, ParameterCountsAreExact) {
  for (const Count& row : counts()) {
    EXPECT_EQ(total_params(row.model), row.total) << row.model.name;
    EXPECT_EQ(active_params(row.model), row.active) << row.model.name;
    EXPECT_EQ(active_params_without_embedding(row.model), row.active_without_embedding) << row.model.name;
    EXPECT_NEAR(static_cast<double>(total_params(row.model)) / 1e9, row.published_billions, 0.6) << row.model.name;
  }
}

// Only headline sizes are published for these two.
TEST(Model, HeadlineSizes) {
  EXPECT_NEAR(static_cast<double>(total_params(samples::deepseek_v2())) / 1e9, 236, 0.5);
  EXPECT_NEAR(static_cast<double>(active_params(samples::deepseek_v2())) / 1e9, 21, 0.5);
  EXPECT_NEAR(static_cast<double>(total_params(samples::qwen3_235b_a22b())) / 1e9, 235, 0.5);
  EXPECT_NEAR(static_cast<double>(active_params(samples::qwen3_235b_a22b())) / 1e9, 22, 0.5);
}

TEST(Model, PartsOfTheDefaultModel) {
  const Model model = samples::qwen3_30b_a3b();
  // q and output 2 * 2048 * 32 * 128; k and v 2 * 2048 * 4 * 128; two norms of a head.
  EXPECT_EQ(attention_params_per_layer(model), 16777216 + 2097152 + 256);
  EXPECT_EQ(norm_params_per_layer(model), 4096);
  EXPECT_EQ(router_params(model), 2048 * 128);
  EXPECT_EQ(expert_params(model), 3 * 2048 * 768);
  EXPECT_EQ(embedding_params(model), 151936LL * 2048);
  EXPECT_EQ(head_params(model), embedding_params(model));
  EXPECT_EQ(dense_layers(model), 0);
  EXPECT_EQ(moe_layers(model), 48);
}

TEST(Model, MostParametersAreExperts) {
  EXPECT_EQ(all_expert_params(samples::qwen3_30b_a3b()), 48LL * 128 * 3 * 2048 * 768);  // 94.9 %
  EXPECT_EQ(all_expert_params(samples::deepseek_v3()), 58LL * 256 * 3 * 7168 * 2048);
  EXPECT_EQ(all_expert_params(samples::llama_3_70b()), 0);
}

TEST(Model, LayersOfEachKind) {
  EXPECT_EQ(dense_layers(samples::deepseek_v3()), 3);
  EXPECT_EQ(moe_layers(samples::deepseek_v3()), 58);
  EXPECT_EQ(dense_layers(samples::llama_3_70b()), 80);
  EXPECT_EQ(moe_layers(samples::llama_3_70b()), 0);
}

TEST(Model, TheCorrectionOfTheRouterIsNotTrained) {
  const Model deepseek = samples::deepseek_v3();
  EXPECT_EQ(router_params(deepseek) - trained_router_params(deepseek), 256);
  const Model oss = samples::gpt_oss_120b();
  EXPECT_EQ(router_params(oss), trained_router_params(oss));
  EXPECT_EQ(router_params(oss), 2880 * 128 + 128);
}

TEST(Model, TiedEmbeddingsAreCountedOnce) {
  Model model = samples::qwen3_30b_a3b();
  const std::int64_t untied = total_params(model);
  model.tied_embeddings = true;
  EXPECT_EQ(total_params(model), untied - embedding_params(model));
  EXPECT_EQ(active_params_without_embedding(model), active_params(model)) << "it works as the output head";
}

}  // namespace
}  // namespace commflow

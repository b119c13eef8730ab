#include "core/partition.h"

#include <gtest/gtest.h>

#include "core/model_samples.h"

namespace commflow {
namespace {

Layout layout_of(int tp, int pp, int dp, int ep) {
  Layout layout;
  layout.tp = tp;
  layout.pp = pp;
  layout.dp = dp;
  layout.ep = ep;
  return layout;
}

TEST(Partition, LayersOfTheDefaultWalk) {
  EXPECT_EQ(layers_of_stage(samples::qwen3_30b_a3b(), 2, 0), (LayerRange{0, 24, 0, 24}));
  EXPECT_EQ(layers_of_stage(samples::qwen3_30b_a3b(), 2, 1), (LayerRange{24, 24, 0, 24}));
}

TEST(Partition, UnevenSplitGivesTheFirstStagesOneMore) {
  const Model model = samples::deepseek_v3();
  EXPECT_EQ(layers_of_stage(model, 2, 0), (LayerRange{0, 31, 3, 28}));
  EXPECT_EQ(layers_of_stage(model, 2, 1), (LayerRange{31, 30, 0, 30}));
  EXPECT_EQ(layers_of_stage(model, 4, 0), (LayerRange{0, 16, 3, 13}));
  EXPECT_EQ(layers_of_stage(model, 4, 3), (LayerRange{46, 15, 0, 15}));
}

TEST(Partition, DenseLayersMayFillSeveralStages) {
  Model model = samples::deepseek_v3();
  model.layers = 8;
  EXPECT_EQ(layers_of_stage(model, 4, 0), (LayerRange{0, 2, 2, 0}));
  EXPECT_EQ(layers_of_stage(model, 4, 1), (LayerRange{2, 2, 1, 1}));
  EXPECT_EQ(layers_of_stage(samples::llama_3_70b(), 2, 1), (LayerRange{40, 40, 40, 0}));
}

TEST(Partition, EveryLayerExactlyOnce) {
  for (const Model& model : {samples::deepseek_v3(), samples::qwen3_235b_a22b(), samples::llama_3_70b()}) {
    for (int stages = 1; stages <= 16; ++stages) {
      int next = 0;
      int dense = 0;
      for (int stage = 0; stage < stages; ++stage) {
        const LayerRange range = layers_of_stage(model, stages, stage);
        EXPECT_EQ(range.first, next);
        EXPECT_EQ(range.dense + range.moe, range.count);
        next += range.count;
        dense += range.dense;
      }
      EXPECT_EQ(next, model.layers);
      EXPECT_EQ(dense, dense_layers(model));
    }
  }
}

// What GPU 0 of the default walk holds, by hand.
TEST(Partition, DefaultGpu) {
  const GpuParams params = params_of_gpu(samples::qwen3_30b_a3b(), layout_of(2, 2, 2, 4), 0);
  const std::int64_t attention = 24 * (16777216 + 2097152) / 2;
  const std::int64_t embedding = 151936 / 2 * 2048;
  EXPECT_EQ(params.split, attention + embedding);
  EXPECT_EQ(params.kv_shared, 0);
  EXPECT_EQ(params.replicated, 24 * (256 + 4096 + 2048 * 128));
  EXPECT_EQ(params.no_gradient, 0);
  EXPECT_EQ(params.experts, 24 * 32 * 3LL * 2048 * 768);
  EXPECT_EQ(params.dense(), params.split + params.replicated);
  EXPECT_EQ(params.total(), params.dense() + params.experts);
}

TEST(Partition, TheLastStageHasTheFinalNorm) {
  const Layout layout = layout_of(2, 2, 2, 4);
  const GpuParams first = params_of_gpu(samples::qwen3_30b_a3b(), layout, 0);
  const GpuParams last = params_of_gpu(samples::qwen3_30b_a3b(), layout, 1);
  EXPECT_EQ(last.replicated, first.replicated + 2048);
  EXPECT_EQ(last.split, first.split) << "output head here, input embedding there";
}

// What the GPUs of one replica hold together is the model, nothing twice.
TEST(Partition, SharesAddUpToTheModel) {
  const auto everything = {samples::qwen3_30b_a3b(), samples::mixtral_8x7b(),     samples::deepseek_v3(),
                           samples::deepseek_v2(),   samples::deepseek_v2_lite(), samples::gpt_oss_120b(),
                           samples::llama_3_70b()};
  for (const Model& model : everything) {
    for (const int tp : {1, 2, 4}) {
      for (const int pp : {1, 2, 3, 4}) {
        std::int64_t sum = 0;
        for (int stage = 0; stage < pp; ++stage) {
          const GpuParams params = params_of_gpu(model, layout_of(tp, pp, 2, 2 * tp), stage);
          sum += tp * params.split + params.replicated + params.no_gradient + 2 * tp * params.experts;
          EXPECT_EQ(params.kv_shared, 0);
        }
        EXPECT_EQ(sum, total_params(model)) << model.name << " tp " << tp << " pp " << pp;
      }
    }
  }
}

TEST(Partition, FewKeyValueHeadsAreHeldSeveralTimes) {
  const Model model = samples::qwen3_30b_a3b();  // 4 key and value heads
  EXPECT_EQ(kv_head_copies(model, 4), 1);
  EXPECT_EQ(kv_head_copies(model, 8), 2);
  EXPECT_EQ(kv_head_copies(samples::deepseek_v3(), 16), 1) << "latent attention has none to share";
  const GpuParams params = params_of_gpu(model, layout_of(8, 1, 1, 8), 0);
  EXPECT_EQ(params.kv_shared, 48 * 2LL * 2048 * 128) << "one head of keys, one of values per layer";
  // 8 ranks hold the 4 heads twice.
  const std::int64_t sum = 8 * params.split + 8 * params.kv_shared / 2 + params.replicated + 8 * params.experts;
  EXPECT_EQ(sum, total_params(model));
}

TEST(Partition, TiedEmbeddingsStandOnBothEnds) {
  Model model = samples::qwen3_30b_a3b();
  const Layout two_stages = layout_of(1, 2, 1, 1);
  const GpuParams untied = params_of_gpu(model, two_stages, 1);
  model.tied_embeddings = true;
  EXPECT_EQ(params_of_gpu(model, two_stages, 1), untied);
  EXPECT_EQ(params_of_gpu(model, layout_of(1, 1, 1, 1), 0).total(), total_params(model));
}

}  // namespace
}  // namespace commflow

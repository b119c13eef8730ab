#include "core/step_time.h"

#include <gtest/gtest.h>

#include "core/model_samples.h"
#include "core/partition.h"

namespace commflow {
namespace {

Gpu gpu_with(std::int64_t nvlink, std::int64_t nic, std::int64_t flops) {
  Gpu gpu;
  gpu.nvlink = {nvlink, ""};
  gpu.nic = {nic, ""};
  gpu.bf16_dense_flops = Published{flops, ""};
  return gpu;
}
const Gpu kGpu = gpu_with(450'000'000'000, 50'000'000'000, 989'000'000'000'000);
const tiny::AlgorithmChoice kAlgorithms;

Workload work_of(Model model, int tp, int pp, int dp, int ep) {
  Workload work;
  work.model = std::move(model);
  work.layout.tp = tp;
  work.layout.pp = pp;
  work.layout.dp = dp;
  work.layout.ep = ep;
  return work;
}

// Parameters of matrices that multiply every token, written out for a plain dense model.
double dense_matrix_params(const Model& m) {
  const double attention = 2.0 * m.hidden * m.heads * m.head_dim + 2.0 * m.hidden * m.kv_heads * m.head_dim;
  return m.layers * (attention + 3.0 * m.hidden * m.dense_intermediate) + 1.0 * m.vocab * m.hidden;
}

TEST(Flops, OfOneGpuAreTwoPerMatrixParameterAndTokenPlusScores) {
  const Model model = samples::llama_3_70b();
  const Workload work = work_of(model, 1, 1, 1, 1);
  const ForwardFlops flops = forward_flops(work, 0);
  const double tokens = static_cast<double>(work.tokens);
  EXPECT_DOUBLE_EQ(flops.total() - flops.attention_scores, 2 * tokens * dense_matrix_params(model));
  // Two products of all pairs, half of them masked: 2 * (2 s^2 h) / 2 per layer.
  EXPECT_DOUBLE_EQ(flops.attention_scores, model.layers * 2 * tokens * tokens * model.heads * model.head_dim);
  EXPECT_EQ(flops.experts + flops.router, 0);
}

TEST(Flops, ShardsAddUpToTheWhole) {
  for (const Model& model : {samples::qwen3_30b_a3b(), samples::mixtral_8x7b(), samples::deepseek_v3()}) {
    const double whole = forward_flops(work_of(model, 1, 1, 1, 1), 0).total();
    for (const int tp : {1, 2, 4})
      for (const int pp : {1, 2, 4}) {
        double sum = 0;
        for (int stage = 0; stage < pp; ++stage) sum += tp * forward_flops(work_of(model, tp, pp, 1, 1), stage).total();
        EXPECT_NEAR(sum / whole, 1, 1e-12) << model.id << " tp " << tp << " pp " << pp;
      }
  }
}

TEST(StepTime, DispatchOfTheDefault) {
  const Workload work = work_of(samples::qwen3_30b_a3b(), 2, 2, 2, 4);
  const Setting setting{work, kGpu, kAlgorithms, {}};
  const MessageTime message = time_of(setting, QuantityId::dispatch, 0);
  EXPECT_EQ(message.rounds, 3);
  // 64 MiB over a card of 50 GB/s at 80 %, three rounds of 4 us; NVLink is done earlier.
  EXPECT_NEAR(message.us, 67108864 / 40e9 * 1e6 + 12, 1e-6);
  const std::array counts{QuantityId::dispatch};
  const WalkStepCost cost = cost_of_step(setting, tiny::Step::dispatch, counts, 0);
  const DimensionCost& ep = cost.dimensions[static_cast<std::size_t>(Dimension::ep)];
  EXPECT_EQ(ep.micro_batch, 24 * (Bytes{96} << 20));
  EXPECT_EQ(ep.step, 8 * ep.micro_batch);
  EXPECT_NEAR(ep.step_us, 8 * 24 * message.us, 1e-3);
  EXPECT_NEAR(cost.communication_us(), ep.step_us, 1e-9);
  EXPECT_EQ(cost.compute.step_us, 0);
}

TEST(StepTime, GradientsHappenOnceAndAreNotPerMicroBatch) {
  const Workload work = work_of(samples::qwen3_30b_a3b(), 2, 2, 2, 4);
  const Setting setting{work, kGpu, kAlgorithms, {}};
  const std::array counts{QuantityId::tp_gradients, QuantityId::dp_gradients, QuantityId::expert_gradients};
  const WalkStepCost cost = cost_of_step(setting, tiny::Step::gradients, counts, 0);
  const DimensionCost& dp = cost.dimensions[static_cast<std::size_t>(Dimension::dp)];
  EXPECT_EQ(dp.micro_batch, 0);
  EXPECT_EQ(dp.step, params_of_gpu(work.model, work.layout, 0).dense() * kGradientBytes) << "2 * (2 - 1) / 2 of it";
  EXPECT_EQ(cost.compute.step_us, 0);
}

TEST(StepTime, EveryStageCountsItsLayersOnce) {
  const Workload work = work_of(samples::qwen3_30b_a3b(), 2, 2, 2, 4);
  const Setting setting{work, kGpu, kAlgorithms, {}};
  const std::array counts{QuantityId::sequence_gather};
  const Rank later = rank_at(work.layout, 0, 0, 1, 0);
  const auto bytes = [&](tiny::Step step, Rank rank) {
    return cost_of_step(setting, step, counts, rank).dimensions[static_cast<std::size_t>(Dimension::tp)].step;
  };
  EXPECT_GT(bytes(tiny::Step::gather, 0), 0);
  EXPECT_EQ(bytes(tiny::Step::stage2, 0), 0) << "stage 1 is done by then";
  EXPECT_EQ(bytes(tiny::Step::gather, later), 0);
  EXPECT_EQ(bytes(tiny::Step::stage2, later), bytes(tiny::Step::gather, 0));
  EXPECT_EQ(cost_of_step(setting, tiny::Step::stage2, counts, 0).compute.step_us, 0);
}

TEST(StepTime, TheWholeStepAgreesWithTheTrafficOfTheStep) {
  for (const Model& model : {samples::qwen3_30b_a3b(), samples::llama_3_70b()}) {
    const Workload work = work_of(model, 2, 2, 2, has_experts(model) ? 4 : 1);
    const Setting setting{work, kGpu, kAlgorithms, {}};
    for (Rank rank = 0; rank < world_size(work.layout); ++rank) {
      const StepTraffic traffic = traffic_of_step(work, rank, true, false);
      const TrainingStepCost cost = cost_of_training_step(setting, rank);
      Bytes counted = 0, summed = 0;
      for (std::size_t i = 0; i < traffic.size(); ++i) {
        counted += traffic[i].nvlink + traffic[i].network;
        summed += cost.dimensions[i].share.nvlink + cost.dimensions[i].share.network;
        EXPECT_LE(cost.dimensions[i].hideable_us, cost.dimensions[i].us);
        EXPECT_GE(cost.dimensions[i].hideable_us, 0);
      }
      EXPECT_EQ(counted, summed) << model.id << " rank " << rank;
      EXPECT_GT(cost.compute_us, 0);
      EXPECT_LE(cost.hideable_us(), cost.compute_us);
      EXPECT_EQ(cost.dimensions[static_cast<std::size_t>(Dimension::tp)].hideable_us, 0);
    }
  }
}

TEST(StepTime, MoreOfAnythingAssumedIsFaster) {
  const Workload work = work_of(samples::mixtral_8x7b(), 2, 2, 2, 4);
  const auto total = [&](Assumptions assumptions) {
    const TrainingStepCost cost = cost_of_training_step({work, kGpu, kAlgorithms, assumptions}, 0);
    return std::pair{cost.communication_us(), cost.compute_us};
  };
  const auto usual = total({});
  EXPECT_LT(total({40, 90, 4}).first, usual.first);
  EXPECT_LT(total({40, 80, 2}).first, usual.first);
  EXPECT_LT(total({50, 80, 4}).second, usual.second);
  EXPECT_NEAR(total({80, 80, 4}).second, usual.second / 2, 1e-6);
}

TEST(StepTime, OneMicroBatchHasNothingToHideBehind) {
  Workload work = work_of(samples::qwen3_30b_a3b(), 2, 2, 2, 4);
  work.micro_batches = 1;
  const Setting setting{work, kGpu, kAlgorithms, {}};
  const TrainingStepCost cost = cost_of_training_step(setting, 0);
  EXPECT_EQ(cost.dimensions[static_cast<std::size_t>(Dimension::ep)].hideable_us, 0);
  EXPECT_GT(cost.dimensions[static_cast<std::size_t>(Dimension::dp)].hideable_us, 0);
}

TEST(StepTime, WithoutAPublishedRateThereIsNoComputeTime) {
  Gpu gpu = kGpu;
  gpu.bf16_dense_flops.reset();
  const Workload work = work_of(samples::qwen3_30b_a3b(), 2, 2, 2, 4);
  EXPECT_EQ(cost_of_training_step({work, gpu, kAlgorithms, {}}, 0).compute_us, 0);
}

}  // namespace
}  // namespace commflow

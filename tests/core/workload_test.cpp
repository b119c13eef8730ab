#include "core/workload.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <set>

#include "core/model_samples.h"
#include "core/partition.h"
#include "core/walk_limits.h"

namespace commflow {
namespace {

constexpr Bytes kMiB = 1 << 20;

Workload workload_of(Model model) {
  Workload work;
  work.model = std::move(model);
  return work;
}
Workload default_work() {
  return workload_of(samples::qwen3_30b_a3b());
}

std::int64_t product_of(const std::vector<Factor>& factors) {
  std::int64_t product = 1;
  for (const Factor& factor : factors) product *= factor.value;
  return product;
}

TEST(Workload, DefaultDispatchIsExactly128MiB) {
  const Quantity dispatch = count_quantity(default_work(), QuantityId::dispatch, 0);
  EXPECT_EQ(dispatch.logical, 134217728);
  EXPECT_EQ(dispatch.off_gpu, 100663296);
  EXPECT_EQ(dispatch.leaving.numerator, 3);
  EXPECT_EQ(dispatch.leaving.denominator, 4);
  EXPECT_EQ(dispatch.factors,
            (std::vector<Factor>{{Part::tokens, 4096}, {Part::topk, 8}, {Part::hidden, 2048}, {Part::bytes, 2}}));
  EXPECT_EQ(dispatch.repeats, (std::vector<Factor>{{Part::layers, 24}, {Part::micro_batches, 8}}));
  EXPECT_EQ(dispatch.times_per_step, 192);
  EXPECT_EQ(count_quantity(default_work(), QuantityId::combine, 1).off_gpu, 100663296);
}

TEST(Workload, Fp8DispatchCarriesScales) {
  Workload work = workload_of(samples::deepseek_v3());
  work.dispatch = Precision::fp8;
  const Quantity dispatch = count_quantity(work, QuantityId::dispatch, 0);
  const Quantity combine = count_quantity(work, QuantityId::combine, 0);
  EXPECT_EQ(part_of(dispatch, Part::message_bytes), 7168 + 56 * 4);
  EXPECT_EQ(part_of(dispatch, Part::scales), 56);
  EXPECT_EQ(part_of(combine, Part::scales), std::nullopt);
  EXPECT_EQ(dispatch.logical, 4096LL * 8 * 7392);
  EXPECT_EQ(combine.logical, 4096LL * 8 * 14336);
  // Backward, gradients go out as tokens did, and the reverse.
  EXPECT_EQ(count_quantity(work, QuantityId::combine_backward, 0).logical, dispatch.logical);
  EXPECT_EQ(count_quantity(work, QuantityId::dispatch_backward, 0).logical, combine.logical);
}

TEST(Workload, Fp32Combine) {
  Workload work = default_work();
  work.combine = Precision::fp32;
  EXPECT_EQ(count_quantity(work, QuantityId::combine, 0).logical, 256 * kMiB);
  EXPECT_EQ(count_quantity(work, QuantityId::dispatch, 0).logical, 128 * kMiB);
}

// Megatron's TP volume, published formula: GPT-3, s 2048, t 8 sends 336 MiB per
// layer and micro-batch, forward and backward.
Model gpt3() {
  Model model;
  model.hidden = 12288;
  model.layers = 96;
  model.heads = model.kv_heads = 96;
  model.head_dim = 128;
  model.dense_intermediate = 4 * 12288;
  model.vocab = 51200;
  return model;
}

Workload gpt3_work() {
  Workload work = workload_of(gpt3());
  work.layout.tp = 8;
  work.layout.pp = 8;
  work.layout.dp = 24;
  work.layout.ep = 1;
  work.model.layers = 80;  // the 145.6 B row of arXiv 2104.04473, table 1
  work.tokens = 2048;
  work.micro_batches = 96;
  return work;
}

Bytes per_step(const Workload& work, Dimension dimension, int stage, std::initializer_list<Phase> phases) {
  Bytes sum = 0;
  for (const QuantityRow& row : quantities()) {
    if (row.dimension != dimension || std::find(phases.begin(), phases.end(), row.phase) == phases.end()) continue;
    const Quantity quantity = row.count(work, stage);
    sum += quantity.off_gpu * quantity.times_per_step;
  }
  return sum;
}

TEST(Workload, TensorParallelVolumeAsPublished) {
  const Workload work = gpt3_work();
  EXPECT_EQ(count_quantity(work, QuantityId::sequence_gather, 3).logical, 50331648);
  EXPECT_EQ(count_quantity(work, QuantityId::sequence_gather, 3).off_gpu, 44040192);
  const Bytes middle_stage = per_step(work, Dimension::tp, 3, {Phase::forward, Phase::backward});
  EXPECT_EQ(middle_stage, 338228674560) << "352321536 per layer, 10 layers, 96 micro-batches";
}

TEST(Workload, PipelineVolumeAsPublished) {
  const Workload work = gpt3_work();
  EXPECT_EQ(count_quantity(work, QuantityId::pp_boundary, 0).logical, 6291456);
  EXPECT_EQ(per_step(work, Dimension::pp, 3, {Phase::forward, Phase::backward}), 1207959552);
  EXPECT_EQ(per_step(work, Dimension::pp, 0, {Phase::forward, Phase::backward}), 1207959552 / 2);
}

TEST(Workload, LlamaSequenceIs128MiB) {
  Workload work = workload_of(samples::llama_3_70b());
  work.tokens = 8192;
  EXPECT_EQ(count_quantity(work, QuantityId::sequence_gather, 0).logical, 128 * kMiB);
  work.layout.tp = 1;
  EXPECT_EQ(count_quantity(work, QuantityId::pp_boundary, 0).logical, 128 * kMiB);
}

TEST(Workload, CountsAreNearlyNothing) {
  const Quantity counts = count_quantity(default_work(), QuantityId::counts, 0);
  EXPECT_EQ(counts.logical, 128 * 4);
  EXPECT_EQ(counts.off_gpu, 96 * 4);
  EXPECT_EQ(counts.times_per_step, 192);
}

TEST(Workload, GradientsOfTheDefaultGpu) {
  const Workload work = default_work();
  const GpuParams params = params_of_gpu(work.model, work.layout, 0);
  const Quantity dp = count_quantity(work, QuantityId::dp_gradients, 0);
  EXPECT_EQ(dp.logical, 2 * (params.split + params.replicated));
  EXPECT_EQ(dp.off_gpu, dp.logical) << "2 (2 - 1) / 2";
  EXPECT_EQ(count_quantity(work, QuantityId::tp_gradients, 0).logical, 2 * params.replicated);
  EXPECT_EQ(count_quantity(work, QuantityId::expert_gradients, 0).off_gpu, 0) << "each expert is there once";
  EXPECT_EQ(count_quantity(work, QuantityId::kv_gradients, 0).logical, 0);
}

TEST(Workload, ExpertsWithCopiesAgreeToo) {
  Workload work = default_work();
  work.layout.ep = 2;  // tp * dp = 4: two copies
  const Quantity experts = count_quantity(work, QuantityId::expert_gradients, 0);
  EXPECT_EQ(experts.logical, 2 * 24LL * 64 * 3 * 2048 * 768);
  EXPECT_EQ(experts.off_gpu, experts.logical);
  EXPECT_EQ(count_quantity(work, QuantityId::expert_weights, 0).off_gpu, experts.logical);
  EXPECT_EQ(count_quantity(default_work(), QuantityId::expert_weights, 0).off_gpu, 0);
}

TEST(Workload, ZeroSendsTheSameBytes) {
  Workload work = default_work();
  work.layout.dp = 4;
  const auto off = [&](QuantityId id) { return count_quantity(work, id, 0).off_gpu; };
  EXPECT_EQ(off(QuantityId::zero_reduce_scatter) + off(QuantityId::zero_all_gather), off(QuantityId::dp_gradients));
}

TEST(Workload, EndsOfThePipeline) {
  const Workload work = default_work();
  const auto times = [&](QuantityId id, int stage) { return count_quantity(work, id, stage).times_per_step; };
  EXPECT_EQ(times(QuantityId::embedding, 0), 8);
  EXPECT_EQ(times(QuantityId::embedding, 1), 0);
  EXPECT_EQ(times(QuantityId::head_gather, 0), 0);
  EXPECT_EQ(times(QuantityId::head_gather, 1), 8);
  EXPECT_EQ(times(QuantityId::token_ids, 0), 8);
  EXPECT_EQ(times(QuantityId::token_ids, 1), 8) << "the labels";
  EXPECT_EQ(times(QuantityId::pp_boundary, 0), 8);
  EXPECT_EQ(times(QuantityId::pp_boundary, 1), 0);
  EXPECT_EQ(times(QuantityId::pp_boundary_backward, 0), 0);
  EXPECT_EQ(times(QuantityId::pp_boundary_backward, 1), 8);
  EXPECT_EQ(times(QuantityId::loss, 0), 0);
  EXPECT_EQ(times(QuantityId::loss, 1), 1);
  EXPECT_EQ(times(QuantityId::dense_weights, 0), 0) << "once per job, not per step";
  EXPECT_EQ(times(QuantityId::checkpoint, 0), 0);
}

TEST(Workload, DenseModelsHaveNoExpertTraffic) {
  const Workload work = workload_of(samples::llama_3_70b());
  EXPECT_EQ(count_quantity(work, QuantityId::dispatch, 0).times_per_step, 0);
  EXPECT_EQ(count_quantity(work, QuantityId::counts, 0).times_per_step, 0);
  EXPECT_EQ(count_quantity(work, QuantityId::mlp_gather, 0).times_per_step, 40 * 8);
  EXPECT_EQ(count_quantity(default_work(), QuantityId::mlp_gather, 0).times_per_step, 0);
}

TEST(Workload, DeepSeekHasBothKindsOfLayers) {
  const Workload work = workload_of(samples::deepseek_v3());
  EXPECT_EQ(count_quantity(work, QuantityId::mlp_gather, 0).times_per_step, 3 * 8);
  EXPECT_EQ(count_quantity(work, QuantityId::dispatch, 0).times_per_step, 28 * 8);
  EXPECT_EQ(count_quantity(work, QuantityId::sequence_gather, 0).times_per_step, 31 * 8);
  EXPECT_EQ(count_quantity(work, QuantityId::shared_gather, 0).times_per_step, 28 * 8);
  EXPECT_EQ(count_quantity(default_work(), QuantityId::shared_gather, 0).times_per_step, 0);
}

TEST(Workload, NamesAreUniqueAndFound) {
  std::set<std::string_view> names;
  for (const QuantityRow& row : quantities()) {
    EXPECT_EQ(find_quantity(row.name), row.id);
    names.insert(row.name);
  }
  EXPECT_EQ(std::ssize(names), kQuantities);
  EXPECT_EQ(find_quantity("nothing"), std::nullopt);
  EXPECT_EQ(name_of(Part::micro_batches), "micro_batches");
}

// On random workloads: the numbers shown are the numbers counted.
class WorkloadProperty : public testing::TestWithParam<unsigned> {
 protected:
  int pick(int least, int most) {
    return least + static_cast<int>(random_() % static_cast<unsigned>(most - least + 1));
  }
  Workload next() {
    const Model models[] = {samples::qwen3_30b_a3b(), samples::mixtral_8x7b(), samples::deepseek_v3(),
                            samples::gpt_oss_120b(), samples::llama_3_70b()};
    Workload work;
    do {
      work = workload_of(models[pick(0, 4)]);
      work.layout.tp = pick(1, 8);
      work.layout.pp = pick(1, 4);
      work.layout.dp = pick(1, 4);
      work.layout.ep = pick(1, 8);
      work.tokens = pick(1, 40000);
      work.micro_batches = pick(1, 20);
      work.dispatch = static_cast<Precision>(pick(0, 2));
      work.combine = static_cast<Precision>(pick(0, 2));
    } while (walk_problem(work));
    return work;
  }

 private:
  std::mt19937 random_{GetParam()};
};

TEST_P(WorkloadProperty, FormulasAddUp) {
  for (int round = 0; round < 30; ++round) {
    const Workload work = next();
    const int stage = pick(0, work.layout.pp - 1);
    for (const QuantityRow& row : quantities()) {
      const Quantity quantity = row.count(work, stage);
      EXPECT_EQ(quantity.logical, product_of(quantity.factors)) << row.name;
      if (quantity.times_per_step != 0) {
        EXPECT_EQ(quantity.times_per_step, product_of(quantity.repeats)) << row.name;
      }
      // off_gpu is the nearest whole number: 2 * |off * den - logical * num| <= den
      const Bytes error =
          quantity.off_gpu * quantity.leaving.denominator - quantity.logical * quantity.leaving.numerator;
      EXPECT_LE(2 * std::abs(error), quantity.leaving.denominator) << row.name;
      if (quantity.group == 1) {
        EXPECT_EQ(quantity.off_gpu, 0) << row.name;
      }
      if (const auto message = part_of(quantity, Part::message_bytes)) {
        EXPECT_EQ(message, *part_of(quantity, Part::hidden) * *part_of(quantity, Part::bytes) +
                               *part_of(quantity, Part::scales) * *part_of(quantity, Part::scale_bytes));
      }
    }
  }
}

// Every message of the forward pass has its mirror image.
TEST_P(WorkloadProperty, BackwardMirrorsForward) {
  for (int round = 0; round < 30; ++round) {
    Workload work = next();
    work.combine = work.dispatch;
    for (const QuantityRow& row : quantities()) {
      if (row.phase != Phase::backward) continue;
      const std::string_view forward = row.name.substr(0, row.name.find("_backward"));
      const Quantity back = row.count(work, work.layout.pp - 1);
      const int stage = row.collective == Collective::send_recv ? std::max(0, work.layout.pp - 2) : work.layout.pp - 1;
      const Quantity out = count_quantity(work, *find_quantity(forward), stage);
      EXPECT_EQ(back.off_gpu, out.off_gpu) << row.name;
      EXPECT_EQ(back.times_per_step, out.times_per_step) << row.name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, WorkloadProperty, testing::Range(1U, 6U));

}  // namespace
}  // namespace commflow

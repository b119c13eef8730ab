#include "core/walk_limits.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "core/model_samples.h"

namespace commflow {
namespace {

Workload workload_of(Model model, int tp, int pp, int dp, int ep) {
  Workload work;
  work.model = std::move(model);
  work.layout.tp = tp;
  work.layout.pp = pp;
  work.layout.dp = dp;
  work.layout.ep = ep;
  return work;
}

struct Sizes {
  int tp, pp, dp, ep;
  bool operator==(const Sizes&) const = default;
};
Sizes sizes_of(const Layout& layout) {
  return {layout.tp, layout.pp, layout.dp, layout.ep};
}

// The kind, its numbers and the suggestion, in one comparison.
void expect_problem(const Workload& work, Misfit misfit, std::int64_t value, std::int64_t limit, Sizes suggestion) {
  const std::optional<WalkProblem> problem = walk_problem(work);
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->misfit, misfit);
  EXPECT_EQ(problem->value, value);
  EXPECT_EQ(problem->limit, limit);
  ASSERT_TRUE(problem->suggestion);
  EXPECT_EQ(sizes_of(*problem->suggestion), suggestion);
}

TEST(WalkLimits, TheDefaultWorks) {
  EXPECT_FALSE(walk_problem(workload_of(samples::qwen3_30b_a3b(), 2, 2, 2, 4)));
  EXPECT_FALSE(walk_problem(workload_of(samples::llama_3_70b(), 2, 2, 2, 4)));
  EXPECT_FALSE(walk_problem(workload_of(samples::deepseek_v3(), 1, 1, 16, 16)));
}

TEST(WalkLimits, EveryKindSaysWhatWouldWork) {
  const Model qwen = samples::qwen3_30b_a3b();
  expect_problem(workload_of(qwen, 2, 2, 2, 0), Misfit::size_below_one, 0, 1, {2, 2, 2, 1});
  expect_problem(workload_of(qwen, 4, 4, 2, 4), Misfit::too_many_gpus, 32, 16, {4, 4, 1, 4});
  expect_problem(workload_of(qwen, 2, 2, 2, 8), Misfit::ep_in_stage, 8, 4, {2, 2, 2, 4});
  expect_problem(workload_of(qwen, 2, 2, 3, 3), Misfit::experts, 3, 128, {2, 2, 3, 2});
  expect_problem(workload_of(qwen, 3, 1, 1, 1), Misfit::heads, 3, 32, {2, 1, 1, 1});
  expect_problem(workload_of(samples::mixtral_8x7b(), 1, 1, 16, 16), Misfit::experts, 16, 8, {1, 1, 16, 8});
}

TEST(WalkLimits, KeyValueHeads) {
  EXPECT_FALSE(walk_problem(workload_of(samples::qwen3_30b_a3b(), 8, 1, 1, 8))) << "4 heads, held twice";
  Model model = samples::qwen3_30b_a3b();
  model.kv_heads = 6;
  model.heads = 48;
  expect_problem(workload_of(model, 4, 1, 1, 1), Misfit::kv_heads, 4, 6, {2, 1, 1, 1});
}

TEST(WalkLimits, ContextAndExpertTensorParallelismAreForLater) {
  Workload work = workload_of(samples::qwen3_30b_a3b(), 2, 2, 2, 2);
  work.layout.cp = 2;
  expect_problem(work, Misfit::context_or_expert_tp, 2, 1, {2, 2, 2, 2});
  EXPECT_EQ(walk_problem(work)->suggestion->cp, 1);
}

TEST(WalkLimits, AStageNeedsALayer) {
  Model model = samples::llama_3_70b();
  model.layers = 3;
  expect_problem(workload_of(model, 1, 4, 1, 1), Misfit::layers, 4, 3, {1, 3, 1, 1});
}

TEST(WalkLimits, TokensAreSharedOutEvenly) {
  Workload work = workload_of(samples::qwen3_30b_a3b(), 4, 2, 1, 4);
  work.tokens = 4099;
  expect_problem(work, Misfit::tokens, 4, 4099, {1, 2, 4, 4});
  EXPECT_EQ(walk_problem(work)->suggested_tokens, 4100);
  work.tokens = 1;
  EXPECT_EQ(walk_problem(work)->suggested_tokens, 4);
}

TEST(WalkLimits, AnySizesAreAnswered) {
  const int most = std::numeric_limits<int>::max();
  const int least = std::numeric_limits<int>::min();
  EXPECT_EQ(walk_problem(workload_of(samples::qwen3_30b_a3b(), most, most, most, most))->misfit, Misfit::too_many_gpus);
  EXPECT_EQ(walk_problem(workload_of(samples::qwen3_30b_a3b(), least, 1, 1, 1))->misfit, Misfit::size_below_one);
}

// A suggestion always works, and is missing only where nothing can.
TEST(WalkLimits, SuggestionsWork) {
  std::mt19937 random(1);
  const auto pick = [&](int least, int most) {
    return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
  };
  const Model models[] = {samples::qwen3_30b_a3b(), samples::mixtral_8x7b(), samples::deepseek_v3(),
                          samples::llama_3_70b()};
  int problems = 0;
  for (int round = 0; round < 300; ++round) {
    Workload work = workload_of(models[pick(0, 3)], pick(-1, 18), pick(0, 18), pick(0, 18), pick(0, 18));
    work.tokens = pick(1, 9000);
    const std::optional<WalkProblem> problem = walk_problem(work);
    if (!problem) continue;
    ++problems;
    ASSERT_TRUE(problem->suggestion);
    Workload suggested = work;
    suggested.layout = *problem->suggestion;
    EXPECT_FALSE(walk_problem(suggested));
    if (problem->suggested_tokens) {
      work.tokens = *problem->suggested_tokens;
      EXPECT_FALSE(walk_problem(work));
    }
  }
  EXPECT_GT(problems, 100);
}

}  // namespace
}  // namespace commflow

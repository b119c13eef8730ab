#include "core/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

namespace commflow {
namespace {

using Scores = std::vector<Value>;
using Ints = std::vector<int>;

TEST(Gate, PicksTheBestScoresBestFirst) {
  EXPECT_EQ(top_k(Scores{3, 9, 5, 7}, 2), (Ints{1, 3}));
}

TEST(Gate, OfEqualScoresTheLowerExpertWins) {
  EXPECT_EQ(top_k(Scores{4, 6, 6, 6}, 2), (Ints{1, 2}));
  EXPECT_EQ(top_k(Scores{6, 4, 6}, 3), (Ints{0, 2, 1}));
}

TEST(Gate, ClampsK) {
  EXPECT_EQ(top_k(Scores{1, 2}, 5), (Ints{1, 0}));
  EXPECT_TRUE(top_k(Scores{1, 2}, 0).empty());
  EXPECT_TRUE(top_k(Scores{1, 2}, -1).empty());
  EXPECT_TRUE(top_k(Scores{}, 2).empty());
}

TEST(Gate, WeighsByPowersOfTwo) {
  EXPECT_EQ(gate_weights(Scores{5, 5}), (Ints{32, 32}));
  EXPECT_EQ(gate_weights(Scores{2, 1, 1}), (Ints{32, 16, 16}));
  EXPECT_EQ(gate_weights(Scores{9, 7, 7, 7, 7}), (Ints{32, 8, 8, 8, 8}));
  EXPECT_EQ(gate_weights(Scores{-3}), (Ints{64}));
  EXPECT_TRUE(gate_weights(Scores{}).empty());
}

TEST(Gate, RoundsByLargestRemainder) {
  // 42 2/3 and 21 1/3: the larger remainder gains.
  EXPECT_EQ(gate_weights(Scores{1, 0}), (Ints{43, 21}));
  // 21 1/3 three times: equal remainders, the earliest gains.
  EXPECT_EQ(gate_weights(Scores{0, 0, 0}), (Ints{22, 21, 21}));
}

TEST(Gate, ClipsScoresFarBelowTheBest) {
  const Value least = std::numeric_limits<Value>::min();
  const Value most = std::numeric_limits<Value>::max();
  EXPECT_EQ(gate_weights(Scores{most, least}), (Ints{64, 0}));
  EXPECT_EQ(gate_weights(Scores{0, -16}), gate_weights(Scores{0, -1000}));
}

class GateProperty : public testing::TestWithParam<unsigned> {};

TEST_P(GateProperty, HoldsOnRandomScores) {
  std::mt19937 random(GetParam());
  for (int round = 0; round < 200; ++round) {
    Scores scores(1 + random() % 16);
    for (Value& score : scores) score = static_cast<Value>(random() % 41) - 20;
    const int k = 1 + static_cast<int>(random() % scores.size());

    const Ints chosen = top_k(scores, k);
    ASSERT_EQ(std::ssize(chosen), k);
    Scores chosen_scores;
    for (const int expert : chosen) chosen_scores.push_back(scores[static_cast<std::size_t>(expert)]);
    EXPECT_TRUE(std::is_sorted(chosen_scores.rbegin(), chosen_scores.rend()));
    Scores best = scores;
    std::sort(best.rbegin(), best.rend());
    best.resize(chosen.size());
    EXPECT_EQ(chosen_scores, best);

    const Ints weights = gate_weights(chosen_scores);
    EXPECT_EQ(std::accumulate(weights.begin(), weights.end(), 0), kGateTotal);
    EXPECT_TRUE(std::is_sorted(weights.rbegin(), weights.rend())) << "a better score never weighs less";
    EXPECT_GE(weights.back(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GateProperty, testing::Range(1U, 6U));

}  // namespace
}  // namespace commflow

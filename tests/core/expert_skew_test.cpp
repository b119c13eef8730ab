#include "core/expert_skew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace commflow::experts {
namespace {

constexpr double kOne = 4294967296.0;  // 1.0 in fixed point

TEST(ExpertSkew, LogarithmsBitByBit) {
  for (const std::uint64_t value : {1U, 2U, 3U, 7U, 64U, 1000U, 4096U, 4294967295U}) {
    EXPECT_NEAR(static_cast<double>(fixed_log2(value)) / kOne, std::log2(static_cast<double>(value)), 1e-7) << value;
  }
  EXPECT_EQ(fixed_log2(1), 0);
  EXPECT_EQ(fixed_log2(std::uint64_t{1} << 40), std::int64_t{40} << kLogBits);
}

TEST(ExpertSkew, QuickLogarithms) {
  const QuickLog log;
  std::uint64_t before = 0;
  Rng rng(3);
  for (int bits = 0; bits < 64; ++bits) {
    std::vector<std::uint64_t> values{std::uint64_t{1} << bits};
    for (int i = 0; i < 200; ++i) values.push_back(values[0] + rng.next() % values[0]);
    std::sort(values.begin(), values.end());
    for (const std::uint64_t value : values) {
      const std::uint64_t now = log.of(value);
      EXPECT_NEAR(static_cast<double>(now) / (1 << QuickLog::kBits), std::log2(static_cast<double>(value)), 8e-6)
          << value;
      EXPECT_GE(now, before) << value;
      before = now;
    }
  }
}

TEST(ExpertSkew, Powers) {
  const FixedPower power;
  EXPECT_EQ(power.of(1000, 0), 1000);
  EXPECT_EQ(power.of(1 << 20, std::int64_t{3} << kLogBits), 1 << 17);
  EXPECT_EQ(power.of(1 << 20, std::int64_t{40} << kLogBits), 0);
  for (const double exponent : {0.1, 0.5, 1.0, 1.58496, 7.25}) {
    const auto fixed = static_cast<std::int64_t>(exponent * kOne);
    EXPECT_NEAR(static_cast<double>(power.of(1 << 30, fixed)), std::exp2(30 - exponent), 16) << exponent;
  }
}

TEST(ExpertSkew, PopularityFollowsZipf) {
  std::vector<std::int64_t> sorted = unpopularity(16, 150, 9);
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(sorted[i]) / kOne, 1.5 * std::log2(static_cast<double>(i) + 1), 1e-6);
  }
  EXPECT_NE(unpopularity(16, 150, 9), unpopularity(16, 150, 10)) << "which expert is hot follows from the seed";
  EXPECT_EQ(unpopularity(4, 0, 3), std::vector<std::int64_t>(4, 0));
}

TEST(ExpertSkew, NoiseIsTheDistributionsInverse) {
  const Noise noise;
  int before = noise.of(0);
  for (std::uint64_t bits = 1 << 16; bits < std::uint64_t{1} << 32; bits += 999983) {
    const int now = noise.of(static_cast<std::uint32_t>(bits));
    EXPECT_GE(now, before);
    before = now;
    const double u = static_cast<double>(bits) / kOne;
    if (u < 0.01 || u > 0.99) continue;  // the ends are cut
    EXPECT_NEAR(now / 65536.0, -std::log2(-std::log2(u)), 2e-3) << u;
  }
}

// Shares of the first draw, and of the second one given the first.
TEST(ExpertSkew, DrawsInProportion) {
  const std::vector<std::int64_t> halves{0, std::int64_t{1} << kLogBits, std::int64_t{1} << kLogBits};
  const ExpertDraw draw(halves);  // 1/2, 1/4, 1/4
  Rng rng(5);
  constexpr int kDraws = 40000;
  int first = 0;
  int rest = 0;
  const std::vector<int> last_token{7, 0, 0};
  for (int i = 0; i < kDraws; ++i) {
    first += draw.draw(rng) == 0;
    const int chosen[] = {0};
    const int other = draw.draw_rest(rng, draw.left_by(chosen), last_token, 7);
    ASSERT_NE(other, 0);
    rest += other == 1;
  }
  EXPECT_NEAR(first, kDraws / 2, 4 * std::sqrt(kDraws) / 2);
  EXPECT_NEAR(rest, kDraws / 2, 4 * std::sqrt(kDraws) / 2);
}

}  // namespace
}  // namespace commflow::experts

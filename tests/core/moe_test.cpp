// Cases: tests/data/moe.json holds the same numbers with their sources; the
// command line's test reads them from there.
#include "core/moe.h"

#include <gtest/gtest.h>

namespace commflow {
namespace {

constexpr MessageFormat kBf16{};
constexpr MessageFormat kFp8{.element_bits = 8, .scale_block = kFp8ScaleBlock};
constexpr MessageFormat kDeepEpFp8{.element_bits = 8, .scale_block = kFp8ScaleBlock, .header_bytes = 16};
constexpr MessageFormat kLogFmt10{.element_bits = 10, .scale_block = 128};

TEST(Moe, MessageBytesOfDeepEp) {
  EXPECT_EQ(message_bytes(7168, kDeepEpFp8), 7408);
  EXPECT_EQ(message_bytes(7168, kBf16), 14336);
  EXPECT_EQ(message_bytes(7168, kLogFmt10), 9184);
  EXPECT_EQ(message_bytes(4096, kDeepEpFp8), 4240);
  EXPECT_EQ(message_bytes(4096, kLogFmt10), 5248);
}

TEST(Moe, APartOfABlockStillHasItsScale) {
  EXPECT_EQ(scale_blocks(2880, 128), 23);  // gpt-oss: 22.5 blocks
  EXPECT_EQ(message_bytes(2880, kFp8), 2880 + 23 * 4);
  EXPECT_EQ(scale_blocks(2880, 0), 0);
}

TEST(Moe, DeepEpLowLatencyVolume) {
  EXPECT_EQ(routed_bytes(128, 8, message_bytes(7168, kDeepEpFp8)), 7585792);
  EXPECT_EQ(routed_bytes(128, 8, message_bytes(7168, kBf16)), 14680064);
}

struct DispatchCase {
  const char* model;
  std::int64_t tokens, hidden;
  int topk, experts, ranks, element_bits;
  Bytes bytes, off_rank;
  std::int64_t pairs_per_expert;
};
constexpr DispatchCase kDispatch[] = {
    {"Qwen3-30B-A3B", 4096, 2048, 8, 128, 4, 16, 134217728, 100663296, 1024},
    {"Mixtral-8x7B", 8192, 4096, 2, 8, 8, 16, 134217728, 117440512, 16384},
    {"Qwen3-235B-A22B", 2048, 4096, 8, 128, 8, 16, 134217728, 117440512, 1024},
    {"DeepSeek-V3", 4096, 7168, 8, 256, 64, 8, 234881024, 231211008, 8192},
    {"DeepSeek-V3 combine", 4096, 7168, 8, 256, 64, 16, 469762048, 462422016, 8192},
    {"Mixtral-8x7B", 4096, 4096, 2, 8, 4, 16, 67108864, 50331648, 4096},
};

TEST(Moe, DispatchVolumes) {
  for (const DispatchCase& row : kDispatch) {
    const Bytes bytes = routed_bytes(row.tokens, row.topk, message_bytes(row.hidden, {row.element_bits}));
    EXPECT_EQ(bytes, row.bytes) << row.model;
    EXPECT_EQ(off_rank_bytes(bytes, row.ranks), row.off_rank) << row.model;
    const Fraction pairs = expected_pairs_per_expert(row.tokens, row.ranks, row.topk, row.experts);
    EXPECT_EQ(pairs.numerator, row.pairs_per_expert) << row.model;
    EXPECT_EQ(pairs.denominator, 1) << row.model;
  }
}

TEST(Moe, OffRankBytesRoundToNearest) {
  EXPECT_EQ(off_rank_bytes(100, 1), 0);
  EXPECT_EQ(off_rank_bytes(10, 3), 7);  // 6 2/3
  EXPECT_EQ(off_rank_bytes(11, 3), 7);  // 7 1/3
  EXPECT_EQ(off_rank_bytes(5, 2), 3);   // 2.5
  const Bytes huge = Bytes{1} << 60;
  EXPECT_EQ(off_rank_bytes(huge, 1024), huge - huge / 1024) << "the product would not fit";
}

TEST(Moe, PairsPerExpertAreReduced) {
  const Fraction pairs = expected_pairs_per_expert(3, 2, 2, 8);
  EXPECT_EQ(pairs.numerator, 3);
  EXPECT_EQ(pairs.denominator, 2);
}

TEST(Moe, ExpectedDistinctRanks) {
  EXPECT_NEAR(expected_distinct_ranks(256, 8, 8), 5.294652, 5e-7);
  EXPECT_NEAR(expected_distinct_ranks(8, 4, 2), 1.857142857, 5e-10);
  EXPECT_NEAR(expected_distinct_ranks(128, 4, 8), 3.629010924, 5e-10);
  EXPECT_NEAR(expected_distinct_ranks_independent(8, 8), 5.251128674, 5e-10);
  EXPECT_NEAR(expected_distinct_ranks_independent(4, 8), 3.59954834, 5e-9);
  EXPECT_NEAR(expected_distinct_ranks_independent(8, 2), 1.875, 1e-12);
}

// The definition: try every choice of k experts and count the ranks reached.
double distinct_ranks_by_enumeration(int experts, int ranks, int topk) {
  double reached = 0;
  double choices = 0;
  for (unsigned set = 0; set < 1U << experts; ++set) {
    if (__builtin_popcount(set) != topk) continue;
    unsigned seen = 0;
    for (int expert = 0; expert < experts; ++expert) {
      if (set >> expert & 1U) seen |= 1U << (expert / (experts / ranks));
    }
    reached += __builtin_popcount(seen);
    ++choices;
  }
  return reached / choices;
}

TEST(Moe, ExpectedDistinctRanksEqualsEnumeration) {
  for (const int ranks : {1, 2, 4, 8}) {
    for (int topk = 1; topk <= 8; ++topk) {
      EXPECT_NEAR(expected_distinct_ranks(8, ranks, topk), distinct_ranks_by_enumeration(8, ranks, topk), 1e-12);
    }
  }
}

}  // namespace
}  // namespace commflow

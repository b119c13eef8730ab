#include "core/expert_overlap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "core/moe.h"
#include "core/rng.h"

namespace commflow::experts {
namespace {

TEST(ExpertOverlap, OneMicroBatchHidesNothing) {
  const Overlap alone = overlapped({5, 3, 4, 6}, 3, 1);
  EXPECT_EQ(alone.total, 3 * 18);
  EXPECT_EQ(alone.exposed(), alone.communication);
  EXPECT_EQ(alone.communication, 27);
}

// a D e C        a: attention, e: experts, D and C: exchanges
//   a D e C
TEST(ExpertOverlap, TwoMicroBatchesByHand) {
  const Overlap two = overlapped({1, 1, 1, 1}, 1, 2);
  EXPECT_EQ(two.total, 5);
  EXPECT_EQ(two.compute, 4);
  EXPECT_EQ(two.exposed(), 1);
  const Overlap slow = overlapped({1, 10, 1, 10}, 1, 2);  // D D C C back to back behind the first attention
  EXPECT_EQ(slow.total, 1 + 4 * 10);
  EXPECT_EQ(slow.exposed(), 37);
}

// As long as computing takes no less than communicating, only the very end shows.
TEST(ExpertOverlap, EqualTimesHideAllButTheEnd) {
  for (const int layers : {1, 2, 10, 58}) EXPECT_EQ(overlapped({7, 7, 7, 7}, layers, 2).exposed(), 7) << layers;
  EXPECT_EQ(overlapped({9, 4, 9, 4}, 20, 2).exposed(), 4);
  EXPECT_EQ(overlapped({9, 0, 9, 0}, 20, 2).exposed(), 0);
}

void expect_sound(const StageTimes& times, int layers, int micro_batches) {
  const Overlap overlap = overlapped(times, layers, micro_batches);
  EXPECT_EQ(std::ssize(overlap.spans), layers * micro_batches * kStages);
  EXPECT_GE(overlap.total, std::max(overlap.compute, overlap.communication));
  EXPECT_LE(overlap.total, overlap.compute + overlap.communication);
  std::map<bool, std::int64_t> stream_free;
  std::map<int, std::pair<int, std::int64_t>> progress;  // of a micro-batch: stages done, end of the last
  for (const Span& span : overlap.spans) {
    auto& free = stream_free[communicates(span.stage)];
    EXPECT_GE(span.start, free);
    free = span.end;
    auto& [done, end] = progress[span.micro_batch];
    EXPECT_EQ(done++, span.layer * kStages + static_cast<int>(span.stage));
    EXPECT_GE(span.start, end);
    end = span.end;
  }
}

TEST(ExpertOverlap, StreamsDoOneThingAtATimeAndStagesKeepTheirOrder) {
  Rng rng(3);
  for (int i = 0; i < 200; ++i) {
    const StageTimes times{rng.below(9), rng.below(9), rng.below(9), rng.below(9)};
    expect_sound(times, rng.between(1, 5), rng.between(1, 4));
  }
}

// arXiv 2505.09343, section 2.3.2: 32 tokens to 9 experts, 1 byte out and 2 home, h rounded to 7000.
TEST(ExpertOverlap, DeepSeeksDecodeLimit) {
  const Bytes out = routed_bytes(32, 9, message_bytes(7000, {.element_bits = 8}));
  const Bytes home = routed_bytes(32, 9, message_bytes(7000, {.element_bits = 16}));
  const DecodeLimit limit = decode_limit(out, home, 50, 61);
  EXPECT_NEAR(limit.exchange_us, 120.96, 1e-9);
  EXPECT_NEAR(limit.layer_us, 241.92, 1e-9);
  EXPECT_NEAR(limit.step_ms, 14.75712, 1e-9);
  EXPECT_NEAR(limit.tokens_per_second, 67.764, 5e-4);
}

}  // namespace
}  // namespace commflow::experts

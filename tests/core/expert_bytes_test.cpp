#include "core/expert_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/expert_cases.h"

namespace commflow::experts {
namespace {

// 2 nodes of 2 GPUs, 4 experts, one token per rank, top-2, so that every vector can be followed.
Settings followed() {
  Settings s;
  s.nodes = 2;
  s.gpus_per_node = 2;
  s.experts = 8;
  s.topk = 2;
  s.tokens = 1;
  s.hidden = 100;
  s.table = {0, 4, 4, 5, 6, 7, 5, 1};  // ranks 0 2 | 2 2 | 3 3 | 2 0
  return s;
}

using Numbers = std::vector<std::int64_t>;

TEST(ExpertBytes, FollowedByHand) {
  const Settings s = followed();
  const ExchangeBytes out = bytes_of(s, count_layer(s), Exchange::dispatch);
  EXPECT_EQ(out.message, 200);
  EXPECT_EQ(out.local, 200);        // 0>0
  EXPECT_EQ(out.nvlink, 3 * 200);   // 2>3 twice, 3>2
  EXPECT_EQ(out.network, 4 * 200);  // 0>2, 1>2 twice, 3>0
  EXPECT_EQ(out.sent, (Numbers{200, 400, 400, 400}));
  EXPECT_EQ(out.received, (Numbers{200, 0, 800, 400}));
  EXPECT_EQ(out.network_sent, (Numbers{200, 400, 0, 200}));
  EXPECT_EQ(out.messages, 5);
  EXPECT_EQ(out.smallest_message, 200);
  EXPECT_EQ(out.largest_message, 400);
  EXPECT_EQ(column_sums(count_layer(s).split), (Numbers{2, 0, 4, 2}));
  EXPECT_EQ(max_over_mean({2, 0, 4, 2}), (Fraction{2, 1}));
}

TEST(ExpertBytes, FollowedByHandOverTheRail) {
  Settings s = followed();
  s.path = Path::two_hop;
  s.dedup = Dedup::per_node;
  const Counts counts = count_layer(s);
  const ExchangeBytes out = bytes_of(s, counts, Exchange::dispatch);
  EXPECT_EQ(out.network, 3 * 200);  // 0>2, 1>3, 3>1
  EXPECT_EQ(out.nvlink, 4 * 200);   // 3>2 for rank 1's, 2>3, 3>2 for its own, 1>0
  const ExchangeBytes home = bytes_of(s, counts, Exchange::combine);
  EXPECT_EQ(home.sent, out.received);
  EXPECT_EQ(home.received, out.sent);
}

TEST(ExpertBytes, EverythingSentIsReceivedAndBackwardIsMirrored) {
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    Settings s = random_settings(seed);
    s.out = {.element_bits = 8, .scale_block = kFp8ScaleBlock};
    const Counts counts = count_layer(s);
    for (const Exchange exchange :
         {Exchange::dispatch, Exchange::combine, Exchange::combine_backward, Exchange::dispatch_backward}) {
      const ExchangeBytes bytes = bytes_of(s, counts, exchange);
      const Bytes sent = std::accumulate(bytes.sent.begin(), bytes.sent.end(), Bytes{0});
      EXPECT_EQ(sent, std::accumulate(bytes.received.begin(), bytes.received.end(), Bytes{0})) << s;
      EXPECT_EQ(sent, bytes.nvlink + bytes.network) << s;
      const Bytes network = std::accumulate(bytes.network_sent.begin(), bytes.network_sent.end(), Bytes{0});
      EXPECT_EQ(network, bytes.network) << s;
    }
    const ExchangeBytes out = bytes_of(s, counts, Exchange::dispatch);
    const ExchangeBytes home = bytes_of(s, counts, Exchange::combine);
    EXPECT_EQ(bytes_of(s, counts, Exchange::combine_backward).sent, out.sent) << s;
    EXPECT_EQ(bytes_of(s, counts, Exchange::dispatch_backward).sent, home.sent) << s;
    EXPECT_EQ(out.messages, home.messages) << s;
    EXPECT_EQ(out.network / out.message, home.network / home.message) << "as many vectors home as out; " << s;
  }
}

TEST(ExpertBytes, WithoutMergingAllBytesAreLogicalOnes) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Settings s = random_settings(seed);
    s.dedup = Dedup::none;
    s.path = Path::one_hop;
    s.capacity_thousandths = 0;
    const ExchangeBytes out = bytes_of(s, count_layer(s), Exchange::dispatch);
    EXPECT_EQ(out.local + out.nvlink + out.network, logical_bytes(s, out.message)) << s;
  }
}

TEST(ExpertBytes, MaxOverMean) {
  EXPECT_EQ(max_over_mean({5, 5, 5}), (Fraction{1, 1}));
  EXPECT_EQ(max_over_mean({9, 0, 0}), (Fraction{3, 1}));
  EXPECT_EQ(max_over_mean({3, 2}), (Fraction{6, 5}));
  EXPECT_EQ(max_over_mean({0, 0}), (Fraction{1, 1}));
}

TEST(ExpertBytes, DeepSeekCountsThirteenExpertsForFour) {
  EXPECT_NEAR(experts_per_node_at_equal_cost(160, 50), 3.2, 1e-12);
  EXPECT_EQ(std::lround(4 * experts_per_node_at_equal_cost(160, 50)), 13);
}

}  // namespace
}  // namespace commflow::experts

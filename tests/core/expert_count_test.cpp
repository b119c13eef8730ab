#include "core/expert_count.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/expert_bytes.h"
#include "core/expert_cases.h"

namespace commflow::experts {
namespace {

std::int64_t sum_of(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

// Off the diagonal.
std::int64_t moving(const Flow& flow, int gpus_per_node, bool only_network) {
  std::int64_t sum = 0;
  for (Rank a = 0; a < flow.ranks; ++a) {
    for (Rank b = 0; b < flow.ranks; ++b) {
      if (a != b && (!only_network || a / gpus_per_node != b / gpus_per_node)) sum += flow.at(a, b);
    }
  }
  return sum;
}

TEST(ExpertCount, RowsAndColumnsOfTheSplitAddUp) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Settings s = random_settings(seed);
    const Routing routing = route(s);
    const std::vector<std::uint8_t> kept = kept_copies(s, routing);
    const Counts counts = count_layer(s, routing);
    const std::vector<std::int64_t> rows = row_sums(counts.split);
    const auto per_rank = static_cast<std::ptrdiff_t>(s.tokens) * s.topk;
    for (Rank rank = 0; rank < ranks_of(s); ++rank) {
      const auto own = kept.begin() + rank * per_rank;
      EXPECT_EQ(rows[static_cast<std::size_t>(rank)], std::count(own, own + per_rank, 1)) << s;
    }
    EXPECT_EQ(sum_of(rows) + counts.dropped, tokens_of_all(s) * s.topk) << s;
    EXPECT_EQ(sum_of(counts.wanted), tokens_of_all(s) * s.topk) << s;
    EXPECT_EQ(sum_of(counts.taken), sum_of(rows)) << s;
    if (s.replicas_per_rank > 0) continue;
    const std::vector<std::int64_t> computed = column_sums(counts.split);
    for (Rank rank = 0; rank < ranks_of(s); ++rank) {
      std::int64_t taken = 0;
      for (const int expert : counts.hosts.on_rank[static_cast<std::size_t>(rank)])
        taken += counts.taken[static_cast<std::size_t>(expert)];
      EXPECT_EQ(computed[static_cast<std::size_t>(rank)], taken) << s;
    }
  }
}

TEST(ExpertCount, CapacityIsKept) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Settings s = random_settings(seed);
    s.capacity_thousandths = 1000;
    const Counts counts = count_layer(s);
    for (std::size_t expert = 0; expert < counts.taken.size(); ++expert) {
      EXPECT_EQ(counts.taken[expert], std::min(counts.wanted[expert], *counts.capacity)) << s;
    }
  }
}

TEST(ExpertCount, SwitchCapacities) {
  const auto capacity = [](int tokens, int experts, int thousandths) {
    Settings s;
    s.nodes = 1;
    s.gpus_per_node = 1;
    s.topk = 1;
    s.tokens = tokens;
    s.experts = experts;
    s.capacity_thousandths = thousandths;
    return *capacity_of(s);
  };
  EXPECT_EQ(capacity(1024, 8, 1000), 128);
  EXPECT_EQ(capacity(1024, 8, 1250), 160);
  EXPECT_EQ(capacity(4096, 64, 1500), 96);
  EXPECT_EQ(capacity(10, 4, 1000), 3) << "rounded up";
  EXPECT_EQ(capacity(10, 5, 1100), 3) << "2.2, exactly";
}

// One token at a time, with sets: who is reached, whatever is merged.
struct Reached {
  std::set<std::pair<int, Rank>> ranks;  // token and rank
  std::set<std::pair<int, int>> nodes;
};

TEST(ExpertCount, ReachByTheDefinition) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Settings s = random_settings(seed);
    s.replicas_per_rank = 0;
    s.capacity_thousandths = 0;
    s.placement = Placement::in_order;
    const Routing routing = route(s);
    const Reach reach = count_layer(s, routing).reach;
    Reached all;
    Reached off;
    std::int64_t off_node_ranks = 0;
    for (std::size_t copy = 0; copy < routing.experts.size(); ++copy) {
      const int token = static_cast<int>(copy) / s.topk;
      const Rank home = token / s.tokens;
      const Rank host = routing.experts[copy] / experts_per_rank(s);
      const int node = host / s.gpus_per_node;
      all.ranks.emplace(token, host);
      all.nodes.emplace(token, node);
      if (host != home && off.ranks.emplace(token, host).second) off_node_ranks += node != home / s.gpus_per_node;
      if (node != home / s.gpus_per_node) off.nodes.emplace(token, node);
    }
    EXPECT_EQ(reach.copies, std::ssize(routing.experts)) << s;
    EXPECT_EQ(reach.ranks, std::ssize(all.ranks)) << s;
    EXPECT_EQ(reach.nodes, std::ssize(all.nodes)) << s;
    EXPECT_EQ(reach.off_rank_ranks, std::ssize(off.ranks)) << s;
    EXPECT_EQ(reach.off_node_ranks, off_node_ranks) << s;
    EXPECT_EQ(reach.off_node_nodes, std::ssize(off.nodes)) << s;
    std::int64_t by_nodes = 0;
    for (std::size_t n = 0; n < reach.tokens_by_nodes.size(); ++n) {
      by_nodes += static_cast<std::int64_t>(n) * reach.tokens_by_nodes[n];
    }
    EXPECT_EQ(by_nodes, reach.nodes) << s;
  }
}

TEST(ExpertCount, NodeLimitHoldsWithReplicasToo) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Settings s = random_settings(seed);
    if (s.topk_nodes == 0) continue;
    const Reach reach = count_layer(s).reach;
    for (std::size_t n = static_cast<std::size_t>(s.topk_nodes) + 1; n < reach.tokens_by_nodes.size(); ++n) {
      EXPECT_EQ(reach.tokens_by_nodes[n], 0) << s;
    }
  }
}

// What moves, by the settings, from what is reached.
TEST(ExpertCount, LegsCarryWhatReachSays) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Settings s = random_settings(seed);
    const Counts counts = count_layer(s);
    const Reach& reach = counts.reach;
    const Flow& first = counts.legs.front();
    const std::int64_t over_network = moving(first, s.gpus_per_node, true);
    if (s.path == Path::one_hop) {
      const bool merged = s.dedup != Dedup::none;
      EXPECT_EQ(moving(first, s.gpus_per_node, false), merged ? reach.off_rank_ranks : reach.off_rank_copies) << s;
      EXPECT_EQ(over_network, merged ? reach.off_node_ranks : reach.off_node_copies) << s;
      continue;
    }
    const std::int64_t wanted = s.dedup == Dedup::none       ? reach.off_node_copies
                                : s.dedup == Dedup::per_rank ? reach.off_node_ranks
                                                             : reach.off_node_nodes;
    EXPECT_EQ(over_network, wanted) << s;
    EXPECT_EQ(moving(first, s.gpus_per_node, false), wanted) << "the rail leads to other nodes only; " << s;
    EXPECT_EQ(moving(counts.legs[1], s.gpus_per_node, true), 0) << "the second hop stays in its node; " << s;
    EXPECT_EQ(sum_of(counts.legs[1].vectors), s.dedup == Dedup::none ? reach.copies : reach.ranks) << s;
    for (Rank a = 0; a < first.ranks; ++a) {
      for (Rank b = 0; b < first.ranks; ++b) {
        if (first.at(a, b) > 0) {
          EXPECT_EQ(a % s.gpus_per_node, b % s.gpus_per_node) << "off the rail; " << s;
        }
      }
    }
  }
}

void expect_same(const Counts& a, const Counts& b, const Settings& s) {
  EXPECT_EQ(a.wanted, b.wanted) << s;
  EXPECT_EQ(a.taken, b.taken) << s;
  EXPECT_EQ(a.capacity, b.capacity) << s;
  EXPECT_EQ(a.dropped, b.dropped) << s;
  EXPECT_EQ(a.hosts.of_expert, b.hosts.of_expert) << s;
  EXPECT_EQ(a.hosts.on_rank, b.hosts.on_rank) << s;
  EXPECT_EQ(a.split, b.split) << s;
  EXPECT_EQ(a.to_ranks, b.to_ranks) << s;
  EXPECT_EQ(a.to_nodes, b.to_nodes) << s;
  EXPECT_EQ(a.legs, b.legs) << s;
  EXPECT_EQ(a.reach, b.reach) << s;
}

// Large layers are counted without keeping their routing.
TEST(ExpertCount, CountedWhileDrawnAsIfRoutedBefore) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Settings s = random_settings(seed);
    s.tokens = kMaxExecutedTokens + static_cast<int>(seed);
    ASSERT_FALSE(executable(s));
    expect_same(count_layer(s), count_layer(s, route(s)), s);
  }
}

TEST(ExpertCount, AnotherWayNeedsNoNewCount) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Settings s = random_settings(seed);
    const Counts counts = count_layer(s);
    Settings other = s;
    other.hidden = 64;
    other.out.element_bits = 8;
    for (other.path = Path::one_hop;; other.path = Path::two_hop) {
      for (const Dedup dedup : {Dedup::none, Dedup::per_rank, Dedup::per_node}) {
        other.dedup = dedup;
        if (settings_problem(other)) continue;
        EXPECT_TRUE(counted_alike(s, other)) << other;
        expect_same(by_way_of(other, counts), count_layer(other), other);
      }
      if (other.path == Path::two_hop) break;
    }
  }
}

// Whatever changes a count is not alike.
TEST(ExpertCount, WhatIsCountedAlikeHasOneCount) {
  const auto key = [](const Settings& s) {
    Settings plain = s;
    plain.dedup = Dedup::none;
    plain.path = Path::one_hop;
    return count_layer(plain);
  };
  Settings s;
  s.zipf_hundredths = 100;
  s.topk = 4;
  const auto differs = [&](auto change) {
    Settings other = s;
    change(other);
    ASSERT_FALSE(settings_problem(other)) << other;
    EXPECT_FALSE(counted_alike(s, other)) << other;
    EXPECT_NE(key(s).reach, key(other).reach) << other;
  };
  differs([](Settings& other) { other.nodes = 1; });
  differs([](Settings& other) { other.gpus_per_node = 2; });
  differs([](Settings& other) { other.experts = 32; });
  differs([](Settings& other) { other.topk = 3; });
  differs([](Settings& other) { other.tokens = 9; });
  differs([](Settings& other) { other.seed = 2; });
  differs([](Settings& other) { other.zipf_hundredths = 50; });
  differs([](Settings& other) { other.topk_nodes = 1; });
  differs([](Settings& other) { other.capacity_thousandths = 500; });
  differs([](Settings& other) { other.replicas_per_rank = 1; });
}

TEST(ExpertCount, MergingNeverAddsBytes) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Settings s = random_settings(seed);
    s.path = Path::two_hop;
    const auto sent = [&](Dedup dedup) {
      s.dedup = dedup;
      return bytes_of(s, count_layer(s), Exchange::dispatch);
    };
    const ExchangeBytes none = sent(Dedup::none);
    const ExchangeBytes per_rank = sent(Dedup::per_rank);
    const ExchangeBytes per_node = sent(Dedup::per_node);
    EXPECT_LE(per_rank.network, none.network) << s;
    EXPECT_LE(per_node.network, per_rank.network) << s;
    EXPECT_LE(per_rank.nvlink, none.nvlink) << s;
    EXPECT_EQ(per_node.nvlink, per_rank.nvlink) << s;
  }
}

// Mean and variance of what one layer's token reaches, over many seeds.
class Sample {
 public:
  void add(double value) {
    ++count_;
    sum_ += value;
    squares_ += value * value;
  }
  void expect_near(double expected, const char* what) const {
    const double mean = sum_ / count_;
    const double variance = (squares_ - sum_ * mean) / (count_ - 1);
    EXPECT_NEAR(mean, expected, 4 * std::sqrt(variance / count_) + 1e-9) << what;
  }

 private:
  double count_ = 0, sum_ = 0, squares_ = 0;
};

void expect_expected(Settings s, int seeds) {
  Sample off_rank_copies, off_node_copies, ranks, nodes, off_rank_ranks, off_node_ranks, off_node_nodes;
  const auto tokens = static_cast<double>(tokens_of_all(s));
  for (int seed = 1; seed <= seeds; ++seed) {
    s.seed = static_cast<std::uint64_t>(seed);
    const Reach reach = count_layer(s).reach;
    off_rank_copies.add(static_cast<double>(reach.off_rank_copies) / tokens);
    off_node_copies.add(static_cast<double>(reach.off_node_copies) / tokens);
    ranks.add(static_cast<double>(reach.ranks) / tokens);
    nodes.add(static_cast<double>(reach.nodes) / tokens);
    off_rank_ranks.add(static_cast<double>(reach.off_rank_ranks) / tokens);
    off_node_ranks.add(static_cast<double>(reach.off_node_ranks) / tokens);
    off_node_nodes.add(static_cast<double>(reach.off_node_nodes) / tokens);
  }
  const Expected expected = *expected_of(s);
  off_rank_copies.expect_near(expected.off_rank_copies, "copies off the rank");
  off_node_copies.expect_near(expected.off_node_copies, "copies off the node");
  ranks.expect_near(expected.ranks, "ranks");
  nodes.expect_near(expected.nodes, "nodes");
  off_rank_ranks.expect_near(expected.off_rank_ranks, "off the rank, merged per rank");
  off_node_ranks.expect_near(expected.off_node_ranks, "off the node, merged per rank");
  off_node_nodes.expect_near(expected.off_node_nodes, "off the node, merged per node");
}

TEST(ExpertCount, ExpectedValuesOverAThousandSeeds) {
  Settings by_scores;
  by_scores.tokens = 2;
  ASSERT_TRUE(executable(by_scores));
  expect_expected(by_scores, 1000);
  Settings drawn = by_scores;
  drawn.experts = 128;
  drawn.topk = 8;
  ASSERT_FALSE(executable(drawn));
  expect_expected(drawn, 1000);
}

TEST(ExpertCount, NothingIsExpectedOfUnevenLayers) {
  Settings s;
  EXPECT_TRUE(expected_of(s).has_value());
  s.zipf_hundredths = 1;
  EXPECT_FALSE(expected_of(s).has_value());
}

// DeepSeek-V3's training layout: 64 ranks on 8 nodes, 4 nodes per token.
TEST(ExpertCount, RealSize) {
  Settings s;
  s.nodes = 8;
  s.gpus_per_node = 8;
  s.experts = 256;
  s.topk = 8;
  s.tokens = 512;
  s.out = {.element_bits = 8, .scale_block = kFp8ScaleBlock, .header_bytes = 16};
  const auto tokens = static_cast<double>(tokens_of_all(s));
  const Reach free = count_layer(s).reach;
  EXPECT_NEAR(static_cast<double>(free.nodes) / tokens, 5.294652, 0.02);
  s.topk_nodes = 4;
  const Counts limited = count_layer(s);
  EXPECT_GT(static_cast<double>(limited.reach.nodes) / tokens, 3.9);
  EXPECT_EQ(std::accumulate(limited.reach.tokens_by_nodes.begin() + 5, limited.reach.tokens_by_nodes.end(), 0), 0);
  EXPECT_NEAR(static_cast<double>(limited.reach.off_rank_copies) / tokens, 8 * 63.0 / 64, 0.02);
}

}  // namespace
}  // namespace commflow::experts

#include "core/expert_hosts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "core/expert_bytes.h"
#include "core/expert_cases.h"
#include "core/rng.h"

namespace commflow::experts {
namespace {

using Ranks = std::vector<Rank>;

Settings four_ranks() {
  Settings s;
  s.nodes = 2;
  s.gpus_per_node = 2;
  s.experts = 8;
  return s;
}

TEST(ExpertHosts, ExpertsLieInOrderWithoutReplicas) {
  const Hosts hosts = place_experts(four_ranks(), {9, 1, 1, 1, 1, 1, 1, 1});
  for (int expert = 0; expert < 8; ++expert) {
    EXPECT_EQ(hosts.of_expert[static_cast<std::size_t>(expert)], Ranks{expert / 2});
  }
}

// 9 7 5 4 3 2 2 1: 9, 7, 5, 4 go to ranks 0 to 3, then 3 to rank 3 (4), 2 to rank 2 (5), 2 to rank 1 (7), 1 to rank 0.
TEST(ExpertHosts, ByLoadTheMostWantedGoFirst) {
  Settings s = four_ranks();
  s.placement = Placement::balanced;
  const Hosts hosts = place_experts(s, {1, 9, 2, 7, 3, 5, 4, 2});
  EXPECT_EQ(hosts.on_rank, (std::vector<std::vector<int>>{{0, 1}, {3, 7}, {2, 5}, {4, 6}}));
}

// Whatever the loads: every expert once, as many per rank, within its node where a limit counts nodes, never a larger
// maximum than the mean plus the hottest expert, and the layer itself computes the same.
TEST(ExpertHosts, ByLoadEveryExpertHasOneHomeAndTheLoadIsEven) {
  Rng random(17);
  for (int round = 0; round < 300; ++round) {
    Settings s = four_ranks();
    s.experts = 4 * random.between(2, 8);
    s.placement = Placement::balanced;
    s.topk_nodes = random.below(2);
    std::vector<std::int64_t> load;
    for (int expert = 0; expert < s.experts; ++expert) load.push_back(random.below(100));
    const Hosts hosts = place_experts(s, load);
    std::set<int> seen;
    std::int64_t most = 0;
    for (Rank rank = 0; rank < 4; ++rank) {
      const auto& own = hosts.on_rank[static_cast<std::size_t>(rank)];
      EXPECT_EQ(std::ssize(own), s.experts / 4);
      std::int64_t sum = 0;
      for (const int expert : own) {
        EXPECT_TRUE(seen.insert(expert).second);
        EXPECT_EQ(hosts.of_expert[static_cast<std::size_t>(expert)], Ranks{rank});
        EXPECT_TRUE(s.topk_nodes == 0 || expert / (s.experts / 2) == rank / 2);
        sum += load[static_cast<std::size_t>(expert)];
      }
      most = std::max(most, sum);
    }
    if (s.topk_nodes > 0) continue;
    const std::int64_t all = std::accumulate(load.begin(), load.end(), std::int64_t{0});
    EXPECT_LE(most, all / 4 + *std::max_element(load.begin(), load.end()) + 1);
  }
}

// Loads of ranks 12 2 4 4. Expert 0 is hottest: a copy on rank 1 (loads 7, 7, 4, 4),
// still hottest with 5 per copy: one on rank 2, then (10/3 each) expert 4 with 4: one on rank 3.
TEST(ExpertHosts, TheHottestGetsTheNextCopyOnTheCoolestRank) {
  Settings s = four_ranks();
  s.replicas_per_rank = 1;
  const Hosts hosts = place_experts(s, {10, 2, 1, 1, 4, 0, 3, 1});
  EXPECT_EQ(hosts.of_expert[0], (Ranks{0, 1, 2}));
  EXPECT_EQ(hosts.of_expert[4], (Ranks{2, 3}));
  EXPECT_EQ(hosts.on_rank[3], (std::vector<int>{6, 7, 4}));
  EXPECT_EQ(replica_params(s, 1000), 1000);
}

TEST(ExpertHosts, EveryPlaceIsFilledAndNoRankHasAnExpertTwice) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Settings s = random_settings(seed);
    s.replicas_per_rank = 2;
    Rng rng(seed);
    std::vector<std::int64_t> load(static_cast<std::size_t>(s.experts));
    for (std::int64_t& one : load) one = rng.below(50);
    const Hosts hosts = place_experts(s, load);
    for (const std::vector<int>& own : hosts.on_rank) {
      EXPECT_EQ(std::set<int>(own.begin(), own.end()).size(), own.size()) << s;
      EXPECT_LE(std::ssize(own), experts_per_rank(s) + 2) << s;
    }
    for (int expert = 0; expert < s.experts; ++expert) {
      const Ranks& own = hosts.of_expert[static_cast<std::size_t>(expert)];
      EXPECT_TRUE(s.placement == Placement::balanced || own.front() == home_of_expert(s, expert)) << s;
      for (const Rank rank : own) {
        const std::vector<int>& there = hosts.on_rank[static_cast<std::size_t>(rank)];
        EXPECT_EQ(std::count(there.begin(), there.end(), expert), 1) << s;
        if (s.topk_nodes > 0) {
          EXPECT_EQ(rank / s.gpus_per_node, own.front() / s.gpus_per_node) << s;
        }
      }
    }
  }
}

TEST(ExpertHosts, CopiesTakeTurns) {
  Settings s = four_ranks();
  s.replicas_per_rank = 1;
  const Hosts hosts = place_experts(s, {90, 0, 0, 0, 0, 0, 0, 0});  // expert 0 on all four ranks
  HostChooser chooser(hosts);
  chooser.begin(1);
  Ranks taken;
  for (int i = 0; i < 5; ++i) taken.push_back(chooser.host_of(0));
  const Ranks& own = hosts.of_expert[0];
  EXPECT_EQ(taken, (Ranks{own[1], own[2], own[3], own[0], own[1]}));
}

TEST(ExpertHosts, ReplicasOfHotExpertsShortenTheWait) {
  Settings s = four_ranks();
  s.gpus_per_node = 4;
  s.experts = 32;
  s.tokens = 1000;
  s.zipf_hundredths = 100;
  const auto wait = [&](int replicas) {
    s.replicas_per_rank = replicas;
    const Fraction f = max_over_mean(column_sums(count_layer(s).split));
    return static_cast<double>(f.numerator) / static_cast<double>(f.denominator);
  };
  const double none = wait(0);
  EXPECT_GT(none, 2.0);
  const double one = wait(1);
  EXPECT_LT(one, 0.75 * none);
  EXPECT_LT(wait(2), one);
}

}  // namespace
}  // namespace commflow::experts

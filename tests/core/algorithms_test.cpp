#include "core/algorithms.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <utility>

#include "core/partners.h"

namespace commflow {
namespace {

using cases::Case;

TEST(Registry, NamesGoThereAndBack) {
  for (int i = 0; i < kAlgorithms; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    EXPECT_EQ(algorithm_named(name_of(algorithm)), algorithm);
  }
  EXPECT_EQ(name_of(Algorithm::halving_doubling), "halving-doubling");
  EXPECT_EQ(algorithm_named("tree"), std::nullopt);
}

TEST(Registry, HasEveryCollectiveAndNoPairTwice) {
  std::set<std::pair<Collective, Algorithm>> pairs;
  std::set<Collective> collectives;
  for (const AlgorithmRow& row : algorithms()) {
    EXPECT_TRUE(pairs.insert({row.collective, row.id}).second) << name_of(row.collective);
    collectives.insert(row.collective);
  }
  EXPECT_EQ(collectives.size(), static_cast<std::size_t>(kCollectives));
}

TEST(Registry, MakesExactlyWhatItLists) {
  std::set<std::pair<Collective, Algorithm>> listed;
  for (const AlgorithmRow& row : algorithms()) listed.insert({row.collective, row.id});
  for (int c = 0; c < kCollectives; ++c) {
    for (int a = 0; a < kAlgorithms; ++a) {
      const auto collective = static_cast<Collective>(c);
      const auto algorithm = static_cast<Algorithm>(a);
      EXPECT_EQ(make_schedule(collective, algorithm, 4).has_value(), listed.contains({collective, algorithm}));
    }
  }
}

class EveryAlgorithm : public testing::TestWithParam<Case> {};

// The final buffers against the definition on plain vectors, values and origins.
void expect_defined_result(Collective collective, Rank root, const Buffers& initial, const Buffers& final,
                           Operator op) {
  const cases::Blocks in = cases::input_rows(initial);
  for (Rank rank = 0; rank < initial.ranks(); ++rank) {
    for (int block = 0; block < initial.slots(); ++block) {
      const auto defined = cases::defined_result(collective, in, root, rank, block, op);
      if (!defined) continue;
      const Place place{rank, Area::out, block};
      const auto held = final.values(place);
      ASSERT_EQ(cases::Row(held.begin(), held.end()), *defined) << "rank " << rank << " block " << block;
      const auto origins = cases::defined_origins(collective, initial.ranks(), root, block);
      ASSERT_TRUE(cases::each_once(final.from(place), origins)) << "rank " << rank << " block " << block;
    }
  }
}

TEST_P(EveryAlgorithm, FulfilsItsCollective) {
  const Case c = GetParam();
  std::mt19937 random(static_cast<unsigned>(c.ranks));
  for (const Rank root : cases::roots_of(c.collective(), c.ranks)) {
    const Schedule schedule = c.algorithm().build(c.ranks, root);
    const Buffers initial = cases::random_initial(c.collective(), schedule, root, random);
    ASSERT_EQ(validate(schedule, initial), std::nullopt) << "root " << root;
    for (const Operator op : cases::kAllOperators) {
      const Buffers final = run(schedule, initial, op);
      ASSERT_TRUE(fulfils(c.collective(), root, initial, final, op)) << "root " << root << ' ' << name_of(op);
      expect_defined_result(c.collective(), root, initial, final, op);
    }
  }
}

TEST_P(EveryAlgorithm, HasLocalMovesInTheFirstRoundOnlyAndNoEmptyRound) {
  const Case c = GetParam();
  for (const Rank root : cases::roots_of(c.collective(), c.ranks)) {
    const Schedule schedule = c.algorithm().build(c.ranks, root);
    ASSERT_FALSE(schedule.rounds.empty());
    for (std::size_t k = 0; k < schedule.rounds.size(); ++k) {
      bool sends = false;
      for (const Transfer& transfer : schedule.rounds[k]) {
        EXPECT_TRUE(!transfer.local() || k == 0) << "round " << k;
        sends = sends || !transfer.local();
      }
      EXPECT_EQ(sends, c.ranks > 1) << "round " << k;
    }
  }
}

TEST_P(EveryAlgorithm, TalksToThePartnersOfTheTextbook) {
  const Case c = GetParam();
  for (const Rank root : cases::roots_of(c.collective(), c.ranks)) {
    EXPECT_TRUE(cases::follows_partners(c, root, c.algorithm().build(c.ranks, root))) << "root " << root;
  }
}

// "Everyone at once", a parent with two children in two trees, a switch with many ports.
bool talks_to_several(const Case& c) {
  switch (c.algorithm().id) {
    case Algorithm::direct:
    case Algorithm::one_shot:
    case Algorithm::double_binary_tree:
    case Algorithm::in_switch: return true;
    case Algorithm::hierarchical: return c.collective() == Collective::all_to_all;
    default: return false;
  }
}

// No rank talks to two others in one round, except where the algorithm is made that way.
TEST_P(EveryAlgorithm, UsesOnePortUnlessItIsDirect) {
  const Case c = GetParam();
  if (talks_to_several(c)) return;
  for (const Rank root : cases::roots_of(c.collective(), c.ranks)) {
    for (const Round& round : c.algorithm().build(c.ranks, root).rounds) {
      std::map<Rank, Rank> target;
      std::map<Rank, Rank> source;
      for (const Transfer& transfer : round) {
        if (transfer.local()) continue;
        EXPECT_EQ(target.emplace(transfer.src.rank, transfer.dst.rank).first->second, transfer.dst.rank);
        EXPECT_EQ(source.emplace(transfer.dst.rank, transfer.src.rank).first->second, transfer.src.rank);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryAlgorithm, testing::ValuesIn(cases::all_cases(1, kMaxExecutedRanks)),
                         [](const auto& info) { return cases::label(info.param); });

// NCCL's order: while reducing, rank r sends block r - 1 - k in round k, then block r - k; rank r owns block
// r.
TEST(Ring, SendsInTheOrderOfNccl) {
  for (int ranks = 2; ranks <= 12; ++ranks) {
    const Schedule schedule = *make_schedule(Collective::all_reduce, Algorithm::ring, ranks);
    ASSERT_EQ(std::ssize(schedule.rounds), 2 * (ranks - 1));
    for (int k = 0; k < 2 * (ranks - 1); ++k) {
      const bool reducing = k < ranks - 1;
      for (const Transfer& transfer : schedule.rounds[index_of(k)]) {
        if (transfer.local()) continue;
        const int shift = reducing ? 1 + k : k - (ranks - 1);
        EXPECT_EQ(transfer.dst.rank, (transfer.src.rank + 1) % ranks);
        EXPECT_EQ(transfer.src.slot, (transfer.src.rank - shift + 2 * ranks) % ranks) << "round " << k;
        EXPECT_EQ(transfer.dst.slot, transfer.src.slot);
        EXPECT_EQ(transfer.reduce, reducing);
      }
    }
  }
}

TEST(Ring, IsAReduceScatterFollowedByAnAllGather) {
  const int ranks = 5;
  const auto all_reduce = *make_schedule(Collective::all_reduce, Algorithm::ring, ranks);
  const auto reduce_scatter = *make_schedule(Collective::reduce_scatter, Algorithm::ring, ranks);
  ASSERT_EQ(all_reduce.rounds.size(), 2 * reduce_scatter.rounds.size());
  for (std::size_t k = 0; k < reduce_scatter.rounds.size(); ++k) {
    EXPECT_EQ(all_reduce.rounds[k], reduce_scatter.rounds[k]);
  }
}

// ---- what an algorithm can be told ----

struct Told {
  Collective collective;
  Algorithm algorithm;
  Tuning tuning;
};

void expect_sound(const Told& told, int ranks, std::mt19937& random) {
  const auto schedule = make_schedule(told.collective, told.algorithm, ranks, ranks / 3, told.tuning);
  ASSERT_TRUE(schedule);
  const Buffers initial = cases::random_initial(told.collective, *schedule, ranks / 3, random);
  ASSERT_EQ(validate(*schedule, initial), std::nullopt);
  const Buffers final = run(*schedule, initial, Operator::sum);
  EXPECT_TRUE(fulfils(told.collective, ranks / 3, initial, final, Operator::sum))
      << name_of(told.algorithm) << ' ' << ranks << ' ' << told.tuning.chunks << ' ' << told.tuning.gpus_per_node;
}

TEST(Tuning, OfChunksKeepsTheResult) {
  std::mt19937 random(3);
  for (const int chunks : {1, 2, 3, 7, 16}) {
    for (int ranks = 1; ranks <= kMaxExecutedRanks; ++ranks) {
      expect_sound({Collective::broadcast, Algorithm::chain, {.chunks = chunks}}, ranks, random);
      expect_sound({Collective::reduce, Algorithm::chain, {.chunks = chunks}}, ranks, random);
      expect_sound({Collective::all_reduce, Algorithm::double_binary_tree, {.chunks = chunks}}, ranks, random);
      expect_sound({Collective::all_reduce, Algorithm::in_switch, {.chunks = chunks}}, ranks, random);
    }
  }
}

TEST(Tuning, OfNodesKeepsTheResultOrSaysWhyNot) {
  std::mt19937 random(4);
  for (int ranks = 1; ranks <= kMaxExecutedRanks; ++ranks) {
    for (int gpus = 1; gpus <= kMaxExecutedRanks; ++gpus) {
      const Tuning tuning{.gpus_per_node = gpus};
      for (const Collective collective : {Collective::all_reduce, Collective::all_to_all}) {
        if (ranks % gpus == 0) {
          expect_sound({collective, Algorithm::hierarchical, tuning}, ranks, random);
          continue;
        }
        EXPECT_EQ(why_not(collective, Algorithm::hierarchical, ranks, tuning),
                  (WhyNot{Obstacle::uneven_nodes, ranks, gpus}));
        EXPECT_FALSE(make_schedule(collective, Algorithm::hierarchical, ranks, 0, tuning));
      }
    }
  }
  EXPECT_EQ(default_gpus_per_node(16), 8);
  EXPECT_EQ(default_gpus_per_node(12), 6);
  EXPECT_EQ(default_gpus_per_node(7), 1);
  EXPECT_EQ(default_gpus_per_node(1), 1);
}

TEST(WhyNot, NamesTheObstacle) {
  EXPECT_FALSE(why_not(Collective::all_reduce, Algorithm::ring, 5));
  EXPECT_EQ(why_not(Collective::broadcast, Algorithm::ring, 5).obstacle, Obstacle::no_such_pair);
  EXPECT_EQ(why_not(Collective::broadcast, Algorithm::chain, 5, {.chunks = 0}).obstacle, Obstacle::no_chunks);
  EXPECT_FALSE(why_not(Collective::broadcast, Algorithm::linear, 5, {.chunks = 0}));
}

TEST(Registry, KnowsTheShortNameOfTheDoubleTree) {
  EXPECT_EQ(algorithm_named("double-tree"), Algorithm::double_binary_tree);
}

// A switch begins empty, takes one buffer from every rank, and gives one to every rank.
TEST(InSwitch, IsANodeBesidesTheRanks) {
  const Schedule schedule = *make_schedule(Collective::all_reduce, Algorithm::in_switch, 5);
  EXPECT_EQ(schedule.switches, 1);
  EXPECT_EQ(schedule.ranks, 5);
  std::map<Rank, int> up;
  std::map<Rank, int> down;
  for (const Round& round : schedule.rounds) {
    for (const Transfer& transfer : round) {
      EXPECT_TRUE((transfer.src.rank == 5) != (transfer.dst.rank == 5));
      ++(transfer.dst.rank == 5 ? up[transfer.src.rank] : down[transfer.dst.rank]);
    }
  }
  for (Rank rank = 0; rank < 5; ++rank) {
    EXPECT_EQ(up[rank], schedule.slots);
    EXPECT_EQ(down[rank], schedule.slots);
  }
}

// ---- uneven all-to-all: slots of one value, a random number of them from each rank to each ----

struct Exchange {
  int slots = 0;
  std::vector<Item> items;
};

Exchange random_exchange(int ranks, std::mt19937& random) {
  Exchange exchange;
  std::vector<int> next_in(index_of(ranks));
  std::vector<int> next_out(index_of(ranks));
  for (Rank src = 0; src < ranks; ++src) {
    for (Rank dst = 0; dst < ranks; ++dst) {
      for (unsigned i = random() % 4; i > 0; --i) {
        exchange.items.push_back({src, next_in[index_of(src)]++, dst, next_out[index_of(dst)]++});
      }
    }
  }
  for (int rank = 0; rank < ranks; ++rank) {
    exchange.slots = std::max({exchange.slots, next_in[index_of(rank)], next_out[index_of(rank)]});
  }
  return exchange;
}

Buffers initial_of(int ranks, const Exchange& exchange) {
  Buffers initial(ranks, std::vector<int>(index_of(exchange.slots), 1));
  Value next = 100;
  for (const Item& item : exchange.items) {
    initial.put({item.src_rank, Area::in, item.src_slot}, std::span(&++next, 1), Origins::of(item.src_rank));
  }
  return initial;
}

class UnevenAllToAll : public testing::TestWithParam<Algorithm> {};

TEST_P(UnevenAllToAll, BringsEveryItemToItsPlace) {
  std::mt19937 random(7);
  for (int ranks = 1; ranks <= kMaxExecutedRanks; ++ranks) {
    const Exchange exchange = random_exchange(ranks, random);
    const Schedule schedule = uneven_all_to_all(GetParam(), ranks, exchange.slots, exchange.items);
    const Buffers initial = initial_of(ranks, exchange);
    ASSERT_EQ(validate(schedule, initial), std::nullopt);
    const Buffers final = run(schedule, initial, Operator::sum);
    for (const Item& item : exchange.items) {
      const Place there{item.dst_rank, Area::out, item.dst_slot};
      EXPECT_EQ(final.values(there).front(), initial.values({item.src_rank, Area::in, item.src_slot}).front());
      EXPECT_EQ(final.from(there), Origins::of(item.src_rank));
    }
  }
}

TEST_P(UnevenAllToAll, HasTheRoundsOfItsAlgorithm) {
  std::mt19937 random(8);
  const int ranks = 6;
  const Exchange exchange = random_exchange(ranks, random);
  const Schedule schedule = uneven_all_to_all(GetParam(), ranks, exchange.slots, exchange.items);
  ASSERT_EQ(std::ssize(schedule.rounds), GetParam() == Algorithm::direct ? 1 : ranks - 1);
  if (GetParam() == Algorithm::direct) return;
  for (int k = 0; k < ranks - 1; ++k) {
    for (const Transfer& transfer : schedule.rounds[index_of(k)]) {
      if (transfer.local()) {
        EXPECT_EQ(k, 0);
      } else {
        EXPECT_EQ(transfer.dst.rank, (transfer.src.rank + k + 1) % ranks);
      }
    }
  }
}

TEST(UnevenAllToAllOfNothing, IsSound) {
  EXPECT_EQ(uneven_all_to_all(Algorithm::direct, 3, 0, {}).rounds.size(), 1U);
  EXPECT_EQ(uneven_all_to_all(Algorithm::pairwise, 3, 0, {}).rounds.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Both, UnevenAllToAll, testing::Values(Algorithm::direct, Algorithm::pairwise),
                         [](const auto& info) { return std::string(name_of(info.param)); });

}  // namespace
}  // namespace commflow

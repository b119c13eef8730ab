#include "core/groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace commflow {
namespace {

using Groups = std::vector<std::vector<Rank>>;
constexpr Dimension kDimensions[] = {Dimension::tp, Dimension::pp, Dimension::dp,       Dimension::cp,
                                     Dimension::ep, Dimension::sp, Dimension::expert_dp};

int expected_size(const Layout& layout, Dimension dimension) {
  switch (dimension) {
    case Dimension::tp:
    case Dimension::sp: return layout.tp;
    case Dimension::pp: return layout.pp;
    case Dimension::dp: return layout.dp;
    case Dimension::cp: return layout.cp;
    case Dimension::ep: return layout.ep;
    case Dimension::expert_dp: return expert_dp_size(layout);
    case Dimension::none: break;
  }
  return 1;
}

Layout megatron() {
  Layout layout;
  layout.order = *parse_order("tp-dp-pp");
  return layout;
}

TEST(Groups, DefaultLayoutReadsWell) {
  const Layout layout;
  EXPECT_EQ(world_size(layout), 8);
  EXPECT_EQ(expert_dp_size(layout), 1);
  EXPECT_EQ(groups_of(layout, Dimension::tp), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::pp), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::dp), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::ep), (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::sp), groups_of(layout, Dimension::tp));
  EXPECT_EQ(groups_of(layout, Dimension::expert_dp).size(), 8U);
  EXPECT_EQ(groups_of(layout, Dimension::none).size(), 8U);
}

TEST(Groups, MegatronNumbersStagesLast) {
  const Layout layout = megatron();
  EXPECT_EQ(groups_of(layout, Dimension::tp), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::dp), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::pp), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::ep), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

// Megatron-LM, tp 2, ep 2, dp 4: neighbours share the experts, copies stand 2 apart.
TEST(Groups, ExpertCopiesAsInMegatron) {
  Layout layout = megatron();
  layout.pp = 1;
  layout.dp = 4;
  layout.ep = 2;
  EXPECT_EQ(groups_of(layout, Dimension::ep), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups_of(layout, Dimension::expert_dp), (Groups{{0, 2, 4, 6}, {1, 3, 5, 7}}));
}

TEST(Groups, ExpertTensorParallelismComesFirst) {
  Layout layout;
  layout.etp = 2;
  layout.ep = 2;
  EXPECT_EQ(groups_of(layout, Dimension::ep), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
}

TEST(Groups, AGroupIsInTheOrderOfItsCoordinate) {
  Layout layout;
  layout.order = *parse_order("dp-pp-tp");  // the stage's ranks are not ascending along ep
  EXPECT_EQ(groups_of(layout, Dimension::ep), (Groups{{0, 4, 1, 5}, {2, 6, 3, 7}}));
  EXPECT_EQ(group_of(layout, Dimension::ep, 5), (std::vector<Rank>{0, 4, 1, 5}));
}

TEST(Groups, PublishedLayouts) {
  struct Row {
    int gpus, tp, pp, cp, dp;
  };
  // Megatron-LM parallelism guide; Llama 3 paper, table 4.
  for (const Row row : {Row{64, 4, 4, 2, 2}, Row{64, 1, 4, 1, 16}, Row{16384, 8, 16, 1, 128}}) {
    Layout layout;
    layout.tp = row.tp;
    layout.pp = row.pp;
    layout.cp = row.cp;
    layout.dp = row.dp;
    layout.ep = 1;
    EXPECT_EQ(layout_problem(layout), std::nullopt);
    EXPECT_EQ(world_size(layout), row.gpus);
  }
}

TEST(Order, AcceptsPermutations) {
  using enum Dimension;
  EXPECT_EQ(parse_order("tp-pp-dp")->fastest_first, (std::vector{tp, cp, pp, dp}));
  EXPECT_EQ(parse_order("tp-cp-ep-dp-pp")->fastest_first, (std::vector{tp, cp, dp, pp}));
  EXPECT_EQ(parse_order("dp-tp-pp")->fastest_first, (std::vector{dp, tp, cp, pp}));
  EXPECT_EQ(parse_order("cp-dp-tp-pp")->fastest_first, (std::vector{cp, dp, tp, pp}));
}

TEST(Order, RefusesEverythingElse) {
  for (const char* bad : {"", "-", "tp", "tp-pp", "tp-pp-dp-dp", "tp-pp-dp-", "tp_pp_dp", "TP-PP-DP", "tp-pp-xp",
                          "tp-pp-dp-cp-cp", "ep-tp-ep-pp-dp", "sp-pp-dp", "cp-pp-dp"}) {
    EXPECT_EQ(parse_order(bad), std::nullopt) << bad;
  }
}

TEST(LayoutProblem, SaysWhatWouldWork) {
  Layout layout;
  layout.ep = 3;
  EXPECT_EQ(layout_problem(layout),
            "ep 3 times etp 1 does not divide tp * cp * dp = 4; with this etp ep can be: 1, 2, 4");
  layout.ep = 4;
  layout.etp = 3;
  EXPECT_EQ(layout_problem(layout), "etp 3 does not divide tp * cp * dp = 4; possible: 1, 2, 4");
  layout.etp = 2;
  EXPECT_EQ(layout_problem(layout), "ep 4 times etp 2 does not divide tp * cp * dp = 4; with this etp ep can be: 1, 2");
  layout.pp = 0;
  EXPECT_EQ(layout_problem(layout), "pp is 0; expected at least 1");
}

TEST(LayoutProblem, RefusesWhatDoesNotFitAnInt) {
  Layout layout;
  layout.tp = layout.pp = layout.dp = layout.cp = std::numeric_limits<int>::max();
  EXPECT_NE(layout_problem(layout), std::nullopt);
  layout = Layout{};
  layout.ep = layout.etp = std::numeric_limits<int>::max();
  EXPECT_NE(layout_problem(layout), std::nullopt);
  layout = Layout{};
  layout.order.fastest_first.pop_back();
  EXPECT_NE(layout_problem(layout), std::nullopt);
}

// Random layouts that fit together.
class GroupProperty : public testing::TestWithParam<unsigned> {
 protected:
  Layout next() {
    Layout layout;
    const auto pick = [&](int most) { return 1 + static_cast<int>(random_() % static_cast<unsigned>(most)); };
    do {
      layout.tp = pick(4);
      layout.pp = pick(4);
      layout.dp = pick(4);
      layout.cp = pick(3);
      layout.ep = pick(8);
      layout.etp = pick(4);
      std::shuffle(layout.order.fastest_first.begin(), layout.order.fastest_first.end(), random_);
    } while (layout_problem(layout));
    return layout;
  }

 private:
  std::mt19937 random_{GetParam()};
};

TEST_P(GroupProperty, EveryRankExactlyOncePerDimension) {
  for (int round = 0; round < 20; ++round) {
    const Layout layout = next();
    for (const Dimension dimension : kDimensions) {
      std::vector<Rank> seen;
      Rank smallest_before = -1;
      for (const std::vector<Rank>& group : groups_of(layout, dimension)) {
        EXPECT_EQ(std::ssize(group), expected_size(layout, dimension));
        const Rank smallest = *std::min_element(group.begin(), group.end());
        EXPECT_LT(smallest_before, smallest) << "groups stand in the order of their smallest rank";
        smallest_before = smallest;
        seen.insert(seen.end(), group.begin(), group.end());
      }
      std::sort(seen.begin(), seen.end());
      std::vector<Rank> all(static_cast<std::size_t>(world_size(layout)));
      std::iota(all.begin(), all.end(), 0);
      EXPECT_EQ(seen, all);
    }
  }
}

TEST_P(GroupProperty, CoordinatesAndRanksAreInverse) {
  for (int round = 0; round < 20; ++round) {
    const Layout layout = next();
    std::set<std::vector<int>> expert_places;
    for (Rank rank = 0; rank < world_size(layout); ++rank) {
      const Coordinates at = coordinates_of(layout, rank);
      EXPECT_EQ(rank_at(layout, at.tp, at.cp, at.pp, at.dp), rank);
      EXPECT_LT(at.expert_dp, expert_dp_size(layout));
      expert_places.insert({at.pp, at.etp, at.ep, at.expert_dp});
    }
    EXPECT_EQ(std::ssize(expert_places), world_size(layout)) << "the expert folding is one to one";
  }
}

TEST_P(GroupProperty, ExpertGroupsStayInsideOneStage) {
  for (int round = 0; round < 20; ++round) {
    const Layout layout = next();
    for (const Dimension dimension : {Dimension::ep, Dimension::expert_dp, Dimension::tp, Dimension::dp}) {
      for (const std::vector<Rank>& group : groups_of(layout, dimension)) {
        for (const Rank rank : group) {
          EXPECT_EQ(coordinates_of(layout, rank).pp, coordinates_of(layout, group.front()).pp);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, GroupProperty, testing::Range(1U, 6U));

}  // namespace
}  // namespace commflow

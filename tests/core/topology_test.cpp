#include "core/topology.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "core/topology_cases.h"

namespace commflow {
namespace {

using cases::label;
using cases::small_topologies;

TEST(TopologyNames, GoThereAndBack) {
  for (int i = 0; i < kTopologyKinds; ++i) {
    const auto kind = static_cast<TopologyKind>(i);
    EXPECT_EQ(topology_named(name_of(kind)), kind);
  }
  EXPECT_EQ(topology_named("switch"), TopologyKind::single_switch);
  EXPECT_EQ(topology_named("star"), std::nullopt);
}

TEST(SizeProblems, AreThoseOfTheKind) {
  EXPECT_EQ(size_problem(TopologyKind::hypercube, 6), SizeProblem::not_a_power_of_two);
  EXPECT_EQ(size_problem(TopologyKind::hypercube, 8), SizeProblem::none);
  for (const int prime : {1, 2, 3, 5, 7, 13}) {
    EXPECT_EQ(size_problem(TopologyKind::torus, prime), SizeProblem::not_a_rectangle) << prime;
    EXPECT_EQ(size_problem(TopologyKind::mesh, prime), SizeProblem::not_a_rectangle) << prime;
  }
  EXPECT_EQ(size_problem(TopologyKind::torus, 6), SizeProblem::none);
  EXPECT_EQ(size_problem(TopologyKind::two_level, 12), SizeProblem::nodes_do_not_divide);
  EXPECT_EQ(size_problem(TopologyKind::two_level, 12, {.gpus_per_node = 4}), SizeProblem::none);
  EXPECT_EQ(size_problem(TopologyKind::two_level, 12, {.gpus_per_node = 4, .nics_per_node = 3}),
            SizeProblem::nodes_do_not_divide);
  EXPECT_EQ(size_problem(TopologyKind::ring, 7), SizeProblem::none);
}

class EveryTopology : public testing::TestWithParam<cases::Wired> {};

TEST_P(EveryTopology, HasEveryLinkInBothDirectionsOnce) {
  const Topology topology = GetParam().make();
  std::set<std::pair<Vertex, Vertex>> seen;
  for (const Link& link : topology.links) {
    EXPECT_NE(link.from, link.to);
    EXPECT_GT(link.gbps, 0);
    EXPECT_TRUE(seen.insert({link.from, link.to}).second) << link.from << ' ' << link.to;
    const int back = topology.link_between(link.to, link.from);
    ASSERT_GE(back, 0);
    EXPECT_EQ(topology.links[index_of(back)].gbps, link.gbps);
  }
  EXPECT_EQ(topology.link_between(0, 0), -1);
  EXPECT_EQ(link_count(topology) * 2, std::ssize(topology.links));
}

// Floyd and Warshall, with no way through a GPU where there are switches.
TEST_P(EveryTopology, HasTheHopsOfAllShortestWays) {
  const Topology topology = GetParam().make();
  const int far = 1000;
  std::vector<std::vector<int>> ways(index_of(topology.vertices), std::vector<int>(index_of(topology.vertices), far));
  for (Vertex node = 0; node < topology.vertices; ++node) ways[index_of(node)][index_of(node)] = 0;
  for (const Link& link : topology.links) ways[index_of(link.from)][index_of(link.to)] = 1;
  for (Vertex via = topology.gpus_forward() ? 0 : topology.gpus; via < topology.vertices; ++via) {
    for (auto& from : ways) {
      for (std::size_t to = 0; to < from.size(); ++to) {
        from[to] = std::min(from[to], from[index_of(via)] + ways[index_of(via)][to]);
      }
    }
  }
  int most = 0;
  for (Vertex from = 0; from < topology.gpus; ++from) {
    for (Vertex to = 0; to < topology.gpus; ++to) {
      EXPECT_EQ(hops(topology, from, to), ways[index_of(from)][index_of(to)]);
      most = std::max(most, ways[index_of(from)][index_of(to)]);
    }
  }
  EXPECT_LT(most, far);
  EXPECT_EQ(diameter(topology), most);
}

TEST_P(EveryTopology, IsCutByFormulaAsByTrial) {
  const Topology topology = GetParam().make();
  const int tried = bisection_by_trial(topology);
  EXPECT_EQ(bisection(topology), tried);
  const auto formula = bisection_by_formula(topology);
  if (formula) {
    EXPECT_EQ(*formula, tried);
  }
  EXPECT_EQ(formula.has_value(), topology.kind != TopologyKind::two_level ||
                                     topology.gpus / topology.gpus_per_node % 2 == 0 ||
                                     topology.gpus == topology.gpus_per_node);
}

// Switches too are put on either side in every way.
TEST_P(EveryTopology, IsCutNoCheaperByAnyAssignmentOfItsNodes) {
  const Topology topology = GetParam().make();
  if (topology.vertices > 13) return;
  int fewest = 1000;
  for (unsigned side = 0; side < 1U << topology.vertices; ++side) {
    int here = 0;
    for (Vertex gpu = 0; gpu < topology.gpus; ++gpu) here += static_cast<int>(side >> gpu & 1U);
    if (here != topology.gpus / 2) continue;
    int cut = 0;
    for (const Link& link : topology.links) cut += (side >> link.from & 1U) == 1 && (side >> link.to & 1U) == 0 ? 1 : 0;
    fewest = std::min(fewest, cut);
  }
  EXPECT_EQ(bisection_by_trial(topology), fewest);
}

INSTANTIATE_TEST_SUITE_P(Small, EveryTopology, testing::ValuesIn(small_topologies()),
                         [](const auto& info) { return label(info.param); });

TEST(Bisection, OfLargerRectanglesIsThatOfTheFormula) {
  for (const TopologyKind kind : {TopologyKind::mesh, TopologyKind::torus}) {
    for (const int gpus : {18, 20}) {
      const Topology topology = make_topology(kind, gpus);
      EXPECT_EQ(bisection_by_formula(topology), bisection_by_trial(topology)) << name_of(kind) << gpus;
    }
  }
}

// The formulas of the table (Grama et al.), far beyond what is tried.
TEST(Topologies, CountAsTheTableSays) {
  const auto expect = [](TopologyKind kind, int gpus, int links, int across, int cut, int degree) {
    const Topology topology = make_topology(kind, gpus);
    EXPECT_EQ(link_count(topology), links) << name_of(kind);
    EXPECT_EQ(diameter(topology), across) << name_of(kind);
    EXPECT_EQ(bisection(topology), cut) << name_of(kind);
    EXPECT_EQ(max_degree(topology), degree) << name_of(kind);
  };
  expect(TopologyKind::line, 64, 63, 63, 1, 2);
  expect(TopologyKind::ring, 64, 64, 32, 2, 2);
  expect(TopologyKind::full_mesh, 64, 64 * 63 / 2, 1, 32 * 32, 63);
  expect(TopologyKind::single_switch, 64, 64, 2, 32, 1);
  expect(TopologyKind::binary_tree, 63, 62, 10, 1, 3);
  expect(TopologyKind::mesh, 64, 2 * (64 - 8), 14, 8, 4);
  expect(TopologyKind::torus, 64, 128, 8, 16, 4);
  expect(TopologyKind::hypercube, 64, 192, 6, 32, 6);
  expect(TopologyKind::torus, 9, 18, 2, 8, 4);  // an odd side does not follow 2 sqrt(p)
}

TEST(Topologies, HaveTheSwitchesOfRealNodes) {
  const Topology dgx_h100 = make_topology(TopologyKind::nvswitch, 8);
  EXPECT_EQ(dgx_h100.vertices - dgx_h100.gpus, 4);
  EXPECT_EQ(diameter(dgx_h100), 2);
  const Topology nvl72 = make_topology(TopologyKind::nvswitch, 72, {.switches = 18});
  EXPECT_EQ(max_degree(nvl72), 18);
  EXPECT_EQ(switch_ports(nvl72), 72);
  EXPECT_EQ(diameter(nvl72), 2);
}

TEST(TwoLevel, HasARailPerCardAndASpine) {
  const Topology topology = make_topology(TopologyKind::two_level, 32, {.oversubscription = 2});
  EXPECT_EQ(topology.vertices, 32 + 4 + 8 + 1);
  EXPECT_EQ(link_count(topology), 32 + 32 + 8);
  EXPECT_EQ(max_degree(topology), 2);
  EXPECT_EQ(hops(topology, 0, 7), 2);  // one node
  EXPECT_EQ(hops(topology, 0, 8), 2);  // one rail
  EXPECT_EQ(hops(topology, 0, 9), 4);  // over the spine
  EXPECT_EQ(bisection(topology), 16);
  double uplink = 0;
  for (const Link& link : topology.links) {
    if (link.link_class == LinkClass::uplink) uplink = link.gbps;
  }
  EXPECT_DOUBLE_EQ(uplink, 4 * 50 / 2.0);
}

TEST(TwoLevel, SharesItsCards) {
  const Topology topology = make_topology(TopologyKind::two_level, 16, {.nics_per_node = 2});
  EXPECT_EQ(hops(topology, 0, 8), 4);   // card, rail, card
  EXPECT_EQ(hops(topology, 0, 12), 6);  // and the spine
  EXPECT_EQ(bisection_by_formula(topology), 2);
  const Topology one_cable = make_topology(TopologyKind::two_level, 16, {.nics_per_node = 1});
  EXPECT_EQ(bisection_by_formula(one_cable), 1);
  EXPECT_EQ(diameter(one_cable), 4);
}

TEST(Slowed, SlowsBothDirectionsOfOneLink) {
  const Topology ring = make_topology(TopologyKind::ring, 5);
  const Topology slow = slowed(ring, 1, 2, 4);
  int changed = 0;
  for (std::size_t link = 0; link < ring.links.size(); ++link) {
    if (ring.links[link] == slow.links[link]) continue;
    ++changed;
    EXPECT_EQ(slow.links[link].from + slow.links[link].to, 3);
    EXPECT_DOUBLE_EQ(slow.links[link].gbps, ring.links[link].gbps / 4);
  }
  EXPECT_EQ(changed, 2);
  EXPECT_EQ(slowed(ring, 0, 2, 4), ring);
}

}  // namespace
}  // namespace commflow

#include "core/route.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "core/algorithms.h"
#include "core/topology_cases.h"

namespace commflow {
namespace {

using cases::label;
using cases::small_topologies;

class EveryRoute : public testing::TestWithParam<cases::Wired> {};

TEST_P(EveryRoute, IsConnectedShortestWithoutLoopAndTheSameEveryTime) {
  const Topology topology = GetParam().make();
  for (Vertex from = 0; from < topology.gpus; ++from) {
    const std::vector<int> hops = hops_from(topology, from);
    for (Vertex to = 0; to < topology.gpus; ++to) {
      if (to == from) continue;
      const std::vector<Way> paths = route(topology, from, to);
      EXPECT_EQ(paths, route(topology, from, to));
      EXPECT_EQ(paths.size(), topology.kind == TopologyKind::nvswitch ? 4U : 1U);
      for (const Way& path : paths) {
        EXPECT_EQ(path.front(), from);
        EXPECT_EQ(path.back(), to);
        EXPECT_EQ(std::ssize(path) - 1, hops[index_of(to)]) << from << " to " << to;
        EXPECT_EQ(std::set<Vertex>(path.begin(), path.end()).size(), path.size());
        for (std::size_t i = 0; i + 1 < path.size(); ++i) {
          EXPECT_GE(topology.link_between(path[i], path[i + 1]), 0) << path[i] << " to " << path[i + 1];
          EXPECT_TRUE(i == 0 || topology.gpus_forward() || !topology.is_gpu(path[i]));
        }
      }
    }
  }
}

// What is sent, times the links it goes over, is what lies on the links; every round is no slower than its busiest.
TEST_P(EveryRoute, CarriesEveryByteOverEveryLinkOfItsWay) {
  const Topology topology = GetParam().make();
  const Bytes payload = 1000003;
  for (const AlgorithmRow& row : algorithms()) {
    const Schedule schedule = row.build(topology.gpus, 0);
    const auto routed = route_schedule(topology, schedule, payload, 1.5);
    EXPECT_EQ(routed.has_value(), schedule.switches == 0 || reduces_in_switch(topology));
    if (!routed || schedule.switches > 0) continue;
    const std::vector<Bytes> slot_bytes = even_slots(payload, schedule.slots);
    Bytes expected = 0;
    for (const Round& round : schedule.rounds) {
      for (const Transfer& transfer : round) {
        if (transfer.local()) continue;
        const Way path = route(topology, transfer.src.rank, transfer.dst.rank).front();
        expected += slot_bytes[index_of(transfer.src.slot)] * (std::ssize(path) - 1);
      }
    }
    EXPECT_EQ(std::accumulate(routed->load.begin(), routed->load.end(), Bytes{0}), expected);
    double time = 0;
    for (const RoundLoad& round : routed->rounds) time += 1.5 + round.transfer_us;
    EXPECT_DOUBLE_EQ(routed->time_us, time);
    EXPECT_EQ(std::ssize(routed->rounds), count_traffic(schedule, payload).rounds);
  }
}

INSTANTIATE_TEST_SUITE_P(Small, EveryRoute, testing::ValuesIn(small_topologies()),
                         [](const auto& info) { return label(info.param); });

Bytes load_between(const Topology& topology, const Routed& routed, Vertex from, Vertex to) {
  return routed.load[index_of(topology.link_between(from, to))];
}

Schedule all_reduce(Algorithm algorithm, int ranks) {
  return *make_schedule(Collective::all_reduce, algorithm, ranks);
}

// On one switch a port is a link: the link model is the port model, whatever the algorithm.
TEST(RouteSchedule, OverOneSwitchIsThePortModel) {
  for (const int ranks : {2, 5, 8, 16}) {
    const Topology topology = make_topology(TopologyKind::single_switch, ranks, {.gbps = 300});
    for (const AlgorithmRow& row : algorithms()) {
      const Schedule schedule = row.build(ranks, ranks / 2);
      const Traffic traffic = count_traffic(schedule, 1 << 20);
      const auto routed = route_schedule(topology, schedule, 1 << 20, 2);
      ASSERT_TRUE(routed);
      EXPECT_NEAR(routed->time_us, time_us(traffic, {2, 300}), 1e-9);
      for (Rank rank = 0; rank < ranks; ++rank) {
        EXPECT_EQ(load_between(topology, *routed, rank, ranks), traffic.sent[index_of(rank)]);
        EXPECT_EQ(load_between(topology, *routed, ranks, rank), traffic.received[index_of(rank)]);
      }
    }
  }
}

// A ring uses one of the n - 1 links of a GPU in a full mesh, direct exchange all of them.
TEST(RouteSchedule, LoadsAFullMeshAsTheFactsSay) {
  const int n = 8;
  const Bytes payload = 8 * 1024;
  const Topology mesh = make_topology(TopologyKind::full_mesh, n);
  const auto direct = route_schedule(mesh, all_reduce(Algorithm::direct, n), payload, 0);
  for (const Bytes load : direct->load) EXPECT_EQ(load, 2 * payload / n);
  const auto ring = route_schedule(mesh, all_reduce(Algorithm::ring, n), payload, 0);
  EXPECT_EQ(load_between(mesh, *ring, 0, 1), 2 * payload * (n - 1) / n);
  EXPECT_EQ(load_between(mesh, *ring, 0, 2), 0);
  EXPECT_NEAR(ring->time_us / direct->time_us, n - 1, 1e-9);
}

// Four ranks at most two hops apart: round 2 of recursive doubling sends 0 <> 2 and 1 <> 3 over the same links.
TEST(RouteSchedule, FindsTheLinkThatIsShared) {
  const Topology line = make_topology(TopologyKind::line, 4, {.gbps = 1});
  const auto routed = route_schedule(line, all_reduce(Algorithm::recursive_doubling, 4), 1000, 0);
  ASSERT_EQ(routed->rounds.size(), 2U);
  EXPECT_EQ(routed->rounds[0].bytes, 1000);
  EXPECT_EQ(routed->rounds[1].bytes, 2000);
  EXPECT_EQ(routed->rounds[1].longest_path, 2);
  EXPECT_EQ(routed->rounds[1].busiest, line.link_between(1, 2));
  EXPECT_EQ(routed->bottleneck, line.link_between(0, 1));  // over both rounds as busy as the middle, and before it
  EXPECT_DOUBLE_EQ(routed->time_us, 1.0 + 2.0);
}

TEST(RouteSchedule, SpreadsOverAllSwitchesOfANode) {
  const Topology node = make_topology(TopologyKind::nvswitch, 8);
  const Bytes payload = 8 * 4096;
  for (const Algorithm algorithm : {Algorithm::ring, Algorithm::direct}) {
    const auto routed = route_schedule(node, all_reduce(algorithm, 8), payload, 0);
    for (const Bytes load : routed->load) EXPECT_EQ(load, 2 * payload * 7 / 8 / 4);
  }
  const auto in_switch = route_schedule(node, all_reduce(Algorithm::in_switch, 8), payload, 0);
  for (const Bytes load : in_switch->load) EXPECT_EQ(load, payload / 4);
}

// Algorithms made for two levels keep the spine free; a ring in rank order crosses it between nodes.
TEST(RouteSchedule, KeepsHierarchicalTrafficOffTheSpine) {
  const Topology cluster = make_topology(TopologyKind::two_level, 16, {.gpus_per_node = 4});
  const Tuning nodes{.gpus_per_node = 4};
  const Bytes payload = 16 * 1024;
  const auto uplinks = [&](Collective collective, Algorithm algorithm) {
    const auto routed = route_schedule(cluster, *make_schedule(collective, algorithm, 16, 0, nodes), payload, 0);
    Bytes total = 0;
    for (std::size_t link = 0; link < cluster.links.size(); ++link) {
      if (cluster.links[link].link_class == LinkClass::uplink) total += routed->load[link];
    }
    return total;
  };
  EXPECT_EQ(uplinks(Collective::all_reduce, Algorithm::hierarchical), 0);
  EXPECT_EQ(uplinks(Collective::all_to_all, Algorithm::hierarchical), 0);
  EXPECT_GT(uplinks(Collective::all_reduce, Algorithm::ring), 0);
  EXPECT_GT(uplinks(Collective::all_to_all, Algorithm::direct), 0);
}

TEST(RouteSchedule, TakesAsLongAsItsSlowLink) {
  const Topology ring = make_topology(TopologyKind::ring, 8);
  const Schedule schedule = all_reduce(Algorithm::ring, 8);
  const auto healthy = route_schedule(ring, schedule, 1 << 20, 0);
  const auto slow = route_schedule(slowed(ring, 3, 4, 10), schedule, 1 << 20, 0);
  EXPECT_NEAR(slow->time_us, 10 * healthy->time_us, 1e-9);
  EXPECT_EQ(slow->bottleneck, ring.link_between(3, 4));
}

TEST(RouteSchedule, RefusesAnotherNumberOfRanks) {
  EXPECT_FALSE(route_schedule(make_topology(TopologyKind::ring, 8), all_reduce(Algorithm::ring, 7), 8, 0));
}

// Time passes from round to round by what the round takes, and ends at the whole; rounds without messages take none.
TEST(TimeUntil, AddsUpToTheWhole) {
  constexpr double kAlpha = 3;
  constexpr Bytes kBytes = Bytes{1} << 24;
  const Topology ring = make_topology(TopologyKind::ring, 8, {});
  for (const AlgorithmRow& row : algorithms()) {
    const auto schedule = make_schedule(row.collective, row.id, 8);
    if (!schedule) continue;
    const auto routed = route_schedule(ring, *schedule, kBytes, kAlpha);
    if (!routed) continue;
    double before = 0;
    for (int round = 0; round < std::ssize(schedule->rounds); ++round) {
      const Schedule one{schedule->ranks, schedule->slots, {schedule->rounds[index_of(round)]}, schedule->switches};
      const double now = time_until_us(*routed, *schedule, round, kAlpha);
      EXPECT_NEAR(now - before, route_schedule(ring, one, kBytes, kAlpha)->time_us, 1e-9 * routed->time_us + 1e-9);
      before = now;
    }
    EXPECT_NEAR(before, routed->time_us, 1e-9 * routed->time_us);
    EXPECT_EQ(time_until_us(*routed, *schedule, -1, kAlpha), routed->time_us);
  }
}

}  // namespace
}  // namespace commflow

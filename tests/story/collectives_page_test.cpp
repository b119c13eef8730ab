// The collectives page: what it draws is what was executed, what it says was counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "core/units.h"
#include "story/pages/pages.h"
#include "support/collectives.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::block;
using support::deriver;
using support::find;
using support::real_library;
using support::settled;
using support::with;

State collectives() {
  return settled(initial_state(real_library()));
}

// Every algorithm of every collective, on several sizes: executed, right, drawn within its room, and all of it on
// screen.
TEST(CollectivesPage, EveryAlgorithmIsExecutedAndDrawn) {
  for (const AlgorithmRow& row : algorithms())
    for (const int ranks : {2, 5, 8, 16}) {
      State state = with(row.collective, row.id, ranks);
      ASSERT_EQ(state.algorithm, static_cast<int>(row.id));
      const CollectiveRun& run = deriver().derive(state).collective;
      const Page page = make_page(state, deriver());
      if (!run.first.works()) {
        EXPECT_NE(find(page, "picture_why"), nullptr) << name_of(row.id) << " " << ranks;
        continue;
      }
      const Example& example = run.first.example;
      EXPECT_TRUE(fulfils(run.collective, run.root, example.history.front(), example.history.back(), run.op))
          << name_of(row.collective) << " " << name_of(row.id) << " " << ranks;
      state.at = example.rounds() * kBeat;
      const Figure figure = make_figure("picture", {1000}, state, deriver(), false);
      std::multiset<std::string> drawn;
      for (const Shape& shape : figure.shapes) {
        EXPECT_LE(shape.box.right(), figure.width + 6) << name_of(row.id) << " " << ranks;
        EXPECT_LE(shape.box.bottom(), figure.height + 6);
        if (shape.kind == ShapeKind::cell && shape.opacity == 1) drawn.insert(shape.text);
      }
      for (Rank rank = 0; rank < ranks; ++rank)
        for (const int block : output_blocks(run.collective, ranks, example.schedule.slots, run.root, rank)) {
          const std::string value = std::to_string(example.history.back().values({rank, Area::out, block}).front());
          const auto found = drawn.find(value);
          ASSERT_NE(found, drawn.end()) << name_of(row.collective) << " " << name_of(row.id) << " rank " << rank;
          drawn.erase(found);
        }
    }
}

TEST(CollectivesPage, AnAverageIsShownAsOne) {
  State state = with(Collective::all_reduce, Algorithm::ring, 4);
  state.op = static_cast<int>(Operator::avg);
  state = settled(state);
  const Example& example = deriver().derive(state).collective.first.example;
  state.at = example.rounds() * kBeat;
  const Value sum = example.history.back().values({0, Area::out, 0}).front();
  const std::string average = text_of_decimal(static_cast<double>(sum) / 4, 2);
  const Figure figure = make_figure("picture", {800}, state, deriver(), false);
  EXPECT_TRUE(std::any_of(figure.shapes.begin(), figure.shapes.end(), [&](const Shape& shape) {
    return shape.text == average;
  })) << average;
}

TEST(CollectivesPage, AnAlgorithmBelongsToItsOperation) {
  for (int collective = 0; collective < kCollectives; ++collective) {
    State state = collectives();
    state.compare = static_cast<int>(Algorithm::halving_doubling);
    state = reduce(state, Set{FieldId::collective, collective}, deriver());
    const auto offered = algorithms_of(static_cast<Collective>(collective));
    const auto offers = [&](int id) {
      return std::find(offered.begin(), offered.end(), static_cast<Algorithm>(id)) != offered.end();
    };
    EXPECT_TRUE(offers(state.algorithm));
    EXPECT_TRUE(state.compare == -1 || offers(state.compare));
  }
}

TEST(CollectivesPage, MetersAreThoseOfTheSchedule) {
  const State state = with(Collective::all_reduce, Algorithm::ring, 8);
  const Page page = make_page(state, deriver());
  const Block* table = find(page, "meters");
  ASSERT_NE(table, nullptr);
  EXPECT_EQ(table->rows[0].cells[1], "14") << "2 (n - 1) rounds";
  EXPECT_EQ(table->rows[2].cells[1], "1.75 GiB") << "2 (n - 1) / n of 1 GiB";
  EXPECT_EQ(table->rows[5].cells[1], "1.75");
  EXPECT_EQ(table->rows[7].cells[1], "1") << "the ring meets the lower bound";
}

// Nothing but a switch that adds beats the lower bound.
TEST(CollectivesPage, LowerBoundHolds) {
  for (const AlgorithmRow& row : algorithms()) {
    const State state = with(row.collective, row.id, 8);
    const CollectiveRun& run = deriver().derive(state).collective;
    if (!run.first.works() || row.id == Algorithm::in_switch) continue;
    EXPECT_GE(static_cast<double>(run.first.traffic.critical_path_bytes) * (1 + 1e-9),
              least_port_bytes(row.collective, 8, run.payload))
        << name_of(row.collective) << " " << name_of(row.id);
  }
}

TEST(CollectivesPage, CurvesCrossWhereTheFormulaSays) {
  State state = with(Collective::all_reduce, Algorithm::ring, 8);
  state.latency_us = 2;
  state.port_gbps = 300;
  state = settled(state);
  const CollectiveRun& run = deriver().derive(state).collective;
  const auto& curves = run.curves;
  const auto curve = [&](Algorithm id) {
    return *std::find_if(curves.begin(), curves.end(), [&](const Curve& c) { return c.algorithm == id; });
  };
  // facts: ring against recursive doubling, n = 8, 2 us, 300 GB/s: 5.28 MB.
  const std::vector<Curve> two{curve(Algorithm::ring), curve(Algorithm::recursive_doubling)};
  const auto crossings = crossings_of(two, run.ports);
  ASSERT_EQ(crossings.size(), 1U);
  EXPECT_NEAR(crossings[0].bytes, 5.28e6, 0.005e6);
  EXPECT_EQ(crossings[0].from, Algorithm::recursive_doubling);
  // At every size the list of crossings names the fastest.
  const auto all = crossings_of(curves, run.ports);
  for (int bits = 0; bits <= kMostSizeBits; ++bits) {
    const double bytes = std::pow(2.0, bits);
    Algorithm winner = all.empty() ? curves.front().algorithm : all.front().from;
    for (const Crossing& crossing : all)
      if (bytes >= crossing.bytes) winner = crossing.to;
    for (const Curve& other : curves)
      EXPECT_LE(curve(winner).us(bytes, run.ports), other.us(bytes, run.ports) * (1 + 1e-9)) << bits;
  }
}

TEST(CollectivesPage, PortsAreSplitOverLinks) {
  State state = with(Collective::all_reduce, Algorithm::direct, 8);
  state.port_gbps = 448;
  state.topology = static_cast<int>(TopologyKind::full_mesh);
  state = settled(state);
  const Topology& mesh = deriver().derive(state).collective.topology;
  EXPECT_EQ(mesh.links.front().gbps, 64) << "MI300X: seven links of 64 GB/s";
  state.topology = static_cast<int>(TopologyKind::single_switch);
  state = settled(state);
  EXPECT_EQ(deriver().derive(state).collective.topology.links.front().gbps, 448);
}

TEST(CollectivesPage, EveryTopologyIsDrawnOrSaysWhyNot) {
  for (int kind = 0; kind < kTopologyKinds; ++kind)
    for (const int ranks : {2, 4, 5, 8, 12, 16})
      for (const float width : {288.0F, 700.0F}) {
        State state = with(Collective::all_reduce, Algorithm::ring, ranks);
        state.topology = kind;
        state = settled(state);
        const CollectiveRun& run = deriver().derive(state).collective;
        const Page page = make_page(state, deriver());
        if (run.topology_problem != SizeProblem::none) {
          EXPECT_NE(find(page, "topology_why"), nullptr);
          continue;
        }
        const Figure figure = make_figure("wires", {width}, state, deriver(), false);
        std::set<std::string> seen;
        for (const Shape& shape : figure.shapes) {
          seen.insert(shape.id);
          for (const Point& point : shape.points) {
            EXPECT_GE(point.x, -2) << kind << " " << ranks;
            EXPECT_LE(point.x, width + 2) << kind << " " << ranks;
            EXPECT_LE(point.y, figure.height + 2) << kind << " " << ranks;
          }
        }
        for (const Link& link : run.topology.links)
          EXPECT_TRUE(seen.count("link." + std::to_string(link.from) + "." + std::to_string(link.to)))
              << kind << " " << ranks;
      }
}

TEST(CollectivesPage, EveryPartOfTheMapSetsItsField) {
  const State state = collectives();
  const Figure map = make_figure("map", {900}, state, deriver(), false);
  EXPECT_GE(map.targets.size(), 9U + 10U + 3U);
  for (const Target& target : map.targets) {
    const auto event = event_of(target.id, false, 0, state, real_library());
    ASSERT_TRUE(event) << target.id;
    const Set& set = std::get<Set>(*event);
    const State after = reduce(state, *event, deriver());
    EXPECT_EQ(after.*field(set.field).member, set.value) << target.id;
  }
}

TEST(CollectivesPage, ADeadGpuStopsEverybody) {
  State state = with(Collective::all_reduce, Algorithm::ring, 8);
  state.fault = static_cast<int>(Fault::Kind::dead_gpu);
  state.fault_gpu = 3;
  state = settled(state);
  const Page page = make_page(state, deriver());
  const Block* lines = find(page, "faults");
  ASSERT_NE(lines, nullptr);
  ASSERT_GT(lines->items.size(), 2U);
  EXPECT_EQ(lines->items.front(), "Never done.");
  EXPECT_NE(lines->items[1].find("GPU 3"), std::string::npos);
  // Nobody gets past those who wait for ever, and every round is in one line.
  EXPECT_NE(lines->items.back().find("to 14: never reached"), std::string::npos) << lines->items.back();
  int next = 1;
  for (std::size_t i = 1; i < lines->items.size(); ++i) {
    int first = 0, last = 0;
    const int found = std::sscanf(lines->items[i].c_str(), "Round%*[s ]%d to %d", &first, &last);
    ASSERT_GE(found, 1) << lines->items[i];
    EXPECT_EQ(first, next) << lines->items[i];
    next = (found == 2 ? last : first) + 1;
  }
  EXPECT_EQ(next, 15);
}

TEST(CollectivesPage, TwoAlgorithmsRunOnTheSameDataAndOneClock) {
  State state = with(Collective::all_reduce, Algorithm::ring, 8);
  state.compare = static_cast<int>(Algorithm::recursive_doubling);
  state = settled(state);
  const CollectiveRun& run = deriver().derive(state).collective;
  ASSERT_TRUE(run.second);
  EXPECT_EQ(run.timeline.length(), 14 * kBeat) << "as long as the longer";
  for (state.at = 0; state.at <= run.timeline.length(); state.at += kBeat / 2)
    for (const char* id : {"picture", "compared"})
      EXPECT_GT(make_figure(id, {700}, state, deriver(), false).shapes.size(), 20U);
}

// What is kept from the last run is what a fresh one counts.
TEST(CollectivesPage, KeptGraphsAreThoseOfTheState) {
  CollectiveRun before;
  for (const auto& [ranks, node_size, size_bits] :
       {std::array{8, 2, 30}, {8, 2, 10}, {8, 4, 10}, {12, 4, 10}, {8, 2, 30}}) {
    State state = with(Collective::all_reduce, Algorithm::ring, ranks);
    state.node_size = node_size;
    state.size_bits = size_bits;
    state = settled(state);
    const CollectiveRun kept = make_collective_run(state, real_library(), before);
    const CollectiveRun fresh = make_collective_run(state, real_library());
    ASSERT_EQ(kept.topologies.size(), static_cast<std::size_t>(kTopologyKinds));
    for (std::size_t i = 0; i < kept.topologies.size(); ++i) {
      const TopologyFacts &a = kept.topologies[i], &b = fresh.topologies[i];
      EXPECT_EQ(a.problem, b.problem);
      EXPECT_EQ(a.links, b.links);
      EXPECT_EQ(a.bisection, b.bisection);
      EXPECT_EQ(a.busiest, b.busiest) << "of this size, not of the last";
      EXPECT_EQ(a.time_us, b.time_us);
    }
    before = kept;
  }
}

TEST(CollectivesPage, UnevenBlocksAllArriveOnce) {
  for (const Algorithm algorithm : {Algorithm::direct, Algorithm::pairwise})
    for (const int ranks : {2, 4, 7, 16}) {
      State state = with(Collective::all_to_all, algorithm, ranks);
      state.uneven = 1;
      state = settled(state);
      const AlgorithmRun& made = deriver().derive(state).collective.first;
      ASSERT_TRUE(made.example.uneven);
      EXPECT_FALSE(validate(made.example.schedule, made.example.history.front()));
      const auto blocks = [&](const Buffers& buffers, Area area) {
        std::multiset<std::pair<Rank, Value>> found;
        for (Rank rank = 0; rank < ranks; ++rank)
          for (int slot = 0; slot < buffers.slots(); ++slot)
            if (buffers.filled({rank, area, slot}))
              found.insert({buffers.from({rank, area, slot}).ranks().front(), buffers.values({rank, area, slot})[0]});
        return found;
      };
      const auto before = blocks(made.example.history.front(), Area::in);
      EXPECT_EQ(before, blocks(made.example.history.back(), Area::out));
      EXPECT_GT(before.size(), 1U);
      Bytes sent = 0, received = 0;
      for (Rank rank = 0; rank < ranks; ++rank) {
        sent += made.traffic.sent[static_cast<std::size_t>(rank)];
        received += made.traffic.received[static_cast<std::size_t>(rank)];
      }
      EXPECT_EQ(sent, received);
      EXPECT_NE(find(make_page(state, deriver()), "uneven_note"), nullptr);
      EXPECT_GT(make_figure("picture", {700}, state, deriver(), false).shapes.size(), 10U);
    }
}

TEST(CollectivesPage, RoundsAreWrittenDownOnRequest) {
  State state = with(Collective::reduce, Algorithm::linear, 4);
  EXPECT_EQ(find(make_page(state, deriver()), "rounds"), nullptr);
  state = reduce(state, *event_of("panel.log", false, 0, state, real_library()), deriver());
  const Page page = make_page(state, deriver());
  const Block* rounds = find(page, "rounds");
  ASSERT_NE(rounds, nullptr);
  EXPECT_EQ(rounds->items.size(), 3U);
}

// ---- what was measured ----

TEST(CollectivesPage, TheMeasuredRingIsMetAtBothEndsAndNowhereMissedByMore) {
  const State state = with(Collective::all_reduce, Algorithm::ring, 8);
  const Curve ring{Algorithm::ring, 2 * 7, 2 * 7 / 8.0};
  const MeasuredFit fit = fit_measured(ring);
  const auto points = measured_all_reduce();
  const auto model = [&](const Measured& point) {
    return 14 * fit.ports.alpha_us + 1.75 * static_cast<double>(point.bytes) / (fit.ports.gbps * 1e3);
  };
  EXPECT_NEAR(model(points.front()), points.front().us, 1e-6 * points.front().us);
  EXPECT_NEAR(model(points.back()), points.back().us, 1e-6 * points.back().us);
  double most = 0;
  for (const Measured& point : points) most = std::max(most, point.us / model(point));
  EXPECT_NEAR(fit.most, most, 1e-9);
  EXPECT_NEAR(fit.ports.gbps, 234.89, 0.5) << "busbw of the largest message as nccl-tests printed it";
  const Page page = make_page(state, deriver());
  const std::string& text = block(page, "curves_misses").text;
  for (const std::string& figure :
       {text_of_time(fit.ports.alpha_us), text_of_rate(fit.ports.gbps * 1e9), text_of_significant(most)})
    EXPECT_NE(text.find(figure), std::string::npos) << text << " lacks " << figure;
  EXPECT_EQ(find(make_page(with(Collective::all_reduce, Algorithm::ring, 7), deriver()), "curves_misses"), nullptr);
}

// ---- sizes that a topology can have ----

TEST(CollectivesPage, WhereATopologyDoesNotFitItSaysWhichSizesDo) {
  for (const TopologyKind kind : {TopologyKind::hypercube, TopologyKind::mesh, TopologyKind::torus}) {
    std::string fitting, said;
    for (int ranks = 2; ranks <= kMaxExecutedRanks; ++ranks) {
      State state = with(Collective::all_reduce, Algorithm::ring, ranks);
      state.topology = static_cast<int>(kind);
      const Page page = make_page(settled(state), deriver());
      const Block* why = find(page, "topology_why");
      if (why != nullptr) said = why->text;
      if (why == nullptr) fitting += (fitting.empty() ? "" : ", ") + std::to_string(ranks);
    }
    EXPECT_NE(said.find(": " + fitting + "."), std::string::npos) << said << " but " << fitting << " fit";
  }
}

}  // namespace
}  // namespace commflow

// The collectives page on waiting calls, on two topologies side by side and on overlap: what is drawn and said is what
// the models counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/units.h"
#include "story/pages/pages.h"
#include "support/collectives.h"

namespace commflow {
namespace {

using support::block;
using support::deriver;
using support::find;
using support::real_library;
using support::settled;
using support::with;

const CollectiveRun& run_of(const State& state) {
  return deriver().derive(state).collective;
}
Figure drawn(const char* id, float width, const State& state) {
  return make_figure(id, {width}, state, deriver(), false);
}
std::map<std::string, Shape> by_id(const Figure& figure) {
  std::map<std::string, Shape> shapes;
  for (const Shape& shape : figure.shapes) {
    if (shape.id.empty()) continue;
    EXPECT_TRUE(shapes.emplace(shape.id, shape).second) << shape.id;
  }
  return shapes;
}
void expect_inside(const Figure& figure) {
  for (const Shape& shape : figure.shapes) {
    EXPECT_GE(shape.box.x, -4) << shape.id << shape.text;
    EXPECT_LE(shape.box.right(), figure.width + 4) << shape.id << shape.text;
    EXPECT_LE(shape.box.bottom(), figure.height + 1) << shape.id << shape.text;
    for (const Point& point : shape.points) {
      EXPECT_GE(point.x, 0);
      EXPECT_LE(point.x, figure.width);
      EXPECT_LE(point.y, figure.height);
    }
  }
}

// ---- sends and receives -----------------------------------------------------

template <class Check>
void for_all_calls(Check check) {
  State state = with(Collective::all_to_all, Algorithm::pairwise, 4);
  for (state.call_pattern = 0; state.call_pattern < rendezvous::kPatterns; ++state.call_pattern)
    for (state.call_order = 0; state.call_order < rendezvous::kOrders; ++state.call_order)
      for (const int ranks : {2, 3, 8, 16}) {
        state.ranks = ranks;
        SCOPED_TRACE(std::string(rendezvous::kOrderNames[static_cast<std::size_t>(state.call_order)]) + " " +
                     std::to_string(ranks));
        check(settled(state));
      }
}

// As many GPUs as there may be, on a phone and beside another: no circle covers a part of another.
TEST(Wires, NobodyStandsOnAnother) {
  for (int kind = 0; kind < kTopologyKinds; ++kind)
    for (const int beside : {-1, static_cast<int>(TopologyKind::hypercube)})
      for (const float width : {358.0F, 700.0F}) {
        State state = with(Collective::all_reduce, Algorithm::ring, 16);
        state.topology = kind;
        state.topology_beside = beside;
        state = settled(state);
        std::vector<Shape> vertices;
        for (const auto& [id, shape] : by_id(drawn("wires", width, state)))
          if (id.find("gpu.") != std::string::npos || id.find("switch.") != std::string::npos)
            vertices.push_back(shape);
        ASSERT_GE(vertices.size(), 16U);
        for (std::size_t i = 0; i < vertices.size(); ++i)
          for (std::size_t j = 0; j < i; ++j) {
            const Box a = vertices[i].box, b = vertices[j].box;
            const bool apart = std::hypot(a.center_x() - b.center_x(), a.center_y() - b.center_y()) >= (a.w + b.w) / 2;
            EXPECT_TRUE(apart) << vertices[i].id << " " << vertices[j].id << " kind " << kind << " at " << width;
          }
      }
}

TEST(WaitingCalls, EveryCallIsDrawnAsItEnded) {
  for_all_calls([](const State& state) {
    const Calls calls = run_of(state).calls;
    for (const float width : {288.0F, 390.0F, 700.0F}) {
      const Figure figure = drawn("calls", width, state);
      expect_inside(figure);
      const auto shapes = by_id(figure);
      for (std::size_t rank = 0; rank < calls.programs.size(); ++rank)
        for (std::size_t group = 0; group < calls.programs[rank].size(); ++group)
          for (std::size_t i = 0; i < calls.programs[rank][group].size(); ++i) {
            const std::string id =
                "call." + std::to_string(rank) + "." + std::to_string(group) + "." + std::to_string(i);
            ASSERT_TRUE(shapes.count(id)) << id;
            const Shape& shape = shapes.at(id);
            const int step = calls.outcome.over[rank][group][i];
            EXPECT_EQ(shape.hatch, step == rendezvous::kPosted) << id;
            EXPECT_EQ(shape.opacity < 1, step == rendezvous::kAhead) << id;
            EXPECT_EQ(!shape.stripes.empty(), step >= 0) << id;
          }
    }
  });
}

// An arrow for each that waits, and the ring in the ink of what is broken.
TEST(WaitingCalls, ArrowsAreTheWaitsAndTheRingStandsOut) {
  for_all_calls([](const State& state) {
    const Calls calls = run_of(state).calls;
    std::set<std::string> waits, ring, arrows, broken;
    for (const rendezvous::Stuck& one : calls.outcome.stuck)
      waits.insert("wait." + std::to_string(one.rank) + "." + std::to_string(one.call.peer));
    const auto& cycle = calls.outcome.cycle;
    for (std::size_t i = 0; i < cycle.size(); ++i)
      ring.insert("wait." + std::to_string(cycle[i]) + "." + std::to_string(cycle[(i + 1) % cycle.size()]));
    for (const auto& [id, shape] : by_id(drawn("calls", 700, state))) {
      if (id.rfind("wait.", 0) != 0) continue;
      arrows.insert(id);
      if (shape.line == Ink::broken) broken.insert(id);
    }
    EXPECT_EQ(arrows, waits);
    EXPECT_EQ(broken, ring);
  });
}

TEST(WaitingCalls, TheSentenceTellsTheRingOrThatAllGotThrough) {
  for_all_calls([](const State& state) {
    const Calls calls = run_of(state).calls;
    const Page page = make_page(state, deriver());
    const std::string said = block(page, "calls_outcome").text;
    const auto& cycle = calls.outcome.cycle;
    for (std::size_t i = 0; i < cycle.size(); ++i)
      EXPECT_NE(said.find("GPU " + std::to_string(cycle[i]) + " waits for GPU " +
                          std::to_string(cycle[(i + 1) % cycle.size()])),
                std::string::npos)
          << said;
    const int messages = state.call_pattern == 0 ? state.ranks * (state.ranks - 1) : state.ranks;
    EXPECT_NE(said.find(std::to_string(messages)), std::string::npos) << said;
    EXPECT_EQ(said.find("waits for") == std::string::npos, calls.outcome.stuck.empty()) << said;
  });
}

// n - 1 blocks through every port: as long as the direct all-to-all takes.
TEST(WaitingCalls, TheGroupTakesAsLongAsTheDirectExchange) {
  for (const int ranks : {2, 4, 8, 16}) {
    State state = with(Collective::all_to_all, Algorithm::direct, ranks);
    state.call_order = static_cast<int>(rendezvous::Order::grouped);
    const CollectiveRun& run = run_of(settled(state));
    EXPECT_NEAR(run.calls.time_us, run.first.port_us, run.first.port_us * 1e-9) << ranks;
  }
}

// ---- two topologies ---------------------------------------------------------

// Widths of the lines as shares of the widest one's bytes.
double share_of(const Shape& line) {
  return (line.line_width - 1.5) / 4;
}

void expect_loads(const std::map<std::string, Shape>& shapes, const std::string& prefix, const Topology& topology,
                  const std::vector<Bytes>& loads, Bytes most) {
  for (std::size_t i = 0; i < topology.links.size(); ++i) {
    const Link& link = topology.links[i];
    const std::string id = prefix + "link." + std::to_string(link.from) + "." + std::to_string(link.to);
    ASSERT_TRUE(shapes.count(id)) << id;
    const Shape& line = shapes.at(id);
    EXPECT_EQ(line.head, loads[i] > 0) << id;
    if (loads[i] == 0) continue;
    EXPECT_NEAR(share_of(line), static_cast<double>(loads[i]) / static_cast<double>(most), 1e-5) << id;
  }
}

std::vector<Bytes> loads_of(const CollectiveRun& run, const Topology& topology, int round) {
  if (round < 0) return route_schedule(topology, run.first.example.schedule, run.payload, run.ports.alpha_us)->load;
  return load_of_round(topology, run.first.example.schedule.rounds[static_cast<std::size_t>(round)],
                       even_slots(run.payload, run.first.example.schedule.slots));
}

TEST(TwoTopologies, AreDrawnWithTheLoadsOfTheirOwnRoutesOnOneScale) {
  State state = with(Collective::all_reduce, Algorithm::ring, 8);
  for (state.topology = 0; state.topology < kTopologyKinds; ++state.topology)
    for (state.topology_beside = 0; state.topology_beside < kTopologyKinds; ++state.topology_beside)
      for (const int round : {-1, 3}) {
        state.at = round < 0 ? 0 : round * kBeat + kBeat / 2;
        SCOPED_TRACE(std::to_string(state.topology) + " " + std::to_string(state.topology_beside));
        const CollectiveRun run = run_of(state);
        ASSERT_TRUE(run.beside);
        ASSERT_EQ(run.topology_problem, SizeProblem::none);
        ASSERT_EQ(run.beside->problem, SizeProblem::none);
        const auto first = loads_of(run, run.topology, round), second = loads_of(run, run.beside->topology, round);
        const Bytes most =
            std::max(*std::max_element(first.begin(), first.end()), *std::max_element(second.begin(), second.end()));
        for (const float width : {358.0F, 700.0F}) {
          const Figure figure = drawn("wires", width, state);
          const auto shapes = by_id(figure);
          expect_loads(shapes, "", run.topology, first, most);
          expect_loads(shapes, "beside.", run.beside->topology, second, most);
        }
      }
}

// The one beside is what it would be by itself.
TEST(TwoTopologies, CountWhatEachCountsAlone) {
  for (const AlgorithmRow& row : algorithms())
    for (int kind = 0; kind < kTopologyKinds; ++kind) {
      State state = with(row.collective, row.id, 8);
      state.topology_beside = kind;
      const CollectiveRun beside = run_of(settled(state));
      state.topology_beside = -1;
      state.topology = kind;
      const CollectiveRun alone = run_of(settled(state));
      ASSERT_TRUE(beside.beside && !alone.beside);
      ASSERT_EQ(beside.beside->problem, alone.topology_problem);
      ASSERT_EQ(beside.beside->routed.has_value(), alone.first.routed.has_value()) << name_of(row.id) << " " << kind;
      if (!alone.first.routed) continue;
      EXPECT_EQ(beside.beside->routed->load, alone.first.routed->load);
      EXPECT_EQ(beside.beside->routed->time_us, alone.first.routed->time_us);
    }
}

TEST(TwoTopologies, SayWhyOneOfThemCannotBe) {
  State state = with(Collective::all_reduce, Algorithm::ring, 5);
  state.topology_beside = static_cast<int>(TopologyKind::hypercube);
  const Page page = make_page(settled(state), deriver());
  EXPECT_NE(block(page, "topology_beside_counted").text.find("2, 4, 8"), std::string::npos);
  EXPECT_NE(find(page, "wires"), nullptr) << "the other one is still drawn";
}

// On a phone they stand below each other, else beside each other.
TEST(TwoTopologies, StandBelowEachOtherWhereThereIsLittleRoom) {
  State state = with(Collective::all_reduce, Algorithm::ring, 8);
  state.topology_beside = static_cast<int>(TopologyKind::ring);
  state = settled(state);
  for (const float width : {358.0F, 700.0F}) {
    const auto shapes = by_id(drawn("wires", width, state));
    const Box first = shapes.at("gpu.0").box, second = shapes.at("beside.gpu.0").box;
    EXPECT_EQ(second.y > first.bottom(), width < 400);
    EXPECT_EQ(second.x > first.right(), width > 400);
  }
}

// ---- overlap ----------------------------------------------------------------

TEST(Overlap, BarsAreTheTimesOnOneScale) {
  for (const AlgorithmRow& row : algorithms())
    for (const int percent : {0, 40, 100, 700}) {
      State state = with(row.collective, row.id, 8);
      state.compute_to_comm = percent;
      state.comm_sms = 24;
      state.memory_bound = 50;
      state = settled(state);
      const CollectiveRun run = run_of(state);
      if (!run.overlap) {
        EXPECT_FALSE(run.first.works());
        continue;
      }
      const OverlapCost& cost = *run.overlap;
      const Figure figure = drawn("overlap", 600, state);
      expect_inside(figure);
      const auto shapes = by_id(figure);
      const double scale = std::max(cost.apart_us(), cost.time.total_us) / figure.width;
      const auto ends = [&](const char* id) { return static_cast<double>(shapes.at(id).box.right()) * scale; };
      const double slack = scale * 1.5;  // a bar has at least one pixel
      EXPECT_NEAR(ends("time.compute"), cost.alone.compute_us, slack);
      EXPECT_NEAR(ends("time.communicate"), cost.comm_us, slack);
      EXPECT_NEAR(ends("time.apart.communicate"), cost.apart_us(), slack);
      EXPECT_NEAR(ends("longer.compute"), cost.time.compute_us, slack);
      EXPECT_NEAR(ends("longer.communicate"), cost.time.comm_us, slack);
    }
}

// Copies read and write each byte once: of an all-gather's memory traffic both directions of the port are all.
TEST(Overlap, CountsTheMemoryTrafficOfTheChosenSchedule) {
  const CollectiveRun gathered = run_of(with(Collective::all_gather, Algorithm::ring, 8));
  EXPECT_EQ(gathered.overlap->memory_bytes, gathered.first.traffic.sent[0] + gathered.first.traffic.received[0]);
  const CollectiveRun reduced = run_of(with(Collective::reduce_scatter, Algorithm::ring, 8));
  EXPECT_EQ(reduced.overlap->memory_bytes, reduced.first.traffic.sent[0] + 2 * reduced.first.traffic.received[0]);
}

// ---- what the fields change -------------------------------------------------

// A field that a section reads is part of what the run is remembered by.
TEST(CollectiveSections, FollowTheirFields) {
  const State plain = with(Collective::all_reduce, Algorithm::ring, 4);
  const auto said = [](const State& state) {
    std::string text;
    for (const Block& each : make_page(state, deriver()).blocks)
      if (each.kind != BlockKind::controls) text += each.text + each.alt + "\n";
    for (const char* id : {"wires", "calls", "overlap"})
      for (const Shape& shape : drawn(id, 700, state).shapes) text += shape.text + shape.id + " ";
    return text;
  };
  const std::string before = said(plain);
  for (const FieldId id : {FieldId::topology_beside, FieldId::call_pattern, FieldId::call_order, FieldId::sms,
                           FieldId::comm_sms, FieldId::compute_to_comm, FieldId::memory_bound}) {
    const int value = plain.*field(id).member;
    const State after = reduce(plain, Set{id, value == field(id).max ? value - 1 : value + 1}, deriver());
    ASSERT_NE(after.*field(id).member, value) << field(id).name;
    EXPECT_NE(said(after), before) << field(id).name;
  }
  EXPECT_EQ(said(plain), before);
}

TEST(CollectiveSections, CommunicationLeavesAnSmToComputing) {
  State state = with(Collective::all_reduce, Algorithm::ring, 4);
  state.sms = field(FieldId::sms).min;
  state.comm_sms = field(FieldId::comm_sms).max;
  EXPECT_EQ(settled(state).comm_sms, field(FieldId::sms).min - 1);
}

}  // namespace
}  // namespace commflow

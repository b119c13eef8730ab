#pragma once
// What the collectives page plays and counts: one collective by one algorithm, over
// one topology, and perhaps a second algorithm beside it on the same data.

#include <optional>
#include <vector>

#include "core/algorithms.h"
#include "core/faults.h"
#include "core/rendezvous.h"
#include "core/route.h"
#include "core/shared_gpu.h"
#include "story/examples.h"
#include "story/fields.h"
#include "story/library.h"

namespace commflow {

// One algorithm, executed and counted; empty where it does not apply.
struct AlgorithmRun {
  Algorithm algorithm{};
  WhyNot why_not;
  Example example;               // schedule and history
  Traffic traffic;               // of the chosen message size
  std::optional<Routed> routed;  // over the chosen topology; none where the two do not go together
  double port_us = 0;            // by the port model
  bool works() const { return !why_not; }
};

// One kind of topology for so many GPUs, counted on its graph, and what the first algorithm makes of it.
struct TopologyFacts {
  TopologyKind kind{};
  SizeProblem problem{};
  int links = 0, diameter = 0, degree = 0;
  std::optional<int> bisection;
  double time_us = 0;  // with `routed`
  Bytes busiest = 0;   // most bytes over a link, with `routed`
  bool routed = false;
};

// Time against message size of one algorithm: rounds * alpha + factor * S / bandwidth.
struct Curve {
  Algorithm algorithm{};
  int rounds = 0;
  double factor = 0;  // bytes through the busiest port over S
  double us(double bytes, const PortModel& ports) const;
};

// The first algorithm over a second topology.
struct Beside {
  TopologyKind kind{};
  SizeProblem problem{};
  Topology topology;             // empty with a problem
  std::optional<Routed> routed;  // none with a problem, and where the two do not go together
};

// Sends and receives in the chosen order, executed.
struct Calls {
  rendezvous::Pattern pattern{};
  rendezvous::Order order{};
  std::vector<rendezvous::Program> programs;
  rendezvous::Outcome outcome;
  Bytes block = 0;     // that each send carries
  double time_us = 0;  // of the steps that are made, by the port model
};

// The first algorithm and as much computing at the same time, on its busiest GPU.
struct OverlapCost {
  SharedGpu gpu;
  Alone alone;
  SharedTime time;
  double comm_us = 0;      // alone
  Bytes memory_bytes = 0;  // of the GPU whose memory is busiest
  double apart_us() const { return alone.compute_us + comm_us; }
};

struct CollectiveRun {
  Collective collective{};
  Operator op{};
  int ranks = 0;
  Rank root = 0;
  Bytes payload = 0;
  Tuning tuning;
  PortModel ports;
  SizeProblem topology_problem{};
  Topology topology;  // empty with a problem
  AlgorithmRun first;
  std::optional<AlgorithmRun> second;
  Rows typed;           // values of the reader, or empty
  bool uneven = false;  // all-to-all by an algorithm that can send as many blocks as each pair needs
  Fault fault;
  std::vector<Progress> progress;         // of the first algorithm, with the fault; else empty
  std::vector<TopologyFacts> topologies;  // one per kind
  int node_size = 0;                      // that they were counted with
  std::vector<Curve> curves;              // of the algorithms that apply
  std::optional<Beside> beside;
  Calls calls;
  std::optional<OverlapCost> overlap;  // where the first algorithm applies
  Timeline timeline;                   // as long as the longer of the two
};
// The fields that make_collective_run() reads.
State collective_key_of(const State& state);
// `before`: the last one, whose graphs are not counted again where they are the same (a bisection of 16 GPUs is
// thousands of cuts).
CollectiveRun make_collective_run(const State& state, const Library& library, const CollectiveRun& before = {});

// Those that can carry blocks of different sizes.
bool carries_uneven(Collective collective, Algorithm algorithm);

// Bytes of every slot of a schedule that was run: the payload's blocks, or of uneven blocks all the same.
std::vector<Bytes> slot_bytes_of(const CollectiveRun& run, const AlgorithmRun& made);

// Bytes of all slots of the first algorithm's schedule together: the payload, but of uneven blocks what the fullest
// GPU could hold.
Bytes carried_bytes(const CollectiveRun& run);

// The algorithms of a collective, in the order in which they are offered.
std::vector<Algorithm> algorithms_of(Collective collective);

// A typed factor of a product is held between this and its negative, so that sixteen of them fit a Value.
inline constexpr int kMostFactor = 9;

// Largest message of the size slider: 2^34 bytes = 16 GiB.
inline constexpr int kMostSizeBits = 34;

// Bandwidths for a topology: a GPU's port is split evenly over its links to other GPUs
// or to NVLink switches.
Wiring wiring_of(const State& state, const Library& library, TopologyKind kind);

// Links of the chosen GPU: its NVLink port, unless the reader sets another speed.
PortModel ports_of(const State& state, const Library& library);

// The smallest number of bytes that any algorithm without help of switches must pass
// through the busiest port of one direction (nccl-tests doc/PERFORMANCE.md): payload * busbw_factor.
double least_port_bytes(Collective collective, int ranks, Bytes payload);

// Where the fastest algorithm changes: from this size on `to` is faster than `from`.
struct Crossing {
  Algorithm from{}, to{};
  double bytes = 0;
};
std::vector<Crossing> crossings_of(const std::vector<Curve>& curves, const PortModel& ports);

// nccl-tests, 8 x A100, NVLink 3, ring, all-reduce (stas00/ml-engineering, network benchmarks), to compare with the
// model.
struct Measured {
  Bytes bytes;
  double us;
};
std::span<const Measured> measured_all_reduce();
// Whether it is this operation on as many GPUs.
bool is_measured(const CollectiveRun& run);

// The model that agrees with the first and the last measured point, and the worst it does in between.
struct MeasuredFit {
  PortModel ports;
  double most = 1;  // measured time over the model's
};
// `ring`: rounds and factor of the ring on as many GPUs. rounds * alpha + factor * S / bandwidth = t at both ends.
MeasuredFit fit_measured(const Curve& ring);

}  // namespace commflow

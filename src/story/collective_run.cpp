#include "story/collective_run.h"

#include <algorithm>
#include <cmath>

#include "core/rng.h"

namespace commflow {
namespace {

constexpr Bytes operator""_KiB(unsigned long long value) {
  return static_cast<Bytes>(value) << 10;
}
constexpr Bytes operator""_MiB(unsigned long long value) {
  return static_cast<Bytes>(value) << 20;
}
constexpr Bytes operator""_GiB(unsigned long long value) {
  return static_cast<Bytes>(value) << 30;
}
constexpr int kMeasuredRanks = 8;
constexpr Measured kMeasured[] = {{32_KiB, 43.83}, {256_KiB, 61.38},  {8_MiB, 133.5},
                                  {64_MiB, 684.6}, {512_MiB, 4218.4}, {16_GiB, 127997}};

// Of a block: what the reader typed, rows and numbers repeated as often as needed.
Value typed_value(const CollectiveRun& run, Rank rank, int block) {
  const auto row = run.typed.row(rank % run.typed.size());
  const int value = row[static_cast<std::size_t>(block) % row.size()];
  return run.op == Operator::prod ? std::clamp(value, -kMostFactor, kMostFactor) : value;
}

// The same numbers whatever the algorithm, as far as its blocks are as many.
std::vector<std::vector<Value>> values_for(const CollectiveRun& run, const Schedule& schedule) {
  const int most = run.op == Operator::prod ? 3 : 9;
  std::vector<std::vector<Value>> values(static_cast<std::size_t>(run.ranks));
  for (Rank rank = 0; rank < run.ranks; ++rank) {
    Rng rng(1 + static_cast<std::uint64_t>(rank));
    const auto blocks = input_blocks(run.collective, run.ranks, schedule.slots, run.root, rank);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      values[static_cast<std::size_t>(rank)].push_back(run.typed.empty() ? rng.between(1, most)
                                                                         : typed_value(run, rank, static_cast<int>(i)));
  }
  return values;
}

// How many blocks each GPU has for each, 0 to 3.
std::vector<Item> uneven_items(int ranks, int& slots) {
  Rng rng(5);
  std::vector<Item> items;
  std::vector<int> arriving(static_cast<std::size_t>(ranks));
  slots = 1;
  for (Rank src = 0; src < ranks; ++src) {
    int leaving = 0;
    for (Rank dst = 0; dst < ranks; ++dst)
      for (int i = rng.below(4); i > 0; --i)
        items.push_back({src, leaving++, dst, arriving[static_cast<std::size_t>(dst)]++});
    slots = std::max(slots, leaving);
  }
  for (const int count : arriving) slots = std::max(slots, count);
  return items;
}

// As large as a block of the even exchange would be.
Bytes uneven_block(const CollectiveRun& run) {
  return std::max<Bytes>(1, run.payload / run.ranks);
}

void execute_uneven(const CollectiveRun& run, AlgorithmRun& made) {
  int slots = 1;
  const auto items = uneven_items(run.ranks, slots);
  Schedule schedule = uneven_all_to_all(made.algorithm, run.ranks, slots, items);
  Buffers initial(run.ranks, std::vector<int>(static_cast<std::size_t>(slots), 1));
  for (const Item& item : items) {
    const Value value = run.typed.empty() ? 1 + (item.src_rank * slots + item.src_slot) % 9
                                          : typed_value(run, item.src_rank, item.src_slot);
    initial.put({item.src_rank, Area::in, item.src_slot}, std::span(&value, 1), Origins::of(item.src_rank));
  }
  const Bytes block = uneven_block(run);
  made.traffic = count_traffic(schedule, std::vector<Bytes>(static_cast<std::size_t>(slots), block));
  made.port_us = time_us(made.traffic, run.ports);
  if (run.topology_problem == SizeProblem::none)
    made.routed = route_schedule(run.topology, schedule, block * slots, run.ports.alpha_us);
  made.example.collective = run.collective;
  made.example.algorithm = made.algorithm;
  made.example.uneven = true;
  made.example.history = history(schedule, initial, run.op);
  made.example.schedule = std::move(schedule);
}

void execute(const CollectiveRun& run, AlgorithmRun& made) {
  if (run.uneven && carries_uneven(run.collective, made.algorithm)) return execute_uneven(run, made);
  made.why_not = why_not(run.collective, made.algorithm, run.ranks, run.tuning);
  if (!made.works()) return;
  Schedule schedule = *make_schedule(run.collective, made.algorithm, run.ranks, run.root, run.tuning);
  const std::vector<int> widths(static_cast<std::size_t>(schedule.slots), 1);
  const Buffers initial =
      initial_buffers(run.collective, run.root, widths, values_for(run, schedule), schedule.switches);
  made.traffic = count_traffic(schedule, run.payload);
  made.port_us = time_us(made.traffic, run.ports);
  if (run.topology_problem == SizeProblem::none)
    made.routed = route_schedule(run.topology, schedule, run.payload, run.ports.alpha_us);
  made.example.collective = run.collective;
  made.example.algorithm = made.algorithm;
  made.example.root = run.root;
  made.example.op = run.op;
  made.example.history = history(schedule, initial, run.op);
  made.example.schedule = std::move(schedule);
}

std::vector<Curve> curves_of(const CollectiveRun& run) {
  constexpr Bytes kProbe = Bytes{1} << 30;  // large enough that a block more or less does not show
  std::vector<Curve> curves;
  for (const Algorithm algorithm : algorithms_of(run.collective)) {
    const auto schedule = make_schedule(run.collective, algorithm, run.ranks, run.root, run.tuning);
    if (!schedule) continue;
    const Traffic traffic = count_traffic(*schedule, kProbe);
    curves.push_back(
        {algorithm, traffic.rounds, static_cast<double>(traffic.critical_path_bytes) / static_cast<double>(kProbe)});
  }
  return curves;
}

// The graphs alone; they depend on the number of GPUs and the size of a node.
std::vector<TopologyFacts> count_graphs(const State& state, const Library& library) {
  std::vector<TopologyFacts> all;
  for (int i = 0; i < kTopologyKinds; ++i) {
    TopologyFacts facts{static_cast<TopologyKind>(i)};
    const Wiring wiring = wiring_of(state, library, facts.kind);
    facts.problem = size_problem(facts.kind, state.ranks, wiring);
    if (facts.problem == SizeProblem::none) {
      const Topology topology = make_topology(facts.kind, state.ranks, wiring);
      facts.links = link_count(topology);
      facts.diameter = diameter(topology);
      facts.degree = max_degree(topology);
      facts.bisection = bisection(topology);
    }
    all.push_back(facts);
  }
  return all;
}

void route_over(TopologyFacts& facts, const CollectiveRun& run, const Wiring& wiring) {
  facts.routed = false;
  if (facts.problem != SizeProblem::none || !run.first.works()) return;
  const Topology topology = make_topology(facts.kind, run.ranks, wiring);
  const auto routed = route_schedule(topology, run.first.example.schedule, carried_bytes(run), run.ports.alpha_us);
  if (!routed) return;
  facts.routed = true;
  facts.time_us = routed->time_us;
  facts.busiest = routed->load.empty() ? 0 : *std::max_element(routed->load.begin(), routed->load.end());
}

Beside beside_of(const State& state, const Library& library, const CollectiveRun& run) {
  Beside beside{static_cast<TopologyKind>(state.topology_beside)};
  const Wiring wiring = wiring_of(state, library, beside.kind);
  beside.problem = size_problem(beside.kind, run.ranks, wiring);
  if (beside.problem != SizeProblem::none) return beside;
  beside.topology = make_topology(beside.kind, run.ranks, wiring);
  if (run.first.works())
    beside.routed = route_schedule(beside.topology, run.first.example.schedule, carried_bytes(run), run.ports.alpha_us);
  return beside;
}

Calls calls_of(const State& state, const CollectiveRun& run) {
  Calls calls{static_cast<rendezvous::Pattern>(state.call_pattern), static_cast<rendezvous::Order>(state.call_order)};
  calls.programs = rendezvous::make_programs(calls.pattern, calls.order, run.ranks);
  calls.outcome = rendezvous::execute(calls.programs);
  calls.block = uneven_block(run);
  Traffic traffic;
  traffic.rounds = static_cast<int>(calls.outcome.steps.size());
  traffic.critical_path_bytes = calls.block * rendezvous::blocks_through_port(calls.outcome, run.ranks);
  calls.time_us = time_us(traffic, run.ports);
  return calls;
}

OverlapCost overlap_of(const State& state, const Library& library, const CollectiveRun& run) {
  OverlapCost cost;
  const Gpu& gpu = library.gpus[static_cast<std::size_t>(state.hardware)];
  cost.gpu = {state.sms, state.comm_sms, static_cast<double>(gpu.memory_bandwidth.value) / 1e9};
  const auto memory =
      count_memory(run.first.example.schedule, run.first.example.history, slot_bytes_of(run, run.first));
  cost.memory_bytes = *std::max_element(memory.begin(), memory.end());
  cost.alone = {0, state.memory_bound / 100.0, run.first.port_us, static_cast<double>(cost.memory_bytes)};
  cost.comm_us = comm_alone_us(cost.gpu, cost.alone);
  cost.alone.compute_us = cost.comm_us * state.compute_to_comm / 100;
  cost.time = share(cost.gpu, cost.alone);
  return cost;
}

Fault fault_of(const State& state) {
  Fault fault;
  if (state.fault_gpu < 0 || state.fault == 0) return fault;
  fault.kind = static_cast<Fault::Kind>(state.fault);
  fault.rank = state.fault_gpu;
  fault.peer = (state.fault_gpu + 1) % state.ranks;
  fault.factor = kSlowFactor;
  fault.late_us = kLateMs * 1000;
  return fault;
}

}  // namespace

PortModel ports_of(const State& state, const Library& library) {
  const Gpu& gpu = library.gpus[static_cast<std::size_t>(state.hardware)];
  const double published = static_cast<double>(gpu.nvlink.value) / 1e9;
  return {static_cast<double>(state.latency_us), state.port_gbps > 0 ? state.port_gbps : published};
}

Wiring wiring_of(const State& state, const Library& library, TopologyKind kind) {
  Wiring wiring;
  const Gpu& gpu = library.gpus[static_cast<std::size_t>(state.hardware)];
  wiring.network_gbps = static_cast<double>(gpu.nic.value) / 1e9;
  wiring.gpus_per_node = state.node_size;
  wiring.oversubscription = state.oversubscription;
  wiring.gbps = ports_of(state, library).gbps;
  if (size_problem(kind, state.ranks, wiring) != SizeProblem::none) return wiring;
  const Topology topology = make_topology(kind, state.ranks, wiring);
  std::ptrdiff_t most = 1;
  for (Vertex vertex = 0; vertex < topology.gpus; ++vertex) {
    const auto links = topology.links_of(vertex);
    most = std::max(most, std::count_if(links.begin(), links.end(),
                                        [](const Link& link) { return link.link_class == LinkClass::nvlink; }));
  }
  wiring.gbps /= static_cast<double>(most);
  return wiring;
}

bool carries_uneven(Collective collective, Algorithm algorithm) {
  return collective == Collective::all_to_all && (algorithm == Algorithm::direct || algorithm == Algorithm::pairwise);
}

std::vector<Algorithm> algorithms_of(Collective collective) {
  std::vector<Algorithm> list;
  for (const AlgorithmRow& row : algorithms())
    if (row.collective == collective) list.push_back(row.id);
  return list;
}

double least_port_bytes(Collective collective, int ranks, Bytes payload) {
  const Fraction factor = busbw_factor(collective, ranks);
  return static_cast<double>(payload) * static_cast<double>(factor.numerator) / static_cast<double>(factor.denominator);
}

State collective_key_of(const State& state) {
  State key;
  for (int State::*member : {&State::hardware,
                             &State::latency_us,
                             &State::collective,
                             &State::algorithm,
                             &State::compare,
                             &State::ranks,
                             &State::root,
                             &State::op,
                             &State::size_bits,
                             &State::chunks,
                             &State::node_size,
                             &State::topology,
                             &State::oversubscription,
                             &State::port_gbps,
                             &State::fault,
                             &State::fault_gpu,
                             &State::uneven,
                             &State::topology_beside,
                             &State::call_pattern,
                             &State::call_order,
                             &State::sms,
                             &State::comm_sms,
                             &State::compute_to_comm,
                             &State::memory_bound})
    key.*member = state.*member;
  key.values = state.values;
  return key;
}

Bytes carried_bytes(const CollectiveRun& run) {
  if (!run.first.example.uneven) return run.payload;
  return uneven_block(run) * run.first.example.schedule.slots;
}

std::vector<Bytes> slot_bytes_of(const CollectiveRun& run, const AlgorithmRun& made) {
  const int slots = made.example.schedule.slots;
  if (!made.example.uneven) return even_slots(run.payload, slots);
  return std::vector<Bytes>(static_cast<std::size_t>(slots), uneven_block(run));
}

CollectiveRun make_collective_run(const State& state, const Library& library, const CollectiveRun& before) {
  CollectiveRun run;
  run.collective = static_cast<Collective>(state.collective);
  run.op = reduces(run.collective) ? static_cast<Operator>(state.op) : Operator::sum;
  run.ranks = state.ranks;
  run.root = std::min(state.root, state.ranks - 1);
  run.payload = Bytes{1} << state.size_bits;
  run.tuning = {state.chunks,
                state.node_size < state.ranks && state.ranks % state.node_size == 0 ? state.node_size : 0};
  run.ports = ports_of(state, library);
  const auto kind = static_cast<TopologyKind>(state.topology);
  const Wiring wiring = wiring_of(state, library, kind);
  run.topology_problem = size_problem(kind, run.ranks, wiring);
  if (run.topology_problem == SizeProblem::none) run.topology = make_topology(kind, run.ranks, wiring);
  run.uneven = state.uneven != 0;
  run.typed = state.values;
  run.first.algorithm = static_cast<Algorithm>(state.algorithm);
  execute(run, run.first);
  if (state.compare >= 0) {
    run.second.emplace();
    run.second->algorithm = static_cast<Algorithm>(state.compare);
    execute(run, *run.second);
  }
  run.fault = fault_of(state);
  if (run.first.works() && run.fault.kind != Fault::Kind::none)
    run.progress = play_out(run.first.example.schedule, carried_bytes(run), run.ports, run.fault);
  run.node_size = state.node_size;
  const bool same_graphs = before.ranks == run.ranks && before.node_size == run.node_size && !before.topologies.empty();
  run.topologies = same_graphs ? before.topologies : count_graphs(state, library);
  for (TopologyFacts& facts : run.topologies) route_over(facts, run, wiring_of(state, library, facts.kind));
  if (state.topology_beside >= 0) run.beside = beside_of(state, library, run);
  run.calls = calls_of(state, run);
  if (run.first.works()) run.overlap = overlap_of(state, library, run);
  run.curves = curves_of(run);
  run.timeline = timeline_of(run.first.example);
  if (run.second && run.second->example.rounds() > run.first.example.rounds())
    run.timeline = timeline_of(run.second->example);
  return run;
}

double Curve::us(double bytes, const PortModel& ports) const {
  return rounds * ports.alpha_us + factor * bytes / (ports.gbps * 1e3);
}

std::vector<Crossing> crossings_of(const std::vector<Curve>& curves, const PortModel& ports) {
  std::vector<Crossing> crossings;
  if (curves.empty()) return crossings;
  const auto faster = [&](const Curve& a, const Curve& b) {
    return a.rounds != b.rounds ? a.rounds < b.rounds : a.factor < b.factor;
  };
  const Curve* now = &*std::min_element(curves.begin(), curves.end(), faster);
  const double rate = ports.gbps * 1e3;  // bytes per microsecond
  for (double size = 0;;) {
    const Curve* next = nullptr;
    double at = 0;
    for (const Curve& other : curves) {
      if (other.factor >= now->factor) continue;
      const double meets =
          std::max(size, (other.rounds - now->rounds) * ports.alpha_us * rate / (now->factor - other.factor));
      const bool sooner = next == nullptr || meets < at || (meets == at && other.factor < next->factor);
      if (!sooner) continue;
      next = &other;
      at = meets;
    }
    if (next == nullptr) return crossings;
    crossings.push_back({now->algorithm, next->algorithm, at});
    now = next;
    size = at;
  }
}

std::span<const Measured> measured_all_reduce() {
  return kMeasured;
}

bool is_measured(const CollectiveRun& run) {
  return run.collective == Collective::all_reduce && run.ranks == kMeasuredRanks;
}

MeasuredFit fit_measured(const Curve& ring) {
  const Measured &first = *std::begin(kMeasured), &last = *std::prev(std::end(kMeasured));
  const double rate = ring.factor * static_cast<double>(last.bytes - first.bytes) / (last.us - first.us);
  MeasuredFit fit;
  fit.ports.gbps = rate / 1e3;  // from bytes per microsecond
  fit.ports.alpha_us = (first.us - ring.factor * static_cast<double>(first.bytes) / rate) / ring.rounds;
  for (const Measured& point : kMeasured)
    fit.most = std::max(fit.most, point.us / ring.us(static_cast<double>(point.bytes), fit.ports));
  return fit;
}

}  // namespace commflow

#include "core/route.h"

#include <algorithm>
#include <cstdlib>
#include <map>

#include "core/index.h"
#include "core/ordering.h"

namespace commflow {
namespace {

// +1 or -1: the shorter way from one place to another in a row of `length`; up where
// both are equal.
int direction(int from, int to, int length, bool closes) {
  if (!closes) return from < to ? 1 : -1;
  const int up = (to - from + length) % length;
  return 2 * up <= length ? 1 : -1;
}

// Appends the nodes after the first, from place to place.
template <class NodeAt>
void walk_row(Way& path, int from, int to, int length, bool closes, NodeAt node_at) {
  const int step = direction(from, to, length, closes);
  while (from != to) {
    from = (from + step + length) % length;
    path.push_back(node_at(from));
  }
}

Way along_row(const Topology& topology, Vertex from, Vertex to) {
  Way path{from};
  walk_row(path, from, to, topology.gpus, topology.kind == TopologyKind::ring, [](int i) { return i; });
  return path;
}

Way along_grid(const Topology& topology, Vertex from, Vertex to) {
  const bool closes = topology.kind == TopologyKind::torus;
  const int columns = topology.columns;
  const int row = from / columns;
  const int column = to % columns;
  Way path{from};
  walk_row(path, from % columns, column, columns, closes, [&](int at) { return row * columns + at; });
  walk_row(path, row, to / columns, topology.rows, closes, [&](int at) { return at * columns + column; });
  return path;
}

Way along_tree(Vertex from, Vertex to) {
  Way up{from};
  Way down{to};
  while (up.back() != down.back()) {
    Way& deeper = up.back() > down.back() ? up : down;  // rows are filled in order: a larger number is not above
    deeper.push_back((deeper.back() - 1) / 2);
  }
  down.pop_back();
  up.insert(up.end(), down.rbegin(), down.rend());
  return up;
}

Way along_cube(Vertex from, Vertex to) {
  Way path{from};
  for (int bit = 1; path.back() != to; bit *= 2) {
    if (((from ^ to) & bit) != 0) path.push_back(path.back() ^ bit);
  }
  return path;
}

// The card by which a GPU leaves its node, if it shares one, and its rail.
struct Exit {
  Vertex nic = -1;
  Vertex rail = -1;
};

Exit exit_of(const Topology& topology, Vertex gpu) {
  const int per_node = topology.gpus_per_node;
  const int nics = topology.nics_per_node;
  const int servers = topology.gpus / per_node;
  const Vertex first_nic = topology.gpus + servers;
  const int rail = gpu % per_node * nics / per_node;
  if (nics == per_node) return {-1, first_nic + rail};
  return {first_nic + gpu / per_node * nics + rail, first_nic + servers * nics + rail};
}

Way over_two_levels(const Topology& topology, Vertex from, Vertex to) {
  const int per_node = topology.gpus_per_node;
  if (from / per_node == to / per_node) return {from, topology.gpus + from / per_node, to};
  const Exit out = exit_of(topology, from);
  const Exit in = exit_of(topology, to);
  Way path{from};
  if (out.nic >= 0) path.push_back(out.nic);
  path.push_back(out.rail);
  if (in.rail != out.rail) path.insert(path.end(), {topology.vertices - 1, in.rail});
  if (in.nic >= 0) path.push_back(in.nic);
  path.push_back(to);
  return path;
}

// A path for every switch; ends that are GPUs are kept.
std::vector<Way> over_switches(const Topology& topology, Vertex from, Vertex to) {
  std::vector<Way> paths;
  for (int i = 0; i < topology.switches; ++i) {
    Way path{topology.gpus + i};
    if (topology.is_gpu(from)) path.insert(path.begin(), from);
    if (topology.is_gpu(to)) path.push_back(to);
    paths.push_back(std::move(path));
  }
  return paths;
}

using Pair = std::pair<Vertex, Vertex>;

// Routes that were asked for, as links.
class Router {
 public:
  explicit Router(const Topology& topology) : topology_(topology) {}

  const std::vector<std::vector<int>>& links(Vertex from, Vertex to) {
    const auto [entry, is_new] = known_.try_emplace({from, to});
    if (is_new) {
      for (const Way& path : route(topology_, from, to)) entry->second.push_back(links_of(path));
    }
    return entry->second;
  }

  // Adds the load of the round; returns the length of its longest path.
  int add(const Round& round, const std::vector<Bytes>& slot_bytes, std::vector<Bytes>& load) {
    std::size_t longest = 0;
    for (const auto& [ends, bytes] : messages_of(round, slot_bytes)) {
      const auto& paths = links(ends.first, ends.second);
      for (std::size_t i = 0; i < paths.size(); ++i) {
        const Bytes part = block_bytes(bytes, static_cast<int>(paths.size()), static_cast<int>(i));
        for (const int link : paths[i]) load[index_of(link)] += part;
        longest = std::max(longest, paths[i].size());
      }
    }
    return static_cast<int>(longest);
  }

 private:
  // What a pair sends in a round is one message.
  static std::vector<std::pair<Pair, Bytes>> messages_of(const Round& round, const std::vector<Bytes>& slot_bytes) {
    std::vector<std::pair<Pair, Bytes>> all;
    for (const Transfer& transfer : round) {
      if (!transfer.local())
        all.push_back({{transfer.src.rank, transfer.dst.rank}, slot_bytes[index_of(transfer.src.slot)]});
    }
    sort_stably(all, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::pair<Pair, Bytes>> messages;
    for (const auto& [ends, bytes] : all) {
      if (messages.empty() || messages.back().first != ends) messages.push_back({ends, 0});
      messages.back().second += bytes;
    }
    return messages;
  }

  std::vector<int> links_of(const Way& path) const {
    std::vector<int> links;
    for (std::size_t i = 0; i + 1 < path.size(); ++i) links.push_back(topology_.link_between(path[i], path[i + 1]));
    return links;
  }
  const Topology& topology_;
  std::map<Pair, std::vector<std::vector<int>>> known_;
};

double busy_us(const Topology& topology, int link, Bytes bytes) {
  constexpr double kBytesPerMicrosecondAtOneGbps = 1e3;
  return static_cast<double>(bytes) / (topology.links[index_of(link)].gbps * kBytesPerMicrosecondAtOneGbps);
}

// The link that is busy longest with this load, the first of equals; -1 where none is.
int busiest_link(const Topology& topology, const std::vector<Bytes>& load) {
  int busiest = -1;
  double longest = 0;
  for (int link = 0; link < static_cast<int>(load.size()); ++link) {
    const double time = busy_us(topology, link, load[index_of(link)]);
    if (time <= longest) continue;
    busiest = link;
    longest = time;
  }
  return busiest;
}

bool sends(const Round& round) {
  return std::any_of(round.begin(), round.end(), [](const Transfer& transfer) { return !transfer.local(); });
}

}  // namespace

std::vector<Way> route(const Topology& topology, Vertex from, Vertex to) {
  switch (topology.kind) {
    case TopologyKind::ring:
    case TopologyKind::line: return {along_row(topology, from, to)};
    case TopologyKind::full_mesh: return {{from, to}};
    case TopologyKind::single_switch:
    case TopologyKind::nvswitch: return over_switches(topology, from, to);
    case TopologyKind::two_level: return {over_two_levels(topology, from, to)};
    case TopologyKind::binary_tree: return {along_tree(from, to)};
    case TopologyKind::mesh:
    case TopologyKind::torus: return {along_grid(topology, from, to)};
    case TopologyKind::hypercube: return {along_cube(from, to)};
  }
  return {};
}

bool reduces_in_switch(const Topology& topology) {
  return topology.switches > 0;
}

std::vector<Bytes> load_of_round(const Topology& topology, const Round& round, const std::vector<Bytes>& slot_bytes) {
  std::vector<Bytes> load(topology.links.size());
  Router(topology).add(round, slot_bytes, load);
  return load;
}

std::optional<Routed> route_schedule(const Topology& topology, const Schedule& schedule, Bytes payload,
                                     double alpha_us) {
  if (schedule.ranks != topology.gpus) return std::nullopt;
  if (schedule.switches > 0 && !reduces_in_switch(topology)) return std::nullopt;
  const std::vector<Bytes> slot_bytes = even_slots(payload, schedule.slots);
  Router router(topology);
  Routed routed;
  routed.load.resize(topology.links.size());
  std::vector<Bytes> load(topology.links.size());
  for (const Round& round : schedule.rounds) {
    if (!sends(round)) continue;
    std::fill(load.begin(), load.end(), 0);
    RoundLoad summary;
    summary.longest_path = router.add(round, slot_bytes, load);
    summary.busiest = busiest_link(topology, load);
    if (summary.busiest >= 0) {
      summary.bytes = load[index_of(summary.busiest)];
      summary.transfer_us = busy_us(topology, summary.busiest, summary.bytes);
    }
    routed.rounds.push_back(summary);
    routed.time_us += alpha_us + summary.transfer_us;
    for (std::size_t link = 0; link < load.size(); ++link) routed.load[link] += load[link];
  }
  routed.bottleneck = busiest_link(topology, routed.load);
  return routed;
}

double time_until_us(const Routed& routed, const Schedule& schedule, int round, double alpha_us) {
  if (round < 0) return routed.time_us;
  double time = 0;
  std::size_t next = 0;  // of the rounds in which something is sent
  for (int i = 0; i <= round; ++i) {
    if (!sends(schedule.rounds[index_of(i)])) continue;
    time += alpha_us + routed.rounds[next++].transfer_us;
  }
  return time;
}

}  // namespace commflow

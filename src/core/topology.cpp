#include "core/topology.h"

#include <algorithm>
#include <array>

#include "core/index.h"

namespace commflow {
namespace {

constexpr std::array<std::string_view, kTopologyKinds> kNames{
    "ring", "line", "full-mesh", "switch", "nvswitch", "two-level", "binary-tree", "mesh", "torus", "hypercube"};
constexpr std::array<std::string_view, 3> kClassNames{"nvlink", "network", "uplink"};

// Collects links, both directions at once.
class Wirer {
 public:
  Wirer(Topology& topology, const Wiring& wiring) : topology_(topology), wiring_(wiring) {}

  void join(Vertex a, Vertex b) { join(a, b, LinkClass::nvlink, wiring_.gbps); }
  void join(Vertex a, Vertex b, LinkClass link_class, double gbps) {
    topology_.links.push_back({a, b, link_class, gbps});
    topology_.links.push_back({b, a, link_class, gbps});
  }
  // 0 - 1 - ... - (length - 1), and back to 0 where it closes; two are joined once.
  template <class NodeAt>
  void row(int length, bool closes, NodeAt node_at) {
    for (int i = 0; i + 1 < length; ++i) join(node_at(i), node_at(i + 1));
    if (closes && length > 2) join(node_at(length - 1), node_at(0));
  }

 private:
  Topology& topology_;
  const Wiring& wiring_;
};

// Sides of the rectangle that is closest to a square; {1, n} for a prime.
std::pair<int, int> sides_of(int gpus) {
  int rows = 1;
  for (int side = 2; side * side <= gpus; ++side) {
    if (gpus % side == 0) rows = side;
  }
  return {rows, gpus / rows};
}

void wire_grid(Topology& topology, Wirer& wirer, bool closes) {
  for (int row = 0; row < topology.rows; ++row) {
    wirer.row(topology.columns, closes, [&](int column) { return row * topology.columns + column; });
  }
  for (int column = 0; column < topology.columns; ++column) {
    wirer.row(topology.rows, closes, [&](int row) { return row * topology.columns + column; });
  }
}

void wire_hypercube(int gpus, Wirer& wirer) {
  for (Vertex gpu = 0; gpu < gpus; ++gpu) {
    for (int bit = 1; bit < gpus; bit *= 2) {
      if ((gpu & bit) == 0) wirer.join(gpu, gpu | bit);
    }
  }
}

// In order: GPUs, one NVLink switch per node, the network cards where GPUs share
// them, one rail switch per card of a node, the spine.
void wire_two_level(Topology& topology, const Wiring& wiring, Wirer& wirer) {
  const int per_node = topology.gpus_per_node;
  const int nics = topology.nics_per_node;
  const int servers = topology.gpus / per_node;
  const Vertex first_nic = topology.gpus + servers;
  const bool shared = nics < per_node;
  const Vertex first_rail = first_nic + (shared ? servers * nics : 0);
  for (Vertex gpu = 0; gpu < topology.gpus; ++gpu) {
    const int server = gpu / per_node;
    wirer.join(gpu, topology.gpus + server);
    if (servers == 1) continue;
    const int rail = gpu % per_node * nics / per_node;
    const Vertex nic = first_nic + server * nics + rail;
    wirer.join(gpu, shared ? nic : first_rail + rail, LinkClass::network, wiring.network_gbps);
  }
  topology.vertices = topology.gpus + servers;
  if (servers == 1) return;
  for (int i = 0; shared && i < servers * nics; ++i) {
    wirer.join(first_nic + i, first_rail + i % nics, LinkClass::network, wiring.network_gbps);
  }
  const Vertex spine = first_rail + nics;
  topology.vertices = spine + 1;
  const double uplink = servers * wiring.network_gbps / wiring.oversubscription;
  for (Vertex rail = first_rail; rail < spine && nics > 1; ++rail) wirer.join(rail, spine, LinkClass::uplink, uplink);
  if (nics == 1) topology.vertices = spine;  // a single rail needs no spine
}

void wire(Topology& topology, const Wiring& wiring) {
  Wirer wirer(topology, wiring);
  const int gpus = topology.gpus;
  const auto itself = [](int i) { return i; };
  switch (topology.kind) {
    case TopologyKind::ring: return wirer.row(gpus, true, itself);
    case TopologyKind::line: return wirer.row(gpus, false, itself);
    case TopologyKind::full_mesh:
      for (Vertex a = 0; a < gpus; ++a) {
        for (Vertex b = a + 1; b < gpus; ++b) wirer.join(a, b);
      }
      return;
    case TopologyKind::single_switch:
    case TopologyKind::nvswitch:
      topology.vertices = gpus + topology.switches;
      for (Vertex gpu = 0; gpu < gpus; ++gpu) {
        for (int i = 0; i < topology.switches; ++i) wirer.join(gpu, gpus + i);
      }
      return;
    case TopologyKind::two_level: return wire_two_level(topology, wiring, wirer);
    case TopologyKind::binary_tree:
      for (Vertex gpu = 1; gpu < gpus; ++gpu) wirer.join((gpu - 1) / 2, gpu);
      return;
    case TopologyKind::mesh: return wire_grid(topology, wirer, false);
    case TopologyKind::torus: return wire_grid(topology, wirer, true);
    case TopologyKind::hypercube: return wire_hypercube(gpus, wirer);
  }
}

void sort_links(Topology& topology) {
  std::sort(topology.links.begin(), topology.links.end(),
            [](const Link& a, const Link& b) { return a.from != b.from ? a.from < b.from : a.to < b.to; });
  topology.first_link.assign(index_of(topology.vertices + 1), 0);
  for (const Link& link : topology.links) ++topology.first_link[index_of(link.from + 1)];
  for (int vertex = 0; vertex < topology.vertices; ++vertex) {
    topology.first_link[index_of(vertex + 1)] += topology.first_link[index_of(vertex)];
  }
}

}  // namespace

std::string_view name_of(TopologyKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<TopologyKind> topology_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TopologyKind>(found - kNames.begin());
}

std::string_view name_of(LinkClass link_class) {
  return kClassNames[static_cast<std::size_t>(link_class)];
}

std::span<const Link> Topology::links_of(Vertex vertex) const {
  const int first = first_link[index_of(vertex)];
  return {links.data() + first, index_of(first_link[index_of(vertex + 1)] - first)};
}

int Topology::link_between(Vertex from, Vertex to) const {
  const std::span<const Link> own = links_of(from);
  const auto found =
      std::lower_bound(own.begin(), own.end(), to, [](const Link& link, Vertex vertex) { return link.to < vertex; });
  if (found == own.end() || found->to != to) return -1;
  return first_link[index_of(from)] + static_cast<int>(found - own.begin());
}

SizeProblem size_problem(TopologyKind kind, int gpus, const Wiring& wiring) {
  switch (kind) {
    case TopologyKind::hypercube: return (gpus & (gpus - 1)) == 0 ? SizeProblem::none : SizeProblem::not_a_power_of_two;
    case TopologyKind::mesh:
    case TopologyKind::torus: return sides_of(gpus).first > 1 ? SizeProblem::none : SizeProblem::not_a_rectangle;
    case TopologyKind::two_level: {
      const int nics = wiring.nics_per_node > 0 ? wiring.nics_per_node : wiring.gpus_per_node;
      const bool divides = gpus % wiring.gpus_per_node == 0 && wiring.gpus_per_node % nics == 0;
      return divides ? SizeProblem::none : SizeProblem::nodes_do_not_divide;
    }
    default: return SizeProblem::none;
  }
}

Topology make_topology(TopologyKind kind, int gpus, const Wiring& wiring) {
  Topology topology;
  topology.kind = kind;
  topology.gpus = topology.vertices = gpus;
  if (kind == TopologyKind::single_switch) topology.switches = 1;
  if (kind == TopologyKind::nvswitch) topology.switches = wiring.switches;
  if (kind == TopologyKind::two_level) {
    topology.gpus_per_node = wiring.gpus_per_node;
    topology.nics_per_node = wiring.nics_per_node > 0 ? wiring.nics_per_node : wiring.gpus_per_node;
  }
  if (kind == TopologyKind::mesh || kind == TopologyKind::torus) {
    const auto [rows, columns] = sides_of(gpus);
    topology.rows = rows;
    topology.columns = columns;
  }
  wire(topology, wiring);
  sort_links(topology);
  return topology;
}

Topology slowed(Topology topology, Vertex a, Vertex b, double factor) {
  for (const int link : {topology.link_between(a, b), topology.link_between(b, a)}) {
    if (link >= 0) topology.links[index_of(link)].gbps /= factor;
  }
  return topology;
}

int link_count(const Topology& topology) {
  return static_cast<int>(topology.links.size() / 2);
}

std::vector<int> hops_from(const Topology& topology, Vertex gpu) {
  std::vector<int> hops(index_of(topology.vertices), -1);
  hops[index_of(gpu)] = 0;
  std::vector<Vertex> reached{gpu};
  for (std::size_t next = 0; next < reached.size() && reached.size() < hops.size(); ++next) {
    const Vertex vertex = reached[next];
    if (vertex != gpu && topology.is_gpu(vertex) && !topology.gpus_forward()) continue;
    for (const Link& link : topology.links_of(vertex)) {
      if (hops[index_of(link.to)] >= 0) continue;
      hops[index_of(link.to)] = hops[index_of(vertex)] + 1;
      reached.push_back(link.to);
    }
  }
  return hops;
}

int hops(const Topology& topology, Vertex from, Vertex to) {
  return hops_from(topology, from)[index_of(to)];
}

int diameter(const Topology& topology) {
  int most = 0;
  for (Vertex gpu = 0; gpu < topology.gpus; ++gpu) {
    const std::vector<int> hops = hops_from(topology, gpu);
    most = std::max(most, *std::max_element(hops.begin(), hops.begin() + topology.gpus));
  }
  return most;
}

int max_degree(const Topology& topology) {
  int most = 0;
  for (Vertex gpu = 0; gpu < topology.gpus; ++gpu) {
    most = std::max(most, static_cast<int>(topology.links_of(gpu).size()));
  }
  return most;
}

int switch_ports(const Topology& topology) {
  int most = 0;
  for (Vertex vertex = topology.gpus; vertex < topology.vertices; ++vertex) {
    most = std::max(most, static_cast<int>(topology.links_of(vertex).size()));
  }
  return most;
}

std::optional<int> bisection(const Topology& topology) {
  return topology.gpus <= kMaxCutGpus ? bisection_by_trial(topology) : bisection_by_formula(topology);
}

}  // namespace commflow

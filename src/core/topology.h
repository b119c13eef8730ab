#pragma once
// How GPUs are wired: vertices (GPUs first, then switches) and directed links with a
// class and a bandwidth, and what can be counted on that graph. Which way data
// takes is in route.h; knows nothing of collectives.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/buffers.h"

namespace commflow {

enum class TopologyKind : std::uint8_t {
  ring,
  line,
  full_mesh,
  single_switch,  // "switch": one, a port per GPU
  nvswitch,       // every GPU to every switch
  two_level,      // nodes of GPUs on NVLink; their network cards on rail switches, these on a spine
  binary_tree,    // GPUs at all places, filled row by row
  mesh,           // two dimensions, as square as it goes
  torus,
  hypercube
};
inline constexpr int kTopologyKinds = 10;
std::string_view name_of(TopologyKind kind);
std::optional<TopologyKind> topology_named(std::string_view name);

enum class LinkClass : std::uint8_t { nvlink, network, uplink };  // uplink: rail switch to spine
std::string_view name_of(LinkClass link_class);

// Of the graph: 0 .. gpus - 1 are GPUs, then come switches and, where GPUs share
// them, network cards. (A node is a server here.)
using Vertex = int;

struct Link {
  Vertex from = 0;
  Vertex to = 0;
  LinkClass link_class = LinkClass::nvlink;
  double gbps = 0;  // GB/s (10^9 bytes per second), this direction
  bool operator==(const Link&) const = default;
};

// Bandwidths are per link and direction.
struct Wiring {
  double gbps = 100;            // of a link between GPUs, or between a GPU and its switch
  double network_gbps = 50;     // of a network card; two_level
  int switches = 4;             // nvswitch
  int gpus_per_node = 8;        // two_level; divides the number of GPUs
  int nics_per_node = 0;        // two_level; divides gpus_per_node; 0: one per GPU
  double oversubscription = 1;  // two_level: bandwidth into a rail switch over that from it to the spine
};

struct Topology {
  TopologyKind kind = TopologyKind::ring;
  int gpus = 0;
  int vertices = 0;
  int rows = 0;  // mesh and torus: gpu = row * columns + column; rows <= columns
  int columns = 0;
  int switches = 0;  // nvswitch: that many from `gpus` on
  int gpus_per_node = 0;
  int nics_per_node = 0;        // two_level
  std::vector<Link> links;      // ascending by from, then to
  std::vector<int> first_link;  // per vertex, and one more: its links are first_link[i] .. first_link[i + 1]
  bool operator==(const Topology&) const = default;

  std::span<const Link> links_of(Vertex vertex) const;
  // Index into links, -1 where there is none.
  int link_between(Vertex from, Vertex to) const;
  bool is_gpu(Vertex vertex) const { return vertex < gpus; }
  // Where there are switches, GPUs do not forward what is for others.
  bool gpus_forward() const { return vertices == gpus; }
};

// Why a kind cannot have that size, without words.
enum class SizeProblem : std::uint8_t {
  none,
  not_a_power_of_two,   // hypercube
  not_a_rectangle,      // mesh, torus: both sides at least 2
  nodes_do_not_divide,  // two_level: gpus_per_node, or nics_per_node in it
};
SizeProblem size_problem(TopologyKind kind, int gpus, const Wiring& wiring = {});

// gpus >= 1 and without a size_problem().
Topology make_topology(TopologyKind kind, int gpus, const Wiring& wiring = {});

// The topology with both directions of the link between two vertices `factor` times
// slower; unchanged where there is no such link.
Topology slowed(Topology topology, Vertex a, Vertex b, double factor);

// ---- counted on the graph; a link counts once for both directions ----

int link_count(const Topology& topology);
// Links on the shortest way from one GPU to every vertex, -1 where there is none.
std::vector<int> hops_from(const Topology& topology, Vertex gpu);
int hops(const Topology& topology, Vertex from, Vertex to);
// The most hops between two GPUs.
int diameter(const Topology& topology);
// The most links of a GPU.
int max_degree(const Topology& topology);
// The most ports of a switch or card, 0 without.
int switch_ports(const Topology& topology);
// The fewest links that must be cut to part the GPUs into halves (floor and ceiling
// of n / 2), switches on whichever side is cheaper. Up to kMaxCutGpus GPUs every way
// to halve them is tried; beyond by the formula of the kind (Grama et al., extended
// to sides that are not equal or not even); nullopt where there is none.
inline constexpr int kMaxCutGpus = 16;
std::optional<int> bisection(const Topology& topology);
// The two ways by themselves. Every way to halve up to 24 GPUs; cost grows with 2^n.
int bisection_by_trial(const Topology& topology);
std::optional<int> bisection_by_formula(const Topology& topology);

}  // namespace commflow

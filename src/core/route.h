#pragma once
// Which way data takes over a topology, and what a schedule so puts on every link:
// load per directed link and round, the bottleneck, the time. Deterministic; knows
// no congestion control and no protocol.

#include "core/topology.h"
#include "core/traffic.h"

namespace commflow {

// The nodes from source to destination, both included.
using Way = std::vector<Vertex>;

// Paths that share what is sent in equal parts: one, but one per switch of an
// nvswitch node. Shortest, never twice over a node; ties are broken so:
//   ring                  the way up (from i to i + 1)
//   mesh, torus           along the row first, then along the column; torus: the way up
//   hypercube             the lowest differing bit first
//   two_level             within a node by its switch; else by the own rail, over the
//                         spine if the destination is on another
// GPUs from != to in 0 .. gpus - 1. Either may also be topology.gpus, the reducing
// switch of a schedule: any of the switches, where reduces_in_switch().
std::vector<Way> route(const Topology& topology, Vertex from, Vertex to);

// Whether every GPU is joined to switches that could add up.
bool reduces_in_switch(const Topology& topology);

// Bytes per link (index into topology.links) of one round; schedule ranks are GPUs.
std::vector<Bytes> load_of_round(const Topology& topology, const Round& round, const std::vector<Bytes>& slot_bytes);

struct RoundLoad {
  int busiest = -1;        // link with the largest load / bandwidth, the first of equals; -1: nothing is sent
  Bytes bytes = 0;         // over it
  double transfer_us = 0;  // load / bandwidth of it
  int longest_path = 0;    // links
  bool operator==(const RoundLoad&) const = default;
};

struct Routed {
  std::vector<Bytes> load;        // per link, all rounds
  std::vector<RoundLoad> rounds;  // only those in which something is sent
  int bottleneck = -1;            // the link that is busy longest over all rounds, the first of equals
  double time_us = 0;             // sum over rounds of alpha + transfer_us
};

// nullopt where the schedule has a switch that reduces and the topology none, or the
// numbers of ranks and GPUs differ.
std::optional<Routed> route_schedule(const Topology& topology, const Schedule& schedule, Bytes payload,
                                     double alpha_us);

// From the beginning to the end of a round of the schedule, of all rounds with -1.
double time_until_us(const Routed& routed, const Schedule& schedule, int round, double alpha_us);

}  // namespace commflow

#pragma once
// How many vectors of a layer go from which rank to which, counted token by token
// without moving any data or keeping its routing, so that a layer of real size takes
// milliseconds. Knows nothing of bytes (see expert_bytes.h) and schedules: tests hold
// it against what the executed schedules move.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/expert_hosts.h"
#include "core/expert_routing.h"

namespace commflow::experts {

// Vectors from rank to rank; the diagonal stays on its rank.
struct Flow {
  int ranks = 0;
  std::vector<std::int64_t> vectors;  // [source][destination]
  Flow() = default;
  explicit Flow(int size) : ranks(size), vectors(index_of(size) * index_of(size)) {}
  std::int64_t at(Rank source, Rank destination) const {
    return vectors[index_of(source) * index_of(ranks) + index_of(destination)];
  }
  std::int64_t& at(Rank source, Rank destination) {
    return vectors[index_of(source) * index_of(ranks) + index_of(destination)];
  }
  bool operator==(const Flow&) const = default;
};
// What goes home by the way it came.
Flow transposed(const Flow& flow);
std::vector<std::int64_t> row_sums(const Flow& flow);     // per source
std::vector<std::int64_t> column_sums(const Flow& flow);  // per destination

// How far the kept copies reach, summed over all tokens, whatever the settings
// merge: so that every way of merging can be compared on one routing.
struct Reach {
  std::int64_t copies = 0;
  std::int64_t off_rank_copies = 0;           // to experts of another rank
  std::int64_t off_node_copies = 0;           // to experts of another node
  std::int64_t ranks = 0;                     // different ranks, the token's own included
  std::int64_t off_rank_ranks = 0;            // vectors that leave the rank, merged per rank
  std::int64_t off_node_ranks = 0;            // vectors that leave the node, merged per rank
  std::int64_t nodes = 0;                     // different nodes, the token's own included
  std::int64_t off_node_nodes = 0;            // vectors that leave the node, merged per node
  std::vector<std::int64_t> tokens_by_nodes;  // [n]: tokens that reach n nodes
  bool operator==(const Reach&) const = default;
};

struct Counts {
  std::vector<std::int64_t> wanted;  // copies per expert, as routed
  std::vector<std::int64_t> taken;   // those that the expert takes
  std::optional<std::int64_t> capacity;
  std::int64_t dropped = 0;
  Hosts hosts;
  // Kept copies from the token's rank to the rank that computes them, before any
  // merging: row sums are tokens * topk less what was dropped, column sums what
  // a rank computes.
  Flow split;
  // The same merged: tokens of a rank that go to a rank, and to a node.
  Flow to_ranks;
  std::vector<std::int64_t> to_nodes;  // [rank][node]
  // Vectors of the dispatch as the settings merge them: straight, or over the rail
  // and then within the node. The combine is their mirror image.
  std::vector<Flow> legs;
  Reach reach;
};

Counts count_layer(const Settings& settings, const Routing& routing);
// The settings have no problem.
Counts count_layer(const Settings& settings);

// Counts of the same layer that travels as `settings` say. Counting takes as long as
// it has tokens; this does not.
Counts by_way_of(const Settings& settings, Counts counts);
// Whether nothing but the way of travelling is different, and what a message weighs.
bool counted_alike(const Settings& a, const Settings& b);

// The GPU on the host's node that has the index of the token's home in its node:
// where the path of two hops leaves the network.
Rank relay_of(const Settings& settings, Rank home, Rank host);

// What is to be expected of a layer without skew, node limit, drops, replicas or
// table, per token; nullopt with any of these.
struct Expected {
  double off_rank_copies = 0;  // topk * (R - 1) / R
  double off_node_copies = 0;
  double ranks = 0;  // R * (1 - C(E - E/R, k) / C(E, k)), the token's own included
  double nodes = 0;
  double off_rank_ranks = 0;  // (R - 1) / R of them
  double off_node_ranks = 0;
  double off_node_nodes = 0;
};
std::optional<Expected> expected_of(const Settings& settings);

}  // namespace commflow::experts

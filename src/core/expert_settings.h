#pragma once
// What one expert-parallel layer is: ranks, experts, tokens, how they are routed
// and by which way they travel. The values of a page's controls and of a command
// line; everything else about the layer is computed from them.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/algorithms.h"
#include "core/moe.h"

namespace commflow::experts {

// What is merged before it travels: nothing (one vector per token and chosen
// expert), copies for experts of one rank, or on the network those for one node.
enum class Dedup : std::uint8_t { none, per_rank, per_node };

// one_hop: straight from the token's rank to the expert's. two_hop: over the rail
// to the GPU of the same index on the expert's node, from there over NVLink
// (DeepSeek-V3, arXiv 2412.19437, section 3.2.2). Dedup per node needs two hops.
enum class Path : std::uint8_t { one_hop, two_hop };

// Where experts are at home. in_order: expert e on rank e / (experts / ranks). balanced: as many per rank, but the
// expert with the largest load first, each on the least loaded rank with room, as EPLB packs them (deepseek-ai/EPLB,
// balanced packing); with node-limited routing it stays on its node. Costs no memory, but the loads must be known.
enum class Placement : std::uint8_t { in_order, balanced };

struct Settings {
  int nodes = 2;
  int gpus_per_node = 4;
  int experts = 16;
  int topk = 2;
  int tokens = 8;  // per rank
  std::uint64_t seed = 1;

  // The i-th most popular expert (which one that is follows from the seed) is
  // chosen in proportion to i^-(zipf_hundredths / 100). 0: all alike.
  int zipf_hundredths = 0;
  // Node-limited routing: a token reaches the experts of at most so many nodes,
  // those with the largest sum of their best ceil(topk / topk_nodes) scores
  // (DeepSeek-V3). 0: no limit.
  int topk_nodes = 0;
  // Expert of every [rank][token][choice], best first; empty: drawn by the seed.
  std::vector<int> table;

  int capacity_thousandths = 0;  // capacity factor * 1000; 0: no copy is dropped
  Placement placement = Placement::in_order;
  int replicas_per_rank = 0;  // further copies of hot experts, see expert_hosts.h

  Dedup dedup = Dedup::none;
  Path path = Path::one_hop;
  Algorithm algorithm = Algorithm::direct;  // of each exchange: direct or pairwise
  bool shared_expert = true;                // every token goes through it, at home

  // What a real token would be billed with.
  int hidden = 7168;
  MessageFormat out;   // to the experts
  MessageFormat home;  // back
};

// Beyond these a layer is counted only (see expert_count.h).
inline constexpr int kMaxExecutedExperts = 64;
inline constexpr int kMaxExecutedTopk = 8;
inline constexpr int kMaxExecutedTokens = 32;
// Beyond these it is not even counted.
inline constexpr int kMaxCountedRanks = 512;
inline constexpr int kMaxCountedExperts = 4096;
inline constexpr int kMaxCountedTopk = 64;
inline constexpr std::int64_t kMaxCountedCopies = std::int64_t{1} << 24;  // tokens * topk of all ranks
inline constexpr int kMaxZipfHundredths = 800;
inline constexpr int kMaxCapacityThousandths = 1000000;
inline constexpr int kMaxReplicasPerRank = 8;

inline int ranks_of(const Settings& settings) {
  return settings.nodes * settings.gpus_per_node;
}
inline int experts_per_rank(const Settings& settings) {
  return settings.experts / ranks_of(settings);
}
inline int experts_per_node(const Settings& settings) {
  return settings.experts / settings.nodes;
}
inline std::int64_t tokens_of_all(const Settings& settings) {
  return std::int64_t{settings.tokens} * ranks_of(settings);
}
// With Placement::in_order.
inline Rank home_of_expert(const Settings& settings, int expert) {
  return expert / experts_per_rank(settings);
}

// Why a layer cannot even be counted, in kinds and numbers, so that a page can
// say it in any language. Most: `value` lies outside low..high.
enum class Unfit : std::uint8_t {
  nodes,
  gpus_per_node,
  experts,
  topk,
  tokens,
  zipf,      // hundredths
  capacity,  // thousandths
  replicas,
  topk_nodes,
  uneven_experts,     // value: experts, low: ranks, which must divide them
  too_few_nodes,      // value: experts on the nodes that a token may reach, low: nodes that are needed at least
  merging_needs_hop,  // dedup per node with one hop
  table_and_limit,    // a table leaves nothing to limit
  table_size,         // value: entries, low: entries that are needed
  table_expert,       // value: token whose experts are not within low..high
  table_twice         // value: token that goes to one expert twice
};
struct Problem {
  Unfit unfit{};
  std::int64_t value = 0;
  std::int64_t low = 0;
  std::int64_t high = 0;
};
// The first one found; nullopt if the layer can be counted.
std::optional<Problem> settings_problem(const Settings& settings);
// For the command line: what was found and what was expected.
std::string sentence_of(const Problem& problem);
// No problem, and small enough to be executed and drawn (2..16 ranks).
bool executable(const Settings& settings);

// Copies that one expert takes: ceil(factor * tokens * ranks * topk / experts)
// (Switch Transformer, arXiv 2101.03961, equation 3); nullopt: all.
std::optional<std::int64_t> capacity_of(const Settings& settings);

}  // namespace commflow::experts

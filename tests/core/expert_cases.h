#pragma once
// Random layers for tests, the same on every machine.

#include <ostream>

#include "core/expert_settings.h"
#include "core/rng.h"

namespace commflow::experts {

inline std::ostream& operator<<(std::ostream& out, const Settings& s) {
  return out << s.nodes << " nodes x " << s.gpus_per_node << ", " << s.experts << " experts, top-" << s.topk << ", "
             << s.tokens << " tokens, seed " << s.seed << ", zipf " << s.zipf_hundredths << ", nodes limit "
             << s.topk_nodes << ", capacity " << s.capacity_thousandths << ", by load "
             << (s.placement == Placement::balanced) << ", replicas " << s.replicas_per_rank << ", dedup "
             << static_cast<int>(s.dedup) << ", path " << static_cast<int>(s.path) << ", pairwise "
             << (s.algorithm == Algorithm::pairwise);
}

template <class T, std::size_t n>
T one_of(Rng& rng, const T (&values)[n]) {
  return values[rng.below(static_cast<int>(n))];
}

// Executable layers with every kind of setting; small, so that hundreds are fast.
inline Settings random_settings(std::uint64_t seed) {
  Rng rng(seed);
  Settings s;
  s.seed = seed;
  s.nodes = one_of(rng, {1, 2, 2, 3, 4});
  s.gpus_per_node = s.nodes == 1 ? one_of(rng, {2, 4, 8}) : one_of(rng, {1, 2, 2, 4});
  s.experts = ranks_of(s) * one_of(rng, {1, 2, 4});
  s.topk = rng.between(1, s.experts < 8 ? s.experts : 8);
  s.tokens = rng.between(1, 8);
  s.zipf_hundredths = one_of(rng, {0, 0, 50, 100, 200, 800});
  s.topk_nodes = rng.below(s.nodes + 1);
  if (s.topk_nodes * experts_per_node(s) < s.topk) s.topk_nodes = 0;
  s.capacity_thousandths = one_of(rng, {0, 0, 500, 1000, 1250});
  s.replicas_per_rank = one_of(rng, {0, 0, 1, 2});
  s.path = one_of(rng, {Path::one_hop, Path::two_hop});
  s.dedup = one_of(rng, {Dedup::none, Dedup::per_rank, Dedup::per_node});
  if (s.path == Path::one_hop && s.dedup == Dedup::per_node) s.dedup = Dedup::per_rank;
  s.algorithm = one_of(rng, {Algorithm::direct, Algorithm::pairwise});
  s.shared_expert = rng.below(2) == 0;
  s.placement = one_of(rng, {Placement::in_order, Placement::balanced});
  return s;
}

}  // namespace commflow::experts

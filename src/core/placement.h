#pragma once
// Which links carry a GPU's bytes: those of its node (NVLink) or the network.
// Ranks fill the nodes in order, gpus_per_node each. Knows no bandwidth
// measurements, only what the hardware file publishes.

#include <array>

#include "core/hardware.h"
#include "core/workload.h"

namespace commflow {

inline int node_of(Rank rank, int gpus_per_node) {
  return rank / gpus_per_node;
}

// Where the bytes of one GPU in one direction go.
struct LinkShare {
  Bytes local = 0;    // stay on the GPU
  Bytes nvlink = 0;   // to a GPU of the same node
  Bytes network = 0;  // to another node
  Bytes sent() const { return nvlink + network; }
  void add(const LinkShare& other, std::int64_t times = 1) {
    local += other.local * times;
    nvlink += other.nvlink * times;
    network += other.network * times;
  }
  bool operator==(const LinkShare&) const = default;
};

// To whom a member of a group sends: the same amount to every other member
// (direct, pairwise, uniform all-to-all), everything to the next one (ring,
// pipeline forward) or to the one before (pipeline backward).
enum class Pattern : std::uint8_t { all_peers, next, previous };
LinkShare link_share(Bytes local, Bytes off_gpu, const std::vector<Rank>& group, Rank rank, Pattern pattern,
                     int gpus_per_node);

// The ranks that exchange this quantity with `rank`, itself included.
std::vector<Rank> group_of_quantity(const Workload& work, QuantityId id, Rank rank);
// Once, on this rank; `ring` where the collective's algorithm is a ring, which
// all-to-all never is.
LinkShare link_share(const Workload& work, QuantityId id, Rank rank, bool ring);

// All messages of one step of this rank, by dimension (index: Dimension), sent
// off the GPU; `zero` takes ZeRO's halves instead of the DP all-reduce. Expected
// values where routing matters; a Reduce or Gather counts as at its root.
inline constexpr int kDimensionCount = 8;
using StepTraffic = std::array<LinkShare, kDimensionCount>;
StepTraffic traffic_of_step(const Workload& work, Rank rank, bool ring, bool zero);

// Time at full published speed; the GPUs of a node share its network cards. For
// showing only: nothing is decided by it.
struct LinkTime {
  double nvlink_us = 0;
  double network_us = 0;
};
LinkTime time_at_full_speed(const LinkShare& share, const Gpu& gpu, int gpus_per_node, int nics_per_node);

}  // namespace commflow

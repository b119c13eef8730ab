#include "core/placement.h"

#include <algorithm>

#include "core/partition.h"
#include "core/portion.h"

namespace commflow {

namespace {

std::size_t place_in(const std::vector<Rank>& group, Rank rank) {
  return static_cast<std::size_t>(std::find(group.begin(), group.end(), rank) - group.begin());
}

// Of the bytes that leave, the fraction whose receiver is in the same node.
Fraction inside_node(const std::vector<Rank>& group, Rank rank, Pattern pattern, int gpus_per_node) {
  const auto same_node = [&](Rank peer) { return node_of(peer, gpus_per_node) == node_of(rank, gpus_per_node); };
  if (pattern == Pattern::all_peers) {
    const std::int64_t inside = std::count_if(group.begin(), group.end(), same_node) - 1;
    return {inside, std::ssize(group) - 1};
  }
  const std::size_t size = group.size();
  const std::size_t step = pattern == Pattern::next ? 1 : size - 1;
  return {same_node(group[(place_in(group, rank) + step) % size]) ? 1 : 0, 1};
}

Pattern pattern_of(const QuantityRow& row, bool ring) {
  if (row.collective == Collective::send_recv) {
    return row.phase == Phase::backward ? Pattern::previous : Pattern::next;
  }
  return ring && row.collective != Collective::all_to_all ? Pattern::next : Pattern::all_peers;
}

bool counts_in_step(Phase phase, QuantityId id, bool zero) {
  if (phase == Phase::zero) return zero;
  return !(zero && id == QuantityId::dp_gradients);
}

}  // namespace

LinkShare link_share(Bytes local, Bytes off_gpu, const std::vector<Rank>& group, Rank rank, Pattern pattern,
                     int gpus_per_node) {
  LinkShare share{.local = local};
  if (group.size() < 2) return share;
  share.nvlink = portion(off_gpu, inside_node(group, rank, pattern, gpus_per_node));
  share.network = off_gpu - share.nvlink;
  return share;
}

std::vector<Rank> group_of_quantity(const Workload& work, QuantityId id, Rank rank) {
  std::vector<Rank> group = group_of(work.layout, quantity_row(id).dimension, rank);
  if (id != QuantityId::kv_gradients) return group;
  // Neighbours in the TP group hold the same key and value head.
  const int copies = kv_head_copies(work.model, work.layout.tp);
  const int first = coordinates_of(work.layout, rank).tp / copies * copies;
  return {group.begin() + first, group.begin() + first + copies};
}

LinkShare link_share(const Workload& work, QuantityId id, Rank rank, bool ring) {
  const Quantity quantity = count_quantity(work, id, coordinates_of(work.layout, rank).pp);
  // Of an all-reduce more than the payload leaves.
  const Bytes local = std::max<Bytes>(0, quantity.logical - quantity.off_gpu);
  return link_share(local, quantity.off_gpu, group_of_quantity(work, id, rank), rank,
                    pattern_of(quantity_row(id), ring), work.gpus_per_node);
}

StepTraffic traffic_of_step(const Workload& work, Rank rank, bool ring, bool zero) {
  StepTraffic traffic{};
  const int stage = coordinates_of(work.layout, rank).pp;
  for (const QuantityRow& row : quantities()) {
    const std::int64_t times = row.count(work, stage).times_per_step;
    if (times == 0 || !counts_in_step(row.phase, row.id, zero)) continue;
    traffic[static_cast<std::size_t>(row.dimension)].add(link_share(work, row.id, rank, ring), times);
  }
  return traffic;
}

LinkTime time_at_full_speed(const LinkShare& share, const Gpu& gpu, int gpus_per_node, int nics_per_node) {
  const double network = static_cast<double>(gpu.nic.value) * nics_per_node / gpus_per_node;
  return {static_cast<double>(share.nvlink) / static_cast<double>(gpu.nvlink.value) * 1e6,
          static_cast<double>(share.network) / network * 1e6};
}

}  // namespace commflow

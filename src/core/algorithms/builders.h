#pragma once
// What the files of this folder offer to the table in algorithms.cpp, and the
// few words they share. Every builder takes ranks >= 1 and a root in range;
// those without a root ignore it.
//
// Rules all of them keep: `in` is read only, local moves stand in the first
// round, and no transfer is without need, so that leaving out any one of them
// shows in the result.

#include <span>

#include "core/algorithms.h"
#include "core/index.h"

namespace commflow {

inline Place in_of(Rank rank, int slot) {
  return {rank, Area::in, slot};
}
inline Place out_of(Rank rank, int slot) {
  return {rank, Area::out, slot};
}
inline Transfer copying(Place src, Place dst) {
  return {src, dst, false};
}
inline Transfer reducing(Place src, Place dst) {
  return {src, dst, true};
}

// A rank's own contribution and its own block, moved from `in` to `out`.
inline Transfer keeping(Rank rank, int slot) {
  return copying(in_of(rank, slot), out_of(rank, slot));
}
inline Transfer contributing(Rank rank, int slot) {
  return reducing(in_of(rank, slot), out_of(rank, slot));
}

// rank modulo ranks, never negative.
inline Rank around(Rank rank, int ranks) {
  return ((rank % ranks) + ranks) % ranks;
}

// Every collective on one rank: its input is its result.
inline Schedule alone() {
  return {1, 1, {{keeping(0, 0)}}};
}

// The items of an even all-to-all: slot j of rank i to slot i of rank j.
std::vector<Item> even_items(int ranks);

Schedule ring_all_reduce(int ranks, Rank root);
Schedule ring_all_gather(int ranks, Rank root);
Schedule ring_reduce_scatter(int ranks, Rank root);

Schedule direct_all_reduce(int ranks, Rank root);
Schedule direct_all_gather(int ranks, Rank root);
Schedule direct_reduce_scatter(int ranks, Rank root);
Schedule direct_all_to_all(int ranks, Rank root);
Schedule direct_send_recv(int ranks, Rank root);
Schedule direct_exchange(int ranks, int slots, std::span<const Item> items);

Schedule halving_doubling_all_reduce(int ranks, Rank root);
Schedule halving_doubling_all_gather(int ranks, Rank root);
Schedule halving_doubling_reduce_scatter(int ranks, Rank root);

Schedule pairwise_all_to_all(int ranks, Rank root);
Schedule pairwise_exchange(int ranks, int slots, std::span<const Item> items);

Schedule linear_broadcast(int ranks, Rank root);
Schedule linear_reduce(int ranks, Rank root);
Schedule linear_gather(int ranks, Rank root);
Schedule linear_scatter(int ranks, Rank root);

Schedule binomial_broadcast(int ranks, Rank root);
Schedule binomial_reduce(int ranks, Rank root);
Schedule binomial_all_reduce(int ranks, Rank root);
Schedule binomial_gather(int ranks, Rank root);
Schedule binomial_scatter(int ranks, Rank root);

Schedule one_shot_all_reduce(int ranks, Rank root);
Schedule recursive_doubling_all_reduce(int ranks, Rank root);
Schedule double_tree_all_reduce(int ranks, Rank root, const Tuning& tuning);

Schedule bruck_all_gather(int ranks, Rank root);
Schedule bruck_all_to_all(int ranks, Rank root);

Schedule chain_broadcast(int ranks, Rank root, const Tuning& tuning);
Schedule chain_reduce(int ranks, Rank root, const Tuning& tuning);

Schedule scatter_allgather_broadcast(int ranks, Rank root);
Schedule scatter_allgather_doubling_broadcast(int ranks, Rank root);
Schedule reduce_scatter_gather_reduce(int ranks, Rank root);

Schedule hierarchical_all_reduce(int ranks, Rank root, const Tuning& tuning);
Schedule hierarchical_all_to_all(int ranks, Rank root, const Tuning& tuning);

Schedule in_switch_all_reduce(int ranks, Rank root, const Tuning& tuning);

}  // namespace commflow

// Direct: everyone exchanges with everyone at once, nothing is passed on. Needs
// a path between every pair: a switch or a full mesh.
//
//   0 <-> 1        reduce-scatter  block j of every rank to rank j, which adds
//   | \ / |        all-gather      block r of rank r to every other rank
//   | / \ |        all-reduce      the one, then the other: two rounds
//   3 <-> 2        all-to-all      block j of rank i to rank j, as block i

#include "core/algorithms/builders.h"

namespace commflow {
namespace {

// Rank r's block r to all others, from the given area.
void spread_own_blocks(Round& round, int ranks, Area area) {
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank peer = 0; peer < ranks; ++peer) {
      if (peer != rank) round.push_back(copying({rank, area, rank}, out_of(peer, rank)));
    }
  }
}

}  // namespace

Schedule direct_reduce_scatter(int ranks, Rank) {
  if (ranks == 1) return alone();
  Round round;
  for (Rank rank = 0; rank < ranks; ++rank) round.push_back(contributing(rank, rank));
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank peer = 0; peer < ranks; ++peer) {
      if (peer != rank) round.push_back(reducing(in_of(rank, peer), out_of(peer, peer)));
    }
  }
  return {ranks, ranks, {std::move(round)}};
}

Schedule direct_all_gather(int ranks, Rank) {
  Round round;
  for (Rank rank = 0; rank < ranks; ++rank) round.push_back(keeping(rank, rank));
  spread_own_blocks(round, ranks, Area::in);
  return {ranks, ranks, {std::move(round)}};
}

Schedule direct_all_reduce(int ranks, Rank root) {
  Schedule schedule = direct_reduce_scatter(ranks, root);
  if (ranks > 1) spread_own_blocks(schedule.rounds.emplace_back(), ranks, Area::out);
  return schedule;
}

Schedule direct_exchange(int ranks, int slots, std::span<const Item> items) {
  Round round;
  round.reserve(items.size());
  for (const Item& item : items) {
    round.push_back(copying(in_of(item.src_rank, item.src_slot), out_of(item.dst_rank, item.dst_slot)));
  }
  return {ranks, slots, {std::move(round)}};
}

Schedule direct_all_to_all(int ranks, Rank) {
  return direct_exchange(ranks, ranks, even_items(ranks));
}

Schedule direct_send_recv(int ranks, Rank root) {
  return {ranks, 1, {{copying(in_of(root, 0), out_of(around(root + 1, ranks), 0))}}};
}

}  // namespace commflow

// Two levels: k nodes of g GPUs, rank = node * g + index. The GPUs of one index,
// one from each node, form a rail.
//
// all-reduce: reduce-scatter in the node, all-reduce of the 1/g that is left over
// the rail, all-gather in the node; rings throughout. Per GPU 2(g-1)/g S over the
// links of the node, 2(k-1)/k S/g over the network.
//
// all-to-all: a block first goes over the rail to its node, all blocks for that
// node in one message, then inside the node to its GPU. So a GPU sends k - 1
// messages over the network and not (k-1)g. On its way it waits in the slot
//
//   on GPU i of the node it is for:  slot (node it came from) * g + (index it is for)
//
// (DeepEP README; NVIDIA/nccl PXN)

#include "core/algorithms/builders.h"
#include "core/algorithms/overlay.h"

namespace commflow {
namespace {

struct Grid {
  int nodes;
  int gpus;  // per node
  Rank rank_at(int node, int index) const { return node * gpus + index; }
};

Grid grid_of(int ranks, const Tuning& tuning) {
  const int gpus = gpus_per_node(tuning, ranks);
  return {ranks / gpus, gpus};
}

// `part` in every node at once; its block b are the slots b * nodes on.
void in_every_node(Schedule& schedule, const Grid& grid, const Schedule& part, Reads reads) {
  const int first_round = static_cast<int>(schedule.rounds.size());
  for (int node = 0; node < grid.nodes; ++node) {
    overlay(
        schedule, first_round, part, reads, [&](int index) { return grid.rank_at(node, index); },
        [&](int block) {
          return Range{block * grid.nodes, (block + 1) * grid.nodes};
        });
  }
}

void on_every_rail(Schedule& schedule, const Grid& grid, const Schedule& part) {
  const int first_round = static_cast<int>(schedule.rounds.size());
  for (int index = 0; index < grid.gpus; ++index) {
    overlay(
        schedule, first_round, part, Reads::earlier_rounds, [&](int node) { return grid.rank_at(node, index); },
        [&](int block) { return only(index * grid.nodes + block); });
  }
}

// From GPU `index` of every node to the same index of all others.
Round over_the_rails(const Grid& grid) {
  Round round;
  for (int from = 0; from < grid.nodes; ++from) {
    for (int to = 0; to < grid.nodes; ++to) {
      if (to == from) continue;
      for (int index = 0; index < grid.gpus; ++index) {
        for (int target = 0; target < grid.gpus; ++target) {
          round.push_back(copying(in_of(grid.rank_at(from, index), grid.rank_at(to, target)),
                                  out_of(grid.rank_at(to, index), grid.rank_at(from, target))));
        }
      }
    }
  }
  return round;
}

// From every GPU of `node` to every other, what came from the GPUs of its rail.
void inside_a_node(Round& round, const Grid& grid, int node) {
  for (int index = 0; index < grid.gpus; ++index) {
    for (int target = 0; target < grid.gpus; ++target) {
      if (target == index) continue;
      for (int from = 0; from < grid.nodes; ++from) {
        const Place src = from == node ? in_of(grid.rank_at(node, index), grid.rank_at(node, target))
                                       : out_of(grid.rank_at(node, index), grid.rank_at(from, target));
        round.push_back(copying(src, out_of(grid.rank_at(node, target), grid.rank_at(from, index))));
      }
    }
  }
}

}  // namespace

Schedule hierarchical_all_reduce(int ranks, Rank root, const Tuning& tuning) {
  const Grid grid = grid_of(ranks, tuning);
  if (grid.gpus == 1 || grid.nodes == 1) return ring_all_reduce(ranks, root);  // there is one level only
  Schedule schedule{ranks, ranks, {}};
  in_every_node(schedule, grid, ring_reduce_scatter(grid.gpus, 0), Reads::input);
  on_every_rail(schedule, grid, ring_all_reduce(grid.nodes, 0));
  in_every_node(schedule, grid, ring_all_gather(grid.gpus, 0), Reads::earlier_rounds);
  return schedule;
}

Schedule hierarchical_all_to_all(int ranks, Rank root, const Tuning& tuning) {
  const Grid grid = grid_of(ranks, tuning);
  if (grid.gpus == 1 || grid.nodes == 1) return direct_all_to_all(ranks, root);
  Schedule schedule{ranks, ranks, {over_the_rails(grid), Round()}};
  for (Rank rank = 0; rank < ranks; ++rank) schedule.rounds.front().push_back(keeping(rank, rank));
  for (int node = 0; node < grid.nodes; ++node) inside_a_node(schedule.rounds.back(), grid, node);
  return schedule;
}

}  // namespace commflow

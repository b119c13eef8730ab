// Binomial tree, ceil(lg n) rounds. Positions count from the root; the tree of
// 8 positions, with the distance of each edge:
//
//   0 --4-- 4 --2-- 6 --1-- 7        up (reduce, gather):      distances 1, 2, 4
//   |       +--1-- 5                 down (broadcast, scatter): distances 4, 2, 1
//   +--2-- 2 --1-- 3
//   +--1-- 1                         an edge of distance d leads to d positions
//
// Where n is no power of two, positions from n on are simply missing.
// (MPICH src/mpi/coll, binomial variants)

#include <algorithm>

#include "core/algorithms/builders.h"

namespace commflow {
namespace {

struct Tree {
  int ranks;
  Rank root;

  Rank rank_at(int position) const { return around(root + position, ranks); }
  // A position has children if the next one is below it: distance 1 comes with every larger one.
  bool has_children(int position) const { return position % 2 == 0 && position + 1 < ranks; }
  int end_of_subtree(int child, int distance) const { return std::min(child + distance, ranks); }
};

std::vector<int> distances_up(int ranks) {
  std::vector<int> distances;
  for (int distance = 1; distance < ranks; distance *= 2) distances.push_back(distance);
  return distances;
}

std::vector<int> distances_down(int ranks) {
  std::vector<int> distances = distances_up(ranks);
  std::reverse(distances.begin(), distances.end());
  return distances;
}

// One round per distance: visit(round, parent, child, distance) for each of its edges.
template <class Visit>
Schedule walk_tree(const Tree& tree, int slots, const std::vector<int>& distances, Round first_moves, Visit visit) {
  if (tree.ranks == 1) return alone();
  Schedule schedule{tree.ranks, slots, std::vector<Round>(distances.size())};
  schedule.rounds.front() = std::move(first_moves);
  for (std::size_t k = 0; k < distances.size(); ++k) {
    for (int parent = 0; parent + distances[k] < tree.ranks; parent += 2 * distances[k]) {
      visit(schedule.rounds[k], parent, parent + distances[k], distances[k]);
    }
  }
  return schedule;
}

// Down the tree from what the root has in root_area.
Schedule broadcast_from(const Tree& tree, Area root_area, Round first_moves) {
  return walk_tree(tree, 1, distances_down(tree.ranks), std::move(first_moves),
                   [&](Round& round, int parent, int child, int) {
                     const Place src{tree.rank_at(parent), parent == 0 ? root_area : Area::out, 0};
                     round.push_back(copying(src, out_of(tree.rank_at(child), 0)));
                   });
}

}  // namespace

Schedule binomial_broadcast(int ranks, Rank root) {
  return broadcast_from({ranks, root}, Area::in, {keeping(root, 0)});
}

Schedule binomial_reduce(int ranks, Rank root) {
  const Tree tree{ranks, root};
  Round own;
  for (int position = 0; position < ranks; ++position) {
    if (tree.has_children(position)) own.push_back(contributing(tree.rank_at(position), 0));
  }
  return walk_tree(tree, 1, distances_up(ranks), std::move(own), [&](Round& round, int parent, int child, int) {
    const Place src{tree.rank_at(child), tree.has_children(child) ? Area::out : Area::in, 0};
    round.push_back(reducing(src, out_of(tree.rank_at(parent), 0)));
  });
}

// To rank 0 and back: the same tree twice.
Schedule binomial_all_reduce(int ranks, Rank) {
  Schedule schedule = binomial_reduce(ranks, 0);
  if (ranks == 1) return schedule;
  for (Round& round : broadcast_from({ranks, 0}, Area::out, {}).rounds) schedule.rounds.push_back(std::move(round));
  return schedule;
}

Schedule binomial_gather(int ranks, Rank root) {
  const Tree tree{ranks, root};
  return walk_tree(tree, ranks, distances_up(ranks), {keeping(root, root)},
                   [&](Round& round, int parent, int child, int distance) {
                     for (int position = child; position < tree.end_of_subtree(child, distance); ++position) {
                       const int block = tree.rank_at(position);
                       const Place src{tree.rank_at(child), position == child ? Area::in : Area::out, block};
                       round.push_back(copying(src, out_of(tree.rank_at(parent), block)));
                     }
                   });
}

Schedule binomial_scatter(int ranks, Rank root) {
  const Tree tree{ranks, root};
  return walk_tree(tree, ranks, distances_down(ranks), {keeping(root, root)},
                   [&](Round& round, int parent, int child, int distance) {
                     for (int position = child; position < tree.end_of_subtree(child, distance); ++position) {
                       const int block = tree.rank_at(position);
                       const Place src{tree.rank_at(parent), parent == 0 ? Area::in : Area::out, block};
                       round.push_back(copying(src, out_of(tree.rank_at(child), block)));
                     }
                   });
}

}  // namespace commflow

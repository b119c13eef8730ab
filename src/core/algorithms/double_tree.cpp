// All-reduce over two binary trees at once, each with half of the buffer in
// chunks: up to the root, adding, and down again, copying. A chunk moves one edge
// per round, and the next one follows right behind it.
//
//   up:    a rank of height h (edges to its farthest leaf) sends chunk c in round h + c
//   down:  the root, of height H, sends chunk c in round H + c, a rank of depth d in H + c + d
//
// 2H + chunks - 1 rounds; with many chunks every port carries 2S.

#include <algorithm>

#include "core/algorithms/builders.h"
#include "core/double_tree.h"

namespace commflow {
namespace {

struct Tree {
  Parents parents;
  std::vector<TreePlace> places;
  int height = 0;

  explicit Tree(Parents of) : parents(std::move(of)), places(tree_places(parents)) {
    for (const TreePlace& place : places) height = std::max(height, place.height);
  }
};

// All transfers of one chunk, which lies in `slot`.
void send_chunk(std::vector<Round>& rounds, const Tree& tree, int chunk, int slot) {
  for (Rank rank = 0; rank < static_cast<Rank>(tree.parents.size()); ++rank) {
    const TreePlace& place = tree.places[index_of(rank)];
    if (place.height > 0) rounds.front().push_back(contributing(rank, slot));
    const Rank parent = tree.parents[index_of(rank)];
    if (parent < 0) continue;
    const Place own{rank, place.height > 0 ? Area::out : Area::in, slot};
    rounds[index_of(place.height + chunk)].push_back(reducing(own, out_of(parent, slot)));
    rounds[index_of(tree.height + chunk + place.depth - 1)].push_back(
        copying(out_of(parent, slot), out_of(rank, slot)));
  }
}

}  // namespace

Schedule double_tree_all_reduce(int ranks, Rank, const Tuning& tuning) {
  if (ranks == 1) return alone();
  const auto [first, second] = double_binary_tree(ranks);
  const Tree trees[]{Tree(first), Tree(second)};
  const int rounds = 2 * trees[0].height + tuning.chunks - 1;
  Schedule schedule{ranks, 2 * tuning.chunks, std::vector<Round>(index_of(rounds))};
  for (int t = 0; t < 2; ++t) {
    for (int chunk = 0; chunk < tuning.chunks; ++chunk) {
      send_chunk(schedule.rounds, trees[t], chunk, t * tuning.chunks + chunk);
    }
  }
  return schedule;
}

}  // namespace commflow

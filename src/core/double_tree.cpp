#include "core/double_tree.h"

#include <algorithm>

#include "core/index.h"

namespace commflow {
namespace {

// The parent has the lowest set bit of the rank moved up by one; where that is out
// of range, taken away.
Rank parent_of(Rank rank, int ranks) {
  if (rank == 0) return -1;
  const int lowest = rank & -rank;
  const Rank up = (rank ^ lowest) | (2 * lowest);
  return up < ranks ? up : rank ^ lowest;
}

Rank second_parent_of(Rank rank, int ranks) {
  const bool mirrored = ranks % 2 == 0;
  const Rank parent = parent_of(mirrored ? ranks - 1 - rank : (rank + ranks - 1) % ranks, ranks);
  if (parent < 0) return -1;
  return mirrored ? ranks - 1 - parent : (parent + 1) % ranks;
}

}  // namespace

std::array<Parents, 2> double_binary_tree(int ranks) {
  std::array<Parents, 2> trees;
  for (Rank rank = 0; rank < ranks; ++rank) {
    trees[0].push_back(parent_of(rank, ranks));
    trees[1].push_back(second_parent_of(rank, ranks));
  }
  return trees;
}

std::vector<TreePlace> tree_places(const Parents& parents) {
  std::vector<TreePlace> places(parents.size());
  for (std::size_t rank = 0; rank < parents.size(); ++rank) {
    int climbed = 0;
    for (Rank up = parents[rank]; up >= 0; up = parents[index_of(up)]) {
      ++climbed;
      places[index_of(up)].height = std::max(places[index_of(up)].height, climbed);
    }
    places[rank].depth = climbed;
  }
  return places;
}

}  // namespace commflow

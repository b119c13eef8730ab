#pragma once
// The two trees over which NCCL sends an all-reduce between nodes. Tree 0: rank 0
// is the root and has one child; of the others, odd ranks are leaves. Tree 1 is
// tree 0 mirrored where n is even, shifted by one rank where it is odd. So for
// even n a rank has children in one tree only, and each tree can carry half of the
// data at full speed. (NVIDIA/nccl src/graph/trees.cc)

#include <array>
#include <vector>

#include "core/buffers.h"

namespace commflow {

// Parent of every rank, -1 for the root. ranks >= 1.
using Parents = std::vector<Rank>;
std::array<Parents, 2> double_binary_tree(int ranks);

// Where a rank stands in its tree: children are lower, and deeper.
struct TreePlace {
  int height = 0;  // edges to its farthest leaf
  int depth = 0;   // edges to the root
};
std::vector<TreePlace> tree_places(const Parents& parents);

}  // namespace commflow

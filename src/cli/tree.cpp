// commflow tree: the two trees of a double binary tree.

#include <algorithm>

#include "cli/print.h"
#include "core/double_tree.h"

namespace commflow {
namespace {

constexpr int kMaxRanks = 100000;

constexpr Option kOptions[] = {{"--ranks", "N", "1 to 100000"}};

constexpr std::string_view kNotes =
    "parents: for each of the two trees, the parent of every rank, -1 for the root.\n"
    "depth: edges from the root to the farthest rank, the same in both.\n"
    "trees_with_children: per rank, in how many of the two it has children; for an even number of\n"
    "ranks never in both, so each tree can carry half of the data at full speed.";

std::vector<int> trees_with_children(const std::array<Parents, 2>& trees) {
  const std::size_t ranks = trees[0].size();
  std::vector<int> count(ranks);
  for (const Parents& parents : trees) {
    std::vector<bool> has_children(ranks);
    for (const Rank parent : parents) {
      if (parent >= 0) has_children[static_cast<std::size_t>(parent)] = true;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) count[rank] += has_children[rank] ? 1 : 0;
  }
  return count;
}

Report run_tree(Arguments& arguments) {
  const int ranks = arguments.whole("--ranks", 1, kMaxRanks);
  if (!arguments.problem().empty()) return {};
  const auto trees = double_binary_tree(ranks);
  int depth = 0;
  for (const TreePlace& place : tree_places(trees[0])) depth = std::max(depth, place.depth);
  return {{"ranks", ranks},
          {"parents", {trees[0], trees[1]}},
          {"depth", depth},
          {"trees_with_children", trees_with_children(trees)}};
}

void print_tree(const Report& report, std::ostream& out) {
  out << "ranks: " << shown(report["ranks"]) << ", depth: " << shown(report["depth"]) << "\n\n";
  std::vector<std::vector<std::string>> rows{{"rank", "parent in tree 0", "parent in tree 1"}};
  for (std::size_t rank = 0; rank < report["parents"][0].size(); ++rank) {
    rows.push_back({std::to_string(rank), shown(report["parents"][0][rank]), shown(report["parents"][1][rank])});
  }
  print_table(rows, out);
}

}  // namespace

const Command kTreeCommand{"tree",    "the two trees over which a double binary tree sends", kOptions, kNotes, run_tree,
                           print_tree};

}  // namespace commflow

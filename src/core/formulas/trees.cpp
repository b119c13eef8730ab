// The binomial tree and the two of NCCL, message by message.

#include "core/algorithms/builders.h"
#include "core/double_tree.h"
#include "core/formulas/tree.h"

namespace commflow {
namespace {

// What a rank of one of the two trees sends up and is sent down in a round: a chunk,
// or -1.
struct Climb {
  int up = -1;
  int down = -1;
};

// Who sends which chunk to whom in which round of the double tree. Both trees may have
// something for the same pair in one round: that is one message.
class TwoTrees {
 public:
  TwoTrees(int ranks, int chunks)
      : chunks_(chunks),
        parents_(double_binary_tree(ranks)),
        places_{tree_places(parents_[0]), tree_places(parents_[1])} {
    for (const TreePlace& place : places_[0]) height_ = std::max(height_, place.height);
  }
  int rounds() const { return 2 * height_ + chunks_ - 1; }

  void enter_round(Ledger& ledger, const Cut& cut, int round) const {
    for (Rank rank = 0; rank < static_cast<Rank>(parents_[0].size()); ++rank) {
      enter_edge(ledger, cut, round, 0, rank);
      enter_edge(ledger, cut, round, 1, rank);
    }
    ledger.end_round();
  }

 private:
  Rank parent(int tree, Rank rank) const { return parents_[index_of(tree)][index_of(rank)]; }

  Climb climb(int round, int tree, Rank rank) const {
    const TreePlace& place = places_[index_of(tree)][index_of(rank)];
    const auto chunk = [&](int late) { return round >= late && round - late < chunks_ ? round - late : -1; };
    if (place.depth == 0) return {};
    return {chunk(place.height), chunk(height_ + place.depth - 1)};
  }

  // The edge from a rank to its parent, both ways.
  void enter_edge(Ledger& ledger, const Cut& cut, int round, int tree, Rank rank) const {
    const Climb own = climb(round, tree, rank);
    const Rank up = parent(tree, rank);
    if (own.up < 0 && own.down < 0) return;
    const bool entered = tree == 1 && parent(0, rank) == up;  // the first tree had this edge, too
    const Climb other = climb(round, 1 - tree, rank);
    if (own.up >= 0) {
      // The rank may be its parent's parent in the other tree, and send the result down there.
      const bool meets = parent(1 - tree, up) == rank && climb(round, 1 - tree, up).down >= 0;
      put(ledger, (entered && other.up >= 0) || meets, rank, up, cut.at(tree * chunks_ + own.up));
    }
    if (own.down >= 0) put(ledger, entered && other.down >= 0, up, rank, cut.at(tree * chunks_ + own.down));
  }

  static void put(Ledger& ledger, bool joins, Rank src, Rank dst, Bytes bytes) {
    joins ? ledger.put(src, dst, bytes) : ledger.send(src, dst, bytes);
  }

  int chunks_;
  std::array<Parents, 2> parents_;
  std::array<std::vector<TreePlace>, 2> places_;
  int height_ = 0;
};

}  // namespace

void Formulas::binomial(Ledger& ledger, const Question& q) {
  const int n = q.ranks;
  const Cut cut(q.payload, n);
  const Rank root = q.collective == Collective::all_reduce ? 0 : q.root;
  const auto rank_at = [&](int position) { return around(root + position, n); };
  const auto bytes_of = [&](int begin, int end) {
    return has_block_per_rank(q.collective) ? cut.around(rank_at(begin), end - begin) : q.payload;
  };
  tree(ledger, n, away_from_root(q.collective), rank_at, bytes_of);
  if (q.collective == Collective::all_reduce) tree(ledger, n, true, rank_at, bytes_of);
}

void Formulas::double_tree(Ledger& ledger, const Question& q) {
  const TwoTrees trees(q.ranks, q.tuning.chunks);
  const Cut cut(q.payload, 2 * q.tuning.chunks);
  for (int round = 0; round < trees.rounds(); ++round) trees.enter_round(ledger, cut, round);
}

}  // namespace commflow

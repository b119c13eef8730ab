#pragma once
// Who may send to whom in which round, algorithm by algorithm, as textbooks put
// it and without a look at the builders. A schedule can have the right result
// and still be another algorithm; this tells.

#include <algorithm>

#include "core/collective_cases.h"

namespace commflow::cases {

class Partners {
 public:
  Partners(const Case& c, Rank root, int rounds)
      : collective_(c.collective()), algorithm_(c.algorithm().id), ranks_(c.ranks), root_(root), rounds_(rounds) {
    while (2 * power_ <= ranks_) power_ *= 2;
    folded_ = ranks_ - power_;
  }

  bool allow(int round, const Transfer& transfer) const {
    if (transfer.local()) return round == 0;
    const Rank src = transfer.src.rank;
    const Rank dst = transfer.dst.rank;
    switch (algorithm_) {
      case Algorithm::one_shot: return true;  // everybody to everybody, once
      case Algorithm::recursive_doubling:
      case Algorithm::recursive_halving: return halving_doubling(round, src, dst);
      case Algorithm::double_binary_tree: return double_tree(round, transfer);
      case Algorithm::bruck: return bruck(round, src, dst);
      case Algorithm::chain: return chain(round, transfer);
      case Algorithm::scatter_allgather: return scatter_allgather(round, transfer);
      case Algorithm::scatter_allgather_doubling:
      case Algorithm::reduce_scatter_gather: return halves_by_position(round, behind(root_, src), behind(root_, dst));
      case Algorithm::hierarchical: return hierarchical(round, transfer);
      case Algorithm::in_switch:
        return transfer.reduce ? dst == ranks_ && transfer.src.slot == round
                               : src == ranks_ && transfer.src.slot == round - 1;
      case Algorithm::ring: return behind(src, dst) == 1 && ring_block(round, src) == transfer.src.slot;
      case Algorithm::pairwise: return behind(src, dst) == round + 1;
      case Algorithm::linear:
        return away_from_root() ? src == root_ && behind(root_, dst) == round + 1
                                : dst == root_ && behind(root_, src) == round + 1;
      case Algorithm::direct: return direct(round, transfer);
      case Algorithm::binomial:
        if (collective_ == Collective::all_reduce) return up_and_down(round, src, dst);
        return away_from_root() ? tree_edge(behind(root_, dst), behind(root_, src), rounds_ - 1 - round)
                                : tree_edge(behind(root_, src), behind(root_, dst), round);
      case Algorithm::halving_doubling: break;
    }
    return halving_doubling(round, src, dst);
  }

 private:
  int behind(Rank first, Rank second) const { return (second - first + ranks_) % ranks_; }
  bool away_from_root() const { return collective_ == Collective::broadcast || collective_ == Collective::scatter; }

  // NCCL's order: block r - 1 - k in round k while reducing, r - k while gathering.
  int ring_block(int round, Rank rank) const {
    const bool gathering = collective_ == Collective::all_gather || round >= ranks_ - 1;
    const int shift = gathering ? round % (ranks_ - 1) : round + 1;
    return (rank - shift + ranks_) % ranks_;
  }

  // A block goes to its owner while reducing, from its owner while gathering.
  bool direct(int round, const Transfer& transfer) const {
    if (collective_ == Collective::send_recv) return behind(transfer.src.rank, transfer.dst.rank) == 1;
    if (collective_ == Collective::all_to_all) return transfer.src.slot == transfer.dst.rank;
    const bool gathering = collective_ == Collective::all_gather || round == 1;
    return transfer.src.slot == (gathering ? transfer.src.rank : transfer.dst.rank);
  }

  // The parent of a position is the position without its lowest set bit, which is the level of the edge.
  static bool tree_edge(int child, int parent, int level) {
    return (child & -child) == 1 << level && parent == (child & (child - 1));
  }

  bool up_and_down(int round, int src, int dst) const {
    return round < rounds_ / 2 ? tree_edge(src, dst, round) : tree_edge(dst, src, rounds_ - 1 - round);
  }

  // Edges of the two trees as the sources of NCCL draw them: odd ranks are leaves of their even neighbours.
  Rank tree_parent(int tree, Rank rank) const {
    if (tree == 1 && ranks_ % 2 == 0) return ranks_ - 1 - tree_parent(0, ranks_ - 1 - rank);
    if (tree == 1) return (tree_parent(0, (rank + ranks_ - 1) % ranks_) + 1) % ranks_;
    int level = 1;
    while (rank != 0 && rank / level % 2 == 0) level *= 2;
    if (rank == 0) return -ranks_ * ranks_;  // nobody, whatever is done to it
    const Rank up = rank / level % 4 == 1 ? rank + level : rank - level;
    return up < ranks_ ? up : rank - level;
  }
  int tree_depth(int tree, Rank rank) const {
    const Rank parent = tree_parent(tree, rank);
    return parent < 0 || parent >= ranks_ ? 0 : 1 + tree_depth(tree, parent);
  }
  // Edges to the farthest leaf below; -1 stands for the root.
  int tree_height(int tree, Rank rank) const {
    int height = 0;
    for (Rank below = 0; below < ranks_; ++below) {
      const int depth = tree_depth(tree, below);
      int climbed = 0;
      for (Rank at = below; at != rank && climbed < depth; at = tree_parent(tree, at)) ++climbed;
      if (rank < 0 || ancestor(tree, below, climbed) == rank) height = std::max(height, climbed);
    }
    return height;
  }
  Rank ancestor(int tree, Rank rank, int generations) const {
    for (int i = 0; i < generations; ++i) rank = tree_parent(tree, rank);
    return rank;
  }
  // A chunk climbs one edge per round, waits for nobody but its subtree, and comes down behind the root.
  bool double_tree(int round, const Transfer& transfer) const {
    const int chunks = Tuning{}.chunks;
    const int tree = transfer.src.slot < chunks ? 0 : 1;
    const int chunk = transfer.src.slot % chunks;
    const Rank src = transfer.src.rank;
    const Rank dst = transfer.dst.rank;
    if (transfer.reduce) return tree_parent(tree, src) == dst && round == tree_height(tree, src) + chunk;
    return tree_parent(tree, dst) == src && round == tree_height(tree, -1) + chunk + tree_depth(tree, src);
  }

  bool bruck(int round, Rank src, Rank dst) const {
    return (collective_ == Collective::all_gather ? behind(dst, src) : behind(src, dst)) == 1 << round;
  }

  // The first to send is the root, or the rank farthest from it; chunks follow one another.
  bool chain(int round, const Transfer& transfer) const {
    const bool away = collective_ == Collective::broadcast;
    const int from = behind(root_, transfer.src.rank);
    const int sent_before = away ? from : ranks_ - 1 - from;
    return behind(root_, transfer.dst.rank) == from + (away ? 1 : -1) && transfer.src.slot == round - sent_before;
  }

  bool scatter_allgather(int round, const Transfer& transfer) const {
    const int tree_rounds = rounds_ - (ranks_ - 1);
    const Rank src = transfer.src.rank;
    const Rank dst = transfer.dst.rank;
    if (round < tree_rounds) return tree_edge(behind(root_, dst), behind(root_, src), tree_rounds - 1 - round);
    return behind(src, dst) == 1 && transfer.src.slot == (src - (round - tree_rounds) + ranks_) % ranks_;
  }

  // Scatter from p / 2 down to 1 and doubling from 1 up, or halving down and a tree up; positions from p on hand
  // over first or are served last.
  bool halves_by_position(int round, int src, int dst) const {
    const bool broadcast = collective_ == Collective::broadcast;
    if (folded_ > 0 && round == (broadcast ? rounds_ - 1 : 0)) {
      return broadcast ? dst == src + power_ : src == dst + power_;
    }
    if (src >= power_ || dst >= power_) return false;
    const int exchange = folded_ > 0 && !broadcast ? round - 1 : round;
    const int halved = power_ >> (exchange + 1);
    if (halved > 0) return broadcast ? src % (2 * halved) == 0 && dst == src + halved : (src ^ dst) == halved;
    const int doubled = (1 << exchange) / power_;
    return broadcast ? (src ^ dst) == doubled : src % (2 * doubled) == doubled && dst == src - doubled;
  }

  // Ring in the node, ring over the rail, ring in the node; or one hop over the rail, one in the node.
  bool hierarchical(int round, const Transfer& transfer) const {
    const int gpus = default_gpus_per_node(ranks_);
    const int nodes = ranks_ / gpus;
    const Rank src = transfer.src.rank;
    const Rank dst = transfer.dst.rank;
    const bool flat = gpus == 1;
    const bool same_node = src / gpus == dst / gpus;
    const bool same_rail = src % gpus == dst % gpus;
    if (collective_ == Collective::all_to_all) {
      if (flat) return transfer.src.slot == dst;
      return round == 0 ? same_rail && transfer.src.slot / gpus == dst / gpus : same_node;
    }
    if (flat) return behind(src, dst) == 1 && ring_block(round, src) == transfer.src.slot;
    const int block = transfer.src.slot / nodes;
    const int part = transfer.src.slot % nodes;
    const auto in_ring = [](int at, int shift, int size) { return ((at - shift) % size + size) % size; };
    if (round < gpus - 1 || round >= rounds_ - (gpus - 1)) {
      const int shift = round < gpus - 1 ? round + 1 : round - (rounds_ - (gpus - 1));
      return same_node && (src + 1) % gpus == dst % gpus && block == in_ring(src % gpus, shift, gpus);
    }
    const int exchange = round - (gpus - 1);
    const int shift = exchange < nodes - 1 ? exchange + 1 : exchange - (nodes - 1);
    return same_rail && (src / gpus + 1) % nodes == dst / gpus && block == src % gpus &&
           part == in_ring(src / gpus, shift, nodes);
  }

  // -1 for a rank that sits out.
  int seat_of(Rank rank) const {
    if (rank >= 2 * folded_) return rank - folded_;
    return rank % 2 == 1 ? rank / 2 : -1;
  }

  bool halving_doubling(int round, Rank src, Rank dst) const {
    if (folded_ > 0 && round == 0) return src % 2 == 0 && src < 2 * folded_ && dst == src + 1;
    if (folded_ > 0 && round == rounds_ - 1) return dst % 2 == 0 && dst < 2 * folded_ && src == dst + 1;
    if (seat_of(src) < 0 || seat_of(dst) < 0) return false;
    return (seat_of(src) ^ seat_of(dst)) == distance(folded_ > 0 ? round - 1 : round);
  }

  // Halving runs from power / 2 down to 1, doubling from 1 up.
  int distance(int exchange) const {
    const bool whole_buffers = algorithm_ == Algorithm::recursive_doubling;
    if (collective_ == Collective::all_gather || whole_buffers) return 1 << exchange;
    const int halved = power_ >> (exchange + 1);
    return halved > 0 ? halved : (1 << exchange) / power_;
  }

  Collective collective_;
  Algorithm algorithm_;
  int ranks_;
  Rank root_;
  int rounds_;
  int power_ = 1;
  int folded_ = 0;
};

inline bool follows_partners(const Case& c, Rank root, const Schedule& schedule) {
  const Partners partners(c, root, static_cast<int>(schedule.rounds.size()));
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
    for (const Transfer& transfer : schedule.rounds[round]) {
      if (!partners.allow(static_cast<int>(round), transfer)) return false;
    }
  }
  return true;
}

}  // namespace commflow::cases

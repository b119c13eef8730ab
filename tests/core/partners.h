#pragma once
// Who may send to whom in which round, algorithm by algorithm, as textbooks put
// it and without a look at the builders. A schedule can have the right result
// and still be another algorithm; this tells.

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
      case Algorithm::ring: return behind(src, dst) == 1 && ring_block(round, src) == transfer.src.slot;
      case Algorithm::pairwise: return behind(src, dst) == round + 1;
      case Algorithm::linear:
        return away_from_root() ? src == root_ && behind(root_, dst) == round + 1
                                : dst == root_ && behind(root_, src) == round + 1;
      case Algorithm::direct: return direct(round, transfer);
      case Algorithm::binomial:
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
    if (collective_ == Collective::all_gather) return 1 << exchange;
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

// Rings, pairs and one step to all: every round is like the others.

#include "core/algorithms/builders.h"
#include "core/formulas/formulas.h"

namespace commflow {
namespace {

std::int64_t all_pairs(int n) {
  return std::int64_t{n} * (n - 1);
}

// Everyone a block to everyone, at once or in n - 1 rounds: the block of the receiver
// or that of the sender.
struct Exchange {
  bool own_block;  // the sender's
  int rounds;
};

void exchange(Ledger& ledger, const Cut& cut, const Exchange& how) {
  const int n = cut.blocks();
  Bytes busiest = 0;
  for (Rank rank = 0; rank < n; ++rank) {
    const Bytes own = (n - 1) * cut.at(rank);
    const Bytes others = cut.payload() - cut.at(rank);
    ledger.add(rank, how.own_block ? own : others, how.own_block ? others : own);
    busiest = std::max({busiest, own, others});
  }
  ledger.rounds(how.rounds, all_pairs(n), how.rounds == 1 ? busiest : how.rounds * cut.largest());
}

// `ranks` of a ring, all blocks under way in every round; rank r keeps block r when
// it has reduced, block r + 1 is the one it never passes on when it gathers.
void reduce_in_ring(Ledger& ledger, const Cut& cut) {
  const int n = cut.blocks();
  for (Rank rank = 0; rank < n; ++rank) {
    ledger.add(rank, cut.payload() - cut.at(rank), cut.payload() - cut.at(around(rank - 1, n)));
  }
  ledger.rounds(n - 1, all_pairs(n), (n - 1) * cut.largest());
}

void gather_in_ring(Ledger& ledger, const Cut& cut) {
  const int n = cut.blocks();
  for (Rank rank = 0; rank < n; ++rank) {
    ledger.add(rank, cut.payload() - cut.at(around(rank + 1, n)), cut.payload() - cut.at(rank));
  }
  ledger.rounds(n - 1, all_pairs(n), (n - 1) * cut.largest());
}

}  // namespace

void Formulas::ring(Ledger& ledger, const Question& q) {
  const Cut cut(q.payload, q.ranks);
  if (q.collective != Collective::all_gather) reduce_in_ring(ledger, cut);
  if (q.collective != Collective::reduce_scatter) gather_in_ring(ledger, cut);
}

void Formulas::direct(Ledger& ledger, const Question& q) {
  if (q.collective == Collective::send_recv) {
    ledger.send(q.root, around(q.root + 1, q.ranks), q.payload);
    return ledger.end_round();
  }
  const Cut cut(q.payload, q.ranks);
  if (q.collective != Collective::all_gather) exchange(ledger, cut, {false, 1});
  if (q.collective == Collective::all_gather || q.collective == Collective::all_reduce)
    exchange(ledger, cut, {true, 1});
}

void Formulas::one_shot(Ledger& ledger, const Question& q) {
  const Bytes bytes = (q.ranks - 1) * q.payload;
  for (Rank rank = 0; rank < q.ranks; ++rank) ledger.add(rank, bytes, bytes);
  ledger.rounds(1, all_pairs(q.ranks), bytes);
}

void Formulas::pairwise(Ledger& ledger, const Question& q) {
  exchange(ledger, Cut(q.payload, q.ranks), {false, q.ranks - 1});
}

void Formulas::linear(Ledger& ledger, const Question& q) {
  const Cut cut(q.payload, q.ranks);
  for (int k = 1; k < q.ranks; ++k) {
    const Rank peer = around(q.root + k, q.ranks);
    const Bytes bytes = has_block_per_rank(q.collective) ? cut.at(peer) : q.payload;
    away_from_root(q.collective) ? ledger.send(q.root, peer, bytes) : ledger.send(peer, q.root, bytes);
    ledger.end_round();
  }
}

}  // namespace commflow

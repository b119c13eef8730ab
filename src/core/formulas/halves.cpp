// Broadcast and reduce in two halves: scatter_allgather.cpp of the algorithms.

#include "core/algorithms/builders.h"
#include "core/algorithms/fold.h"
#include "core/formulas/tree.h"

namespace commflow {
namespace {

// Ring all-gather among ranks that hold what a scatter over a binomial tree has left
// with them: position q holds blocks q .. q + lowest bit of q. Nobody is sent what it has.
class GatherAfterScatter {
 public:
  GatherAfterScatter(const Cut& cut, Rank root) : cut_(cut), n_(cut.blocks()), root_(root) {
    for (int block = 0; block < n_; ++block) {
      if (cut.is_large(block)) large_.push_back(block);
    }
  }

  void enter(Ledger& ledger) const {
    std::int64_t messages = 0;
    for (int position = 1; position < n_; ++position) {
      const Rank rank = around(root_ + position, n_);
      const Bytes missing = cut_.payload() - cut_.around(rank, held(position));
      ledger.add(around(rank - 1, n_), missing, 0);
      ledger.add(rank, 0, missing);
      messages += n_ - held(position);
    }
    Bytes critical = 0;
    for (int k = 0; k < n_ - 1; ++k) critical += cut_.payload() / n_ + (sends_a_large_one(k) ? 1 : 0);
    ledger.rounds(n_ - 1, messages, critical);
  }

 private:
  int held(int position) const { return std::min(position & -position, n_ - position); }
  // In round k a block goes to the rank k + 1 after its own. Few ranks hold it already, so few blocks are looked at.
  bool sends_a_large_one(int k) const {
    for (const int block : large_) {
      const int own = around(block - root_, n_);
      const int to = around(own + k + 1, n_);
      const bool has_it = to == 0 || (own >= to && own - to < held(to));
      if (!has_it) return true;
    }
    return false;
  }

  Cut cut_;
  int n_;
  Rank root_;
  std::vector<int> large_;
};

}  // namespace

void Formulas::scatter_allgather(Ledger& ledger, const Question& q) {
  Question scatter = q;
  scatter.collective = Collective::scatter;
  binomial(ledger, scatter);
  GatherAfterScatter(Cut(q.payload, q.ranks), q.root).enter(ledger);
}

void Formulas::scatter_allgather_doubling(Ledger& ledger, const Question& q) {
  const int power = largest_power_up_to(q.ranks);
  const Cut cut(q.payload, power);
  const auto rank_at = [&](int position) { return around(q.root + position, q.ranks); };
  tree(ledger, power, true, rank_at, [&](int begin, int end) { return cut.between(begin, end); });
  for (int distance = 1; distance < power; distance *= 2) {
    for (int position = 0; position < power; ++position) {
      const int partner = position ^ distance;
      if (partner % (2 * distance) == 0) continue;  // the scatter has left this half with it
      const Range known = run_of(position, distance);
      ledger.send(rank_at(position), rank_at(partner), cut.between(known.begin, known.end));
    }
    ledger.end_round();
  }
  if (power == q.ranks) return;
  for (int position = power; position < q.ranks; ++position) {
    ledger.send(rank_at(position - power), rank_at(position), q.payload);
  }
  ledger.end_round();
}

void Formulas::reduce_scatter_gather(Ledger& ledger, const Question& q) {
  const int power = largest_power_up_to(q.ranks);
  const Cut cut(q.payload, power);
  const auto rank_at = [&](int position) { return around(q.root + position, q.ranks); };
  for (int position = power; position < q.ranks; ++position) {
    ledger.send(rank_at(position), rank_at(position - power), q.payload);
  }
  if (power < q.ranks) ledger.end_round();
  for (int distance = power / 2; distance >= 1; distance /= 2) {
    for (int position = 0; position < power; ++position) {
      const Range given = run_of(position ^ distance, distance);
      ledger.send(rank_at(position), rank_at(position ^ distance), cut.between(given.begin, given.end));
    }
    ledger.end_round();
  }
  tree(ledger, power, false, rank_at, [&](int begin, int end) { return cut.between(begin, end); });
}

}  // namespace commflow

// Bruck, and what travels in chunks: the chain, and up to a switch and down.

#include "core/algorithms/builders.h"
#include "core/formulas/formulas.h"

namespace commflow {
namespace {

// How many of 1 .. n - 1 have this bit.
Bytes with_bit(int n, int bit) {
  return n / (2 * bit) * bit + std::max(0, n % (2 * bit) - bit);
}

// The largest chunk of first .. last, of which there is at least one.
class LargestChunk {
 public:
  explicit LargestChunk(const Cut& cut) : cut_(cut), large_before_(index_of(cut.blocks() + 1)) {
    for (int chunk = 0; chunk < cut.blocks(); ++chunk) {
      large_before_[index_of(chunk + 1)] = large_before_[index_of(chunk)] + (cut.is_large(chunk) ? 1 : 0);
    }
  }
  Bytes of(int first, int last) const {
    const bool any = large_before_[index_of(last + 1)] > large_before_[index_of(first)];
    return cut_.payload() / cut_.blocks() + (any ? 1 : 0);
  }

 private:
  Cut cut_;
  std::vector<int> large_before_;
};

}  // namespace

void Formulas::bruck(Ledger& ledger, const Question& q) {
  const int n = q.ranks;
  const Cut cut(q.payload, n);
  for (int hop = 1; hop < n; hop *= 2) {
    for (Rank rank = 0; rank < n; ++rank) {
      if (q.collective == Collective::all_gather) {
        ledger.send(rank, around(rank - hop, n), cut.around(rank, std::min(hop, n - hop)));
      } else {
        ledger.send(rank, around(rank + hop, n), with_bit(n, hop) * cut.largest());
      }
    }
    ledger.end_round();
  }
}

void Formulas::chain(Ledger& ledger, const Question& q) {
  const int n = q.ranks;
  const int chunks = q.tuning.chunks;
  const LargestChunk largest(Cut(q.payload, chunks));
  const bool away = q.collective == Collective::broadcast;
  for (int position = 0; position < n; ++position) {
    const Bytes out = position + 1 < n ? q.payload : 0;  // away from the root
    const Bytes in = position > 0 ? q.payload : 0;
    ledger.add(around(q.root + position, n), away ? out : in, away ? in : out);
  }
  Bytes critical = 0;
  for (int round = 0; round < n - 2 + chunks; ++round) {
    critical += largest.of(std::max(0, round - (n - 2)), std::min(chunks - 1, round));
  }
  ledger.rounds(n - 2 + chunks, std::int64_t{n - 1} * chunks, critical);
}

void Formulas::in_switch(Ledger& ledger, const Question& q) {
  const int chunks = q.tuning.chunks;
  const LargestChunk largest(Cut(q.payload, chunks));
  for (Rank rank = 0; rank < q.ranks; ++rank) ledger.add(rank, q.payload, q.payload);
  Bytes critical = 0;
  for (int round = 0; round <= chunks; ++round) {
    critical += largest.of(std::max(0, round - 1), std::min(chunks - 1, round));
  }
  ledger.rounds(chunks + 1, 2 * std::int64_t{q.ranks} * chunks, critical);
}

}  // namespace commflow

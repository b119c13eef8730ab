// Halving and doubling, with ranks that fold.

#include "core/algorithms/fold.h"
#include "core/formulas/formulas.h"

namespace commflow {
namespace {

// Bytes of a run of seats: of one block per seat, or of their ranks' blocks.
struct SeatBytes {
  Fold fold;
  Cut cut;
  bool per_rank;
  Bytes operator()(Range seats) const {
    if (!per_rank) return cut.between(seats.begin, seats.end);
    return cut.between(fold.first_own_block(seats.begin), fold.first_own_block(seats.end));
  }
};

void halve(Ledger& ledger, const SeatBytes& bytes) {
  const Fold& fold = bytes.fold;
  for (int distance = fold.seats / 2; distance >= 1; distance /= 2) {
    for (int seat = 0; seat < fold.seats; ++seat) {
      const int partner = seat ^ distance;
      ledger.send(fold.rank_at(seat), fold.rank_at(partner), bytes(run_of(partner, distance)));
    }
    ledger.end_round();
  }
}

void double_up(Ledger& ledger, const SeatBytes& bytes) {
  const Fold& fold = bytes.fold;
  for (int distance = 1; distance < fold.seats; distance *= 2) {
    for (int seat = 0; seat < fold.seats; ++seat) {
      ledger.send(fold.rank_at(seat), fold.rank_at(seat ^ distance), bytes(run_of(seat, distance)));
    }
    ledger.end_round();
  }
}

// The round before or after all else, between those who sit and those who do not.
template <class BytesOf>
void fold_round(Ledger& ledger, const Fold& fold, bool in, BytesOf bytes_of) {
  if (fold.folded == 0) return;
  for (int seat = 0; seat < fold.folded; ++seat) {
    const Rank rank = fold.rank_at(seat);
    in ? ledger.send(rank - 1, rank, bytes_of(rank - 1)) : ledger.send(rank, rank - 1, bytes_of(rank - 1));
  }
  ledger.end_round();
}

}  // namespace

void Formulas::halving_doubling(Ledger& ledger, const Question& q) {
  const Fold fold(q.ranks);
  const bool per_rank = q.collective != Collective::all_reduce;
  const Cut cut(q.payload, per_rank ? q.ranks : fold.seats);
  const SeatBytes bytes{fold, cut, per_rank};
  const bool gathers = q.collective == Collective::all_gather;
  fold_round(ledger, fold, true, [&](Rank rank) { return gathers ? cut.at(rank) : q.payload; });
  if (!gathers) halve(ledger, bytes);
  if (q.collective != Collective::reduce_scatter) double_up(ledger, bytes);
  fold_round(ledger, fold, false, [&](Rank rank) {
    if (gathers) return q.payload - cut.at(rank);
    return per_rank ? cut.at(rank) : q.payload;
  });
}

void Formulas::recursive_doubling(Ledger& ledger, const Question& q) {
  if (q.collective != Collective::all_reduce) return halving_doubling(ledger, q);
  const Fold fold(q.ranks);
  const auto whole = [&](Rank) { return q.payload; };
  fold_round(ledger, fold, true, whole);
  for (int distance = 1; distance < fold.seats; distance *= 2) {
    for (int seat = 0; seat < fold.seats; ++seat) {
      ledger.send(fold.rank_at(seat), fold.rank_at(seat ^ distance), q.payload);
    }
    ledger.end_round();
  }
  fold_round(ledger, fold, false, whole);
}

}  // namespace commflow

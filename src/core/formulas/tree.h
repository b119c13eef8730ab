#pragma once
// The rounds of a binomial tree, for the formulas that have one.

#include "core/formulas/formulas.h"

namespace commflow {

// One of the rounds of a binomial tree over the first `size` positions, which are
// cut's blocks or carry the whole payload each.
template <class RankAt, class BytesOf>
void tree_round(Ledger& ledger, int size, int distance, bool away, RankAt rank_at, BytesOf bytes_of) {
  for (int parent = 0; parent + distance < size; parent += 2 * distance) {
    const int child = parent + distance;
    const Bytes bytes = bytes_of(child, std::min(child + distance, size));
    away ? ledger.send(rank_at(parent), rank_at(child), bytes) : ledger.send(rank_at(child), rank_at(parent), bytes);
  }
  ledger.end_round();
}

template <class RankAt, class BytesOf>
void tree(Ledger& ledger, int size, bool away, RankAt rank_at, BytesOf bytes_of) {
  int top = 1;
  while (2 * top < size) top *= 2;
  if (away) {
    for (int distance = top; distance >= 1; distance /= 2) tree_round(ledger, size, distance, true, rank_at, bytes_of);
  } else {
    for (int distance = 1; distance <= top; distance *= 2) tree_round(ledger, size, distance, false, rank_at, bytes_of);
  }
}

}  // namespace commflow

#pragma once
// What algorithms do that need a power of two where n is none.
//
// Where n is no power of two, the first 2(n - p) ranks fold, p being the power
// below n: an even one hands all it has to the odd one after it, sits out, and
// is given its result at the end. The p players are counted by seats:
//
//   6 ranks, p = 4:   0>1  2>3  4  5     seats  0: rank 1, 1: rank 3, 2: rank 4, 3: rank 5
//
// (MPICH src/mpi/coll; Thakur, Rabenseifner and Gropp 2005)

#include "core/buffers.h"

namespace commflow {

inline int largest_power_up_to(int n) {
  int power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

// Half-open range of seats or of blocks.
struct Range {
  int begin;
  int end;
};

struct Fold {
  explicit Fold(int n) : ranks(n), seats(largest_power_up_to(n)), folded(n - seats) {}

  int ranks;
  int seats;   // a power of two
  int folded;  // pairs (2i, 2i + 1) of which only the odd one sits down

  Rank rank_at(int seat) const { return seat < folded ? 2 * seat + 1 : seat + folded; }
  bool stands_for_two(int seat) const { return seat < folded; }
  // Where every rank has a block of its own, a seat answers for its rank's, and
  // for the block of the rank that has folded into it.
  int first_own_block(int seat) const { return seat < folded ? 2 * seat : seat + folded; }
};

// The aligned run of `length` seats, a power of two, that contains `seat`.
inline Range run_of(int seat, int length) {
  const int begin = seat & ~(length - 1);
  return {begin, begin + length};
}

}  // namespace commflow

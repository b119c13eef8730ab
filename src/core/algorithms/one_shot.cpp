// One-shot all-reduce: everybody sends the whole buffer to everybody and adds up
// alone. One round, n - 1 whole buffers through every port: for tiny buffers.

#include "core/algorithms/builders.h"

namespace commflow {

Schedule one_shot_all_reduce(int ranks, Rank) {
  Round round;
  for (Rank rank = 0; rank < ranks; ++rank) round.push_back(contributing(rank, 0));
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank peer = 0; peer < ranks; ++peer) {
      if (peer != rank) round.push_back(reducing(in_of(rank, 0), out_of(peer, 0)));
    }
  }
  return {ranks, 1, {std::move(round)}};
}

}  // namespace commflow

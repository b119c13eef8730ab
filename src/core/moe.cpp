#include "core/moe.h"

#include <numeric>

#include "core/portion.h"

namespace commflow {

std::int64_t scale_blocks(std::int64_t hidden, int scale_block) {
  return scale_block > 0 ? divide_up(hidden, scale_block) : 0;
}

Bytes message_bytes(std::int64_t hidden, const MessageFormat& format) {
  return divide_up(hidden * format.element_bits, 8) + scale_blocks(hidden, format.scale_block) * kScaleBytes +
         format.header_bytes;
}

Bytes routed_bytes(std::int64_t tokens, int topk, Bytes message) {
  return tokens * topk * message;
}

Bytes off_rank_bytes(Bytes bytes, int ranks) {
  return portion(bytes, {ranks - 1, ranks});
}

double expected_distinct_ranks(int experts, int ranks, int topk) {
  // C(E - E/R, k) / C(E, k): the chance that none of the k choices is on a given rank.
  double missed = 1;
  for (int choice = 0; choice < topk; ++choice) {
    const int elsewhere = experts - experts / ranks - choice;
    missed *= elsewhere > 0 ? static_cast<double>(elsewhere) / (experts - choice) : 0.0;
  }
  return ranks * (1 - missed);
}

double expected_distinct_ranks_independent(int ranks, int topk) {
  double missed = 1;
  for (int choice = 0; choice < topk; ++choice) missed *= (ranks - 1.0) / ranks;
  return ranks * (1 - missed);
}

Fraction expected_pairs_per_expert(std::int64_t tokens, int ranks, int topk, int experts) {
  const std::int64_t pairs = tokens * ranks * topk;
  const std::int64_t common = std::gcd(pairs, std::int64_t{experts});
  return common == 0 ? Fraction{} : Fraction{pairs / common, experts / common};
}

}  // namespace commflow

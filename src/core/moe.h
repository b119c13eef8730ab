#pragma once
// What expert parallelism sends, in formulas: bytes of one token's message, of a
// rank's dispatch or combine, and how many ranks a token reaches. Knows nothing
// of layouts, models or schedules; the routed tokens themselves are counted
// elsewhere, on what was executed.

#include <cstdint>

#include "core/traffic.h"

namespace commflow {

// How one token's vector is written on the wire. bf16: {16}; FP8 with one scale
// of 4 bytes per 128 elements: {8, 128}; DeepEP's FP8 message adds a header of
// 16 bytes (DeepEP tests/legacy/test_low_latency.py).
struct MessageFormat {
  int element_bits = 16;
  int scale_block = 0;  // elements that share a scale; 0: no scales
  int header_bytes = 0;
};
inline constexpr int kScaleBytes = 4;
inline constexpr int kFp8ScaleBlock = 128;

std::int64_t scale_blocks(std::int64_t hidden, int scale_block);
Bytes message_bytes(std::int64_t hidden, const MessageFormat& format);

// Logical bytes of one rank, one direction: a message per token and chosen
// expert, nothing merged (counted as in DeepEP's own tests).
Bytes routed_bytes(std::int64_t tokens, int topk, Bytes message);

// The part of `bytes` that leaves the rank when every expert is equally likely:
// (ranks - 1) / ranks, rounded to nearest, halves up.
Bytes off_rank_bytes(Bytes bytes, int ranks);

// Ranks that a token reaches on average: k distinct experts drawn uniformly out
// of `experts`, which lie evenly on `ranks` (experts % ranks == 0, topk <= experts).
double expected_distinct_ranks(int experts, int ranks, int topk);
// The same if each of the k choices were independent, as often approximated.
double expected_distinct_ranks_independent(int ranks, int topk);

// Token copies that arrive at one expert on average, `tokens` being those of one
// rank: tokens * ranks * topk / experts, reduced.
Fraction expected_pairs_per_expert(std::int64_t tokens, int ranks, int topk, int experts);

}  // namespace commflow

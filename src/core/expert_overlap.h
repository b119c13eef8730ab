#pragma once
// Hiding the exchanges of expert layers behind computation: micro-batches take
// turns on two streams, one that computes and one that communicates. A model of
// order only: neither stream slows the other down, and nothing is split.

#include <cstdint>
#include <vector>

#include "core/traffic.h"

namespace commflow::experts {

enum class Stage : std::uint8_t { attention, dispatch, experts, combine };
inline constexpr int kStages = 4;
inline bool communicates(Stage stage) {
  return stage == Stage::dispatch || stage == Stage::combine;
}

// Of one micro-batch in one layer, in any unit; >= 0.
struct StageTimes {
  std::int64_t attention = 0;  // and everything else that is computed before the dispatch
  std::int64_t dispatch = 0;
  std::int64_t experts = 0;
  std::int64_t combine = 0;
};

struct Span {
  int micro_batch = 0;
  int layer = 0;
  Stage stage{};
  std::int64_t start = 0;
  std::int64_t end = 0;
};

struct Overlap {
  std::vector<Span> spans;  // by start
  std::int64_t total = 0;
  std::int64_t compute = 0;                                 // sum of all computation
  std::int64_t communication = 0;                           // sum of all exchanges
  std::int64_t exposed() const { return total - compute; }  // when the computing stream has nothing to do
};

// Of the next stages of all micro-batches the one that can start first goes
// first; of equals the one that has waited longer, then the lower micro-batch.
// layers >= 1, micro_batches >= 1.
Overlap overlapped(const StageTimes& times, int layers, int micro_batches);

// The fastest decode step that an exchange allows, as in arXiv 2505.09343, section
// 2.3.2: two micro-batches take turns, so a layer takes two exchanges, out and
// home; computation takes no time.
struct DecodeLimit {
  double exchange_us = 0;
  double layer_us = 0;
  double step_ms = 0;
  double tokens_per_second = 0;  // of one request
};
DecodeLimit decode_limit(Bytes out, Bytes home, double gbps, int layers);

}  // namespace commflow::experts

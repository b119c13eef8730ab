#include "core/expert_overlap.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "core/index.h"

namespace commflow::experts {
namespace {

class Streams {
 public:
  Streams(const StageTimes& times, int layers, int micro_batches)
      : times_{times.attention, times.dispatch, times.experts, times.combine},
        stages_(layers * kStages),
        done_(index_of(micro_batches)),
        ready_(index_of(micro_batches)) {}

  Overlap run() {
    for (int next = next_micro_batch(); next >= 0; next = next_micro_batch()) go(next);
    return std::move(overlap_);
  }

 private:
  Stage stage_of(int micro_batch) const { return static_cast<Stage>(done_[index_of(micro_batch)] % kStages); }
  std::int64_t& free_from(Stage stage) { return free_[communicates(stage) ? 1 : 0]; }
  std::int64_t start_of(int micro_batch) {
    return std::max(ready_[index_of(micro_batch)], free_from(stage_of(micro_batch)));
  }

  int next_micro_batch() {
    int best = -1;
    for (int one = 0; one < std::ssize(done_); ++one) {
      if (done_[index_of(one)] == stages_) continue;
      if (best < 0 ||
          std::tuple(start_of(one), ready_[index_of(one)]) < std::tuple(start_of(best), ready_[index_of(best)])) {
        best = one;
      }
    }
    return best;
  }

  void go(int micro_batch) {
    const Stage stage = stage_of(micro_batch);
    const std::int64_t time = times_[static_cast<std::size_t>(stage)];
    const std::int64_t start = start_of(micro_batch);
    overlap_.spans.push_back({micro_batch, done_[index_of(micro_batch)] / kStages, stage, start, start + time});
    (communicates(stage) ? overlap_.communication : overlap_.compute) += time;
    overlap_.total = std::max(overlap_.total, start + time);
    free_from(stage) = start + time;
    ready_[index_of(micro_batch)] = start + time;
    ++done_[index_of(micro_batch)];
  }

  std::array<std::int64_t, kStages> times_;
  int stages_;                          // of one micro-batch
  std::vector<int> done_;               // stages of each micro-batch
  std::vector<std::int64_t> ready_;     // when the last of them ended
  std::array<std::int64_t, 2> free_{};  // when each stream is free
  Overlap overlap_;
};

}  // namespace

Overlap overlapped(const StageTimes& times, int layers, int micro_batches) {
  return Streams(times, layers, micro_batches).run();
}

DecodeLimit decode_limit(Bytes out, Bytes home, double gbps, int layers) {
  DecodeLimit limit;
  limit.exchange_us = static_cast<double>(out + home) / (gbps * 1e3);
  limit.layer_us = 2 * limit.exchange_us;
  limit.step_ms = layers * limit.layer_us / 1e3;
  limit.tokens_per_second = 1e3 / limit.step_ms;
  return limit;
}

}  // namespace commflow::experts

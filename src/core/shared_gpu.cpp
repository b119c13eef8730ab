#include "core/shared_gpu.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/index.h"

namespace commflow {
namespace {

constexpr double kBytesPerMicrosecondAtOneGbps = 1e3;

// While both run: microseconds per microsecond of computing alone, and of communication alone that is done meanwhile.
struct Together {
  double wall = 1;
  double sent = 1;
};

Together together(const SharedGpu& gpu, const Alone& alone, double memory_share) {
  const double waits_for_sms = (1 - alone.memory_bound) * gpu.sms / (gpu.sms - gpu.comm_sms);
  const double waits_for_memory = alone.memory_bound * (1 + memory_share);
  // What waits for memory asks for all of it and communication for its share: both get 1 / (1 + share) of that.
  return {waits_for_sms + waits_for_memory, waits_for_sms + alone.memory_bound};
}

}  // namespace

std::vector<Bytes> count_memory(const Schedule& schedule, const std::vector<Buffers>& states,
                                const std::vector<Bytes>& slot_bytes) {
  std::vector<Bytes> memory(index_of(schedule.ranks));
  const auto touch = [&](Rank rank, Bytes bytes) {
    if (rank < schedule.ranks) memory[index_of(rank)] += bytes;
  };
  for (std::size_t i = 0; i < schedule.rounds.size(); ++i) {
    std::set<std::pair<Rank, int>> stored;  // places that were empty before this round
    for (const Transfer& transfer : schedule.rounds[i]) {
      const bool adds = transfer.reduce && (states[i].filled(transfer.dst) ||
                                            !stored.insert({transfer.dst.rank, transfer.dst.slot}).second);
      if (transfer.local()) continue;
      const Bytes bytes = slot_bytes[index_of(transfer.src.slot)];
      touch(transfer.src.rank, bytes);
      touch(transfer.dst.rank, adds ? 2 * bytes : bytes);
    }
  }
  return memory;
}

double comm_alone_us(const SharedGpu& gpu, const Alone& alone) {
  return std::max(alone.comm_us, alone.comm_memory_bytes / (gpu.memory_gbps * kBytesPerMicrosecondAtOneGbps));
}

SharedTime share(const SharedGpu& gpu, const Alone& alone) {
  const double comm_us = comm_alone_us(gpu, alone);
  SharedTime time;
  time.sm_share = static_cast<double>(gpu.comm_sms) / gpu.sms;
  if (comm_us > 0)
    time.memory_share = alone.comm_memory_bytes / (gpu.memory_gbps * kBytesPerMicrosecondAtOneGbps) / comm_us;
  const Together both = together(gpu, alone, time.memory_share);
  // How much of computing is done when the first of the two ends.
  const double computed = std::min(alone.compute_us, comm_us / both.sent);
  const double until = computed * both.wall;
  time.compute_us = until + (alone.compute_us - computed);
  time.comm_us = until + std::max(0.0, comm_us - computed * both.sent);
  time.total_us = std::max(time.compute_us, time.comm_us);
  return time;
}

}  // namespace commflow

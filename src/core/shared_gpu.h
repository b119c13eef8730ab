#pragma once
// What it costs a GPU to compute and to communicate at the same time: kernels that
// communicate take SMs away from those that compute, and both use the same memory.
// A model of shares: no caches, no clocks that fall, no queueing.

#include "core/schedule.h"
#include "core/traffic.h"

namespace commflow {

// Bytes that a rank's memory reads and writes for its messages, at the least: what is sent is read, what is received
// is written; where it is added, what was there is read as well. (Buffers of the library come on top: NCCL's
// maintainers speak of two to three times the bytes of one direction, NVIDIA/nccl issue 1428; this is two times for
// copies, three times for sums.) Local moves count for nothing, switches have no such memory.
// By rank. states: as history() gives them, where the first contribution to an empty slot is no sum;
// slot_bytes[s] = bytes of slot s.
std::vector<Bytes> count_memory(const Schedule& schedule, const std::vector<Buffers>& states,
                                const std::vector<Bytes>& slot_bytes);

struct SharedGpu {
  int sms = 1;             // of the GPU
  int comm_sms = 0;        // that communication takes while it runs, and needs to keep its pace; 0 .. sms - 1
  double memory_gbps = 1;  // GB/s (10^9 bytes/s)
};

// Times in microseconds, each by itself with the whole GPU; >= 0.
struct Alone {
  double compute_us = 0;
  double memory_bound = 0;  // share of that, 0 .. 1, in which memory is the limit; the rest waits for SMs only
  double comm_us = 0;
  double comm_memory_bytes = 0;
};

struct SharedTime {
  double compute_us = 0;    // until computing is done
  double comm_us = 0;       // until communication is done
  double total_us = 0;      // until both are
  double sm_share = 0;      // of communication
  double memory_share = 0;  // of communication alone, of what the memory can do
};

// Communication alone, no faster than its memory traffic allows.
double comm_alone_us(const SharedGpu& gpu, const Alone& alone);

// Both begin at once, on no other's result. While both run, the part of computing that waits for SMs goes on with
// those that are left; in the part that waits for memory both ask for more than there is and each gets as much less,
// in proportion. The two parts alternate finely. Who is left alone has the whole GPU.
SharedTime share(const SharedGpu& gpu, const Alone& alone);

}  // namespace commflow

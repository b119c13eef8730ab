#pragma once
// How long the messages and the arithmetic of a training step take, estimated:
// published speeds times a stated share of them, plus a stated latency for every
// round of a schedule. For showing only, always marked as an estimate.

#include <array>
#include <span>

#include "core/flops.h"
#include "core/placement.h"
#include "core/tiny_model.h"

namespace commflow {

// What an estimate takes for granted; a reader can change all of it.
struct Assumptions {
  int compute_percent = 40;  // of the published bf16 rate; Megatron-LM reports 41 to 48 % on H100 (README)
  int link_percent = 80;     // of the published rate of a link; large collectives reach about that (nccl-tests sweeps)
  int latency_us = 4;        // of one round; 2.8 to 5.6 measured for 64 B (arXiv 2505.09343)
};

struct Setting {
  const Workload& work;
  const Gpu& gpu;
  const tiny::AlgorithmChoice& algorithms;
  Assumptions assumptions;
};

// One message of the walk, once: its bytes and its time, on `rank`.
struct MessageTime {
  LinkShare share;
  int rounds = 0;  // of the schedule of its collective
  double us = 0;   // rounds * latency + the slower of its two link classes
};
MessageTime time_of(const Setting& setting, QuantityId id, Rank rank);

// What a GPU sends in one dimension during one step of the walk.
struct DimensionCost {
  Bytes micro_batch = 0;  // bytes per micro-batch, 0 if it happens once a training step
  Bytes step = 0;         // bytes per training step
  double micro_batch_us = 0, step_us = 0;
  bool empty() const { return step == 0; }
};

// The same for its arithmetic.
struct ComputeCost {
  double micro_batch_us = 0, step_us = 0;
};

struct WalkStepCost {
  std::array<DimensionCost, kDimensionCount> dimensions{};  // index: Dimension; expert_dp counts as dp
  ComputeCost compute;
  double communication_us() const;  // per training step
};
// counts: what the step counts of the real model; what happens once a job or now
// and then is not part of a training step. Nothing for a GPU whose stage has no part in the step.
WalkStepCost cost_of_step(const Setting& setting, tiny::Step step, std::span<const QuantityId> counts, Rank rank);

// Everything that a GPU sends and computes in one training step, the messages that no step of the walk shows
// (output head, tied embeddings) included.
struct TrainingStepCost {
  struct InDimension {
    LinkShare share;
    double us = 0;           // one after the other
    double hideable_us = 0;  // of it, see hideable_us()
  };
  std::array<InDimension, kDimensionCount> dimensions{};  // index: Dimension; expert_dp counts as dp
  double compute_us = 0;
  LinkShare share() const;  // of all dimensions
  double communication_us() const;
  double hideable_us() const;
};
TrainingStepCost cost_of_training_step(const Setting& setting, Rank rank);

// Arithmetic of one micro-batch, whole forward pass and whole backward pass of this GPU, microseconds. 0 where the rate
// of the GPU is not published.
double forward_us(const Setting& setting, int stage);
double backward_us(const Setting& setting, int stage);

// How much of a training step's messages in one dimension can run while this GPU
// computes, at best: pipeline and expert messages under another micro-batch, gradients
// under the backward pass of the last micro-batch; those of TP cannot, the next
// product needs them.
double hideable_us(const Setting& setting, Dimension dimension, double step_us, int stage);

}  // namespace commflow

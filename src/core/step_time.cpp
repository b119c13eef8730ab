#include "core/step_time.h"

#include <algorithm>

#include "core/tiny_program.h"

namespace commflow {
namespace {

double share_of(int percent) {
  return static_cast<double>(percent) / 100;
}

bool is_ring(const Setting& setting, Collective collective) {
  return tiny::algorithm_for(setting.algorithms, collective) == Algorithm::ring;
}

int rounds_of(const Setting& setting, Collective collective, int ranks) {
  const auto schedule = make_schedule(collective, tiny::algorithm_for(setting.algorithms, collective), ranks);
  return schedule ? count_traffic(*schedule, ranks).rounds : 0;
}

double compute_us(const Setting& setting, double flops) {
  if (!setting.gpu.bf16_dense_flops) return 0;
  const double rate =
      static_cast<double>(setting.gpu.bf16_dense_flops->value) * share_of(setting.assumptions.compute_percent);
  return flops / rate * 1e6;
}

// Forward arithmetic that belongs to a step of the walk.
double flops_of(const Workload& work, tiny::Step step, int stage) {
  const ForwardFlops flops = forward_flops(work, stage);
  switch (step) {
    case tiny::Step::gather: return flops.attention_in + flops.attention_scores;
    case tiny::Step::reduce: return flops.attention_out;
    case tiny::Step::route: return flops.router;
    // The results are there before they travel home; a dense layer's products lie between its two messages.
    case tiny::Step::dispatch: return has_experts(work.model) ? 0 : flops.mlp;
    case tiny::Step::combine: return has_experts(work.model) ? flops.experts + flops.mlp : 0;
    case tiny::Step::stage2: return flops.total();
    case tiny::Step::backward: return kBackwardOverForward * flops.total();
    default: return 0;
  }
}

// The first stage has steps of its own, later ones share one.
bool takes_part(tiny::Step step, int stage) {
  switch (step) {
    case tiny::Step::gather:
    case tiny::Step::reduce:
    case tiny::Step::route:
    case tiny::Step::dispatch:
    case tiny::Step::combine: return stage == 0;
    case tiny::Step::stage2: return stage > 0;
    default: return true;
  }
}

Dimension shown_dimension(Dimension dimension) {
  return dimension == Dimension::expert_dp ? Dimension::dp : dimension;
}

}  // namespace

MessageTime time_of(const Setting& setting, QuantityId id, Rank rank) {
  const Workload& work = setting.work;
  const Collective collective = quantity_row(id).collective;
  const int group = count_quantity(work, id, coordinates_of(work.layout, rank).pp).group;
  MessageTime message;
  message.share = link_share(work, id, rank, is_ring(setting, collective));
  if (message.share.sent() == 0) return message;
  message.rounds = rounds_of(setting, collective, group);
  const LinkTime full = time_at_full_speed(message.share, setting.gpu, work.gpus_per_node, work.nics_per_node);
  message.us = message.rounds * static_cast<double>(setting.assumptions.latency_us) +
               std::max(full.nvlink_us, full.network_us) / share_of(setting.assumptions.link_percent);
  return message;
}

double WalkStepCost::communication_us() const {
  double us = 0;
  for (const DimensionCost& cost : dimensions) us += cost.step_us;
  return us;
}

WalkStepCost cost_of_step(const Setting& setting, tiny::Step step, std::span<const QuantityId> counts, Rank rank) {
  const Workload& work = setting.work;
  const int stage = coordinates_of(work.layout, rank).pp;
  WalkStepCost cost;
  if (!takes_part(step, stage)) return cost;
  for (const QuantityId id : counts) {
    const Quantity quantity = count_quantity(work, id, stage);
    if (quantity.times_per_step == 0 || quantity.off_gpu == 0) continue;
    const double us = time_of(setting, id, rank).us;
    DimensionCost& sum = cost.dimensions[static_cast<std::size_t>(shown_dimension(quantity_row(id).dimension))];
    sum.step += quantity.off_gpu * quantity.times_per_step;
    sum.step_us += us * static_cast<double>(quantity.times_per_step);
    if (quantity.cadence == Cadence::per_step) continue;
    const std::int64_t times = quantity.times_per_step / work.micro_batches;
    sum.micro_batch += quantity.off_gpu * times;
    sum.micro_batch_us += us * static_cast<double>(times);
  }
  cost.compute.micro_batch_us = compute_us(setting, flops_of(work, step, stage));
  cost.compute.step_us = cost.compute.micro_batch_us * work.micro_batches;
  return cost;
}

double forward_us(const Setting& setting, int stage) {
  return compute_us(setting, forward_flops(setting.work, stage).total());
}
double backward_us(const Setting& setting, int stage) {
  return kBackwardOverForward * forward_us(setting, stage);
}

double hideable_us(const Setting& setting, Dimension dimension, double step_us, int stage) {
  switch (dimension) {
    // With two micro-batches in flight one computes while the other is on the way; the first has nothing to hide
    // behind.
    case Dimension::pp:
    case Dimension::ep: {
      const int others = setting.work.micro_batches - 1;
      return std::min(step_us * others / setting.work.micro_batches,
                      others * (forward_us(setting, stage) + backward_us(setting, stage)));
    }
    case Dimension::dp:
    case Dimension::expert_dp: return std::min(step_us, backward_us(setting, stage));
    default: return 0;
  }
}

TrainingStepCost cost_of_training_step(const Setting& setting, Rank rank) {
  const Workload& work = setting.work;
  const int stage = coordinates_of(work.layout, rank).pp;
  TrainingStepCost cost;
  for (const QuantityRow& row : quantities()) {
    const std::int64_t times = row.count(work, stage).times_per_step;
    if (times == 0 || row.phase == Phase::zero) continue;
    const MessageTime message = time_of(setting, row.id, rank);
    auto& sum = cost.dimensions[static_cast<std::size_t>(shown_dimension(row.dimension))];
    sum.share.add(message.share, times);
    sum.us += message.us * static_cast<double>(times);
  }
  for (std::size_t i = 0; i < cost.dimensions.size(); ++i) {
    auto& sum = cost.dimensions[i];
    sum.hideable_us = hideable_us(setting, static_cast<Dimension>(i), sum.us, stage);
  }
  cost.compute_us = work.micro_batches * (forward_us(setting, stage) + backward_us(setting, stage));
  return cost;
}

LinkShare TrainingStepCost::share() const {
  LinkShare all;
  for (const InDimension& sum : dimensions) all.add(sum.share);
  return all;
}
double TrainingStepCost::communication_us() const {
  double us = 0;
  for (const InDimension& sum : dimensions) us += sum.us;
  return us;
}
double TrainingStepCost::hideable_us() const {
  double us = 0;
  for (const InDimension& sum : dimensions) us += sum.hideable_us;
  // They would all hide behind the same computing.
  return std::min(us, compute_us);
}

}  // namespace commflow

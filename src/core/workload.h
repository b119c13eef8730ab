#pragma once
// What one training step of a real model sends: for every message of the walk,
// the bytes of one GPU in one direction, how often it happens, and the whole
// numbers the formula is made of, so that a page can show them. Exact in
// integers. Only counted, never executed: knows no schedule, and no link classes
// (see placement.h). The layout has cp = etp = 1 and fits (see walk_limits.h).

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/groups.h"
#include "core/model.h"
#include "core/moe.h"

namespace commflow {

enum class Precision : std::uint8_t { bf16, fp8, fp32 };
// FP8 vectors carry a scale of 4 bytes per 128 elements (DeepSeek-V3).
MessageFormat format_of(Precision precision);

struct Workload {
  Model model;
  Layout layout;
  std::int64_t tokens = 8192;  // per replica and micro-batch
  int micro_batches = 8;       // per replica and step
  Precision dispatch = Precision::bf16;
  Precision combine = Precision::bf16;
  int gpus_per_node = 2;
  int nics_per_node = 2;
};
// With sequence parallelism a TP group shares a replica's tokens out.
std::int64_t tokens_per_gpu(const Workload& work);

inline constexpr int kActivationBytes = 2;  // bf16
inline constexpr int kWeightBytes = 2;      // bf16
// bf16 gradients; Megatron-LM's default of fp32 main gradients doubles them.
inline constexpr int kGradientBytes = 2;
// fp32 weight and two moments of the optimizer, which ZeRO-1 keeps in DP shares.
inline constexpr int kOptimizerBytes = 12;

enum class QuantityId : std::uint8_t {
  dense_weights,
  expert_weights,
  token_ids,
  embedding,
  sequence_gather,
  sequence_reduce,
  counts,
  dispatch,
  combine,
  shared_gather,
  shared_reduce,
  mlp_gather,
  mlp_reduce,
  pp_boundary,
  head_gather,
  cross_entropy,
  head_gather_backward,
  pp_boundary_backward,
  combine_backward,
  dispatch_backward,
  shared_reduce_backward,
  shared_gather_backward,
  mlp_reduce_backward,
  mlp_gather_backward,
  sequence_reduce_backward,
  sequence_gather_backward,
  embedding_backward,
  tp_gradients,
  kv_gradients,
  dp_gradients,
  expert_gradients,
  zero_reduce_scatter,
  zero_all_gather,
  loss,
  checkpoint
};
inline constexpr int kQuantities = 35;

enum class Phase : std::uint8_t {
  job,  // once, before the first step
  forward,
  backward,
  update,  // gradients and optimizer
  zero,    // instead of dp_gradients, with ZeRO-1 or -2
  rare     // now and then
};
enum class Cadence : std::uint8_t { per_job, per_layer, per_micro_batch, per_step, rare };

// The whole numbers of a formula.
enum class Part : std::uint8_t {
  tokens,
  topk,
  hidden,
  bytes,
  message_bytes,
  scales,
  scale_bytes,
  experts,
  params,
  numbers,
  layers,
  micro_batches
};
std::string_view name_of(Part part);  // "message_bytes"
struct Factor {
  Part part{};
  std::int64_t value = 0;
  bool operator==(const Factor&) const = default;
};

struct Quantity {
  // The collective's payload S as nccl-tests defines it for one GPU (e.g.
  // the whole gathered sequence), or what a GPU hands to dispatch and combine.
  Bytes logical = 0;
  // Bytes of it that cross the port of one GPU in one direction, at the lower
  // bound that ring, direct and pairwise meet: logical * leaving to nearest,
  // halves up. Of broadcast, reduce and gather: at the root. Of dispatch and
  // combine: expected, every expert being equally likely.
  Bytes off_gpu = 0;
  Fraction leaving;  // 3/4, 2*3/4 = 6/4, 0/1 in a group of one
  int group = 1;     // ranks that take part
  Cadence cadence = Cadence::per_step;
  std::int64_t times_per_step = 0;  // for this GPU; 0: not on this stage, not in every step
  std::vector<Factor> factors;      // their product is `logical`
  std::vector<Factor> repeats;      // their product is `times_per_step`, unless that is 0
  std::vector<Factor> details;      // message_bytes = hidden * bytes + scales * scale_bytes
};
// The value of a part, wherever it stands.
std::optional<std::int64_t> part_of(const Quantity& quantity, Part part);

struct QuantityRow {
  QuantityId id;
  std::string_view name;  // "sequence_gather", public and permanent
  Phase phase;
  Dimension dimension;  // whose group talks
  Collective collective;
  Quantity (*count)(const Workload& work, int stage);
};
std::span<const QuantityRow> quantities();  // in the order of QuantityId
const QuantityRow& quantity_row(QuantityId id);
std::optional<QuantityId> find_quantity(std::string_view name);
Quantity count_quantity(const Workload& work, QuantityId id, int stage);

}  // namespace commflow

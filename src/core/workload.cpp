#include "core/workload.h"

#include <array>
#include <utility>

#include "core/partition.h"
#include "core/portion.h"

namespace commflow {

namespace {

using Factors = std::vector<Factor>;

constexpr int kTokenIdBytes = 8;  // int64, as PyTorch hands them out
constexpr int kCountBytes = 4;    // int32
constexpr int kFloatBytes = 4;

std::int64_t product_of(const Factors& factors) {
  std::int64_t product = 1;
  for (const Factor& factor : factors) product *= factor.value;
  return product;
}

// Passes over a group: each sends all blocks but one's own.
Fraction all_but_own(int group, int passes = 1) {
  return {passes * (group - 1), group};
}
Fraction whole_if_others(int group) {
  return {group > 1 ? 1 : 0, 1};
}

struct Often {
  Cadence cadence;
  Factors repeats;
  bool here = true;
};
Often per_layer(const Workload& work, int layers) {
  return {Cadence::per_layer, {{Part::layers, layers}, {Part::micro_batches, work.micro_batches}}};
}
Often per_micro_batch(const Workload& work, bool here) {
  return {Cadence::per_micro_batch, {{Part::micro_batches, work.micro_batches}}, here};
}
Often per_step(bool here = true) {
  return {Cadence::per_step, {}, here};
}
Often not_in_every_step(Cadence cadence) {
  return {cadence, {}, false};
}

Quantity make_quantity(Factors factors, int group, Fraction leaving, Often often) {
  Quantity quantity;
  quantity.logical = product_of(factors);
  quantity.off_gpu = portion(quantity.logical, leaving);
  quantity.leaving = leaving;
  quantity.group = group;
  quantity.cadence = often.cadence;
  quantity.times_per_step = often.here ? product_of(often.repeats) : 0;
  quantity.factors = std::move(factors);
  quantity.repeats = std::move(often.repeats);
  return quantity;
}

bool is_first(int stage) {
  return stage == 0;
}
bool is_last(const Workload& work, int stage) {
  return stage == work.layout.pp - 1;
}
LayerRange layers_here(const Workload& work, int stage) {
  return layers_of_stage(work.model, work.layout.pp, stage);
}

// --- Activations in the TP group -------------------------------------------

// All-gather or reduce-scatter of the whole sequence of a replica.
Quantity sequence(const Workload& work, Often often) {
  const int tp = work.layout.tp;
  return make_quantity(
      {{Part::tokens, work.tokens}, {Part::hidden, work.model.hidden}, {Part::bytes, kActivationBytes}}, tp,
      all_but_own(tp), std::move(often));
}

Quantity attention_sequence(const Workload& work, int stage) {
  return sequence(work, per_layer(work, layers_here(work, stage).count));
}

Quantity mlp_sequence(const Workload& work, int stage) {
  return sequence(work, per_layer(work, layers_here(work, stage).dense));
}

// Shared experts are split over TP like a dense MLP (Megatron-LM).
Quantity shared_expert_sequence(const Workload& work, int stage) {
  return sequence(work, per_layer(work, work.model.shared_experts > 0 ? layers_here(work, stage).moe : 0));
}

Quantity embedding_sequence(const Workload& work, int stage) {
  return sequence(work, per_micro_batch(work, is_first(stage)));
}

// The output head is split by vocabulary and needs every token.
Quantity head_sequence(const Workload& work, int stage) {
  return sequence(work, per_micro_batch(work, is_last(work, stage)));
}

// On the first stage as input, on the last as labels.
Quantity token_ids(const Workload& work, int stage) {
  const int tp = work.layout.tp;
  return make_quantity({{Part::tokens, work.tokens}, {Part::bytes, kTokenIdBytes}}, tp, whole_if_others(tp),
                       per_micro_batch(work, is_first(stage) || is_last(work, stage)));
}

// Over a split vocabulary: all-reduce of the largest logit, of the label's
// logit and of the sum of exponentials of each token (Megatron-LM).
Quantity cross_entropy(const Workload& work, int stage) {
  const int tp = work.layout.tp;
  return make_quantity({{Part::numbers, 3}, {Part::tokens, work.tokens}, {Part::bytes, kFloatBytes}}, tp,
                       all_but_own(tp, 2), per_micro_batch(work, is_last(work, stage)));
}

// --- Experts ----------------------------------------------------------------

Quantity expert_counts(const Workload& work, int stage) {
  const int ep = work.layout.ep;
  return make_quantity({{Part::experts, work.model.experts}, {Part::bytes, kCountBytes}}, ep, all_but_own(ep),
                       per_layer(work, layers_here(work, stage).moe));
}

// One message per token of this GPU and chosen expert.
Quantity routed(const Workload& work, Precision precision, int stage) {
  const MessageFormat format = format_of(precision);
  const std::int64_t hidden = work.model.hidden;
  const int element_bytes = format.element_bits / 8;
  Factors factors = {{Part::tokens, tokens_per_gpu(work)}, {Part::topk, work.model.topk}};
  Factors details;
  if (format.scale_block > 0) {
    factors.push_back({Part::message_bytes, message_bytes(hidden, format)});
    details = {{Part::hidden, hidden},
               {Part::bytes, element_bytes},
               {Part::scales, scale_blocks(hidden, format.scale_block)},
               {Part::scale_bytes, kScaleBytes}};
  } else {
    factors.push_back({Part::hidden, hidden});
    factors.push_back({Part::bytes, element_bytes});
  }
  const int ep = work.layout.ep;
  Quantity quantity =
      make_quantity(std::move(factors), ep, all_but_own(ep), per_layer(work, layers_here(work, stage).moe));
  quantity.details = std::move(details);
  return quantity;
}

// The way out and the way home. Backward, gradients go out where combine came
// home, in the precision of the way out, and the reverse (DeepSeek-V3 report).
Quantity routed_out(const Workload& work, int stage) {
  return routed(work, work.dispatch, stage);
}
Quantity routed_home(const Workload& work, int stage) {
  return routed(work, work.combine, stage);
}

// --- Between stages ---------------------------------------------------------

Quantity boundary(const Workload& work, bool here) {
  return make_quantity(
      {{Part::tokens, tokens_per_gpu(work)}, {Part::hidden, work.model.hidden}, {Part::bytes, kActivationBytes}}, 2,
      {here ? 1 : 0, 1}, per_micro_batch(work, here));
}
Quantity boundary_forward(const Workload& work, int stage) {
  return boundary(work, !is_last(work, stage));
}
Quantity boundary_backward(const Workload& work, int stage) {
  return boundary(work, !is_first(stage));
}

// --- Weights and gradients --------------------------------------------------

GpuParams params_here(const Workload& work, int stage) {
  return params_of_gpu(work.model, work.layout, stage);
}

Quantity of_params(std::int64_t params, int bytes, int group, Fraction leaving, Often often) {
  return make_quantity({{Part::params, params}, {Part::bytes, bytes}}, group, leaving, std::move(often));
}

Quantity all_reduce_of(std::int64_t params, int group) {
  return of_params(params, kGradientBytes, group, all_but_own(group, 2), per_step());
}

Quantity dense_weights(const Workload& work, int stage) {
  const GpuParams params = params_here(work, stage);
  return of_params(params.dense() + params.no_gradient, kWeightBytes, work.layout.dp, whole_if_others(work.layout.dp),
                   not_in_every_step(Cadence::per_job));
}

Quantity expert_weights(const Workload& work, int stage) {
  const int copies = expert_dp_size(work.layout);
  return of_params(params_here(work, stage).experts, kWeightBytes, copies, whole_if_others(copies),
                   not_in_every_step(Cadence::per_job));
}

// What sequence parallelism leaves partial: norms, router, and whatever else
// every TP rank holds in full but used on its own tokens or heads only.
Quantity tp_gradients(const Workload& work, int stage) {
  return all_reduce_of(params_here(work, stage).replicated, work.layout.tp);
}

Quantity kv_gradients(const Workload& work, int stage) {
  return all_reduce_of(params_here(work, stage).kv_shared, kv_head_copies(work.model, work.layout.tp));
}

Quantity dp_gradients(const Workload& work, int stage) {
  return all_reduce_of(params_here(work, stage).dense(), work.layout.dp);
}

Quantity expert_gradients(const Workload& work, int stage) {
  return all_reduce_of(params_here(work, stage).experts, expert_dp_size(work.layout));
}

// ZeRO's half of an all-reduce: of gradients, then of updated weights.
Quantity zero_half(const Workload& work, int stage) {
  const int dp = work.layout.dp;
  return of_params(params_here(work, stage).dense(), kGradientBytes, dp, all_but_own(dp), per_step());
}

Quantity loss(const Workload& work, int stage) {
  const int dp = work.layout.dp;
  return make_quantity({{Part::numbers, 1}, {Part::bytes, kFloatBytes}}, dp, whole_if_others(dp),
                       per_step(is_last(work, stage)));
}

Quantity checkpoint(const Workload& work, int stage) {
  const int dp = work.layout.dp;
  return of_params(params_here(work, stage).dense(), kOptimizerBytes, dp, all_but_own(dp),
                   not_in_every_step(Cadence::rare));
}

using Q = QuantityId;
using C = Collective;
using D = Dimension;

// Backward, an all-gather's mirror image is a reduce-scatter and the reverse.
// Not counted: the sequence that Megatron gathers once more for the weight
// gradients, hidden behind their computation.
constexpr std::array<QuantityRow, kQuantities> kRows = {{
    {Q::dense_weights, "dense_weights", Phase::job, D::dp, C::broadcast, dense_weights},
    {Q::expert_weights, "expert_weights", Phase::job, D::expert_dp, C::broadcast, expert_weights},
    {Q::token_ids, "token_ids", Phase::forward, D::tp, C::broadcast, token_ids},
    {Q::embedding, "embedding", Phase::forward, D::tp, C::reduce_scatter, embedding_sequence},
    {Q::sequence_gather, "sequence_gather", Phase::forward, D::tp, C::all_gather, attention_sequence},
    {Q::sequence_reduce, "sequence_reduce", Phase::forward, D::tp, C::reduce_scatter, attention_sequence},
    {Q::counts, "counts", Phase::forward, D::ep, C::all_to_all, expert_counts},
    {Q::dispatch, "dispatch", Phase::forward, D::ep, C::all_to_all, routed_out},
    {Q::combine, "combine", Phase::forward, D::ep, C::all_to_all, routed_home},
    {Q::shared_gather, "shared_gather", Phase::forward, D::tp, C::all_gather, shared_expert_sequence},
    {Q::shared_reduce, "shared_reduce", Phase::forward, D::tp, C::reduce_scatter, shared_expert_sequence},
    {Q::mlp_gather, "mlp_gather", Phase::forward, D::tp, C::all_gather, mlp_sequence},
    {Q::mlp_reduce, "mlp_reduce", Phase::forward, D::tp, C::reduce_scatter, mlp_sequence},
    {Q::pp_boundary, "pp_boundary", Phase::forward, D::pp, C::send_recv, boundary_forward},
    {Q::head_gather, "head_gather", Phase::forward, D::tp, C::all_gather, head_sequence},
    {Q::cross_entropy, "cross_entropy", Phase::forward, D::tp, C::all_reduce, cross_entropy},
    {Q::head_gather_backward, "head_gather_backward", Phase::backward, D::tp, C::reduce_scatter, head_sequence},
    {Q::pp_boundary_backward, "pp_boundary_backward", Phase::backward, D::pp, C::send_recv, boundary_backward},
    {Q::combine_backward, "combine_backward", Phase::backward, D::ep, C::all_to_all, routed_out},
    {Q::dispatch_backward, "dispatch_backward", Phase::backward, D::ep, C::all_to_all, routed_home},
    {Q::shared_reduce_backward, "shared_reduce_backward", Phase::backward, D::tp, C::all_gather,
     shared_expert_sequence},
    {Q::shared_gather_backward, "shared_gather_backward", Phase::backward, D::tp, C::reduce_scatter,
     shared_expert_sequence},
    {Q::mlp_reduce_backward, "mlp_reduce_backward", Phase::backward, D::tp, C::all_gather, mlp_sequence},
    {Q::mlp_gather_backward, "mlp_gather_backward", Phase::backward, D::tp, C::reduce_scatter, mlp_sequence},
    {Q::sequence_reduce_backward, "sequence_reduce_backward", Phase::backward, D::tp, C::all_gather,
     attention_sequence},
    {Q::sequence_gather_backward, "sequence_gather_backward", Phase::backward, D::tp, C::reduce_scatter,
     attention_sequence},
    {Q::embedding_backward, "embedding_backward", Phase::backward, D::tp, C::all_gather, embedding_sequence},
    {Q::tp_gradients, "tp_gradients", Phase::update, D::tp, C::all_reduce, tp_gradients},
    {Q::kv_gradients, "kv_gradients", Phase::update, D::tp, C::all_reduce, kv_gradients},
    {Q::dp_gradients, "dp_gradients", Phase::update, D::dp, C::all_reduce, dp_gradients},
    {Q::expert_gradients, "expert_gradients", Phase::update, D::expert_dp, C::all_reduce, expert_gradients},
    {Q::zero_reduce_scatter, "zero_reduce_scatter", Phase::zero, D::dp, C::reduce_scatter, zero_half},
    {Q::zero_all_gather, "zero_all_gather", Phase::zero, D::dp, C::all_gather, zero_half},
    {Q::loss, "loss", Phase::update, D::dp, C::reduce, loss},
    {Q::checkpoint, "checkpoint", Phase::rare, D::dp, C::gather, checkpoint},
}};

constexpr bool rows_in_order() {
  for (int i = 0; i < kQuantities; ++i) {
    if (static_cast<int>(kRows[static_cast<std::size_t>(i)].id) != i) return false;
  }
  return true;
}
static_assert(rows_in_order());

constexpr std::array<std::string_view, 12> kPartNames = {"tokens",        "topk",    "hidden",      "bytes",
                                                         "message_bytes", "scales",  "scale_bytes", "experts",
                                                         "params",        "numbers", "layers",      "micro_batches"};

}  // namespace

MessageFormat format_of(Precision precision) {
  switch (precision) {
    case Precision::fp8: return {.element_bits = 8, .scale_block = kFp8ScaleBlock};
    case Precision::fp32: return {.element_bits = 32};
    case Precision::bf16: break;
  }
  return {};
}

std::int64_t tokens_per_gpu(const Workload& work) {
  return work.tokens / work.layout.tp;
}

std::string_view name_of(Part part) {
  return kPartNames[static_cast<std::size_t>(part)];
}

std::optional<std::int64_t> part_of(const Quantity& quantity, Part part) {
  for (const Factors* factors : {&quantity.factors, &quantity.repeats, &quantity.details}) {
    for (const Factor& factor : *factors) {
      if (factor.part == part) return factor.value;
    }
  }
  return std::nullopt;
}

std::span<const QuantityRow> quantities() {
  return kRows;
}

const QuantityRow& quantity_row(QuantityId id) {
  return kRows[static_cast<std::size_t>(id)];
}

std::optional<QuantityId> find_quantity(std::string_view name) {
  for (const QuantityRow& row : kRows) {
    if (row.name == name) return row.id;
  }
  return std::nullopt;
}

Quantity count_quantity(const Workload& work, QuantityId id, int stage) {
  return quantity_row(id).count(work, stage);
}

}  // namespace commflow

#pragma once
// A model small enough to be run in front of the reader, exactly, in integers:
// once on one rank, and once sharded over TP x PP x DP x EP by the schedules of
// the twelve steps. The serial run is the specification of the sharded one:
// activations, gradients and updated weights must be equal. In the sharded run
// a rank reads another rank's data only through run_round().
//
// One layer per pipeline stage. x: tokens x hidden, one row per token.
//   attention  n1 = gain1 * x (element by element, where a real layer has its norm)
//              v  = n1 . w_in          (columns split over TP)
//              u_t = v_t + v_{t-1}     (stands for attention: each token sees the one before)
//              x1 = x + u . w_out      (rows split over TP: partial sums)
//   experts    n2 = gain2 * x1;  scores = n2 . router;  top 2, gate weights in 64ths
//              y_e = relu(n2 . expert_e);  x2 = x1 + round((g_a y_a + g_b y_b) / 64)
//   dense      n2 = gain2 * x1;  x2 = x1 + relu(n2 . mlp_in) . mlp_out   (instead of experts)
//   loss       sum |x - label| over the last layer, gradient scaled by kLossScale
//   backward   the exact mirror, except for the choice of experts: with gate weights
//              w_i (sum 64) and g_i = grad_x2 . y_i,  mean = round(sum w_j g_j / 64),
//              grad_score_i = round(w_i (g_i - mean) / 64): the softmax rule, without
//              the factor ln 2 that powers of two would bring;  grad_y_i = round(w_i grad_x2 / 64)
//   update     w -= round(gradient / kStepDivisor)
// round() is to nearest, halves away from zero, so that serial = sharded exactly.
// Left out, and said on the page: softmax over scores of attention, norms that
// divide, embedding table (tokens arrive as vectors), biases, optimizer moments.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/algorithms.h"
#include "core/gate.h"
#include "core/groups.h"
#include "core/index.h"

namespace commflow::tiny {

inline constexpr int kTokens = 8;  // per replica
inline constexpr int kHidden = 2;  // numbers per token
inline constexpr int kInner = 4;   // columns of w_in (one per head) and of mlp_in
inline constexpr int kExperts = 8;
inline constexpr int kTopk = 2;
inline constexpr int kLossScale = 4;
inline constexpr int kStepDivisor = 128;

// Executed up to these sizes; beyond them a layout is only counted.
inline constexpr int kMaxTp = 4, kMaxPp = 4, kMaxEp = 8, kMaxDp = 4;

struct Matrix {
  int rows = 0;
  int cols = 0;
  std::vector<Value> data;  // row by row
  Value at(int row, int col) const { return data[index_of(row) * index_of(cols) + index_of(col)]; }
  bool operator==(const Matrix&) const = default;
};

// Names of what can be shown. The figure and the log find matrices by these. The
// gradient of a tensor is called grad_ and its name.
enum class Tensor : std::uint8_t {
  batch,
  sequence,  // tokens of all replicas, of this replica
  label_batch,
  label_sequence,  // the same for labels
  x,               // tokens entering the layer (local share)
  gain1,
  n1,       // normed, local share
  n1_full,  // normed, whole sequence of the replica
  w_in,
  v,
  u,
  w_out,
  partial,    // u . w_out of this rank: whole sequence, part of the sum
  attention,  // the rank's share of the summed result
  x1,
  gain2,
  n2,
  router,
  scores,
  choices,          // tokens x kTopk: experts, best first
  gates,            // tokens x kTopk: their weights, of kGateTotal
  counts,           // 1 x experts: copies this rank sends to each expert
  received_counts,  // per source rank x local experts
  copies_in,        // rows that left, in the order of the permutation
  copies_out,       // rows that arrived at this rank's experts: by expert, source, permutation
  expert,           // weights of one local expert (see NamedMatrix::index)
  expert_out,       // rows of relu(n2 . expert), in the order of copies_out
  returned,         // rows that came home, in the order of copies_in
  x2,
  label,
  loss,  // 1 x 1
  n2_full,
  mlp_in,
  mlp_hidden,
  mlp_out,
  mlp_partial,
  mlp_sum,  // dense layers
  grad_x2,
  grad_scores,
  grad_returned,    // leaves home: grad_x2 of the token times the gate of the copy
  grad_expert_out,  // the same, arrived at the experts
  grad_expert,
  grad_copies_out,  // leaves the experts
  grad_copies_in,   // the same, arrived at home
  grad_n2,
  grad_router,
  grad_gain2,
  grad_x1,
  grad_partial,  // grad_x1 of the whole sequence
  grad_w_out,
  grad_u,
  grad_v,
  grad_w_in,
  grad_n1_full,  // this rank's part of the sum
  grad_n1,
  grad_gain1,
  grad_x,
  grad_mlp_partial,  // grad_x2 of the whole sequence
  grad_mlp_out,
  grad_mlp_hidden,
  grad_mlp_in,
  grad_n2_full,  // this rank's part of the sum
  checkpoint,    // shards of w_in, one under the other
  weights,
  gradients  // several matrices in one flat bucket, see Communication::parts
};
inline constexpr int kTensors = 65;
std::string_view name_of(Tensor tensor);  // "n1_full"

struct NamedMatrix {
  Tensor tensor{};
  int index = 0;  // expert number where there are several, else 0
  Matrix matrix;
  bool operator==(const NamedMatrix&) const = default;
};

enum class Step : std::uint8_t {
  prepare,
  feed,
  gather,
  reduce,
  route,
  dispatch,
  combine,
  forward,
  stage2,
  backward,
  gradients,
  update
};
inline constexpr int kSteps = 12;
std::string_view name_of(Step step);  // "prepare"

// A local computation, the same on every active rank.
enum class Compute : std::uint8_t {
  none,
  norm,
  columns,
  rows,
  add_residual,
  scores_and_top,
  permute,
  experts,
  weighted_sum,
  mlp_norm,
  mlp_columns,
  mlp_rows,
  mlp_residual,
  loss,
  grad_weighted_sum,
  grad_experts,
  grad_route,
  grad_rows,
  grad_columns,
  grad_residual,
  grad_mlp_rows,
  grad_mlp_columns,
  grad_mlp_norm,
  update
};
inline constexpr int kComputes = 24;
std::string_view name_of(Compute compute);  // "scores_and_top"

// One copy of a token on its way to one of its experts. Copies are numbered in
// the order of the permutation: by expert (hence by destination), then token.
struct Copy {
  int token = 0;   // global: replica * kTokens + position
  int choice = 0;  // 0 = best score, 1 = second
  int expert = 0;
  int gate = 0;      // of kGateTotal
  Rank home = 0;     // global rank that holds the token
  Rank host = 0;     // global rank that holds the expert
  int in_slot = 0;   // slot of area in on `home` in the dispatch buffers
  int out_slot = 0;  // slot of area out on `host`; on the way home the two areas change places
};

// A matrix inside a payload.
struct Part {
  Tensor tensor{};
  int index = 0;  // expert number, else 0
  int rows = 0;
  int cols = 0;
};

// One collective in one group, as it is executed.
struct Communication {
  Dimension dimension = Dimension::none;
  Collective collective = Collective::broadcast;
  Algorithm algorithm = Algorithm::direct;
  Operator op = Operator::sum;
  Tensor subject = Tensor::weights;  // what the slots hold
  int columns = 1;                   // numbers per row; a slot of w values is w / columns rows (bucket: 1)
  std::vector<Part> parts;           // what a bucket holds, in order; empty where it is no bucket
  std::vector<Rank> members;         // member i is local rank i of the schedule
  Rank root = 0;                     // local
  Schedule schedule;
  Buffers initial;
  Buffers final;
  std::vector<Copy> copies;  // dispatch, combine and their mirrors only
};

// Everything that happens at one moment: either a local computation on the
// active ranks, or the same collective in several groups at once.
struct Phase {
  Step step{};
  int layer = 0;  // = pipeline stage
  bool backward = false;
  Compute compute = Compute::none;
  std::vector<Communication> communications;  // all with the same number of rounds, or empty
  std::vector<Rank> active;                   // ranks that take part
  // Per rank of the world: the matrices that this phase used, as they were before
  // it, then those it made, as they are after it. A tensor that it changes (update,
  // all-reduce) is there twice. Empty for ranks not active.
  std::vector<std::vector<NamedMatrix>> shown;
};

struct AlgorithmChoice {
  Algorithm broadcast = Algorithm::binomial;
  Algorithm scatter = Algorithm::linear;
  Algorithm all_gather = Algorithm::ring;
  Algorithm reduce_scatter = Algorithm::ring;
  Algorithm all_to_all = Algorithm::pairwise;
  Algorithm all_reduce = Algorithm::ring;
  Algorithm reduce = Algorithm::binomial;
  Algorithm gather = Algorithm::linear;
  bool operator==(const AlgorithmChoice&) const = default;
};
// Whether a walk may choose this pair. Its groups are one level without a switch
// that computes, and its uneven all-to-all is direct or pairwise.
bool offers(Collective collective, Algorithm algorithm);

struct Setup {
  Layout layout;       // cp = etp = 1
  bool dense = false;  // layers without experts (ep is then 1)
  std::uint64_t seed = 1;
  AlgorithmChoice algorithms;
};
// False where the layout is beyond kMax*, does not divide, or has cp or etp > 1,
// and where an algorithm is chosen that its collective does not have.
bool can_execute(const Setup& setup);

// Matrices that a layer does not have are empty.
struct LayerWeights {
  Matrix gain1, w_in, w_out, gain2, router;
  std::vector<Matrix> experts;
  Matrix mlp_in, mlp_out;
  bool operator==(const LayerWeights&) const = default;
};

// What both runs must agree on, in full (unsharded) form.
struct Result {
  std::vector<std::vector<Matrix>> activations;  // [replica][layer] x2 of the whole sequence
  std::vector<Matrix> input_gradients;           // [replica] gradient of x of the first layer
  std::vector<LayerWeights> gradients;           // [layer], summed over replicas
  std::vector<LayerWeights> updated;             // [layer]
  Value loss = 0;                                // over all replicas
  std::vector<Matrix> checkpoint;                // [layer] w_in as gathered in step 12
  bool operator==(const Result&) const = default;
};

Result run_serial(const Setup& setup);

// Names one transfer of the sharded run, to leave it out.
struct TransferId {
  int phase = 0, communication = 0, round = 0, transfer = 0;
};

struct Run {
  std::vector<Phase> phases;
  // nullopt when something never arrived (then phases end with the one where it
  // was missed) or when ranks disagree about something they must hold alike. Both
  // happen only if a transfer was left out.
  std::optional<Result> result;
};
// setup must satisfy can_execute().
Run run_sharded(const Setup& setup, const std::optional<TransferId>& left_out = std::nullopt);

}  // namespace commflow::tiny

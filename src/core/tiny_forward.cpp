// The local computations of the forward pass, one rank at a time.

#include <algorithm>

#include "core/gate.h"
#include "core/ordering.h"
#include "core/tiny_matrix.h"
#include "core/tiny_rank.h"

namespace commflow::tiny {

namespace {

using enum Tensor;

void norm(Memory& memory) {
  memory.put(n1, with_gain(memory.at(x), memory.at(gain1)));
}

void columns(Memory& memory) {
  memory.put(v, product(memory.at(n1_full), memory.at(w_in)));
  memory.put(u, with_previous(memory.at(v)));
}

void rows(Memory& memory) {
  memory.put(partial, product(memory.at(u), memory.at(w_out)));
}

void add_residual(Memory& memory) {
  memory.put(x1, added(memory.at(x), memory.at(attention)));
}

// The best experts of one token, with their gate weights.
void choose(const Matrix& all_scores, int token, Matrix& chosen_experts, Matrix& chosen_gates) {
  const Matrix own = rows_of(all_scores, token, 1);
  const std::vector<int> best = top_k(own.data, kTopk);
  std::vector<Value> best_scores;
  for (const int id : best) best_scores.push_back(own.at(0, id));
  const std::vector<int> weights = gate_weights(best_scores);
  for (int choice = 0; choice < kTopk; ++choice) {
    entry(chosen_experts, token, choice) = best[index_of(choice)];
    entry(chosen_gates, token, choice) = weights[index_of(choice)];
  }
}

void scores_and_top(Memory& memory) {
  memory.put(n2, with_gain(memory.at(x1), memory.at(gain2)));
  memory.put(scores, product(memory.at(n2), memory.at(router)));
  const int tokens = memory.at(n2).rows;
  Matrix chosen_experts = zeros(tokens, kTopk);
  Matrix chosen_gates = zeros(tokens, kTopk);
  for (int token = 0; token < tokens; ++token) choose(memory.at(scores), token, chosen_experts, chosen_gates);
  Matrix copies_for = zeros(1, kExperts);
  for (const Value id : chosen_experts.data) ++entry(copies_for, 0, static_cast<int>(id));
  memory.put(choices, chosen_experts);
  memory.put(gates, chosen_gates);
  memory.put(counts, copies_for);
}

void permute(Memory& memory) {
  std::vector<Matrix> copies;
  for (const LocalCopy& copy : permutation(memory.at(choices))) {
    copies.push_back(rows_of(memory.at(n2), copy.token, 1));
  }
  memory.put(copies_in, on_top(copies));
}

void experts(Memory& memory) {
  std::vector<Matrix> outputs;
  int first = 0;
  for (const LocalExpert& local : local_experts(memory)) {
    const Matrix inputs = rows_of(memory.at(copies_out), first, local.copies);
    outputs.push_back(relu(product(inputs, memory.at(expert, local.id))));
    first += local.copies;
  }
  memory.put(expert_out, on_top(outputs));
}

void weighted_sum(Memory& memory) {
  const Matrix& results = memory.at(returned);
  Matrix sums = zeros(memory.at(x1).rows, kHidden);
  int row = 0;
  for (const LocalCopy& copy : permutation(memory.at(choices))) {
    const Value gate = memory.at(gates).at(copy.token, copy.choice);
    for (int col = 0; col < kHidden; ++col) {
      Value& sum = entry(sums, copy.token, col);
      sum = plus(sum, times(gate, results.at(row, col)));
    }
    ++row;
  }
  for (Value& sum : sums.data) sum = rounded_ratio(sum, kGateTotal);
  memory.put(x2, added(memory.at(x1), sums));
}

void mlp_norm(Memory& memory) {
  memory.put(n2, with_gain(memory.at(x1), memory.at(gain2)));
}

void mlp_columns(Memory& memory) {
  memory.put(mlp_hidden, relu(product(memory.at(n2_full), memory.at(mlp_in))));
}

void mlp_rows(Memory& memory) {
  memory.put(mlp_partial, product(memory.at(mlp_hidden), memory.at(mlp_out)));
}

void mlp_residual(Memory& memory) {
  memory.put(x2, added(memory.at(x1), memory.at(mlp_sum)));
}

// The loss of this rank's tokens, and the gradient that starts the way back.
void loss_and_gradient(Memory& memory) {
  const Matrix& result = memory.at(x2);
  const Matrix& wanted = memory.at(label);
  Matrix sum = zeros(1, 1);
  Matrix gradient = zeros(result.rows, result.cols);
  for (std::size_t i = 0; i < result.data.size(); ++i) {
    const Value difference = minus(result.data[i], wanted.data[i]);
    const Value sign = (result.data[i] > wanted.data[i] ? 1 : 0) - (result.data[i] < wanted.data[i] ? 1 : 0);
    sum.data[0] = plus(sum.data[0], times(sign, difference));
    gradient.data[i] = sign * kLossScale;
  }
  memory.put(loss, sum);
  memory.put(grad_x2, gradient);
}

}  // namespace

std::vector<LocalCopy> permutation(const Matrix& chosen) {
  std::vector<LocalCopy> copies;
  for (int token = 0; token < chosen.rows; ++token) {
    for (int choice = 0; choice < chosen.cols; ++choice) {
      copies.push_back({token, choice, static_cast<int>(chosen.at(token, choice))});
    }
  }
  const auto before = [](const LocalCopy& a, const LocalCopy& b) { return a.expert < b.expert; };
  sort_stably(copies, before);
  return copies;
}

std::vector<LocalExpert> local_experts(const Memory& memory) {
  std::vector<LocalExpert> list;
  const Matrix& received = memory.at(received_counts);
  for (int local = 0; local < memory.experts; ++local) {
    Value copies = 0;
    for (int source = 0; source < received.rows; ++source) copies += received.at(source, local);
    list.push_back({memory.first_expert + local, static_cast<int>(copies)});
  }
  return list;
}

const std::vector<ComputeRow>& forward_rows() {
  static const std::vector<ComputeRow> table = {
      {Compute::norm, norm, {x, gain1}, {n1}},
      {Compute::columns, columns, {n1_full, w_in}, {v, u}},
      {Compute::rows, rows, {u, w_out}, {partial}},
      {Compute::add_residual, add_residual, {x, attention}, {x1}},
      {Compute::scores_and_top, scores_and_top, {x1, gain2, router}, {n2, scores, choices, gates, counts}},
      {Compute::permute, permute, {n2, choices}, {copies_in}},
      {Compute::experts, experts, {received_counts, copies_out, expert}, {expert_out}},
      {Compute::weighted_sum, weighted_sum, {returned, choices, gates, x1}, {x2}},
      {Compute::mlp_norm, mlp_norm, {x1, gain2}, {n2}},
      {Compute::mlp_columns, mlp_columns, {n2_full, mlp_in}, {mlp_hidden}},
      {Compute::mlp_rows, mlp_rows, {mlp_hidden, mlp_out}, {mlp_partial}},
      {Compute::mlp_residual, mlp_residual, {x1, mlp_sum}, {x2}},
      {Compute::loss, loss_and_gradient, {x2, label}, {loss, grad_x2}},
  };
  return table;
}

}  // namespace commflow::tiny

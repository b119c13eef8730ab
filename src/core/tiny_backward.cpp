// The local computations of the backward pass and the update, one rank at a time.

#include "core/tiny_matrix.h"
#include "core/tiny_rank.h"

namespace commflow::tiny {

namespace {

using enum Tensor;

// How strongly the loss asks for more of this copy's result.
Value pull(const Memory& memory, int token, int row) {
  return row_dot(memory.at(grad_x2), token, memory.at(returned), row);
}

// Per local token, the mean of its copies' pulls, weighted by their gates.
std::vector<Value> mean_pulls(const Memory& memory, const std::vector<LocalCopy>& copies) {
  std::vector<Value> means(index_of(memory.at(grad_x2).rows));
  int row = 0;
  for (const LocalCopy& copy : copies) {
    Value& mean = means[index_of(copy.token)];
    mean = plus(mean, times(memory.at(gates).at(copy.token, copy.choice), pull(memory, copy.token, row++)));
  }
  for (Value& mean : means) mean = rounded_ratio(mean, kGateTotal);
  return means;
}

void grad_weighted_sum(Memory& memory) {
  const std::vector<LocalCopy> copies = permutation(memory.at(choices));
  const std::vector<Value> means = mean_pulls(memory, copies);
  Matrix to_copies = zeros(static_cast<int>(copies.size()), kHidden);
  Matrix to_scores = zeros(memory.at(grad_x2).rows, kExperts);
  int row = 0;
  for (const LocalCopy& copy : copies) {
    const Value gate = memory.at(gates).at(copy.token, copy.choice);
    for (int col = 0; col < kHidden; ++col) {
      entry(to_copies, row, col) = rounded_ratio(times(gate, memory.at(grad_x2).at(copy.token, col)), kGateTotal);
    }
    const Value above_mean = minus(pull(memory, copy.token, row), means[index_of(copy.token)]);
    entry(to_scores, copy.token, copy.expert) = rounded_ratio(times(gate, above_mean), kGateTotal);
    ++row;
  }
  memory.put(grad_returned, to_copies);
  memory.put(grad_scores, to_scores);
}

void grad_experts(Memory& memory) {
  std::vector<Matrix> to_inputs;
  int first = 0;
  for (const LocalExpert& local : local_experts(memory)) {
    const Matrix inputs = rows_of(memory.at(copies_out), first, local.copies);
    const Matrix gradient = relu_gradient(rows_of(memory.at(grad_expert_out), first, local.copies),
                                          rows_of(memory.at(expert_out), first, local.copies));
    memory.put(grad_expert, local.id, product(transposed(inputs), gradient));
    to_inputs.push_back(product(gradient, transposed(memory.at(expert, local.id))));
    first += local.copies;
  }
  memory.put(grad_copies_out, on_top(to_inputs));
}

// What n2's gradient means for gain2 and, past the residual, for x1.
void grad_second_norm(Memory& memory) {
  memory.put(grad_gain2, gain_gradient(memory.at(x1), memory.at(grad_n2)));
  memory.put(grad_x1, added(memory.at(grad_x2), with_gain(memory.at(grad_n2), memory.at(gain2))));
}

void grad_route(Memory& memory) {
  Matrix to_n2 = product(memory.at(grad_scores), transposed(memory.at(router)));
  int row = 0;
  for (const LocalCopy& copy : permutation(memory.at(choices))) {
    for (int col = 0; col < kHidden; ++col) {
      Value& sum = entry(to_n2, copy.token, col);
      sum = plus(sum, memory.at(grad_copies_in).at(row, col));
    }
    ++row;
  }
  memory.put(grad_n2, to_n2);
  memory.put(grad_router, product(transposed(memory.at(n2)), memory.at(grad_scores)));
  grad_second_norm(memory);
}

void grad_rows(Memory& memory) {
  memory.put(grad_w_out, product(transposed(memory.at(u)), memory.at(grad_partial)));
  memory.put(grad_u, product(memory.at(grad_partial), transposed(memory.at(w_out))));
}

void grad_columns(Memory& memory) {
  memory.put(grad_v, with_next(memory.at(grad_u)));
  memory.put(grad_w_in, product(transposed(memory.at(n1_full)), memory.at(grad_v)));
  memory.put(grad_n1_full, product(memory.at(grad_v), transposed(memory.at(w_in))));
}

void grad_residual(Memory& memory) {
  memory.put(grad_gain1, gain_gradient(memory.at(x), memory.at(grad_n1)));
  memory.put(grad_x, added(memory.at(grad_x1), with_gain(memory.at(grad_n1), memory.at(gain1))));
}

void grad_mlp_rows(Memory& memory) {
  const Matrix& gradient = memory.at(grad_mlp_partial);
  memory.put(grad_mlp_out, product(transposed(memory.at(mlp_hidden)), gradient));
  memory.put(grad_mlp_hidden, relu_gradient(product(gradient, transposed(memory.at(mlp_out))), memory.at(mlp_hidden)));
}

void grad_mlp_columns(Memory& memory) {
  memory.put(grad_mlp_in, product(transposed(memory.at(n2_full)), memory.at(grad_mlp_hidden)));
  memory.put(grad_n2_full, product(memory.at(grad_mlp_hidden), transposed(memory.at(mlp_in))));
}

void update(Memory& memory) {
  for (const Trained& row : kTrained) {
    for (int index = 0; index < kExperts; ++index) {
      if (!memory.has(row.weight, index)) continue;
      memory.put(row.weight, index, stepped(memory.at(row.weight, index), memory.at(row.gradient, index)));
    }
  }
}

ComputeRow update_row() {
  ComputeRow row{Compute::update, update, {}, {}};
  for (const Trained& trained : kTrained) {
    row.used.push_back(trained.weight);
    row.used.push_back(trained.gradient);
    row.made.push_back(trained.weight);
  }
  return row;
}

}  // namespace

const std::vector<ComputeRow>& backward_rows() {
  static const std::vector<ComputeRow> table = {
      {Compute::grad_weighted_sum,
       grad_weighted_sum,
       {grad_x2, returned, choices, gates},
       {grad_scores, grad_returned}},
      {Compute::grad_experts,
       grad_experts,
       {received_counts, grad_expert_out, expert_out, copies_out, expert},
       {grad_expert, grad_copies_out}},
      {Compute::grad_route,
       grad_route,
       {grad_copies_in, choices, grad_scores, router, n2, gain2, x1, grad_x2},
       {grad_n2, grad_router, grad_gain2, grad_x1}},
      {Compute::grad_rows, grad_rows, {grad_partial, u, w_out}, {grad_w_out, grad_u}},
      {Compute::grad_columns, grad_columns, {grad_u, n1_full, w_in}, {grad_v, grad_w_in, grad_n1_full}},
      {Compute::grad_residual, grad_residual, {grad_n1, gain1, x, grad_x1}, {grad_gain1, grad_x}},
      {Compute::grad_mlp_rows, grad_mlp_rows, {grad_mlp_partial, mlp_hidden, mlp_out}, {grad_mlp_out, grad_mlp_hidden}},
      {Compute::grad_mlp_columns, grad_mlp_columns, {grad_mlp_hidden, n2_full, mlp_in}, {grad_mlp_in, grad_n2_full}},
      {Compute::grad_mlp_norm, grad_second_norm, {grad_n2, gain2, x1, grad_x2}, {grad_gain2, grad_x1}},
      update_row(),
  };
  return table;
}

}  // namespace commflow::tiny

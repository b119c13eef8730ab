// The specification of the sharded run: the same step on one rank, token by
// token where experts are concerned, without permutation, shards or messages.

#include "core/gate.h"
#include "core/tiny_data.h"
#include "core/tiny_matrix.h"

namespace commflow::tiny {

namespace {

// One of the experts a token went to.
struct Visit {
  int expert = 0;
  int gate = 0;
  Matrix output;  // 1 x kHidden
};

// What the backward pass needs of a layer's forward pass over one sequence.
struct Trace {
  Matrix x, n1, u, x1, n2, x2;
  std::vector<std::vector<Visit>> visits;  // [token], best expert first
  Matrix hidden;                           // dense only
};

std::vector<Visit> visit_experts(const LayerWeights& weights, const Matrix& token) {
  const Matrix scores = product(token, weights.router);
  std::vector<Visit> visits;
  std::vector<Value> chosen;
  for (const int expert : top_k(scores.data, kTopk)) {
    chosen.push_back(scores.at(0, expert));
    visits.push_back({expert, 0, relu(product(token, weights.experts[index_of(expert)]))});
  }
  const std::vector<int> gates = gate_weights(chosen);
  for (std::size_t i = 0; i < visits.size(); ++i) visits[i].gate = gates[i];
  return visits;
}

Value weighted_sum(const std::vector<Visit>& visits, int col) {
  Value sum = 0;
  for (const Visit& visit : visits) sum = plus(sum, times(visit.gate, visit.output.at(0, col)));
  return rounded_ratio(sum, kGateTotal);
}

void forward_experts(const LayerWeights& weights, Trace& trace) {
  trace.x2 = trace.x1;
  for (int token = 0; token < trace.n2.rows; ++token) {
    trace.visits.push_back(visit_experts(weights, rows_of(trace.n2, token, 1)));
    for (int col = 0; col < kHidden; ++col) {
      Value& value = entry(trace.x2, token, col);
      value = plus(value, weighted_sum(trace.visits.back(), col));
    }
  }
}

Trace forward_layer(const LayerWeights& weights, const Matrix& x, bool dense) {
  Trace trace;
  trace.x = x;
  trace.n1 = with_gain(x, weights.gain1);
  trace.u = with_previous(product(trace.n1, weights.w_in));
  trace.x1 = added(x, product(trace.u, weights.w_out));
  trace.n2 = with_gain(trace.x1, weights.gain2);
  if (dense) {
    trace.hidden = relu(product(trace.n2, weights.mlp_in));
    trace.x2 = added(trace.x1, product(trace.hidden, weights.mlp_out));
  } else {
    forward_experts(weights, trace);
  }
  return trace;
}

void add_to(Matrix& sum, const Matrix& more) {
  sum = sum.data.empty() ? more : added(sum, more);
}

// How strongly the loss asks for more of this expert's result.
Value pull(const Visit& visit, const Matrix& gradient) {
  return row_dot(gradient, 0, visit.output, 0);
}

// Gradient of the scores of one token: 1 x kExperts.
Matrix score_gradient(const std::vector<Visit>& visits, const Matrix& gradient) {
  Value weighted = 0;
  for (const Visit& visit : visits) weighted = plus(weighted, times(visit.gate, pull(visit, gradient)));
  const Value mean = rounded_ratio(weighted, kGateTotal);
  Matrix result = zeros(1, kExperts);
  for (const Visit& visit : visits) {
    entry(result, 0, visit.expert) = rounded_ratio(times(visit.gate, minus(pull(visit, gradient), mean)), kGateTotal);
  }
  return result;
}

// Gradient of one token's n2 through its experts; adds to theirs.
Matrix backward_visits(const LayerWeights& weights, const std::vector<Visit>& visits, const Matrix& token,
                       const Matrix& gradient, LayerWeights& gradients) {
  Matrix result = zeros(1, kHidden);
  for (const Visit& visit : visits) {
    Matrix through = gradient;
    for (Value& value : through.data) value = rounded_ratio(times(visit.gate, value), kGateTotal);
    through = relu_gradient(through, visit.output);
    add_to(gradients.experts[index_of(visit.expert)], product(transposed(token), through));
    add_to(result, product(through, transposed(weights.experts[index_of(visit.expert)])));
  }
  return result;
}

Matrix backward_experts(const LayerWeights& weights, const Trace& trace, const Matrix& grad_x2,
                        LayerWeights& gradients) {
  std::vector<Matrix> rows;
  for (int token = 0; token < grad_x2.rows; ++token) {
    const std::vector<Visit>& visits = trace.visits[index_of(token)];
    const Matrix n2 = rows_of(trace.n2, token, 1);
    const Matrix gradient = rows_of(grad_x2, token, 1);
    const Matrix scores = score_gradient(visits, gradient);
    add_to(gradients.router, product(transposed(n2), scores));
    rows.push_back(
        added(backward_visits(weights, visits, n2, gradient, gradients), product(scores, transposed(weights.router))));
  }
  return on_top(rows);
}

Matrix backward_mlp(const LayerWeights& weights, const Trace& trace, const Matrix& grad_x2, LayerWeights& gradients) {
  add_to(gradients.mlp_out, product(transposed(trace.hidden), grad_x2));
  const Matrix grad_hidden = relu_gradient(product(grad_x2, transposed(weights.mlp_out)), trace.hidden);
  add_to(gradients.mlp_in, product(transposed(trace.n2), grad_hidden));
  return product(grad_hidden, transposed(weights.mlp_in));
}

// Gradient of the layer's x; adds to the gradients of its weights.
Matrix backward_layer(const LayerWeights& weights, const Trace& trace, const Matrix& grad_x2, bool dense,
                      LayerWeights& gradients) {
  const Matrix grad_n2 =
      dense ? backward_mlp(weights, trace, grad_x2, gradients) : backward_experts(weights, trace, grad_x2, gradients);
  add_to(gradients.gain2, gain_gradient(trace.x1, grad_n2));
  const Matrix grad_x1 = added(grad_x2, with_gain(grad_n2, weights.gain2));
  add_to(gradients.w_out, product(transposed(trace.u), grad_x1));
  const Matrix grad_v = with_next(product(grad_x1, transposed(weights.w_out)));
  add_to(gradients.w_in, product(transposed(trace.n1), grad_v));
  const Matrix grad_n1 = product(grad_v, transposed(weights.w_in));
  add_to(gradients.gain1, gain_gradient(trace.x, grad_n1));
  return added(grad_x1, with_gain(grad_n1, weights.gain1));
}

Value absolute_difference(const Matrix& a, const Matrix& b) {
  Value sum = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    sum = plus(sum, a.data[i] > b.data[i] ? minus(a.data[i], b.data[i]) : minus(b.data[i], a.data[i]));
  }
  return sum;
}

Matrix loss_gradient(const Matrix& x, const Matrix& label) {
  Matrix gradient = zeros(x.rows, x.cols);
  for (std::size_t i = 0; i < x.data.size(); ++i) {
    if (x.data[i] > label.data[i]) gradient.data[i] = kLossScale;
    if (x.data[i] < label.data[i]) gradient.data[i] = -kLossScale;
  }
  return gradient;
}

// One replica, there and back. Gradients of all replicas add up in `result`.
void train_replica(const Model& model, std::size_t replica, Result& result) {
  std::vector<Trace> traces;
  std::vector<Matrix> activations;
  for (const LayerWeights& weights : model.weights) {
    const Matrix& x = traces.empty() ? model.tokens[replica] : traces.back().x2;
    traces.push_back(forward_layer(weights, x, model.dense));
    activations.push_back(traces.back().x2);
  }
  result.loss = plus(result.loss, absolute_difference(activations.back(), model.labels[replica]));
  Matrix gradient = loss_gradient(activations.back(), model.labels[replica]);
  for (std::size_t layer = traces.size(); layer-- > 0;) {
    gradient = backward_layer(model.weights[layer], traces[layer], gradient, model.dense, result.gradients[layer]);
  }
  result.activations.push_back(activations);
  result.input_gradients.push_back(gradient);
}

LayerWeights updated_layer(const LayerWeights& weights, const LayerWeights& gradients, bool dense) {
  LayerWeights result;
  result.gain1 = stepped(weights.gain1, gradients.gain1);
  result.w_in = stepped(weights.w_in, gradients.w_in);
  result.w_out = stepped(weights.w_out, gradients.w_out);
  result.gain2 = stepped(weights.gain2, gradients.gain2);
  if (dense) {
    result.mlp_in = stepped(weights.mlp_in, gradients.mlp_in);
    result.mlp_out = stepped(weights.mlp_out, gradients.mlp_out);
    return result;
  }
  result.router = stepped(weights.router, gradients.router);
  for (std::size_t expert = 0; expert < weights.experts.size(); ++expert) {
    result.experts.push_back(stepped(weights.experts[expert], gradients.experts[expert]));
  }
  return result;
}

// Gradients before the first token: an expert that nobody visits keeps zeros.
LayerWeights no_gradients(bool dense) {
  LayerWeights gradients;
  if (!dense) gradients.experts.assign(index_of(kExperts), zeros(kHidden, kHidden));
  return gradients;
}

}  // namespace

Result train_serially(const Model& model) {
  Result result;
  result.gradients.assign(model.weights.size(), no_gradients(model.dense));
  for (std::size_t replica = 0; replica < model.tokens.size(); ++replica) train_replica(model, replica, result);
  for (std::size_t layer = 0; layer < model.weights.size(); ++layer) {
    result.updated.push_back(updated_layer(model.weights[layer], result.gradients[layer], model.dense));
    result.checkpoint.push_back(result.updated.back().w_in);
  }
  return result;
}

Result run_serial(const Setup& setup) {
  return train_serially(make_model(setup));
}

}  // namespace commflow::tiny

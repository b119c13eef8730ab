// The gradients of the tiny model against what they are by definition: how much
// the loss changes. Where nothing is rounded and no relu switches, the loss is
// linear in each single weight, so a step of one must change it by exactly the
// gradient. And against the textbook's formulas where integers have to round.

#include <gtest/gtest.h>

#include "core/gate.h"
#include "core/tiny_cases.h"
#include "core/tiny_data.h"
#include "core/tiny_matrix.h"

namespace commflow::tiny {
namespace {

Matrix made(int rows, int cols, Value first, Value step) {
  Matrix matrix = zeros(rows, cols);
  for (std::size_t i = 0; i < matrix.data.size(); ++i) matrix.data[i] = first + step * static_cast<Value>(i % 5);
  return matrix;
}

// Positive everywhere, so that no relu switches; a router of zeros, so that every
// token goes to experts 0 and 1 with gates 32 and 32; multiples of sixteen, so
// that halves are whole; labels far below, so that no sign changes.
Model linear_model(bool dense, int layers) {
  Model model;
  model.dense = dense;
  for (int layer = 0; layer < layers; ++layer) {
    LayerWeights weights;
    weights.gain1 = made(1, kHidden, 1 + layer, 1);
    weights.w_in = made(kHidden, kInner, 1, 1);
    weights.w_out = made(kInner, kHidden, 2, 1);
    weights.gain2 = made(1, kHidden, 2, 1);
    weights.router = zeros(kHidden, kExperts);
    for (int id = 0; id < kExperts; ++id) weights.experts.push_back(made(kHidden, kHidden, 1 + id, 2));
    if (dense) {
      weights.mlp_in = made(kHidden, kInner, 1, 2);
      weights.mlp_out = made(kInner, kHidden, 1, 1);
    }
    model.weights.push_back(weights);
  }
  for (int replica = 0; replica < 2; ++replica) {
    Matrix tokens = made(kTokens, kHidden, 1 + replica, 1);
    for (Value& value : tokens.data) value *= 16;
    model.tokens.push_back(tokens);
    model.labels.push_back(made(kTokens, kHidden, -1000000000, 1));
  }
  return model;
}

using Pick = Matrix& (*)(LayerWeights&);

// Every entry of one matrix, one step up: the loss must follow the gradient.
void expect_exact(const Model& model, const Result& base, std::size_t layer, Pick pick, const char* name) {
  LayerWeights gradients = base.gradients[layer];
  for (std::size_t i = 0; i < pick(gradients).data.size(); ++i) {
    Model moved = model;
    ++pick(moved.weights[layer]).data[i];
    const Value change = train_serially(moved).loss - base.loss;
    EXPECT_EQ(pick(gradients).data[i], kLossScale * change) << name << " entry " << i << ", layer " << layer;
    EXPECT_NE(change, 0) << name;
  }
}

void expect_attention_exact(const Model& model, const Result& base, std::size_t layer) {
  expect_exact(
      model, base, layer, [](LayerWeights& w) -> Matrix& { return w.gain1; }, "gain1");
  expect_exact(
      model, base, layer, [](LayerWeights& w) -> Matrix& { return w.w_in; }, "w_in");
  expect_exact(
      model, base, layer, [](LayerWeights& w) -> Matrix& { return w.w_out; }, "w_out");
  expect_exact(
      model, base, layer, [](LayerWeights& w) -> Matrix& { return w.gain2; }, "gain2");
}

TEST(TinyGradient, IsTheChangeOfTheLossWithExperts) {
  const Model model = linear_model(false, 2);
  const Result base = train_serially(model);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    expect_attention_exact(model, base, layer);
    expect_exact(
        model, base, layer, [](LayerWeights& w) -> Matrix& { return w.experts[0]; }, "expert 0");
    expect_exact(
        model, base, layer, [](LayerWeights& w) -> Matrix& { return w.experts[1]; }, "expert 1");
    for (std::size_t id = 2; id < kExperts; ++id) EXPECT_EQ(base.gradients[layer].experts[id], zeros(kHidden, kHidden));
  }
}

TEST(TinyGradient, IsTheChangeOfTheLossInDenseLayers) {
  const Model model = linear_model(true, 2);
  const Result base = train_serially(model);
  for (std::size_t layer = 0; layer < 2; ++layer) {
    expect_attention_exact(model, base, layer);
    expect_exact(
        model, base, layer, [](LayerWeights& w) -> Matrix& { return w.mlp_in; }, "mlp_in");
    expect_exact(
        model, base, layer, [](LayerWeights& w) -> Matrix& { return w.mlp_out; }, "mlp_out");
  }
}

TEST(TinyGradient, OfTheInputIsTheChangeOfTheLoss) {
  for (const bool dense : {false, true}) {
    const Model model = linear_model(dense, 2);
    const Result base = train_serially(model);
    for (std::size_t replica = 0; replica < 2; ++replica) {
      for (std::size_t i = 0; i < model.tokens[replica].data.size(); ++i) {
        Model moved = model;
        moved.tokens[replica].data[i] += 64;
        const Value change = train_serially(moved).loss - base.loss;
        EXPECT_EQ(64 * base.input_gradients[replica].data[i], kLossScale * change);
      }
    }
  }
}

TEST(TinyGradient, NothingPassesAReluThatIsShut) {
  Model model = linear_model(false, 1);
  for (Value& value : model.weights[0].experts[0].data) value = -value;
  const Result result = train_serially(model);
  EXPECT_EQ(result.gradients[0].experts[0], zeros(kHidden, kHidden));
  EXPECT_FALSE(result.gradients[0].experts[1] == zeros(kHidden, kHidden));
}

// ---- the router, whose rule has to round

const Phase& phase_of(const Run& run, Compute compute) {
  for (const Phase& phase : run.phases) {
    if (phase.compute == compute) return phase;
  }
  return run.phases.front();
}

const Matrix& shown(const Phase& phase, Tensor tensor) {
  for (const NamedMatrix& named : phase.shown.front()) {
    if (named.tensor == tensor) return named.matrix;
  }
  return phase.shown.front().front().matrix;
}

// d loss / d score of the softmax p = gate / 64 over results y: p_i (g_i - sum p_j g_j),
// in floating point, from what the page shows.
TEST(TinyGradient, OfTheScoresIsTheSoftmaxRule) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto run = run_sharded(setup_of(1, 1, 1, 1, false, seed));
    const Phase& phase = phase_of(run, Compute::grad_weighted_sum);
    const Matrix& gradient = shown(phase, Tensor::grad_x2);
    const Matrix& choices = shown(phase, Tensor::choices);
    const Matrix& gates = shown(phase, Tensor::gates);
    const Matrix& returned = shown(phase, Tensor::returned);
    const Matrix& found = shown(phase, Tensor::grad_scores);
    for (int token = 0; token < kTokens; ++token) {
      double pull[kTopk] = {}, mean = 0;
      for (int choice = 0; choice < kTopk; ++choice) {
        int row = 0;  // in the permutation: by expert, then token
        for (int other = 0; other < kTokens; ++other) {
          for (int c = 0; c < kTopk; ++c) {
            const Value expert = choices.at(other, c), own = choices.at(token, choice);
            row += expert < own || (expert == own && other < token) ? 1 : 0;
          }
        }
        for (int col = 0; col < kHidden; ++col) {
          pull[choice] += static_cast<double>(gradient.at(token, col) * returned.at(row, col));
        }
        mean += static_cast<double>(gates.at(token, choice)) / kGateTotal * pull[choice];
      }
      for (int choice = 0; choice < kTopk; ++choice) {
        const double share = static_cast<double>(gates.at(token, choice)) / kGateTotal;
        const auto expert = static_cast<int>(choices.at(token, choice));
        EXPECT_NEAR(static_cast<double>(found.at(token, expert)), share * (pull[choice] - mean), 1.0);
      }
    }
  }
}

// scores = n2 . router: each weight collects what its tokens and scores say.
TEST(TinyGradient, OfTheRouterIsTokensTimesScores) {
  const auto run = run_sharded(setup_of(1, 1, 1, 1));
  const Matrix& scores = shown(phase_of(run, Compute::grad_weighted_sum), Tensor::grad_scores);
  const Phase& phase = phase_of(run, Compute::grad_route);
  for (int k = 0; k < kHidden; ++k) {
    for (int id = 0; id < kExperts; ++id) {
      Value expected = 0;
      for (int token = 0; token < kTokens; ++token)
        expected += shown(phase, Tensor::n2).at(token, k) * scores.at(token, id);
      EXPECT_EQ(shown(phase, Tensor::grad_router).at(k, id), expected);
    }
  }
}

}  // namespace
}  // namespace commflow::tiny

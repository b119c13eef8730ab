#include "core/tiny_data.h"

#include "core/rng.h"
#include "core/tiny_matrix.h"

namespace commflow::tiny {

namespace {

// Chosen so that seed 1 in the default layout shows short numbers and a visibly
// uneven routing; tests/core/tiny_model_test.cpp holds what that means.
constexpr std::uint64_t kSalt = 1;

enum class Purpose : std::uint64_t { weights, tokens, labels };

Rng stream(const Setup& setup, Purpose purpose, int number) {
  Rng mixer(setup.seed + kSalt * 0x100000001B3U);
  Rng second(mixer.next() + static_cast<std::uint64_t>(purpose));
  return Rng(second.next() + static_cast<std::uint64_t>(number));
}

Matrix random_matrix(Rng& rng, int rows, int cols, int lowest, int highest) {
  Matrix matrix = zeros(rows, cols);
  for (Value& value : matrix.data) value = rng.between(lowest, highest);
  return matrix;
}

LayerWeights make_layer(Rng rng, bool dense) {
  LayerWeights layer;
  layer.gain1 = random_matrix(rng, 1, kHidden, 1, 2);
  layer.w_in = random_matrix(rng, kHidden, kInner, -1, 1);
  layer.w_out = random_matrix(rng, kInner, kHidden, -1, 1);
  layer.gain2 = random_matrix(rng, 1, kHidden, 1, 2);
  if (dense) {
    layer.mlp_in = random_matrix(rng, kHidden, kInner, -1, 1);
    layer.mlp_out = random_matrix(rng, kInner, kHidden, -1, 1);
    return layer;
  }
  layer.router = random_matrix(rng, kHidden, kExperts, -1, 1);
  for (int expert = 0; expert < kExperts; ++expert) {
    layer.experts.push_back(random_matrix(rng, kHidden, kHidden, -1, 1));
  }
  return layer;
}

}  // namespace

Model make_model(const Setup& setup) {
  Model model;
  model.dense = setup.dense;
  for (int layer = 0; layer < setup.layout.pp; ++layer) {
    model.weights.push_back(make_layer(stream(setup, Purpose::weights, layer), setup.dense));
  }
  for (int replica = 0; replica < setup.layout.dp; ++replica) {
    Rng tokens = stream(setup, Purpose::tokens, replica);
    Rng labels = stream(setup, Purpose::labels, replica);
    model.tokens.push_back(random_matrix(tokens, kTokens, kHidden, 0, 3));
    model.labels.push_back(random_matrix(labels, kTokens, kHidden, 0, 9));
  }
  return model;
}

}  // namespace commflow::tiny

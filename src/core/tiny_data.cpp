#include "core/tiny_data.h"

#include <array>

#include "core/rng.h"
#include "core/tiny_matrix.h"

namespace commflow::tiny {

namespace {

enum class Purpose : std::uint8_t { weights, tokens, labels };

// Where seed 0 stands, per purpose. Searched so that seed 1 in the default layout
// shows short numbers and a visibly uneven routing: tests/core/tiny_default_test.cpp
// says what that means.
constexpr std::array<std::uint64_t, 3> kStart = {5346, 7739, 14831};

Rng stream(const Setup& setup, Purpose purpose, int number) {
  const auto which = static_cast<std::uint64_t>(purpose);
  Rng by_seed(setup.seed + kStart[static_cast<std::size_t>(which)]);
  Rng by_purpose(by_seed.next() + which);
  return Rng(by_purpose.next() + static_cast<std::uint64_t>(number));
}

Matrix random_matrix(Rng& rng, int rows, int cols, int lowest, int highest) {
  Matrix matrix = zeros(rows, cols);
  for (Value& value : matrix.data) value = rng.between(lowest, highest);
  return matrix;
}

// -1, 0 or 1, with few zeros.
Matrix random_signs(Rng& rng, int rows, int cols) {
  constexpr std::array<Value, 5> kSigns = {-1, -1, 0, 1, 1};
  Matrix matrix = zeros(rows, cols);
  for (Value& value : matrix.data) value = kSigns[index_of(rng.below(5))];
  return matrix;
}

// Entries 0 to 3, no token of zeros only.
Matrix random_tokens(Rng& rng) {
  static_assert(kHidden == 2);
  Matrix tokens = zeros(kTokens, kHidden);
  for (int token = 0; token < kTokens; ++token) {
    const int both = rng.between(1, 15);
    entry(tokens, token, 0) = both / 4;
    entry(tokens, token, 1) = both % 4;
  }
  return tokens;
}

LayerWeights make_layer(Rng rng, bool dense) {
  LayerWeights layer;
  layer.gain1 = random_matrix(rng, 1, kHidden, 1, 2);
  layer.w_in = random_signs(rng, kHidden, kInner);
  layer.w_out = random_signs(rng, kInner, kHidden);
  layer.gain2 = random_matrix(rng, 1, kHidden, 1, 2);
  if (dense) {
    layer.mlp_in = random_signs(rng, kHidden, kInner);
    layer.mlp_out = random_signs(rng, kInner, kHidden);
    return layer;
  }
  layer.router = random_matrix(rng, kHidden, kExperts, -1, 1);
  for (int expert = 0; expert < kExperts; ++expert) layer.experts.push_back(random_signs(rng, kHidden, kHidden));
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
    model.tokens.push_back(random_tokens(tokens));
    model.labels.push_back(random_matrix(labels, kTokens, kHidden, 0, 9));
  }
  return model;
}

}  // namespace commflow::tiny

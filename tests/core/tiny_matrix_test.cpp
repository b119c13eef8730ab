#include "core/tiny_matrix.h"

#include <gtest/gtest.h>

#include <limits>

namespace commflow::tiny {
namespace {

constexpr Value kLeast = std::numeric_limits<Value>::min();
constexpr Value kMost = std::numeric_limits<Value>::max();

TEST(TinyMatrix, RoundsToNearestHalvesAwayFromZero) {
  EXPECT_EQ(rounded_ratio(31, 64), 0);
  EXPECT_EQ(rounded_ratio(32, 64), 1);
  EXPECT_EQ(rounded_ratio(95, 64), 1);
  EXPECT_EQ(rounded_ratio(96, 64), 2);
  EXPECT_EQ(rounded_ratio(-31, 64), 0);
  EXPECT_EQ(rounded_ratio(-32, 64), -1);
  EXPECT_EQ(rounded_ratio(-96, 64), -2);
  EXPECT_EQ(rounded_ratio(1, 3), 0);
  EXPECT_EQ(rounded_ratio(2, 3), 1);
  EXPECT_EQ(rounded_ratio(kMost, 64), kMost / 64 + 1);
  EXPECT_EQ(rounded_ratio(kLeast, 64), kLeast / 64);
  for (Value value = -300; value <= 300; ++value) EXPECT_EQ(rounded_ratio(-value, 64), -rounded_ratio(value, 64));
}

TEST(TinyMatrix, WrapsAroundInsteadOfOverflowing) {
  EXPECT_EQ(plus(kMost, 1), kLeast);
  EXPECT_EQ(minus(kLeast, 1), kMost);
  EXPECT_EQ(times(kMost, 2), -2);
  EXPECT_EQ(product({1, 2, {kMost, kMost}}, {2, 1, {1, 1}}).at(0, 0), -2);
}

TEST(TinyMatrix, ProductsAndParts) {
  const Matrix a{2, 3, {1, 2, 3, 4, 5, 6}};
  const Matrix b{3, 2, {1, 0, 0, 1, 2, 2}};
  EXPECT_EQ(product(a, b), (Matrix{2, 2, {7, 8, 16, 17}}));
  EXPECT_EQ(transposed(a), (Matrix{3, 2, {1, 4, 2, 5, 3, 6}}));
  EXPECT_EQ(row_dot(a, 0, a, 1), 32);
  EXPECT_EQ(rows_of(a, 1, 1), (Matrix{1, 3, {4, 5, 6}}));
  EXPECT_EQ(columns_of(a, 1, 2), (Matrix{2, 2, {2, 3, 5, 6}}));
  EXPECT_EQ(on_top({rows_of(a, 0, 1), rows_of(a, 1, 1)}), a);
  EXPECT_EQ(side_by_side({columns_of(a, 0, 1), columns_of(a, 1, 2)}), a);
  EXPECT_EQ(on_top({zeros(0, 3), a}), a);
}

// Column and row shards: beside each other, and as parts of a sum.
TEST(TinyMatrix, ShardsOfAProductMakeTheProduct) {
  const Matrix a{2, 4, {1, 2, 3, 4, 5, 6, 7, 8}};
  const Matrix b{4, 2, {1, -1, 2, 0, 3, 1, 0, 2}};
  EXPECT_EQ(side_by_side({product(a, columns_of(b, 0, 1)), product(a, columns_of(b, 1, 1))}), product(a, b));
  EXPECT_EQ(added(product(columns_of(a, 0, 2), rows_of(b, 0, 2)), product(columns_of(a, 2, 2), rows_of(b, 2, 2))),
            product(a, b));
}

TEST(TinyMatrix, NeighboursMirrorEachOther) {
  const Matrix a{3, 1, {1, 10, 100}};
  EXPECT_EQ(with_previous(a), (Matrix{3, 1, {1, 11, 110}}));
  EXPECT_EQ(with_next(a), (Matrix{3, 1, {11, 110, 100}}));
}

TEST(TinyMatrix, GainsReluAndTheirGradients) {
  const Matrix a{2, 2, {1, -2, 3, 0}};
  EXPECT_EQ(with_gain(a, {1, 2, {2, 5}}), (Matrix{2, 2, {2, -10, 6, 0}}));
  EXPECT_EQ(gain_gradient(a, {2, 2, {1, 1, 10, 1}}), (Matrix{1, 2, {31, -2}}));
  EXPECT_EQ(relu(a), (Matrix{2, 2, {1, 0, 3, 0}}));
  EXPECT_EQ(relu_gradient({2, 2, {7, 7, 7, 7}}, relu(a)), (Matrix{2, 2, {7, 0, 7, 0}}));
  EXPECT_EQ(stepped({1, 2, {1, 1}}, {1, 2, {kStepDivisor, -kStepDivisor / 2}}), (Matrix{1, 2, {0, 2}}));
}

}  // namespace
}  // namespace commflow::tiny

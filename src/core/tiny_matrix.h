#pragma once
// Arithmetic of the tiny model's matrices: exact, in integers, the few operations
// that its layers need. Shared by the serial and the sharded run, hence it must
// know nothing of ranks, layers or steps. Shapes are the caller's duty.
//
// Everything wraps around at 64 bits, as sums on the wire do: then the order of a
// sum never matters, not even with a seed whose numbers grow beyond all bounds.

#include <cstdint>
#include <vector>

#include "core/index.h"
#include "core/tiny_model.h"

namespace commflow::tiny {

Matrix zeros(int rows, int cols);
Value& entry(Matrix& matrix, int row, int col);

inline Value plus(Value a, Value b) {
  return static_cast<Value>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
inline Value minus(Value a, Value b) {
  return static_cast<Value>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}
inline Value times(Value a, Value b) {
  return static_cast<Value>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

// a[row] . b[other_row]: rows of equal length.
Value row_dot(const Matrix& a, int row, const Matrix& b, int other_row);

// value / divisor to nearest, halves away from zero; divisor > 0.
Value rounded_ratio(Value value, Value divisor);

Matrix product(const Matrix& a, const Matrix& b);
Matrix transposed(const Matrix& a);
Matrix added(const Matrix& a, const Matrix& b);
// Every row times gain, element by element; gain has one row.
Matrix with_gain(const Matrix& a, const Matrix& gain);
// Sums of a * b over the rows, one per column: the gradient of a gain.
Matrix gain_gradient(const Matrix& a, const Matrix& b);

Matrix relu(const Matrix& a);
// The gradient where relu let its input through (result > 0), else 0.
Matrix relu_gradient(const Matrix& gradient, const Matrix& result);

// Row t plus row t - 1, and the mirror of it: row t plus row t + 1.
Matrix with_previous(const Matrix& a);
Matrix with_next(const Matrix& a);

Matrix rows_of(const Matrix& a, int first, int count);
Matrix columns_of(const Matrix& a, int first, int count);
Matrix on_top(const std::vector<Matrix>& parts);
Matrix side_by_side(const std::vector<Matrix>& parts);

// weight - round(gradient / kStepDivisor).
Matrix stepped(const Matrix& weight, const Matrix& gradient);

}  // namespace commflow::tiny

#include "core/tiny_matrix.h"

namespace commflow::tiny {

namespace {

// A matrix of this shape with f(row, col) as its entries.
template <class F>
Matrix filled(int rows, int cols, F f) {
  Matrix result = zeros(rows, cols);
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) entry(result, row, col) = f(row, col);
  }
  return result;
}

}  // namespace

Matrix zeros(int rows, int cols) {
  return {rows, cols, std::vector<Value>(index_of(rows * cols))};
}

Value& entry(Matrix& matrix, int row, int col) {
  return matrix.data[index_of(row * matrix.cols + col)];
}

Value row_dot(const Matrix& a, int row, const Matrix& b, int other_row) {
  Value sum = 0;
  for (int col = 0; col < a.cols; ++col) sum = plus(sum, times(a.at(row, col), b.at(other_row, col)));
  return sum;
}

Value rounded_ratio(Value value, Value divisor) {
  const Value quotient = value / divisor;
  const Value rest = value % divisor;  // of the sign of value
  if (rest >= divisor - rest) return quotient + 1;
  return -rest >= divisor + rest ? quotient - 1 : quotient;
}

Matrix product(const Matrix& a, const Matrix& b) {
  return filled(a.rows, b.cols, [&](int row, int col) {
    Value sum = 0;
    for (int k = 0; k < a.cols; ++k) sum = plus(sum, times(a.at(row, k), b.at(k, col)));
    return sum;
  });
}

Matrix transposed(const Matrix& a) {
  return filled(a.cols, a.rows, [&](int row, int col) { return a.at(col, row); });
}

Matrix added(const Matrix& a, const Matrix& b) {
  return filled(a.rows, a.cols, [&](int row, int col) { return plus(a.at(row, col), b.at(row, col)); });
}

Matrix with_gain(const Matrix& a, const Matrix& gain) {
  return filled(a.rows, a.cols, [&](int row, int col) { return times(gain.at(0, col), a.at(row, col)); });
}

Matrix gain_gradient(const Matrix& a, const Matrix& b) {
  return filled(1, a.cols, [&](int, int col) {
    Value sum = 0;
    for (int row = 0; row < a.rows; ++row) sum = plus(sum, times(a.at(row, col), b.at(row, col)));
    return sum;
  });
}

Matrix relu(const Matrix& a) {
  return filled(a.rows, a.cols, [&](int row, int col) { return a.at(row, col) > 0 ? a.at(row, col) : 0; });
}

Matrix relu_gradient(const Matrix& gradient, const Matrix& result) {
  return filled(gradient.rows, gradient.cols,
                [&](int row, int col) { return result.at(row, col) > 0 ? gradient.at(row, col) : 0; });
}

Matrix with_previous(const Matrix& a) {
  return filled(a.rows, a.cols,
                [&](int row, int col) { return plus(a.at(row, col), row > 0 ? a.at(row - 1, col) : 0); });
}

Matrix with_next(const Matrix& a) {
  return filled(a.rows, a.cols,
                [&](int row, int col) { return plus(a.at(row, col), row + 1 < a.rows ? a.at(row + 1, col) : 0); });
}

Matrix rows_of(const Matrix& a, int first, int count) {
  return filled(count, a.cols, [&](int row, int col) { return a.at(first + row, col); });
}

Matrix columns_of(const Matrix& a, int first, int count) {
  return filled(a.rows, count, [&](int row, int col) { return a.at(row, first + col); });
}

Matrix on_top(const std::vector<Matrix>& parts) {
  Matrix result{0, parts.empty() ? 0 : parts.front().cols, {}};
  for (const Matrix& part : parts) {
    result.rows += part.rows;
    result.data.insert(result.data.end(), part.data.begin(), part.data.end());
  }
  return result;
}

Matrix side_by_side(const std::vector<Matrix>& parts) {
  std::vector<Matrix> turned;
  for (const Matrix& part : parts) turned.push_back(transposed(part));
  return transposed(on_top(turned));
}

Matrix stepped(const Matrix& weight, const Matrix& gradient) {
  return filled(weight.rows, weight.cols, [&](int row, int col) {
    return minus(weight.at(row, col), rounded_ratio(gradient.at(row, col), kStepDivisor));
  });
}

}  // namespace commflow::tiny

#pragma once
// A fraction of a whole number of bytes, in integers, with the rounding said in
// one place.

#include "core/traffic.h"

namespace commflow {

inline std::int64_t divide_up(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

// bytes * numerator / denominator to nearest, halves up. bytes >= 0; the product
// of bytes and numerator need not fit.
inline Bytes portion(Bytes bytes, Fraction fraction) {
  const Bytes whole = bytes / fraction.denominator * fraction.numerator;
  const Bytes rest = bytes % fraction.denominator * fraction.numerator;
  return whole + (2 * rest + fraction.denominator) / (2 * fraction.denominator);
}

}  // namespace commflow

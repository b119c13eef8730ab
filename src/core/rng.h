#pragma once
// Random numbers that are the same on every machine: SplitMix64 (Steele, Lea and
// Flood 2014; public-domain code by Vigna). The distributions of the standard
// library are not portable. Knows nothing of what the numbers are for.

#include <cstdint>

namespace commflow {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBU;
    return mixed ^ (mixed >> 31U);
  }

  // 0 <= result < bound, for bound >= 1; the bias is below bound / 2^64.
  int below(int bound) { return static_cast<int>(next() % static_cast<std::uint64_t>(bound)); }
  // lowest <= result <= highest.
  int between(int lowest, int highest) { return lowest + below(highest - lowest + 1); }

 private:
  std::uint64_t state_;
};

}  // namespace commflow

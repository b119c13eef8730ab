#pragma once
// How popular the experts are, and the noise that lets tokens differ. Integers
// only, so that the same seed routes alike on every machine: the logarithms are
// computed bit by bit. Knows nothing of tokens or ranks.

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "core/rng.h"

namespace commflow::experts {

// Logarithms to the base 2 in fixed point: 1.0 is 2^kLogBits.
inline constexpr int kLogBits = 32;
std::int64_t fixed_log2(std::uint64_t value);  // value >= 1

class FixedPower {
 public:
  FixedPower();
  // largest * 2^(-exponent), rounded down; exponent >= 0 in fixed point, 0 <= largest < 2^32.
  std::int64_t of(std::int64_t largest, std::int64_t exponent) const;

 private:
  std::vector<std::uint64_t> roots_;  // 2^-1/2, 2^-1/4, ... in units of 2^-32
};

// Of every expert: -log2 of its popularity relative to the most popular one, in
// fixed point. zipf_hundredths / 100 * log2(i) for the i-th most popular; the
// order of popularity is shuffled by the seed.
std::vector<std::int64_t> unpopularity(int experts, int zipf_hundredths, std::uint64_t seed);

// Noise such that the k largest of log2(popularity) + noise are k different
// experts drawn in proportion to popularity, one after the other (the Gumbel
// trick). The inverse of the distribution in 2^kNoiseBits straight pieces.
class Noise {
 public:
  Noise();
  // 32 random bits to a noise in units of 2^-16.
  int of(std::uint32_t bits) const {
    const std::uint32_t piece = bits >> (32 - kNoiseBits);
    const auto within = static_cast<std::int64_t>((bits >> (16 - kNoiseBits)) & 0xFFFFU);
    const int low = quantiles_[piece];
    return low + static_cast<int>(((quantiles_[piece + 1] - low) * within) >> 16);
  }

 private:
  static constexpr int kNoiseBits = 12;
  std::vector<int> quantiles_;
};

// Logarithms to the base 2 that are good enough to compare scores by, quickly: in
// units of 2^-kBits, off by less than 2^-17. They never fall where values rise.
class QuickLog {
 public:
  static constexpr int kBits = 20;
  QuickLog();
  std::uint64_t of(std::uint64_t value) const {  // value >= 1
    const int whole = static_cast<int>(std::bit_width(value)) - 1;
    const std::uint64_t mantissa = value << (63 - whole) << 1;  // behind the leading bit
    const auto piece = static_cast<std::size_t>(mantissa >> (64 - kPieceBits));
    const std::uint64_t within = (mantissa << kPieceBits) >> 48;
    const std::uint64_t low = logs_[piece];
    return (static_cast<std::uint64_t>(whole) << kBits) + low + (((logs_[piece + 1] - low) * within) >> 16);
  }

 private:
  static constexpr int kPieceBits = 8;
  std::vector<std::uint32_t> logs_;  // of 1, 1 + 1/2^kPieceBits, ... 2
};

// Draws experts one at a time in proportion to popularity.
class ExpertDraw {
 public:
  explicit ExpertDraw(const std::vector<std::int64_t>& unpopular);
  int draw(Rng& rng) const { return of(static_cast<std::uint32_t>(rng.next() >> 32)); }
  // From 32 random bits.
  int of(std::uint32_t bits) const {
    const std::uint64_t drawn = (bits * end_.back()) >> 32;
    std::size_t place = guide_[bits >> (32 - kGuideBits)];
    while (end_[place] <= drawn) ++place;
    return order_[place];
  }
  // In units that make up total(); at least 1.
  std::uint64_t weight(int expert) const { return weights_[static_cast<std::size_t>(expert)]; }
  std::uint64_t total() const { return end_.back(); }
  // What the others weigh; `experts` are different ones.
  std::uint64_t left_by(std::span<const int> experts) const;
  // Draws among those for which last_token[expert] != token; together they weigh `left`, at least 1.
  int draw_rest(Rng& rng, std::uint64_t left, const std::vector<int>& last_token, int token) const;

 private:
  static constexpr int kGuideBits = 10;
  std::vector<std::uint64_t> weights_;  // of each expert
  std::vector<int> order_;              // experts, the most popular first
  std::vector<std::uint64_t> end_;      // running sums of the weights in that order; the last is their total
  std::vector<std::uint16_t> guide_;    // where in the order to begin looking, by the first bits of what was drawn
};

}  // namespace commflow::experts

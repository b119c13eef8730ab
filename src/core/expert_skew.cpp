#include "core/expert_skew.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "core/index.h"

namespace commflow::experts {
namespace {

std::uint64_t square_root(std::uint64_t value) {
  std::uint64_t root = 0;
  for (std::uint64_t bit = std::uint64_t{1} << 31; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= value) root += bit;
  }
  return root;
}

}  // namespace

std::int64_t fixed_log2(std::uint64_t value) {
  const int whole = static_cast<int>(std::bit_width(value)) - 1;
  // The mantissa in [1, 2) with 31 bits after the point; squaring it shows the
  // next bit of the logarithm.
  std::uint64_t mantissa = whole > 31 ? value >> (whole - 31) : value << (31 - whole);
  std::int64_t result = std::int64_t{whole} << kLogBits;
  for (int bit = kLogBits - 1; bit >= 0; --bit) {
    mantissa = (mantissa * mantissa) >> 31;
    if (mantissa >> 32 == 0) continue;
    mantissa >>= 1;
    result += std::int64_t{1} << bit;
  }
  return result;
}

FixedPower::FixedPower() {
  std::uint64_t root = std::uint64_t{1} << 31;
  for (int bit = 0; bit < kLogBits; ++bit) roots_.push_back(root = square_root(root << 32));
}

std::int64_t FixedPower::of(std::int64_t largest, std::int64_t exponent) const {
  const std::int64_t whole = exponent >> kLogBits;
  if (whole >= 32) return 0;
  std::uint64_t factor = std::uint64_t{1} << 32;
  for (int bit = 0; bit < kLogBits; ++bit) {
    if (((exponent >> (kLogBits - 1 - bit)) & 1) != 0) factor = (factor * roots_[index_of(bit)]) >> 32;
  }
  return static_cast<std::int64_t>(((static_cast<std::uint64_t>(largest) * factor) >> 32) >> whole);
}

std::vector<std::int64_t> unpopularity(int experts, int zipf_hundredths, std::uint64_t seed) {
  std::vector<int> order(index_of(experts));
  std::iota(order.begin(), order.end(), 0);
  constexpr std::uint64_t kApartFromTokens = 0x6578706572747321U;
  Rng rng(seed ^ kApartFromTokens);
  for (int last = experts - 1; last > 0; --last) std::swap(order[index_of(last)], order[index_of(rng.below(last + 1))]);

  std::vector<std::int64_t> result(order.size());
  for (int place = 0; place < experts; ++place) {
    const std::int64_t log = fixed_log2(static_cast<std::uint64_t>(place) + 1);
    result[index_of(order[index_of(place)])] = log * zipf_hundredths / 100;
  }
  return result;
}

// The noise is -log2(-log2(u)) for u evenly in (0, 1). Its two ends are endless;
// they are cut where half the piece lies beyond.
Noise::Noise() {
  constexpr int kPieces = 1 << kNoiseBits;
  constexpr int kShift = kLogBits - 16;
  const auto quantile = [](std::uint64_t numerator, int denominator_bits) {
    const std::int64_t below_one = (std::int64_t{denominator_bits} << kLogBits) - fixed_log2(numerator);
    return static_cast<int>(
        ((std::int64_t{kLogBits} << kLogBits) - fixed_log2(static_cast<std::uint64_t>(below_one))) >> kShift);
  };
  quantiles_.reserve(kPieces + 1);
  quantiles_.push_back(quantile(1, kNoiseBits + 2));
  for (std::uint64_t piece = 1; piece < kPieces; ++piece) quantiles_.push_back(quantile(piece, kNoiseBits));
  quantiles_.push_back(quantile(4 * kPieces - 1, kNoiseBits + 2));
}

QuickLog::QuickLog() {
  constexpr std::uint64_t kPieces = 1 << kPieceBits;
  for (std::uint64_t piece = 0; piece <= kPieces; ++piece) {
    const std::int64_t log = fixed_log2(kPieces + piece) - (std::int64_t{kPieceBits} << kLogBits);
    logs_.push_back(static_cast<std::uint32_t>(log >> (kLogBits - kBits)));
  }
}

ExpertDraw::ExpertDraw(const std::vector<std::int64_t>& unpopular)
    : order_(unpopular.size()), guide_(std::size_t{1} << kGuideBits) {
  const std::int64_t largest = (std::int64_t{1} << 31) / std::ssize(unpopular);
  const FixedPower power;
  for (const std::int64_t exponent : unpopular) {
    weights_.push_back(static_cast<std::uint64_t>(std::max<std::int64_t>(1, power.of(largest, exponent))));
  }
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](int a, int b) { return weights_[index_of(a)] > weights_[index_of(b)]; });
  std::uint64_t sum = 0;
  for (const int expert : order_) end_.push_back(sum += weights_[index_of(expert)]);
  std::uint16_t place = 0;
  for (std::size_t part = 0; part < guide_.size(); ++part) {
    while (end_[place] <= (part * sum) >> kGuideBits) ++place;
    guide_[part] = place;
  }
}

std::uint64_t ExpertDraw::left_by(std::span<const int> experts) const {
  std::uint64_t left = total();
  for (const int expert : experts) left -= weight(expert);
  return left;
}

int ExpertDraw::draw_rest(Rng& rng, std::uint64_t left, const std::vector<int>& last_token, int token) const {
  std::uint64_t drawn = ((rng.next() >> 32) * left) >> 32;
  for (const int expert : order_) {
    if (last_token[index_of(expert)] == token) continue;
    if (drawn < weights_[index_of(expert)]) return expert;
    drawn -= weights_[index_of(expert)];
  }
  return order_.back();  // never: the weights of the rest sum to `left`
}

}  // namespace commflow::experts

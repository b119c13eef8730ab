#include "core/gate.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "core/ordering.h"

namespace commflow {

namespace {

std::vector<int> indices(std::size_t count) {
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

// 2^(score - best), scaled by 2^kGateScoreSpan to be an integer. The difference
// is taken unsigned: it is right even for scores at both ends of the range.
std::int64_t scaled_power(Value score, Value best) {
  const std::uint64_t below = static_cast<std::uint64_t>(best) - static_cast<std::uint64_t>(score);
  const auto clipped = std::min<std::uint64_t>(below, kGateScoreSpan);
  return std::int64_t{1} << (kGateScoreSpan - static_cast<int>(clipped));
}

}  // namespace

std::vector<int> top_k(std::span<const Value> scores, int k) {
  std::vector<int> experts = indices(scores.size());
  sort_stably(experts,
              [&](int a, int b) { return scores[static_cast<std::size_t>(a)] > scores[static_cast<std::size_t>(b)]; });
  const auto kept = std::clamp<std::ptrdiff_t>(k, 0, std::ssize(scores));
  experts.resize(static_cast<std::size_t>(kept));
  return experts;
}

std::vector<int> gate_weights(std::span<const Value> chosen_scores) {
  if (chosen_scores.empty()) return {};
  const Value best = *std::max_element(chosen_scores.begin(), chosen_scores.end());
  std::vector<std::int64_t> shares;
  for (const Value score : chosen_scores) shares.push_back(kGateTotal * scaled_power(score, best));
  const std::int64_t sum = std::accumulate(shares.begin(), shares.end(), std::int64_t{0}) / kGateTotal;

  std::vector<int> weights;
  for (const std::int64_t share : shares) weights.push_back(static_cast<int>(share / sum));
  std::vector<int> order = indices(shares.size());
  sort_stably(order, [&](int a, int b) {
    return shares[static_cast<std::size_t>(a)] % sum > shares[static_cast<std::size_t>(b)] % sum;
  });
  const int missing = kGateTotal - std::accumulate(weights.begin(), weights.end(), 0);
  for (int i = 0; i < missing; ++i) ++weights[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
  return weights;
}

}  // namespace commflow

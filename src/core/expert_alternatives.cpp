#include "core/expert_alternatives.h"

#include <bit>

namespace commflow::experts {
namespace {

constexpr std::array<std::string_view, kWays> kNames{"all_to_all", "merged", "gathered", "tensor_parallel"};

int rounds_of_doubling(int ranks) {
  return static_cast<int>(std::bit_width(static_cast<unsigned>(ranks - 1)));  // ceil(log2 ranks)
}

}  // namespace

std::string_view name_of(Way way) {
  return kNames[static_cast<std::size_t>(way)];
}

Alternative alternative(const Settings& settings, Way way) {
  const int ranks = ranks_of(settings);
  const auto out = static_cast<double>(message_bytes(settings.hidden, settings.out));
  const auto home = static_cast<double>(message_bytes(settings.hidden, settings.home));
  const double reached = expected_distinct_ranks(settings.experts, ranks, settings.topk);
  const double off_rank = (ranks - 1.0) / ranks;
  const int pairwise = 2 * (ranks - 1);
  const int doubling = 2 * rounds_of_doubling(ranks);
  switch (way) {
    case Way::all_to_all:
      return {way, settings.topk * off_rank * (out + home), pairwise, static_cast<double>(settings.topk), false};
    case Way::merged: return {way, reached * off_rank * (out + home), pairwise, reached, false};
    case Way::gathered: return {way, (ranks - 1) * (out + home), doubling, static_cast<double>(ranks), false};
    case Way::tensor_parallel: break;
  }
  return {Way::tensor_parallel, (ranks - 1) * 2 * home, doubling, static_cast<double>(ranks), true};
}

double time_us(const Alternative& alternative, double tokens, const PortModel& port) {
  return alternative.rounds * port.alpha_us + alternative.bytes_per_token * tokens / (port.gbps * 1e3);
}

std::optional<double> crossing_tokens(const Alternative& a, const Alternative& b, const PortModel& port) {
  const double more_rounds = (a.rounds - b.rounds) * port.alpha_us;
  const double fewer_bytes = (b.bytes_per_token - a.bytes_per_token) / (port.gbps * 1e3);
  if (more_rounds * fewer_bytes <= 0) return std::nullopt;
  return more_rounds / fewer_bytes;
}

}  // namespace commflow::experts

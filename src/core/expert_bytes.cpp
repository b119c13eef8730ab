#include "core/expert_bytes.h"

#include <algorithm>
#include <numeric>

#include "core/placement.h"

namespace commflow::experts {
namespace {

void add_message(const Settings& settings, Rank source, Rank destination, Bytes bytes, ExchangeBytes& total) {
  const bool inside = node_of(source, settings.gpus_per_node) == node_of(destination, settings.gpus_per_node);
  (inside ? total.nvlink : total.network) += bytes;
  total.sent[index_of(source)] += bytes;
  total.received[index_of(destination)] += bytes;
  if (!inside) total.network_sent[index_of(source)] += bytes;
  total.smallest_message = total.messages == 0 ? bytes : std::min(total.smallest_message, bytes);
  total.largest_message = std::max(total.largest_message, bytes);
  ++total.messages;
}

constexpr std::array<std::string_view, kExchanges> kNames{"dispatch", "combine", "combine_backward",
                                                          "dispatch_backward"};

bool as_tokens(Exchange exchange) {
  return exchange == Exchange::dispatch || exchange == Exchange::combine_backward;
}

}  // namespace

ExchangeBytes bytes_of(const Settings& settings, const std::vector<Flow>& legs, Bytes message) {
  ExchangeBytes total;
  total.message = message;
  const auto ranks = index_of(ranks_of(settings));
  total.sent.resize(ranks);
  total.received.resize(ranks);
  total.network_sent.resize(ranks);
  for (const Flow& leg : legs) {
    for (Rank source = 0; source < leg.ranks; ++source) {
      for (Rank destination = 0; destination < leg.ranks; ++destination) {
        const Bytes bytes = leg.at(source, destination) * message;
        if (source == destination) total.local += bytes;
        if (source != destination && bytes > 0) add_message(settings, source, destination, bytes, total);
      }
    }
  }
  return total;
}

std::string_view name_of(Exchange exchange) {
  return kNames[static_cast<std::size_t>(exchange)];
}

std::vector<Flow> legs_of(const Counts& counts, Exchange exchange) {
  if (as_tokens(exchange)) return counts.legs;
  std::vector<Flow> mirrored(counts.legs.rbegin(), counts.legs.rend());
  std::transform(mirrored.begin(), mirrored.end(), mirrored.begin(), transposed);
  return mirrored;
}

ExchangeBytes bytes_of(const Settings& settings, const Counts& counts, Exchange exchange) {
  const MessageFormat& format = as_tokens(exchange) ? settings.out : settings.home;
  return bytes_of(settings, legs_of(counts, exchange), message_bytes(settings.hidden, format));
}

Fraction max_over_mean(const std::vector<std::int64_t>& load) {
  const std::int64_t sum = std::accumulate(load.begin(), load.end(), std::int64_t{0});
  if (sum == 0) return {1, 1};
  const std::int64_t scaled = *std::max_element(load.begin(), load.end()) * std::ssize(load);
  const std::int64_t common = std::gcd(scaled, sum);
  return {scaled / common, sum / common};
}

Bytes logical_bytes(const Settings& settings, Bytes message) {
  return routed_bytes(tokens_of_all(settings), settings.topk, message);
}

double experts_per_node_at_equal_cost(double nvlink_gbps, double network_gbps) {
  return nvlink_gbps / network_gbps;
}

}  // namespace commflow::experts

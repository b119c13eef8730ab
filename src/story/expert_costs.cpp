#include "story/expert_costs.h"

#include <algorithm>

#include "core/expert_bytes.h"

namespace commflow {
namespace {

constexpr double kNanoseconds = 1e9;

const Gpu& gpu_of(const State& state, const Library& library) {
  return library.gpus[static_cast<std::size_t>(state.hardware)];
}

// Of so many tokens per GPU as usual, at the share of a link that is reached.
double exchange_seconds(const State& state, const ExpertView& view, const Gpu& gpu, experts::Exchange exchange) {
  const experts::ExchangeBytes& bytes = view.bytes_of(exchange);
  double slowest = 0;
  for (std::size_t rank = 0; rank < bytes.sent.size(); ++rank) {
    const auto network = static_cast<double>(bytes.network_sent[rank]);
    const auto nvlink = static_cast<double>(bytes.sent[rank]) - network;
    slowest = std::max(
        {slowest, network / static_cast<double>(gpu.nic.value), nvlink / static_cast<double>(gpu.nvlink.value)});
  }
  const double scale = static_cast<double>(usual_tokens(state, view)) / view.counted.tokens;
  const int hops = view.counted.path == experts::Path::two_hop ? 2 : 1;
  const double start = 1e-6 * state.latency_us * hops;
  return start + slowest * scale * 100 / state.link_percent;
}

std::int64_t nanoseconds(double seconds) {
  return static_cast<std::int64_t>(seconds * kNanoseconds + 0.5);
}

}  // namespace

int usual_tokens(const State& state, const ExpertView& view) {
  constexpr int kTrainingTokens = 4096;
  return state.preset == 0 ? kTrainingTokens : view.counted.tokens;
}

std::optional<experts::DecodeLimit> expert_decode_limit(const State& state, const ExpertView& view,
                                                        const Library& library) {
  constexpr int kFewTokens = 512;
  if (view.problem || state.preset == 0 || view.counted.tokens > kFewTokens || view.counted.nodes < 2)
    return std::nullopt;
  const auto mean_sent = [&](experts::Exchange exchange) {
    return view.bytes_of(exchange).network / experts::ranks_of(view.counted);
  };
  const Model& model = library.models[static_cast<std::size_t>(state.model)];
  return experts::decode_limit(mean_sent(experts::Exchange::dispatch), mean_sent(experts::Exchange::combine),
                               static_cast<double>(gpu_of(state, library).nic.value) / 1e9, moe_layers(model));
}

PortModel expert_port(const State& state, const ExpertView& view, const Library& library) {
  const Gpu& gpu = gpu_of(state, library);
  const Published& link = view.counted.nodes > 1 ? gpu.nic : gpu.nvlink;
  return {static_cast<double>(state.latency_us), static_cast<double>(link.value) / 1e9 * state.link_percent / 100};
}

std::array<experts::Alternative, experts::kWays> expert_ways(const ExpertView& view) {
  std::array<experts::Alternative, experts::kWays> ways;
  for (int index = 0; index < experts::kWays; ++index)
    ways[static_cast<std::size_t>(index)] = experts::alternative(view.counted, static_cast<experts::Way>(index));
  return ways;
}

std::optional<ExpertOverlap> expert_overlap(const State& state, const ExpertView& view, const Library& library) {
  const Gpu& gpu = gpu_of(state, library);
  const Model& model = library.models[static_cast<std::size_t>(state.model)];
  if (view.problem || !has_experts(model) || !gpu.bf16_dense_flops) return std::nullopt;
  const double rate = static_cast<double>(gpu.bf16_dense_flops->value) * state.compute_percent / 100;
  const std::vector<std::int64_t>& load = view.counted_load;
  const double copies = static_cast<double>(*std::max_element(load.begin(), load.end())) / view.counted.tokens;
  const double per_parameter = 2.0 * usual_tokens(state, view);  // a multiplication and an addition
  const double expert = copies * static_cast<double>(expert_params(model));
  const auto shared = static_cast<double>(shared_expert_params(model));
  ExpertOverlap overlap;
  overlap.times.attention = nanoseconds(per_parameter * static_cast<double>(attention_params_per_layer(model)) / rate);
  overlap.times.dispatch = nanoseconds(exchange_seconds(state, view, gpu, experts::Exchange::dispatch));
  overlap.times.experts = nanoseconds(per_parameter * (expert + shared) / rate);
  overlap.times.combine = nanoseconds(exchange_seconds(state, view, gpu, experts::Exchange::combine));
  overlap.alone = experts::overlapped(overlap.times, kOverlappedLayers, 1);
  overlap.together = experts::overlapped(overlap.times, kOverlappedLayers, 2);
  return overlap;
}

}  // namespace commflow

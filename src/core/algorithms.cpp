#include "core/algorithms.h"

#include <algorithm>
#include <array>

#include "core/algorithms/builders.h"

namespace commflow {
namespace {

constexpr std::array<std::string_view, kAlgorithms> kNames{
    "ring",
    "direct",
    "halving-doubling",
    "pairwise",
    "linear",
    "binomial",
    "one-shot",
    "recursive-doubling",
    "recursive-halving",
    "double-binary-tree",
    "bruck",
    "chain",
    "scatter-allgather",
    "scatter-allgather-doubling",
    "reduce-scatter-gather",
    "hierarchical",
    "in-switch",
};

constexpr AlgorithmRow kRows[] = {
    {Algorithm::ring, Collective::all_reduce, ring_all_reduce},
    {Algorithm::direct, Collective::all_reduce, direct_all_reduce},
    {Algorithm::halving_doubling, Collective::all_reduce, halving_doubling_all_reduce},
    {Algorithm::one_shot, Collective::all_reduce, one_shot_all_reduce},
    {Algorithm::recursive_doubling, Collective::all_reduce, recursive_doubling_all_reduce},
    {Algorithm::binomial, Collective::all_reduce, binomial_all_reduce},
    {Algorithm::double_binary_tree, Collective::all_reduce, double_tree_all_reduce},
    {Algorithm::hierarchical, Collective::all_reduce, hierarchical_all_reduce},
    {Algorithm::in_switch, Collective::all_reduce, in_switch_all_reduce},
    {Algorithm::ring, Collective::all_gather, ring_all_gather},
    {Algorithm::direct, Collective::all_gather, direct_all_gather},
    {Algorithm::halving_doubling, Collective::all_gather, halving_doubling_all_gather},
    {Algorithm::recursive_doubling, Collective::all_gather, halving_doubling_all_gather},
    {Algorithm::bruck, Collective::all_gather, bruck_all_gather},
    {Algorithm::ring, Collective::reduce_scatter, ring_reduce_scatter},
    {Algorithm::direct, Collective::reduce_scatter, direct_reduce_scatter},
    {Algorithm::halving_doubling, Collective::reduce_scatter, halving_doubling_reduce_scatter},
    {Algorithm::recursive_halving, Collective::reduce_scatter, halving_doubling_reduce_scatter},
    {Algorithm::direct, Collective::all_to_all, direct_all_to_all},
    {Algorithm::pairwise, Collective::all_to_all, pairwise_all_to_all},
    {Algorithm::bruck, Collective::all_to_all, bruck_all_to_all},
    {Algorithm::hierarchical, Collective::all_to_all, hierarchical_all_to_all},
    {Algorithm::linear, Collective::broadcast, linear_broadcast},
    {Algorithm::binomial, Collective::broadcast, binomial_broadcast},
    {Algorithm::chain, Collective::broadcast, chain_broadcast},
    {Algorithm::scatter_allgather, Collective::broadcast, scatter_allgather_broadcast},
    {Algorithm::scatter_allgather_doubling, Collective::broadcast, scatter_allgather_doubling_broadcast},
    {Algorithm::linear, Collective::reduce, linear_reduce},
    {Algorithm::binomial, Collective::reduce, binomial_reduce},
    {Algorithm::chain, Collective::reduce, chain_reduce},
    {Algorithm::reduce_scatter_gather, Collective::reduce, reduce_scatter_gather_reduce},
    {Algorithm::linear, Collective::gather, linear_gather},
    {Algorithm::binomial, Collective::gather, binomial_gather},
    {Algorithm::linear, Collective::scatter, linear_scatter},
    {Algorithm::binomial, Collective::scatter, binomial_scatter},
    {Algorithm::direct, Collective::send_recv, direct_send_recv},
};

const AlgorithmRow* row_of(Collective collective, Algorithm algorithm) {
  const auto row = std::find_if(std::begin(kRows), std::end(kRows), [&](const AlgorithmRow& candidate) {
    return candidate.collective == collective && candidate.id == algorithm;
  });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  return kNames[static_cast<std::size_t>(algorithm)];
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
  if (name == "double-tree") return Algorithm::double_binary_tree;
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Algorithm>(found - kNames.begin());
}

std::span<const AlgorithmRow> algorithms() {
  return kRows;
}

bool uses_chunks(Algorithm algorithm) {
  return algorithm == Algorithm::chain || algorithm == Algorithm::double_binary_tree ||
         algorithm == Algorithm::in_switch;
}

bool uses_nodes(Algorithm algorithm) {
  return algorithm == Algorithm::hierarchical;
}

int default_gpus_per_node(int ranks) {
  constexpr int kLargestNode = 8;
  for (int gpus = std::min(kLargestNode, ranks / 2); gpus > 1; --gpus) {
    if (ranks % gpus == 0) return gpus;
  }
  return 1;
}

int gpus_per_node(const Tuning& tuning, int ranks) {
  return tuning.gpus_per_node > 0 ? tuning.gpus_per_node : default_gpus_per_node(ranks);
}

WhyNot why_not(Collective collective, Algorithm algorithm, int ranks, const Tuning& tuning) {
  const int gpus = gpus_per_node(tuning, ranks);
  const auto because = [&](Obstacle obstacle) { return WhyNot{obstacle, ranks, gpus}; };
  if (row_of(collective, algorithm) == nullptr) return because(Obstacle::no_such_pair);
  if (uses_chunks(algorithm) && tuning.chunks < 1) return because(Obstacle::no_chunks);
  if (uses_nodes(algorithm) && ranks % gpus != 0) return because(Obstacle::uneven_nodes);
  return {};
}

std::optional<Schedule> make_schedule(Collective collective, Algorithm algorithm, int ranks, Rank root,
                                      const Tuning& tuning) {
  if (why_not(collective, algorithm, ranks, tuning)) return std::nullopt;
  return row_of(collective, algorithm)->build(ranks, root, tuning);
}

Schedule uneven_all_to_all(Algorithm algorithm, int ranks, int slots, std::span<const Item> items) {
  return algorithm == Algorithm::pairwise ? pairwise_exchange(ranks, slots, items)
                                          : direct_exchange(ranks, slots, items);
}

std::vector<Item> even_items(int ranks) {
  std::vector<Item> items;
  items.reserve(index_of(ranks) * index_of(ranks));
  for (Rank src = 0; src < ranks; ++src) {
    for (Rank dst = 0; dst < ranks; ++dst) items.push_back({src, dst, dst, src});
  }
  return items;
}

}  // namespace commflow

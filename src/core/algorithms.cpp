#include "core/algorithms.h"

#include <algorithm>
#include <array>

#include "core/algorithms/builders.h"

namespace commflow {
namespace {

constexpr std::array<std::string_view, kAlgorithms> kNames{"ring",     "direct", "halving-doubling",
                                                           "pairwise", "linear", "binomial"};

constexpr AlgorithmRow kRows[] = {
    {Algorithm::ring, Collective::all_reduce, ring_all_reduce},
    {Algorithm::direct, Collective::all_reduce, direct_all_reduce},
    {Algorithm::halving_doubling, Collective::all_reduce, halving_doubling_all_reduce},
    {Algorithm::ring, Collective::all_gather, ring_all_gather},
    {Algorithm::direct, Collective::all_gather, direct_all_gather},
    {Algorithm::halving_doubling, Collective::all_gather, halving_doubling_all_gather},
    {Algorithm::ring, Collective::reduce_scatter, ring_reduce_scatter},
    {Algorithm::direct, Collective::reduce_scatter, direct_reduce_scatter},
    {Algorithm::halving_doubling, Collective::reduce_scatter, halving_doubling_reduce_scatter},
    {Algorithm::direct, Collective::all_to_all, direct_all_to_all},
    {Algorithm::pairwise, Collective::all_to_all, pairwise_all_to_all},
    {Algorithm::linear, Collective::broadcast, linear_broadcast},
    {Algorithm::binomial, Collective::broadcast, binomial_broadcast},
    {Algorithm::linear, Collective::reduce, linear_reduce},
    {Algorithm::binomial, Collective::reduce, binomial_reduce},
    {Algorithm::linear, Collective::gather, linear_gather},
    {Algorithm::binomial, Collective::gather, binomial_gather},
    {Algorithm::linear, Collective::scatter, linear_scatter},
    {Algorithm::binomial, Collective::scatter, binomial_scatter},
    {Algorithm::direct, Collective::send_recv, direct_send_recv},
};

}  // namespace

std::string_view name_of(Algorithm algorithm) {
  return kNames[static_cast<std::size_t>(algorithm)];
}

std::optional<Algorithm> algorithm_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Algorithm>(found - kNames.begin());
}

std::span<const AlgorithmRow> algorithms() {
  return kRows;
}

std::optional<Schedule> make_schedule(Collective collective, Algorithm algorithm, int ranks, Rank root) {
  for (const AlgorithmRow& row : kRows) {
    if (row.collective == collective && row.id == algorithm) return row.build(ranks, root);
  }
  return std::nullopt;
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

#pragma once
// The table of algorithms. An algorithm is a function that writes a Schedule;
// adding one is one file in core/algorithms, one row here, its texts.

#include <optional>
#include <span>
#include <string_view>

#include "core/collective.h"

namespace commflow {

enum class Algorithm : std::uint8_t { ring, direct, halving_doubling, pairwise, linear, binomial };
inline constexpr int kAlgorithms = 6;

std::string_view name_of(Algorithm algorithm);  // "halving-doubling"
std::optional<Algorithm> algorithm_named(std::string_view name);

struct AlgorithmRow {
  Algorithm id;
  Collective collective;
  // Rounds of this schedule end with every rank holding expected_output().
  // ranks >= 1, 0 <= root < ranks. Local moves (own block from in to out) stand
  // in the first round and cost no bytes.
  Schedule (*build)(int ranks, Rank root);
};

// Every implemented pair, in the order in which they are offered.
std::span<const AlgorithmRow> algorithms();

// nullopt where the pair is not in the table.
std::optional<Schedule> make_schedule(Collective collective, Algorithm algorithm, int ranks, Rank root = 0);

// Uneven all-to-all (what expert parallelism needs): each item goes from a slot
// of `in` on its source to a slot of `out` on its destination. direct: one
// round; pairwise: n - 1 rounds, in round k rank r sends all that is for rank
// (r + k + 1) mod n; items that stay are moved in the first round.
struct Item {
  Rank src_rank = 0;
  int src_slot = 0;
  Rank dst_rank = 0;
  int dst_slot = 0;
};
Schedule uneven_all_to_all(Algorithm algorithm, int ranks, int slots, std::span<const Item> items);

}  // namespace commflow

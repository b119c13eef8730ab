#pragma once
// The table of algorithms. An algorithm is a function that writes a Schedule;
// adding one is one file in core/algorithms, one row here, its texts.

#include <optional>
#include <span>
#include <string_view>

#include "core/collective.h"

namespace commflow {

enum class Algorithm : std::uint8_t {
  ring,
  direct,
  halving_doubling,
  pairwise,
  linear,
  binomial,
  one_shot,
  recursive_doubling,
  recursive_halving,
  double_binary_tree,
  bruck,
  chain,
  scatter_allgather,
  scatter_allgather_doubling,
  reduce_scatter_gather,
  hierarchical,
  in_switch
};
inline constexpr int kAlgorithms = 17;

std::string_view name_of(Algorithm algorithm);                    // "halving-doubling"
std::optional<Algorithm> algorithm_named(std::string_view name);  // also "double-tree"

// What some algorithms can be told; the others ignore it.
struct Tuning {
  int chunks = 4;         // >= 1: pieces that follow one another (chain, in-switch; per tree: double binary tree)
  int gpus_per_node = 0;  // hierarchical; divides the number of ranks; 0 for default_gpus_per_node()
};
bool uses_chunks(Algorithm algorithm);
bool uses_nodes(Algorithm algorithm);
// The largest node of up to 8 GPUs of which `ranks` make two or more alike; else 1.
int default_gpus_per_node(int ranks);
// What the tuning comes to.
int gpus_per_node(const Tuning& tuning, int ranks);

// Rounds of the schedule end with every rank holding expected_output().
// ranks >= 1, 0 <= root < ranks; the tuning is one that fits them. Local moves (own
// block from in to out) stand in the first round and cost no bytes.
class ScheduleBuilder {
 public:
  using Plain = Schedule (*)(int ranks, Rank root);
  using Tuned = Schedule (*)(int ranks, Rank root, const Tuning& tuning);
  constexpr ScheduleBuilder(Plain plain) : plain_(plain) {}
  constexpr ScheduleBuilder(Tuned tuned) : tuned_(tuned) {}
  Schedule operator()(int ranks, Rank root, const Tuning& tuning = {}) const {
    return plain_ != nullptr ? plain_(ranks, root) : tuned_(ranks, root, tuning);
  }

 private:
  Plain plain_ = nullptr;
  Tuned tuned_ = nullptr;
};

struct AlgorithmRow {
  Algorithm id;
  Collective collective;
  ScheduleBuilder build;
};

// Every implemented pair, in the order in which they are offered.
std::span<const AlgorithmRow> algorithms();

// Why there is no schedule, without words: whoever shows it has the language.
enum class Obstacle : std::uint8_t {
  none,
  no_such_pair,  // the table has no such algorithm for this collective
  no_chunks,     // chunks < 1
  uneven_nodes,  // gpus_per_node does not divide ranks
};
struct WhyNot {
  Obstacle obstacle = Obstacle::none;
  int ranks = 0;
  int gpus_per_node = 0;
  explicit operator bool() const { return obstacle != Obstacle::none; }
  bool operator==(const WhyNot&) const = default;
};
WhyNot why_not(Collective collective, Algorithm algorithm, int ranks, const Tuning& tuning = {});

// nullopt where why_not() has a reason.
std::optional<Schedule> make_schedule(Collective collective, Algorithm algorithm, int ranks, Rank root = 0,
                                      const Tuning& tuning = {});

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

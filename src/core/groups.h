#pragma once
// Who belongs together: coordinates of a rank and the groups that follow from
// them. Groups are always derived, never typed in. World = TP x CP x PP x DP;
// EP is not a further factor but a second folding of the ranks of one stage
// (Megatron-LM documentation, parallelism guide).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/buffers.h"

namespace commflow {

enum class Dimension : std::uint8_t { none, tp, pp, dp, ep, sp, cp, expert_dp };

// The order in which the coordinates of a rank vary, fastest first.
struct RankOrder {
  std::vector<Dimension> fastest_first;  // a permutation of tp, cp, pp, dp
  bool operator==(const RankOrder&) const = default;
};
// "tp-pp-dp" (reads well) or "tp-dp-pp" (Megatron-LM) or any permutation of
// tp, cp, pp, dp; cp may be left out (then it follows tp), ep is accepted and
// ignored: inside a stage the expert folding always runs etp, ep, expert_dp.
std::optional<RankOrder> parse_order(std::string_view text);
// tp-pp-dp. A function, since g++ 12 misreads a braced vector as a member's default.
RankOrder default_order();

struct Layout {
  int tp = 2;
  int pp = 2;
  int dp = 2;
  int ep = 4;
  int cp = 1;
  int etp = 1;  // tensor parallelism inside an expert
  RankOrder order = default_order();
};

int world_size(const Layout& layout);
// expert_dp = tp * cp * dp / (etp * ep): copies of each expert.
int expert_dp_size(const Layout& layout);

// nullopt when the sizes fit together (all >= 1, etp * ep divides tp * cp * dp);
// otherwise a sentence for the command line that says what would work.
std::optional<std::string> layout_problem(const Layout& layout);

struct Coordinates {
  int tp = 0, pp = 0, dp = 0, cp = 0;
  int etp = 0, ep = 0, expert_dp = 0;
};
Coordinates coordinates_of(const Layout& layout, Rank rank);
Rank rank_at(const Layout& layout, int tp, int cp, int pp, int dp);

// All groups of one dimension, each ascending by that coordinate, in the order
// of their smallest rank. Groups of one member are included. Dimension::sp is
// the same as tp (Megatron sequence parallelism lives in the TP group).
std::vector<std::vector<Rank>> groups_of(const Layout& layout, Dimension dimension);
// The one that `rank` is in.
std::vector<Rank> group_of(const Layout& layout, Dimension dimension, Rank rank);

}  // namespace commflow

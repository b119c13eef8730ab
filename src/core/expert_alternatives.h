#pragma once
// The same layer by other exchanges: what one GPU sends for it, and from how many
// tokens on which way is faster. Formulas only; expected values where routing
// matters. Knows nothing of nodes: all GPUs are as far from each other.

#include <array>
#include <optional>
#include <string_view>

#include "core/expert_settings.h"

namespace commflow::experts {

enum class Way : std::uint8_t {
  all_to_all,       // a vector per token and chosen expert
  merged,           // all-to-all with copies for one rank merged
  gathered,         // every rank gathers all tokens, computes its experts, reduce-scatter
  tensor_parallel,  // every rank has a slice of every expert; the same two collectives
};
inline constexpr int kWays = 4;
std::string_view name_of(Way way);  // "all_to_all"

struct Alternative {
  Way way{};
  // Sent off one GPU, out and home, for each token that it holds:
  //   all_to_all       k (R - 1)/R (out + home)
  //   merged           (R - 1)/R * different ranks of a token * (out + home)
  //   gathered         (R - 1) (out + home)
  //   tensor_parallel  (R - 1) * 2 home: activations in the format of the results
  double bytes_per_token = 0;
  // One after the other, out and home: pairwise all-to-all R - 1 each, gathering
  // and reducing by doubling and halving ceil(log2 R) each.
  int rounds = 0;
  // Tokens whose copies a GPU computes or holds, for each that it had at first, on average.
  double copies_per_token = 0;
  bool even = false;  // every rank computes the same, whatever the router does
};
// R = ranks_of(settings); nothing is dropped, every expert equally likely.
Alternative alternative(const Settings& settings, Way way);

// Microseconds for so many tokens on each GPU.
double time_us(const Alternative& alternative, double tokens, const PortModel& port);

// Tokens per GPU at which both take equally long, if there are any; with fewer
// the one with fewer rounds wins, with more the one with fewer bytes.
std::optional<double> crossing_tokens(const Alternative& a, const Alternative& b, const PortModel& port);

}  // namespace commflow::experts

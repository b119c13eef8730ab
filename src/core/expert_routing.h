#pragma once
// Which experts every token goes to, and with which weights. Small layers have a
// score for every token and expert, as a router gives them, that can be shown;
// large ones draw k different experts per token from the same distribution.
// Knows nothing of where the experts lie, apart from node-limited routing.

#include <optional>
#include <span>
#include <vector>

#include "core/expert_draw.h"
#include "core/expert_settings.h"
#include "core/index.h"

namespace commflow::experts {

// A score is the logarithm of an affinity: so many points more are a factor of two.
inline constexpr int kScorePoints = 100;

// Tokens count through all ranks: token t of rank r is r * tokens + t.
struct Routing {
  int tokens = 0;  // per rank
  int topk = 0;
  std::vector<int> experts;   // [token][choice], best first
  std::vector<Value> scores;  // [token][expert], those of one token all different; empty if only counted
  std::vector<int> weights;   // [token][choice], sum kGateTotal per token; empty if only counted

  std::size_t at(int token, int choice) const { return index_of(token) * index_of(topk) + index_of(choice); }
  int all_tokens() const { return topk == 0 ? 0 : static_cast<int>(std::ssize(experts) / topk); }
};

// By scores where the layer is executable, and then with weights; else drawn.
// The settings have no problem.
Routing route(const Settings& settings);

// The nodes that node-limited routing leaves to a token, best first: largest sum
// of the best ceil(topk / topk_nodes) scores of a node's experts, of equal sums
// the lower node. All nodes without a limit.
std::vector<int> allowed_nodes(const Settings& settings, std::span<const Value> scores);
// The topk best scores on allowed nodes, best first.
std::vector<int> choose(const Settings& settings, std::span<const Value> scores);
// gate_weights() of the chosen scores, which are rounded to whole factors of two.
std::vector<int> weights_of(std::span<const Value> chosen_scores);

// Of a routing that outlives it.
ExpertsOfRank experts_of_routing(const Routing& routing);

// 1 for every copy that its expert takes, 0 for dropped ones, [token][choice]; see
// Admission. A dropped copy's weight is lost: the token keeps what its other experts
// and the residual give it.
std::vector<std::uint8_t> kept_copies(const Settings& settings, const Routing& routing);

}  // namespace commflow::experts

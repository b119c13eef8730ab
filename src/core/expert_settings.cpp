#include "core/expert_settings.h"

#include <algorithm>

#include "core/portion.h"

namespace commflow::experts {
namespace {

std::string number(std::int64_t value) {
  return std::to_string(value);
}

bool inside(int value, int low, int high) {
  return value >= low && value <= high;
}

std::optional<std::string> out_of_range(std::string_view what, int value, int low, int high) {
  if (inside(value, low, high)) return std::nullopt;
  return number(value) + " " + std::string(what) + "; expected " + number(low) + " to " + number(high);
}

std::optional<std::string> range_problem(const Settings& s) {
  if (!inside(s.nodes, 1, kMaxCountedRanks)) return out_of_range("nodes", s.nodes, 1, kMaxCountedRanks);
  const int most_gpus = kMaxCountedRanks / s.nodes;
  if (auto problem = out_of_range("GPUs per node", s.gpus_per_node, 1, most_gpus)) return problem;
  if (auto problem = out_of_range("experts", s.experts, 1, kMaxCountedExperts)) return problem;
  const int most_chosen = std::min(s.experts, kMaxCountedTopk);
  if (auto problem = out_of_range("experts per token", s.topk, 1, most_chosen)) return problem;
  const auto most_tokens = static_cast<int>(kMaxCountedCopies / s.topk / ranks_of(s));
  if (auto problem = out_of_range("tokens per rank", s.tokens, 1, most_tokens)) return problem;
  if (auto problem = out_of_range("hundredths of Zipf's exponent", s.zipf_hundredths, 0, kMaxZipfHundredths))
    return problem;
  if (auto problem =
          out_of_range("thousandths of a capacity factor", s.capacity_thousandths, 0, kMaxCapacityThousandths))
    return problem;
  return out_of_range("replicas per rank", s.replicas_per_rank, 0, kMaxReplicasPerRank);
}

std::optional<std::string> nodes_problem(const Settings& s) {
  if (s.topk_nodes == 0) return std::nullopt;
  if (auto problem = out_of_range("nodes that a token may reach", s.topk_nodes, 1, s.nodes)) return problem;
  const int reachable = s.topk_nodes * experts_per_node(s);
  if (reachable >= s.topk) return std::nullopt;
  return "a token that may reach " + number(s.topk_nodes) + " of " + number(s.nodes) + " nodes finds " +
         number(reachable) + " experts there, but chooses " + number(s.topk) + "; expected at least " +
         number(divide_up(s.topk, experts_per_node(s))) + " nodes";
}

std::optional<std::string> table_problem(const Settings& s) {
  const auto topk = static_cast<std::size_t>(s.topk);
  if (s.table.empty()) return std::nullopt;
  if (s.topk_nodes > 0) return "a routing table leaves no choice to node-limited routing; expected only one of the two";
  if (s.table.size() != static_cast<std::size_t>(tokens_of_all(s)) * topk)
    return "a routing table of " + number(std::ssize(s.table)) + " entries; expected " +
           number(tokens_of_all(s) * s.topk) + ", one for each token and choice";
  for (std::size_t first = 0; first < s.table.size(); first += topk) {
    std::vector<int> chosen(s.table.begin() + std::ptrdiff_t(first), s.table.begin() + std::ptrdiff_t(first + topk));
    std::sort(chosen.begin(), chosen.end());
    const std::string token = "token " + number(static_cast<std::int64_t>(first / topk)) + " of the routing table ";
    if (chosen.front() < 0 || chosen.back() >= s.experts)
      return token + "goes to an expert that is not there; expected 0 to " + number(s.experts - 1);
    if (std::adjacent_find(chosen.begin(), chosen.end()) != chosen.end())
      return token + "goes to one expert twice; expected " + number(s.topk) + " different ones";
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> settings_problem(const Settings& settings) {
  if (auto problem = range_problem(settings)) return problem;
  if (settings.experts % ranks_of(settings) != 0)
    return number(settings.experts) + " experts do not divide over " + number(ranks_of(settings)) +
           " ranks; expected a multiple";
  if (auto problem = nodes_problem(settings)) return problem;
  if (settings.dedup == Dedup::per_node && settings.path == Path::one_hop)
    return "merging copies per node needs the path of two hops, since somebody on that node must pass them on";
  return table_problem(settings);
}

bool executable(const Settings& settings) {
  return !settings_problem(settings) && inside(ranks_of(settings), 2, kMaxExecutedRanks) &&
         settings.experts <= kMaxExecutedExperts && settings.topk <= kMaxExecutedTopk &&
         settings.tokens <= kMaxExecutedTokens;
}

std::optional<std::int64_t> capacity_of(const Settings& settings) {
  if (settings.capacity_thousandths == 0) return std::nullopt;
  return divide_up(tokens_of_all(settings) * settings.topk * settings.capacity_thousandths,
                   std::int64_t{1000} * settings.experts);
}

}  // namespace commflow::experts

#include "core/expert_settings.h"

#include <algorithm>

#include "core/portion.h"

namespace commflow::experts {
namespace {

using Found = std::optional<Problem>;

Found outside(Unfit unfit, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return std::nullopt;
  return Problem{unfit, value, low, high};
}

Found range_problem(const Settings& s) {
  if (Found found = outside(Unfit::nodes, s.nodes, 1, kMaxCountedRanks)) return found;
  if (Found found = outside(Unfit::gpus_per_node, s.gpus_per_node, 1, kMaxCountedRanks / s.nodes)) return found;
  if (Found found = outside(Unfit::experts, s.experts, 1, kMaxCountedExperts)) return found;
  if (Found found = outside(Unfit::topk, s.topk, 1, std::min(s.experts, kMaxCountedTopk))) return found;
  const std::int64_t most_tokens = kMaxCountedCopies / s.topk / ranks_of(s);
  if (Found found = outside(Unfit::tokens, s.tokens, 1, most_tokens)) return found;
  if (Found found = outside(Unfit::zipf, s.zipf_hundredths, 0, kMaxZipfHundredths)) return found;
  if (Found found = outside(Unfit::capacity, s.capacity_thousandths, 0, kMaxCapacityThousandths)) return found;
  return outside(Unfit::replicas, s.replicas_per_rank, 0, kMaxReplicasPerRank);
}

Found nodes_problem(const Settings& s) {
  if (s.topk_nodes == 0) return std::nullopt;
  if (Found found = outside(Unfit::topk_nodes, s.topk_nodes, 1, s.nodes)) return found;
  const int reachable = s.topk_nodes * experts_per_node(s);
  if (reachable >= s.topk) return std::nullopt;
  return Problem{Unfit::too_few_nodes, reachable, divide_up(s.topk, experts_per_node(s)), s.nodes};
}

Found token_problem(const Settings& s, std::int64_t token) {
  const auto first = s.table.begin() + static_cast<std::ptrdiff_t>(token * s.topk);
  std::vector<int> chosen(first, first + s.topk);
  std::sort(chosen.begin(), chosen.end());
  if (chosen.front() < 0 || chosen.back() >= s.experts) return Problem{Unfit::table_expert, token, 0, s.experts - 1};
  const bool twice = std::adjacent_find(chosen.begin(), chosen.end()) != chosen.end();
  return twice ? Found(Problem{Unfit::table_twice, token}) : Found();
}

Found table_problem(const Settings& s) {
  if (s.table.empty()) return std::nullopt;
  if (s.topk_nodes > 0) return Problem{Unfit::table_and_limit};
  const std::int64_t wanted = tokens_of_all(s) * s.topk;
  if (std::ssize(s.table) != wanted) return Problem{Unfit::table_size, std::ssize(s.table), wanted, wanted};
  for (std::int64_t token = 0; token < tokens_of_all(s); ++token) {
    if (Found found = token_problem(s, token)) return found;
  }
  return std::nullopt;
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string_view unit_of(Unfit unfit) {
  switch (unfit) {
    case Unfit::nodes: return "nodes";
    case Unfit::gpus_per_node: return "GPUs per node";
    case Unfit::experts: return "experts";
    case Unfit::topk: return "experts per token";
    case Unfit::tokens: return "tokens per rank";
    case Unfit::zipf: return "hundredths of Zipf's exponent";
    case Unfit::capacity: return "thousandths of a capacity factor";
    case Unfit::replicas: return "replicas per rank";
    default: return "nodes that a token may reach";
  }
}

}  // namespace

std::optional<Problem> settings_problem(const Settings& settings) {
  if (Found found = range_problem(settings)) return found;
  if (settings.experts % ranks_of(settings) != 0)
    return Problem{Unfit::uneven_experts, settings.experts, ranks_of(settings), ranks_of(settings)};
  if (Found found = nodes_problem(settings)) return found;
  if (settings.dedup == Dedup::per_node && settings.path == Path::one_hop) return Problem{Unfit::merging_needs_hop};
  return table_problem(settings);
}

std::string sentence_of(const Problem& problem) {
  const std::string token = "token " + number(problem.value) + " of the routing table goes to ";
  switch (problem.unfit) {
    case Unfit::uneven_experts:
      return number(problem.value) + " experts do not divide over " + number(problem.low) +
             " ranks; expected a multiple";
    case Unfit::too_few_nodes:
      return "the nodes that a token may reach have " + number(problem.value) +
             " experts, fewer than it chooses; expected at least " + number(problem.low) + " nodes";
    case Unfit::merging_needs_hop:
      return "merging copies per node needs the path of two hops, since somebody on that node must pass them on";
    case Unfit::table_and_limit:
      return "a routing table leaves no choice to node-limited routing; expected only one of the two";
    case Unfit::table_size:
      return "a routing table of " + number(problem.value) + " entries; expected " + number(problem.low) +
             ", one for each token and choice";
    case Unfit::table_expert: return token + "an expert that is not there; expected 0 to " + number(problem.high);
    case Unfit::table_twice: return token + "one expert twice; expected different ones";
    default:
      return number(problem.value) + " " + std::string(unit_of(problem.unfit)) + "; expected " + number(problem.low) +
             " to " + number(problem.high);
  }
}

bool executable(const Settings& settings) {
  return !settings_problem(settings) && ranks_of(settings) >= 2 && ranks_of(settings) <= kMaxExecutedRanks &&
         settings.experts <= kMaxExecutedExperts && settings.topk <= kMaxExecutedTopk &&
         settings.tokens <= kMaxExecutedTokens;
}

std::optional<std::int64_t> capacity_of(const Settings& settings) {
  if (settings.capacity_thousandths == 0) return std::nullopt;
  return divide_up(tokens_of_all(settings) * settings.topk * settings.capacity_thousandths,
                   std::int64_t{1000} * settings.experts);
}

}  // namespace commflow::experts

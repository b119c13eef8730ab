#include "cli/request.h"

#include <vector>

namespace commflow {
namespace {

constexpr int kMaxChunks = 256;

Collective read_collective(Arguments& arguments) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kCollectives; ++i) names.push_back(name_of(static_cast<Collective>(i)));
  return static_cast<Collective>(arguments.one_of("--collective", names));
}

std::string expected_algorithms(Collective collective) {
  std::vector<std::string_view> names;
  for (const AlgorithmRow& row : algorithms()) {
    if (row.collective == collective) names.push_back(name_of(row.id));
  }
  return "an algorithm for " + std::string(name_of(collective)) + ": " + listed(names);
}

Algorithm read_algorithm(Arguments& arguments, Collective collective) {
  const std::string expected = expected_algorithms(collective);
  const auto named = algorithm_named(arguments.text("--algorithm", expected));
  for (const AlgorithmRow& row : algorithms()) {
    if (row.collective == collective && row.id == named) return row.id;
  }
  arguments.refuse("--algorithm", expected);
  return Algorithm::ring;
}

Tuning read_tuning(Arguments& arguments, const Request& request) {
  Tuning tuning;
  tuning.chunks = arguments.whole("--chunks", 1, kMaxChunks, tuning.chunks);
  tuning.gpus_per_node = arguments.whole("--gpus-per-node", 1, request.ranks, default_gpus_per_node(request.ranks));
  const WhyNot why = why_not(request.collective, request.algorithm, request.ranks, tuning);
  if (why.obstacle == Obstacle::uneven_nodes) {
    arguments.refuse("--gpus-per-node", "a number that divides the " + std::to_string(request.ranks) + " ranks");
  }
  return tuning;
}

Request read_pair(Arguments& arguments) {
  Request request;
  request.collective = read_collective(arguments);
  if (arguments.problem().empty()) request.algorithm = read_algorithm(arguments, request.collective);
  return request;
}

Request complete(Arguments& arguments, Request request, int ranks) {
  request.ranks = ranks;
  request.root = arguments.whole("--root", 0, ranks - 1, 0);
  if (arguments.problem().empty()) request.tuning = read_tuning(arguments, request);
  return request;
}

}  // namespace

Request read_request(Arguments& arguments, int max_ranks) {
  const Request pair = read_pair(arguments);
  if (!arguments.problem().empty()) return pair;
  return complete(arguments, pair, arguments.whole("--ranks", 1, max_ranks));
}

Request read_request_among(Arguments& arguments, int ranks) {
  return complete(arguments, read_pair(arguments), ranks);
}

Schedule schedule_of(const Request& request) {
  return make_schedule(request.collective, request.algorithm, request.ranks, request.root, request.tuning)
      .value_or(Schedule{});
}

Report report_of(const Request& request) {
  Report report{{"collective", name_of(request.collective)},
                {"algorithm", name_of(request.algorithm)},
                {"ranks", request.ranks},
                {"root", request.root}};
  if (uses_chunks(request.algorithm)) report["chunks"] = request.tuning.chunks;
  if (uses_nodes(request.algorithm)) report["gpus_per_node"] = request.tuning.gpus_per_node;
  return report;
}

}  // namespace commflow

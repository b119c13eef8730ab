#pragma once
// A routing table that somebody pastes or loads: one line per token, in the order
// of the ranks, with the ids of its experts, best first, between commas.

#include <string_view>
#include <vector>

#include "io/parsed.h"

namespace commflow {

struct RoutingTable {
  int topk = 0;              // ids on each line
  int tokens = 0;            // lines, all ranks together
  std::vector<int> experts;  // [token][choice]
};

// Empty lines and what follows a # are skipped. Every line has as many ids as the
// first one, all different, from 0 to experts - 1. Errors name file, line and
// column (which id of the line), what was found and what was expected.
Parsed<RoutingTable> parse_routing_csv(std::string_view text, std::string_view file, int experts);

}  // namespace commflow

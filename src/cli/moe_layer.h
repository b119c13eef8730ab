#pragma once
// The part of commflow moe that routes tokens and counts them.

#include "cli/command.h"
#include "core/moe.h"

namespace commflow {

struct MoeRequest {
  std::int64_t tokens = 1;
  int hidden = 1, topk = 1, experts = 1, ranks = 1;
  int nodes = 1, gpus_per_node = 1;
  MessageFormat dispatch, combine;
};

// ranks, nodes and gpus_per_node, as far as they are given; moe.experts is known.
void read_ranks(Arguments& arguments, MoeRequest& moe);

// Whether an argument is given that the formulas do not know.
bool asks_for_layer(const Arguments& arguments);
void append_layer(Arguments& arguments, const MoeRequest& moe, Report& report);
// What append_layer() adds; other reports are printed by their fields.
void print_layer(const Report& report, std::ostream& out);

}  // namespace commflow

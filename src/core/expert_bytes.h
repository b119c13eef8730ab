#pragma once
// What the counted vectors of a layer weigh: bytes of its exchanges by rank and by
// link class, forward and backward, and how unevenly they fall.

#include <array>
#include <vector>

#include "core/expert_count.h"

namespace commflow::experts {

// An exchange of all ranks; a vector that takes two hops counts on both.
struct ExchangeBytes {
  Bytes message = 0;        // one vector
  Bytes local = 0;          // moves within a rank, not sent
  Bytes nvlink = 0;         // between ranks of one node
  Bytes network = 0;        // between nodes
  std::vector<Bytes> sent;  // off each rank
  std::vector<Bytes> received;
  std::vector<Bytes> network_sent;  // the part of `sent` that leaves the node
  // All vectors from one rank to another on one leg are one message.
  std::int64_t messages = 0;
  Bytes smallest_message = 0;  // 0 if there is none
  Bytes largest_message = 0;
};
ExchangeBytes bytes_of(const Settings& settings, const std::vector<Flow>& legs, Bytes message);

// The four All-to-Alls of one layer in one training step. Backward they are
// mirrored: gradients of the results travel as tokens did, gradients of the
// tokens as results did (arXiv 2412.19437; DeepEP README), in the same formats.
enum class Exchange : std::uint8_t { dispatch, combine, combine_backward, dispatch_backward };
inline constexpr int kExchanges = 4;
std::string_view name_of(Exchange exchange);  // "combine_backward"
// Legs in the order in which they are gone.
std::vector<Flow> legs_of(const Counts& counts, Exchange exchange);
ExchangeBytes bytes_of(const Settings& settings, const Counts& counts, Exchange exchange);

// Largest over mean: how much longer everybody waits for the fullest rank than an
// even split would take. 1/1 for no load at all.
Fraction max_over_mean(const std::vector<std::int64_t>& load);

// Logical bytes of all ranks, one direction: a message per token and chosen
// expert, dropped or not, staying or not.
Bytes logical_bytes(const Settings& settings, Bytes message);

// Copies per node that cost no more than one over the network, since NVLink is so
// much faster: DeepSeek-V3 counts 160 / 50 = 3.2 experts per node, 12.8 or about
// 13 over 4 nodes (arXiv 2412.19437, section 3.2.2).
double experts_per_node_at_equal_cost(double nvlink_gbps, double network_gbps);

}  // namespace commflow::experts

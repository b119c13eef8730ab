// commflow moe: what one rank sends to dispatch its tokens to experts and to
// send the results home.

#include <algorithm>
#include <cmath>

#include "cli/moe_layer.h"
#include "cli/print.h"

namespace commflow {
namespace {

// Sums stay below 2^63.
constexpr std::int64_t kMostTokens = std::int64_t{1} << 30;
constexpr int kMostHidden = 1 << 18;
constexpr int kMostExperts = 1 << 16;
constexpr int kMostChosen = 256;

constexpr Option kOptions[] = {
    {"--tokens", "T", "tokens of one rank"},
    {"--hidden", "H", "elements of one token's vector"},
    {"--topk", "K", "experts each token goes to, all different"},
    {"--experts", "E", "experts of the layer"},
    {"--ranks", "R",
     "ranks of the group; a divisor of E, since each holds E / R experts; may be\n"
     "left out where --nodes and --gpus-per-node say it"},
    {"--dispatch-bytes", "B",
     "bytes per element on the way out: 1 for FP8, 2 for bf16 (if not given),\n"
     "4 for fp32; eighths are possible"},
    {"--combine-bytes", "B", "the same on the way home"},
    {"--scale-block", "N",
     "elements that share a scale of 4 bytes; formats below 2 bytes per element\n"
     "carry scales, a part of a block has one, too; 0 if not given: no scales"},
    {"--header-bytes", "N", "added to each message on the way out; 0 if not given"},
    {"--nodes", "N", "with any of the following, tokens are routed and counted; 1 if not given"},
    {"--gpus-per-node", "G", "ranks fill the nodes in order; R / N if not given"},
    {"--seed", "S", "of the routing; 1 if not given"},
    {"--zipf", "Z", "the i-th most popular expert is chosen in proportion to i^-Z; 0 if not given: all alike"},
    {"--table", "FILE", "instead of a drawn routing: a line per token with its K experts between commas"},
    {"--topk-nodes", "M", "a token reaches at most M nodes, as in DeepSeek-V3; all if not given"},
    {"--capacity-factor", "C", "an expert takes ceil(C * T * R * K / E) copies; all if not given"},
    {"--placement", "P",
     "of the experts: in-order (if not given) or balanced, the most loaded first on the least loaded"},
    {"--replicas", "X", "further copies of hot experts that each rank holds; 0 if not given"},
    {"--dedup", "D",
     "none (if not given), rank or node: merges what a token sends to one rank, or to\n"
     "one node over the network"},
    {"--path", "P",
     "one-hop: straight; two-hop: over the rail to the GPU of the same index on the\n"
     "node, then over NVLink; if not given two-hop where --dedup is node, else one-hop"},
};

constexpr std::string_view kNotes =
    "One message per token and chosen expert; copies for experts of the same rank are not merged.\n"
    "dispatch_message_bytes, combine_message_bytes: one message.\n"
    "dispatch_bytes, combine_bytes: all messages of one rank, one direction: T * K messages.\n"
    "dispatch_off_rank_bytes, combine_off_rank_bytes: what leaves the rank if every expert is equally "
    "likely,\n"
    "  (R - 1) / R of them; an expected value, so it may be a fraction.\n"
    "expected_distinct_ranks: ranks that a token reaches, K distinct experts drawn uniformly:\n"
    "  R * (1 - C(E - E/R, K) / C(E, K)).\n"
    "expected_tokens_per_expert: copies that arrive at one expert, T * R * K / E.\n"
    "\n"
    "With --nodes or what follows it, tokens are routed and counted, and there is more; expected values above\n"
    "stay those of even routing. A copy is a token for one of its experts. Layers of at most 16 ranks, 64\n"
    "experts, 32 tokens and K 8 are routed by scores as on the page, larger ones by drawing.\n"
    "split: copies from rank to rank, a row per home of the tokens; what is dropped is left out, what stays on\n"
    "  its rank is on the diagonal, and nothing is merged: row sums are T * K less what was dropped, column\n"
    "  sums what a rank computes.\n"
    "capacity: copies that an expert takes; null if it takes all. dropped: copies that no expert took; first\n"
    "  choices of all tokens come first, then second ones, of those of one choice the lower token.\n"
    "tokens_per_expert: copies that each expert takes. computed: copies that each rank computes.\n"
    "max_over_mean: of computed; so much longer than after an even split everybody waits for the fullest rank.\n"
    "sent, received: vectors that leave and reach each rank in the dispatch, merged as --dedup says; on the\n"
    "  path of two hops a relay receives and sends, too. The combine is its mirror image. sent_bytes,\n"
    "  received_bytes: the same times dispatch_message_bytes.\n"
    "off_rank_bytes, off_node_bytes, nvlink_bytes: of the dispatch of all ranks together, as merged: what leaves\n"
    "  a rank (every hop counts), a node, and what stays in one. combine_off_node_bytes: on the way home.\n"
    "messages, smallest_message_bytes: of the dispatch; all vectors from one rank to another on one hop are one.\n"
    "distinct_ranks, distinct_nodes: that a token reaches, on average, its own included.\n"
    "expected_distinct_nodes, expected_off_node_bytes: what even routing makes of distinct_nodes and\n"
    "  off_node_bytes, merged alike; null with skew, node limit, drops, replicas or a table.\n"
    "replicas: ranks of each expert that has more than one, its home first. Copies take turns among them.\n"
    "exchanges: the four All-to-Alls of a training step: bytes of all ranks within nodes and between them, and\n"
    "  the largest and mean of what a rank sends. Backward, gradients of results travel as tokens did and\n"
    "  gradients of tokens as results did.\n"
    "alternatives: expected bytes that one rank sends for its tokens, out and home, and rounds: all_to_all as\n"
    "  above; merged per rank; gathered: all-gather of all tokens, reduce-scatter of the results;\n"
    "  tensor_parallel: the same two with a slice of every expert on every rank.";

int read_element_bits(Arguments& arguments, std::string_view name) {
  const double bits = 8 * arguments.number(name, 0.125, 8, 2);
  if (bits != std::floor(bits)) arguments.refuse(name, "a multiple of one eighth");
  return static_cast<int>(bits);
}

MessageFormat read_format(Arguments& arguments, std::string_view name) {
  MessageFormat format;
  format.element_bits = read_element_bits(arguments, name);
  const int block = arguments.whole("--scale-block", 0, kMostHidden, 0);
  if (format.element_bits < 16) format.scale_block = block;
  return format;
}

MoeRequest read_moe(Arguments& arguments) {
  MoeRequest moe;
  moe.tokens = arguments.integer("--tokens", 1, kMostTokens);
  moe.hidden = arguments.whole("--hidden", 1, kMostHidden);
  moe.experts = arguments.whole("--experts", 1, kMostExperts);
  moe.topk = arguments.whole("--topk", 1, std::min(moe.experts, kMostChosen));
  read_ranks(arguments, moe);
  if (moe.experts % moe.ranks != 0)
    arguments.refuse("--ranks", "a divisor of --experts " + std::to_string(moe.experts));
  moe.dispatch = read_format(arguments, "--dispatch-bytes");
  moe.combine = read_format(arguments, "--combine-bytes");
  moe.dispatch.header_bytes = arguments.whole("--header-bytes", 0, kMostHidden, 0);
  return moe;
}

// A whole number where it is one.
Report exact_or_fraction(Fraction value) {
  if (value.numerator % value.denominator == 0) return value.numerator / value.denominator;
  return static_cast<double>(value.numerator) / static_cast<double>(value.denominator);
}

Report off_rank(Bytes bytes, int ranks) {
  if (bytes % ranks == 0) return off_rank_bytes(bytes, ranks);
  return static_cast<double>(bytes) * (ranks - 1) / ranks;
}

Report run_moe(Arguments& arguments) {
  const MoeRequest moe = read_moe(arguments);
  const Bytes out = message_bytes(moe.hidden, moe.dispatch);
  const Bytes home = message_bytes(moe.hidden, moe.combine);
  Report report;
  report["tokens"] = moe.tokens;
  report["hidden"] = moe.hidden;
  report["topk"] = moe.topk;
  report["experts"] = moe.experts;
  report["ranks"] = moe.ranks;
  report["dispatch_message_bytes"] = out;
  report["combine_message_bytes"] = home;
  report["dispatch_bytes"] = routed_bytes(moe.tokens, moe.topk, out);
  report["combine_bytes"] = routed_bytes(moe.tokens, moe.topk, home);
  report["dispatch_off_rank_bytes"] = off_rank(routed_bytes(moe.tokens, moe.topk, out), moe.ranks);
  report["combine_off_rank_bytes"] = off_rank(routed_bytes(moe.tokens, moe.topk, home), moe.ranks);
  report["expected_distinct_ranks"] = expected_distinct_ranks(moe.experts, moe.ranks, moe.topk);
  report["expected_tokens_per_expert"] =
      exact_or_fraction(expected_pairs_per_expert(moe.tokens, moe.ranks, moe.topk, moe.experts));
  if (asks_for_layer(arguments)) append_layer(arguments, moe, report);
  return report;
}

}  // namespace

const Command kMoeCommand{"moe", "bytes of dispatch and combine of experts", kOptions, kNotes, run_moe, print_layer};

}  // namespace commflow

// commflow moe: what one rank sends to dispatch its tokens to experts and to
// send the results home.

#include <algorithm>
#include <cmath>

#include "cli/command.h"
#include "cli/print.h"
#include "core/moe.h"

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
    {"--ranks", "R", "ranks of the group; a divisor of E, since each holds E / R experts"},
    {"--dispatch-bytes", "B",
     "bytes per element on the way out: 1 for FP8, 2 for bf16 (if not given),\n"
     "4 for fp32; eighths are possible"},
    {"--combine-bytes", "B", "the same on the way home"},
    {"--scale-block", "N",
     "elements that share a scale of 4 bytes; formats below 2 bytes per element\n"
     "carry scales, a part of a block has one, too; 0 if not given: no scales"},
    {"--header-bytes", "N", "added to each message on the way out; 0 if not given"},
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
    "expected_tokens_per_expert: copies that arrive at one expert, T * R * K / E.";

struct MoeRequest {
  std::int64_t tokens = 1;
  int hidden = 1, topk = 1, experts = 1, ranks = 1;
  MessageFormat dispatch, combine;
};

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
  moe.ranks = arguments.whole("--ranks", 1, moe.experts);
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
  return report;
}

}  // namespace

const Command kMoeCommand{"moe", "bytes of dispatch and combine of experts", kOptions, kNotes, run_moe, print_fields};

}  // namespace commflow

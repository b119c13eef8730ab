#pragma once
// The collectives, by definition and not by algorithm: what each rank has
// before, what each must have after. Written from the NCCL user guide's pages
// "Collective Operations" and "Point-to-point communication"; shares no code
// with any algorithm, so it can be their oracle.
//
// Block convention (NCCL's in-place layout): payload S is cut into `blocks`;
// where a block belongs to a rank, it has that rank's index everywhere.
//   all-gather      rank r has in[r]                  -> out[0..n)
//   reduce-scatter  rank r has in[0..n)               -> out[r]
//   all-to-all      rank r has in[j] for rank j       -> out[i] from rank i
//   gather          rank r has in[r]                  -> root out[0..n)
//   scatter         root has in[0..n)                 -> rank r out[r]
//   broadcast, reduce, all-reduce, send-recv: any number of blocks.
//   send-recv: root sends to rank (root + 1) mod n.

#include <optional>
#include <string_view>
#include <vector>

#include "core/schedule.h"

namespace commflow {

enum class Collective : std::uint8_t {
  broadcast,
  reduce,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send_recv
};
inline constexpr int kCollectives = 9;

// "all-reduce" and so on, as on the command line and in scenario files.
std::string_view name_of(Collective collective);
std::optional<Collective> collective_named(std::string_view name);
std::string_view name_of(Operator op);
std::optional<Operator> operator_named(std::string_view name);

bool needs_root(Collective collective);  // includes send-recv: the sender
bool reduces(Collective collective);     // broadcast-like ones ignore the operator
// True where the number of blocks is the number of ranks by definition.
bool has_block_per_rank(Collective collective);

// Blocks (slots of area in) that rank holds before, ascending.
std::vector<int> input_blocks(Collective collective, int ranks, int blocks, Rank root, Rank rank);
// Blocks (slots of area out) that rank must hold after, ascending; all other
// slots of out may hold anything.
std::vector<int> output_blocks(Collective collective, int ranks, int blocks, Rank root, Rank rank);

// widths[b] = values in block b; values[r] = the values of rank r's input blocks
// one after the other. `switches`: as the schedule has.
Buffers initial_buffers(Collective collective, Rank root, const std::vector<int>& widths,
                        const std::vector<std::vector<Value>>& values, int switches = 0);

// What rank must hold after, in the order of output_blocks; the definition,
// computed directly. Origins are checked by the same rule. avg: before finish().
struct Expected {
  std::vector<Value> values;
  std::vector<Origins> from;  // one per output block
};
std::vector<Expected> expected_output(Collective collective, Rank root, const Buffers& initial, Operator op);

// True where `state` holds expected_output() on every rank, values and origins.
bool fulfils(Collective collective, Rank root, const Buffers& initial, const Buffers& state, Operator op);

// A number that need not be whole, in lowest terms; denominator > 0.
struct Fraction {
  std::int64_t numerator = 0;
  std::int64_t denominator = 1;
  bool operator==(const Fraction&) const = default;
};

// The result as it is shown: avg divides by the number of ranks, all others leave it.
Fraction finish(Operator op, Value value, int ranks);

// nccl-tests' bus bandwidth factor as a fraction, e.g. 2(n-1)/n for all-reduce
// (nccl-tests doc/PERFORMANCE.md); 0/1 where nothing moves (n = 1), except
// factor 1 for broadcast and reduce.
Fraction busbw_factor(Collective collective, int ranks);

}  // namespace commflow

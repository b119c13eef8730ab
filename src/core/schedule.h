#pragma once
// A collective algorithm as data: rounds of transfers between slots. Executed
// it yields the buffers that are drawn, counted it yields the bytes, checked
// against the collective's definition it passes or fails. There is no other
// description of an algorithm anywhere.

#include <optional>
#include <string>
#include <vector>

#include "core/buffers.h"

namespace commflow {

// Reduction operators of NCCL (types page of the NCCL user guide). avg adds while
// it travels; the division comes at the very end, when a result is shown, see
// finish() in collective.h.
enum class Operator : std::uint8_t { sum, prod, min, max, avg };
inline constexpr int kOperators = 5;

// Moves one slot. reduce = false overwrites dst, true combines into it; the first
// contribution to an empty slot is stored as it is.
// Within one rank it is a local move: drawn, but no network bytes.
struct Transfer {
  Place src;
  Place dst;
  bool reduce = false;
  bool local() const { return src.rank == dst.rank; }
  bool operator==(const Transfer&) const = default;
};

// A round is simultaneous: every read sees the state before the round.
using Round = std::vector<Transfer>;

struct Schedule {
  int ranks = 0;
  int slots = 0;  // per rank and area
  std::vector<Round> rounds;
  // Switches that reduce and multicast: nodes ranks .. ranks + switches - 1. They
  // begin empty, hold no result, and do not count as ranks.
  int switches = 0;
  bool operator==(const Schedule&) const = default;
};

// One value with another; sum and prod wrap around at 64 bits, avg adds.
Value combine(Operator op, Value a, Value b);

// The state after `round`. Reading an empty slot leaves the destination as it
// was (validate() refuses such a schedule; mutants in tests meet it).
Buffers run_round(const Buffers& before, const Round& round, Operator op);

// States before every round and after the last: rounds.size() + 1 entries.
std::vector<Buffers> history(const Schedule& schedule, const Buffers& initial, Operator op);

// The state after the last round only.
Buffers run(const Schedule& schedule, const Buffers& initial, Operator op);

// nullopt when the schedule is sound on `initial`: places in range, `in` never
// written, per round at most one copy into a place and no copy mixed with
// reductions there, no read of an empty slot, widths of src and dst equal.
// Otherwise a sentence for developers that names the round and the transfer.
std::optional<std::string> validate(const Schedule& schedule, const Buffers& initial);

}  // namespace commflow

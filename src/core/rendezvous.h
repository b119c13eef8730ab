#pragma once
// Why sends and receives can wait for each other for ever. Every rank has a program of
// calls; a send or receive is over when its partner has reached the matching call
// (rendezvous), and holds up the rank until then. Calls between ncclGroupStart and
// ncclGroupEnd are posted together and hold up the rank only all together (NVIDIA NCCL
// user guide, point-to-point communication). Nothing is buffered: a send never ends
// before its receive has begun, which is what a program must not rely on.

#include <array>
#include <string_view>
#include <vector>

#include "core/schedule.h"

namespace commflow::rendezvous {

enum class Kind : std::uint8_t { send, receive };

struct Call {
  Kind kind{};
  Rank peer = 0;
  bool operator==(const Call&) const = default;
};
using Group = std::vector<Call>;     // posted together; a call by itself is a group of one
using Program = std::vector<Group>;  // of one rank, one group after the other

// What is exchanged: everybody sends one block to everybody else, or to its right neighbour.
enum class Pattern : std::uint8_t { all_to_all, ring };
inline constexpr int kPatterns = 2;
inline constexpr std::array<std::string_view, kPatterns> kPatternNames{"all-to-all", "ring"};

// In which order a rank makes its calls.
enum class Order : std::uint8_t {
  by_number,    // peers 0, 1, 2, ...; for each send, then receive
  neighbours,   // distances 1, 2, ...; for each send to the right, then receive from the left
  even_odd,     // the same, but odd ranks receive first
  lower_first,  // peers 0, 1, 2, ...; of every two the one with the lower number sends first
  grouped       // all calls in one group
};
inline constexpr int kOrders = 5;
inline constexpr std::array<std::string_view, kOrders> kOrderNames{"by-number", "neighbours", "even-odd", "lower-first",
                                                                   "grouped"};

// One program per rank; ranks >= 2.
std::vector<Program> make_programs(Pattern pattern, Order order, int ranks);

// A send that has met its receive.
struct Meeting {
  Rank src = 0;
  Rank dst = 0;
  bool operator==(const Meeting&) const = default;
};

// A call that never ends: `rank` has posted it, `call.peer` has not come to the matching one.
struct Stuck {
  Rank rank = 0;
  Call call;
  bool operator==(const Stuck&) const = default;
};

struct Outcome {
  // What meets in step 0, 1, ...: all pairs of matching calls that are posted when the step begins.
  std::vector<std::vector<Meeting>> steps;
  // By rank, group and call: the step in which it is over, kPosted or kAhead.
  std::vector<std::vector<std::vector<int>>> over;
  std::vector<Stuck> stuck;  // by rank, then in the order of the program; empty when all went through
  // Each waits for the next, the last one for the first: the shortest such ring, of equals the one with the lowest
  // numbers. Empty when nobody is stuck, or only because a partner's program has ended.
  std::vector<Rank> cycle;
};
inline constexpr int kPosted = -1;  // waits for ever
inline constexpr int kAhead = -2;   // never reached

// Of calls to the same peer in a group the first meets first, as in NCCL. Peers in 0 .. programs.size() - 1; a call to
// oneself meets its opposite within the same group only.
Outcome execute(const std::vector<Program>& programs);

// Blocks that pass the busiest port one way, step by step: the sum over steps of the most that a rank sends or
// receives.
int blocks_through_port(const Outcome& outcome, int ranks);

}  // namespace commflow::rendezvous

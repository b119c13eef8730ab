// Who waits for whom: execution against a search over all orders in which calls could meet.
#include "core/rendezvous.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "core/index.h"
#include "core/rng.h"

namespace commflow::rendezvous {
namespace {

constexpr int kMostRanks = 16;

// Calls of all ranks one after the other; which may meet is asked of a set of those that are over.
struct Flat {
  Rank rank;
  int group;
  Call call;
};
std::vector<Flat> flatten(const std::vector<Program>& programs) {
  std::vector<Flat> calls;
  for (std::size_t rank = 0; rank < programs.size(); ++rank)
    for (std::size_t group = 0; group < programs[rank].size(); ++group)
      for (const Call& call : programs[rank][group])
        calls.push_back({static_cast<Rank>(rank), static_cast<int>(group), call});
  return calls;
}

using Over = std::set<std::size_t>;

bool posted(const std::vector<Flat>& calls, const Over& over, std::size_t which) {
  if (over.contains(which)) return false;
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i].rank == calls[which].rank && calls[i].group < calls[which].group && !over.contains(i)) return false;
  return true;
}

// Ends of all sequences that meet one pair at a time and cannot go on.
void search(const std::vector<Flat>& calls, const Over& over, std::set<Over>& seen, std::set<Over>& ends) {
  if (!seen.insert(over).second) return;
  bool goes_on = false;
  for (std::size_t send = 0; send < calls.size(); ++send)
    for (std::size_t receive = 0; receive < calls.size(); ++receive) {
      if (calls[send].call != Call{Kind::send, calls[receive].rank}) continue;
      if (calls[receive].call != Call{Kind::receive, calls[send].rank}) continue;
      if (!posted(calls, over, send) || !posted(calls, over, receive)) continue;
      Over next = over;
      next.insert({send, receive});
      goes_on = true;
      search(calls, next, seen, ends);
    }
  if (!goes_on) ends.insert(over);
}

// How many sends from each to each are over, which does not ask which of equal ones.
using Counts = std::map<std::pair<Rank, Rank>, int>;
Counts counts_of(const std::vector<Flat>& calls, const Over& over) {
  Counts counts;
  for (const std::size_t i : over)
    if (calls[i].call.kind == Kind::send) ++counts[{calls[i].rank, calls[i].call.peer}];
  return counts;
}
Counts counts_of(const Outcome& outcome) {
  Counts counts;
  for (const auto& step : outcome.steps)
    for (const Meeting& meeting : step) ++counts[{meeting.src, meeting.dst}];
  return counts;
}

void expect_every_end(const std::vector<Program>& programs, const Outcome& outcome) {
  const auto calls = flatten(programs);
  std::set<Over> seen, ends;
  search(calls, {}, seen, ends);
  ASSERT_FALSE(ends.empty());
  for (const Over& end : ends) {
    EXPECT_EQ(counts_of(calls, end), counts_of(outcome)) << "whatever meets first, the same is over at the end";
    EXPECT_EQ(end.size() == calls.size(), outcome.stuck.empty());
    std::size_t waiting = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) waiting += posted(calls, end, i) ? 1 : 0;
    EXPECT_EQ(waiting, outcome.stuck.size());
  }
}

// Length of the shortest ring in the graph of waits, by powers of its matrix; 0: none.
std::size_t shortest_ring(const Outcome& outcome, std::size_t ranks) {
  std::vector<std::vector<bool>> waits(ranks, std::vector<bool>(ranks));
  for (const Stuck& one : outcome.stuck) waits[index_of(one.rank)][index_of(one.call.peer)] = true;
  auto power = waits;
  for (std::size_t length = 1; length <= ranks; ++length) {
    for (std::size_t i = 0; i < ranks; ++i)
      if (power[i][i]) return length;
    auto next = std::vector<std::vector<bool>>(ranks, std::vector<bool>(ranks));
    for (std::size_t i = 0; i < ranks; ++i)
      for (std::size_t j = 0; j < ranks; ++j)
        for (std::size_t k = 0; k < ranks; ++k) next[i][j] = next[i][j] || (power[i][k] && waits[k][j]);
    power = next;
  }
  return 0;
}

void expect_ring(const Outcome& outcome, std::size_t ranks) {
  ASSERT_EQ(outcome.cycle.size(), shortest_ring(outcome, ranks));
  EXPECT_EQ(std::set<Rank>(outcome.cycle.begin(), outcome.cycle.end()).size(), outcome.cycle.size());
  for (std::size_t i = 0; i < outcome.cycle.size(); ++i) {
    const Rank rank = outcome.cycle[i], on = outcome.cycle[(i + 1) % outcome.cycle.size()];
    EXPECT_TRUE(std::any_of(outcome.stuck.begin(), outcome.stuck.end(),
                            [&](const Stuck& one) { return one.rank == rank && one.call.peer == on; }))
        << rank << " waits for " << on;
  }
}

struct Case {
  Pattern pattern;
  Order order;
  int ranks;
};
std::vector<Case> all_cases(int most) {
  std::vector<Case> all;
  for (int pattern = 0; pattern < kPatterns; ++pattern)
    for (int order = 0; order < kOrders; ++order)
      for (int ranks = 2; ranks <= most; ++ranks)
        all.push_back({static_cast<Pattern>(pattern), static_cast<Order>(order), ranks});
  return all;
}
std::string label(const Case& c) {
  return std::string(kPatternNames[static_cast<std::size_t>(c.pattern)]) + " " +
         std::string(kOrderNames[static_cast<std::size_t>(c.order)]) + " " + std::to_string(c.ranks);
}

TEST(Programs, EverySendHasItsReceiveWhateverTheOrder) {
  for (const Case& c : all_cases(kMostRanks)) {
    Counts sends, receives, wanted;
    for (const Flat& one : flatten(make_programs(c.pattern, c.order, c.ranks))) {
      if (one.call.kind == Kind::send) ++sends[{one.rank, one.call.peer}];
      if (one.call.kind == Kind::receive) ++receives[{one.call.peer, one.rank}];
    }
    for (Rank src = 0; src < c.ranks; ++src)
      for (Rank dst = 0; dst < c.ranks; ++dst)
        if (c.pattern == Pattern::ring ? dst == (src + 1) % c.ranks : dst != src) wanted[{src, dst}] = 1;
    EXPECT_EQ(sends, wanted) << label(c);
    EXPECT_EQ(receives, wanted) << label(c);
  }
}

TEST(Rendezvous, EndsWhereEveryOrderOfMeetingsEnds) {
  for (const Case& c : all_cases(4)) {
    SCOPED_TRACE(label(c));
    const auto programs = make_programs(c.pattern, c.order, c.ranks);
    expect_every_end(programs, execute(programs));
  }
}

// Groups of any size, calls without a partner, several to the same peer, calls to oneself.
TEST(Rendezvous, AgreesWithTheSearchOnAnyPrograms) {
  Rng rng(11);
  int stuck = 0, rings = 0;
  for (int trial = 0; trial < 400; ++trial) {
    SCOPED_TRACE(trial);
    const int ranks = rng.between(2, 4);
    std::vector<Program> programs(index_of(ranks));
    for (int i = rng.between(1, 5); i > 0; --i) {
      const Rank src = rng.below(ranks), dst = rng.below(ranks);
      const bool alone = rng.below(8) == 0;
      for (const bool sends : {true, false}) {
        if (alone && !sends) continue;
        Program& program = programs[index_of(sends ? src : dst)];
        if (program.empty() || rng.below(3) > 0) program.emplace_back();
        program.back().push_back({sends ? Kind::send : Kind::receive, sends ? dst : src});
      }
    }
    for (Program& program : programs)
      for (std::size_t i = program.size(); i > 1; --i)
        std::swap(program[i - 1], program[index_of(rng.below(static_cast<int>(i)))]);
    const Outcome outcome = execute(programs);
    expect_every_end(programs, outcome);
    expect_ring(outcome, programs.size());
    stuck += outcome.stuck.empty() ? 0 : 1;
    rings += outcome.cycle.empty() ? 0 : 1;
  }
  EXPECT_GT(rings, 20);
  EXPECT_GT(stuck, rings) << "some wait for one that is through, not in a ring";
  EXPECT_LT(stuck, 380);
}

TEST(Rendezvous, NamesARealRingWheneverItStalls) {
  for (const Case& c : all_cases(kMostRanks)) {
    SCOPED_TRACE(label(c));
    const Outcome outcome = execute(make_programs(c.pattern, c.order, c.ranks));
    expect_ring(outcome, index_of(c.ranks));
    EXPECT_EQ(outcome.cycle.empty(), outcome.stuck.empty()) << "all calls have partners, so only a ring can stop them";
  }
}

// What is over, when, and what is in the steps is the same thing told twice.
TEST(Rendezvous, TellsEveryCallItsStep) {
  for (const Case& c : all_cases(kMostRanks)) {
    SCOPED_TRACE(label(c));
    const auto programs = make_programs(c.pattern, c.order, c.ranks);
    const Outcome outcome = execute(programs);
    std::size_t meetings = 0, over = 0, waiting = 0;
    for (const auto& step : outcome.steps) meetings += step.size();
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      int last = kAhead;
      bool ended = true;
      for (std::size_t group = 0; group < programs[rank].size(); ++group)
        for (std::size_t i = 0; i < programs[rank][group].size(); ++i) {
          const int step = outcome.over[rank][group][i];
          waiting += step == kPosted ? 1 : 0;
          if (step < 0) {
            ended = false;
            continue;
          }
          ++over;
          EXPECT_TRUE(ended) << "nothing is over after what waits";
          if (c.order != Order::grouped) {
            EXPECT_GT(step, last) << "calls of a rank are over one after the other";
          }
          last = step;
          const Call& call = programs[rank][group][i];
          const auto self = static_cast<Rank>(rank);
          const Meeting wanted = call.kind == Kind::send ? Meeting{self, call.peer} : Meeting{call.peer, self};
          const auto& met = outcome.steps[index_of(step)];
          EXPECT_EQ(std::count(met.begin(), met.end(), wanted), 1);
        }
    }
    EXPECT_EQ(over, 2 * meetings);
    EXPECT_EQ(waiting, outcome.stuck.size());
  }
}

TEST(Rendezvous, StallsOrRunsAsTheOrderSays) {
  for (const Case& c : all_cases(kMostRanks)) {
    SCOPED_TRACE(label(c));
    const Outcome outcome = execute(make_programs(c.pattern, c.order, c.ranks));
    const bool ring = c.pattern == Pattern::ring;
    std::vector<Rank> everybody(index_of(c.ranks));
    std::iota(everybody.begin(), everybody.end(), 0);
    switch (c.order) {
      case Order::by_number:
        if (ring && c.ranks > 2) {
          EXPECT_TRUE(outcome.stuck.empty()) << "everybody but the first receives first, by chance";
        } else {
          EXPECT_EQ(outcome.cycle, (std::vector<Rank>{0, 1}));
        }
        break;
      case Order::neighbours:
        EXPECT_EQ(outcome.cycle, everybody);
        EXPECT_TRUE(outcome.steps.empty());
        break;
      case Order::even_odd:
        // At an even distance even meets even, unless the way around changes that.
        EXPECT_EQ(outcome.stuck.empty(), ring || c.ranks == 2 || c.ranks % 2 == 1);
        break;
      case Order::lower_first: EXPECT_TRUE(outcome.stuck.empty()); break;
      case Order::grouped:
        EXPECT_TRUE(outcome.stuck.empty());
        EXPECT_EQ(outcome.steps.size(), 1U);
        EXPECT_EQ(blocks_through_port(outcome, c.ranks), ring ? 1 : c.ranks - 1);
        break;
    }
    if (outcome.stuck.empty()) {
      EXPECT_GE(blocks_through_port(outcome, c.ranks), ring ? 1 : c.ranks - 1) << "no order beats the group";
    }
  }
}

}  // namespace
}  // namespace commflow::rendezvous

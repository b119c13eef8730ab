#include "core/schedule.h"

#include <gtest/gtest.h>

#include <limits>

namespace commflow {
namespace {

Place in(Rank rank, int slot = 0) {
  return {rank, Area::in, slot};
}
Place out(Rank rank, int slot = 0) {
  return {rank, Area::out, slot};
}

// Two ranks, slots of widths 1, 1, 2; `in` filled with 10, 11 on rank 0 and 20, 21 on rank 1, slot 2 empty.
Buffers two_ranks() {
  Buffers buffers(2, {1, 1, 2});
  for (Rank rank = 0; rank < 2; ++rank) {
    for (int slot = 0; slot < 2; ++slot) {
      const Value value = 10 * (rank + 1) + slot;
      buffers.put(in(rank, slot), std::span(&value, 1), Origins::of(rank));
    }
  }
  return buffers;
}

Value only_value(const Buffers& buffers, Place place) {
  return buffers.values(place).front();
}

Schedule of(std::vector<Round> rounds) {
  return {2, 3, std::move(rounds)};
}

TEST(Combine, IsEachOperator) {
  EXPECT_EQ(combine(Operator::sum, 3, -5), -2);
  EXPECT_EQ(combine(Operator::prod, 3, -5), -15);
  EXPECT_EQ(combine(Operator::min, 3, -5), -5);
  EXPECT_EQ(combine(Operator::max, 3, -5), 3);
  EXPECT_EQ(combine(Operator::avg, 3, -5), -2);
}

TEST(Combine, WrapsAroundInsteadOfOverflowing) {
  const Value most = std::numeric_limits<Value>::max();
  const Value least = std::numeric_limits<Value>::min();
  EXPECT_EQ(combine(Operator::sum, most, 1), least);
  EXPECT_EQ(combine(Operator::prod, most, 2), -2);
}

TEST(RunRound, IsSimultaneous) {
  const Round fill{{in(0), out(0)}, {in(1), out(1)}};
  const Round swap{{out(0), out(1)}, {out(1), out(0)}};
  const Buffers after = run(of({fill, swap}), two_ranks(), Operator::sum);
  EXPECT_EQ(only_value(after, out(0)), 20);
  EXPECT_EQ(only_value(after, out(1)), 10);
  EXPECT_EQ(after.from(out(0)), Origins::of(1));
}

TEST(RunRound, StoresTheFirstContributionAndCombinesTheRest) {
  const Round both{{in(0), out(0), true}, {in(1), out(0), true}};
  for (const auto& [op, result] : {std::pair{Operator::sum, 30},
                                   {Operator::prod, 200},
                                   {Operator::min, 10},
                                   {Operator::max, 20},
                                   {Operator::avg, 30}}) {
    const Buffers after = run_round(two_ranks(), both, op);
    EXPECT_EQ(only_value(after, out(0)), result);
    EXPECT_EQ(after.from(out(0)).ranks(), (std::vector<Rank>{0, 1}));
  }
}

TEST(RunRound, ReadingAnEmptySlotChangesNothing) {
  const Buffers before = run_round(two_ranks(), {{in(0), out(0)}}, Operator::sum);
  EXPECT_EQ(run_round(before, {{out(1), out(0)}}, Operator::sum), before);
  EXPECT_EQ(run_round(before, {{out(1), out(0), true}}, Operator::sum), before);
}

TEST(History, HoldsEveryState) {
  const Schedule schedule = of({{{in(0), out(0)}}, {{out(0), out(1)}}});
  const std::vector<Buffers> states = history(schedule, two_ranks(), Operator::sum);
  ASSERT_EQ(states.size(), 3U);
  EXPECT_EQ(states.front(), two_ranks());
  EXPECT_FALSE(states[1].filled(out(1)));
  EXPECT_EQ(only_value(states[2], out(1)), 10);
  EXPECT_EQ(states.back(), run(schedule, two_ranks(), Operator::sum));
}

// Each rule of validate() on a schedule that breaks this one only.
struct Broken {
  const char* what;
  Schedule schedule;
};

std::vector<Broken> broken_schedules() {
  return {
      {"reads outside", of({{{in(2), out(0)}}})},
      {"reads outside", of({{{in(0, 3), out(0)}}})},
      {"reads outside", of({{{in(-1), out(0)}}})},
      {"writes outside", of({{{in(0), out(2)}}})},
      {"writes outside", of({{{in(0), out(0, -1)}}})},
      {"writes the input", of({{{in(0), in(1)}}})},
      {"reads an empty slot", of({{{in(0, 2), out(0, 2)}}})},
      {"reads an empty slot", of({{{in(0), out(0)}, {out(0), out(1)}}})},
      {"different width", of({{{in(0), out(0, 2)}}})},
      {"second copy", of({{{in(0), out(0)}, {in(1), out(0)}}})},
      {"mixes", of({{{in(0), out(0)}, {in(1), out(0), true}}})},
      {"mixes", of({{{in(0), out(0), true}, {in(1), out(0)}}})},
  };
}

TEST(Validate, RefusesWhatIsUnsound) {
  for (const auto& [what, schedule] : broken_schedules()) {
    const auto problem = validate(schedule, two_ranks());
    ASSERT_TRUE(problem) << what;
    EXPECT_NE(problem->find(what), std::string::npos) << *problem;
    EXPECT_NE(problem->find("round 1"), std::string::npos) << *problem;
  }
}

TEST(Validate, NamesTheRoundAndTheTransfer) {
  const Schedule schedule = of({{{in(0), out(0)}}, {{out(0), out(1)}, {out(1, 1), out(0, 1)}}});
  EXPECT_EQ(validate(schedule, two_ranks()),
            "round 2: the transfer from rank 1 out[1] to rank 0 out[1] reads an empty slot");
}

TEST(Validate, RefusesBuffersOfAnotherShape) {
  EXPECT_TRUE(validate({3, 3, {}}, two_ranks()));
  EXPECT_TRUE(validate({2, 2, {}}, two_ranks()));
}

TEST(Validate, AcceptsWhatIsSound) {
  EXPECT_EQ(validate(of({{{in(0), out(0), true}, {in(1), out(0), true}}, {{out(0), out(1)}}}), two_ranks()),
            std::nullopt);
  EXPECT_EQ(validate(of({{{in(0), out(0)}}, {{in(1), out(0)}}}), two_ranks()), std::nullopt);
}

}  // namespace
}  // namespace commflow

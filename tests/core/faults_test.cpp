#include "core/faults.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/collective_cases.h"

namespace commflow {
namespace {

using cases::Case;
using Kind = Fault::Kind;

constexpr PortModel kModel{2.0, 100};
constexpr Bytes kPayload = 8 * 3 * 5 * 7 * 1024;

class EveryPlay : public testing::TestWithParam<Case> {};

// Rounds that begin together are an upper bound for clocks of one's own.
TEST_P(EveryPlay, IsNeverSlowerThanThePortModel) {
  const Case c = GetParam();
  const Schedule schedule = c.algorithm().build(c.ranks, 0);
  const auto progress = play_out(schedule, kPayload, kModel, {});
  const double bound = time_us(count_traffic(schedule, kPayload), kModel);
  EXPECT_LE(makespan_us(schedule, progress), bound * (1 + 1e-12));
  EXPECT_EQ(progress.size(), schedule.rounds.size());
}

// Nothing is late by more than the GPU that is late, and never early.
TEST_P(EveryPlay, DelaysByNoMoreThanTheLateGpu) {
  const Case c = GetParam();
  const Schedule schedule = c.algorithm().build(c.ranks, 0);
  const auto healthy = play_out(schedule, kPayload, kModel, {});
  const double late_us = 1000;
  const auto late =
      play_out(schedule, kPayload, kModel, {.kind = Kind::late_gpu, .rank = c.ranks / 2, .late_us = late_us});
  for (std::size_t round = 0; round < healthy.size(); ++round) {
    for (std::size_t rank = 0; rank < index_of(c.ranks); ++rank) {
      EXPECT_GE(late[round].done_us[rank], healthy[round].done_us[rank]);
      EXPECT_LE(late[round].done_us[rank], healthy[round].done_us[rank] + late_us + 1e-9);
    }
    for (const Wait& wait : late[round].waits) EXPECT_NE(wait.rank, wait.on);
  }
}

// Whoever waits for ever waits for the dead, or for one that waits for ever since an earlier round.
TEST_P(EveryPlay, BlocksOnlyWhatHangsOnTheDeadGpu) {
  const Case c = GetParam();
  const Schedule schedule = c.algorithm().build(c.ranks, 0);
  const Rank dead = c.ranks - 1;
  const auto progress = play_out(schedule, kPayload, kModel, {.kind = Kind::dead_gpu, .rank = dead});
  std::set<Rank> stuck{dead};
  for (const Progress& round : progress) {
    std::set<Rank> now = stuck;
    for (const Wait& wait : round.waits) {
      if (!std::isinf(wait.us)) continue;
      EXPECT_TRUE(stuck.contains(wait.on)) << wait.rank << " on " << wait.on;
      now.insert(wait.rank);
    }
    for (std::size_t rank = 0; rank < round.done_us.size(); ++rank) {
      EXPECT_EQ(std::isinf(round.done_us[rank]), now.contains(static_cast<Rank>(rank)));
    }
    stuck = now;
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryPlay, testing::ValuesIn(cases::all_cases(1, 9)),
                         [](const auto& info) { return cases::label(info.param); });

TEST(PlayOut, IsThePortModelWhereAllPortsAreEquallyBusy) {
  for (const auto& [collective, algorithm] :
       {std::pair{Collective::all_reduce, Algorithm::ring}, std::pair{Collective::all_reduce, Algorithm::direct},
        std::pair{Collective::all_reduce, Algorithm::recursive_doubling},
        std::pair{Collective::all_reduce, Algorithm::halving_doubling},
        std::pair{Collective::all_reduce, Algorithm::hierarchical},
        std::pair{Collective::all_to_all, Algorithm::pairwise}, std::pair{Collective::all_to_all, Algorithm::bruck},
        std::pair{Collective::broadcast, Algorithm::linear}, std::pair{Collective::broadcast, Algorithm::chain}}) {
    const Schedule schedule = *make_schedule(collective, algorithm, 8);
    const double expected = time_us(count_traffic(schedule, kPayload), kModel);
    EXPECT_NEAR(makespan_us(schedule, play_out(schedule, kPayload, kModel, {})), expected, 1e-9) << name_of(algorithm);
  }
}

int ring_distance(Rank a, Rank b, int n) {
  const int apart = (a - b + n) % n;
  return std::min(apart, n - apart);
}

// News of a late GPU travels one neighbour per round, both ways: whoever it sends to waits, and whoever sends to it.
TEST(PlayOut, SpreadsALateGpuAroundTheRing) {
  const int n = 8;
  const Rank late = 3;
  const Schedule schedule = *make_schedule(Collective::all_reduce, Algorithm::ring, n);
  const auto healthy = play_out(schedule, kPayload, kModel, {});
  const auto progress = play_out(schedule, kPayload, kModel, {.kind = Kind::late_gpu, .rank = late, .late_us = 50});
  for (int round = 0; round < 2 * (n - 1); ++round) {
    for (Rank rank = 0; rank < n; ++rank) {
      const double behind =
          progress[index_of(round)].done_us[index_of(rank)] - healthy[index_of(round)].done_us[index_of(rank)];
      EXPECT_NEAR(behind, ring_distance(rank, late, n) <= round + 1 ? 50 : 0, 1e-9) << rank << " round " << round;
    }
  }
  EXPECT_EQ(progress[0].waits, (std::vector<Wait>{{2, 3, 50}, {4, 3, 50}}));
  EXPECT_EQ(progress[1].waits.size(), 2U);
  EXPECT_EQ(progress[1].waits[0].rank, 1);
  EXPECT_EQ(progress[1].waits[0].on, 2);
}

TEST(PlayOut, StopsALinearBroadcastAtItsDeadReceiver) {
  const Schedule schedule = *make_schedule(Collective::broadcast, Algorithm::linear, 6);
  const auto progress = play_out(schedule, kPayload, kModel, {.kind = Kind::dead_gpu, .rank = 3});
  const std::vector<double>& done = progress.back().done_us;
  for (const Rank served : {1, 2}) EXPECT_TRUE(std::isfinite(done[index_of(served)]));
  for (const Rank stuck : {0, 3, 4, 5}) EXPECT_TRUE(std::isinf(done[index_of(stuck)]));
  EXPECT_EQ(progress[2].waits, (std::vector<Wait>{{0, 3, HUGE_VAL}}));
  EXPECT_EQ(progress[3].waits, (std::vector<Wait>{{4, 0, HUGE_VAL}}));
  EXPECT_TRUE(std::isinf(makespan_us(schedule, progress)));
}

// Dead only after its last round: nobody notices.
TEST(PlayOut, DoesNotMissWhoHasNothingMoreToDo) {
  const Schedule schedule = *make_schedule(Collective::broadcast, Algorithm::linear, 6);
  const auto progress = play_out(schedule, kPayload, kModel, {.kind = Kind::dead_gpu, .rank = 1, .from_round = 1});
  for (const Rank rank : {0, 2, 3, 4, 5}) EXPECT_TRUE(std::isfinite(progress.back().done_us[index_of(rank)]));
}

// One slow link holds the whole ring to its pace, a tree only the part that hangs on it.
TEST(PlayOut, HoldsTheRingToThePaceOfItsSlowLink) {
  const int n = 8;
  const Schedule ring = *make_schedule(Collective::all_reduce, Algorithm::ring, n);
  const PortModel no_latency{0, 100};
  const double healthy = makespan_us(ring, play_out(ring, kPayload, no_latency, {}));
  const Fault slow{.kind = Kind::slow_link, .rank = 2, .peer = 3, .factor = 10};
  EXPECT_NEAR(makespan_us(ring, play_out(ring, kPayload, no_latency, slow)), 10 * healthy, 1e-6);

  const Schedule tree = *make_schedule(Collective::broadcast, Algorithm::binomial, n);
  const auto progress = play_out(tree, kPayload, no_latency, slow);
  const auto before = play_out(tree, kPayload, no_latency, {});
  for (const Rank rank : {0, 1, 4, 5, 6, 7}) {
    EXPECT_EQ(progress.back().done_us[index_of(rank)], before.back().done_us[index_of(rank)]);
  }
  EXPECT_GT(progress.back().done_us[3], before.back().done_us[3]);
}

// All ranks upload in time, but the sum is not there before the last of them.
TEST(PlayOut, MakesEverybodyWaitForTheSwitch) {
  const Schedule schedule = *make_schedule(Collective::all_reduce, Algorithm::in_switch, 4, 0, {.chunks = 1});
  const auto progress = play_out(schedule, kPayload, kModel, {.kind = Kind::late_gpu, .rank = 2, .late_us = 50});
  EXPECT_EQ(progress[0].waits, (std::vector<Wait>{{4, 2, 50}}));
  ASSERT_EQ(progress[1].waits.size(), 3U);
  for (const Wait& wait : progress[1].waits) {
    EXPECT_EQ(wait.on, 4);
    EXPECT_NEAR(wait.us, 50, 1e-9);
  }
}

}  // namespace
}  // namespace commflow

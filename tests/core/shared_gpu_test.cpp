// Computing and communicating at once: against small steps of time, and bounds that hold whatever the numbers.
#include "core/shared_gpu.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/collective_cases.h"
#include "core/rng.h"

namespace commflow {
namespace {

constexpr Bytes kSlot = 840;  // of every slot

class EveryMemory : public testing::TestWithParam<cases::Case> {};

// Between those of copies and those of sums for every rank; without sums exactly the bytes of its port.
TEST_P(EveryMemory, IsTwiceACopyAndThriceASum) {
  const cases::Case c = GetParam();
  const Schedule schedule = c.algorithm().build(c.ranks, 0);
  const std::vector<int> widths(index_of(schedule.slots), 1);
  std::vector<std::vector<Value>> values(index_of(c.ranks));
  for (Rank rank = 0; rank < c.ranks; ++rank)
    values[index_of(rank)].assign(input_blocks(c.algorithm().collective, c.ranks, schedule.slots, 0, rank).size(), 1);
  const auto states =
      history(schedule, initial_buffers(c.algorithm().collective, 0, widths, values, schedule.switches), Operator::sum);
  const std::vector<Bytes> slots(index_of(schedule.slots), kSlot);
  const auto memory = count_memory(schedule, states, slots);
  const Traffic traffic = count_traffic(schedule, slots);
  for (std::size_t rank = 0; rank < memory.size(); ++rank) {
    EXPECT_GE(memory[rank], traffic.sent[rank] + traffic.received[rank]);
    EXPECT_LE(memory[rank], traffic.sent[rank] + 2 * traffic.received[rank]);
    if (!reduces(c.algorithm().collective)) {
      EXPECT_EQ(memory[rank], traffic.sent[rank] + traffic.received[rank]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryMemory, testing::ValuesIn(cases::all_cases(1, 9)),
                         [](const auto& info) { return cases::label(info.param); });

// Every block of a ring is added n - 1 times and copied n - 1 times; the ports are equally busy.
TEST(CountMemory, OfTheRingIsFiveAccessesForTwoTransfers) {
  for (const int n : {2, 3, 8, 16}) {
    const Schedule schedule = *make_schedule(Collective::all_reduce, Algorithm::ring, n);
    const std::vector<int> widths(index_of(schedule.slots), 1);
    const std::vector<std::vector<Value>> values(index_of(n), std::vector<Value>(index_of(n), 1));
    const auto states = history(schedule, initial_buffers(Collective::all_reduce, 0, widths, values, 0), Operator::sum);
    const auto memory = count_memory(schedule, states, std::vector<Bytes>(index_of(n), kSlot));
    for (const Bytes bytes : memory) EXPECT_EQ(bytes, 5 * (n - 1) * kSlot) << n;
  }
}

// The first of several contributions to an empty slot is stored, those after it are added.
TEST(CountMemory, CountsTheFirstContributionAsACopy) {
  Schedule schedule{3, 1, {{}}};
  for (const Rank src : {1, 2}) schedule.rounds[0].push_back({{src, Area::in, 0}, {0, Area::out, 0}, true});
  Buffers before(3, {1});
  const Value value = 1;
  for (const Rank src : {1, 2}) before.put({src, Area::in, 0}, std::span(&value, 1), Origins::of(src));
  const std::vector<Buffers> states{before, run_round(before, schedule.rounds[0], Operator::sum)};
  EXPECT_EQ(count_memory(schedule, states, {kSlot}), (std::vector<Bytes>{3 * kSlot, kSlot, kSlot}));
}

struct Sample {
  SharedGpu gpu;
  Alone alone;
};
Sample sample_of(Rng& rng) {
  Sample sample;
  sample.gpu.sms = rng.between(2, 200);
  sample.gpu.comm_sms = rng.below(sample.gpu.sms);
  sample.gpu.memory_gbps = rng.between(500, 8000);
  sample.alone.compute_us = rng.between(0, 2000);
  sample.alone.memory_bound = rng.below(101) / 100.0;
  sample.alone.comm_us = rng.between(0, 2000);
  sample.alone.comm_memory_bytes = sample.alone.comm_us * rng.between(0, 3000) * 1e3;
  return sample;
}

// In steps of time: an SM-bound and a memory-bound slice of computing take turns, and every rate is told anew.
SharedTime step_by_step(const Sample& sample) {
  const double slice = sample.alone.compute_us / 4000;
  const double comm = comm_alone_us(sample.gpu, sample.alone);
  const double wish = comm > 0 ? sample.alone.comm_memory_bytes / comm / 1e3 : 0;  // GB/s
  double now = 0, left = comm;
  SharedTime time;
  for (int i = 0; i < 4000; ++i)
    for (const bool memory : {false, true}) {
      double work = slice * (memory ? sample.alone.memory_bound : 1 - sample.alone.memory_bound);
      const double granted = sample.gpu.memory_gbps / (sample.gpu.memory_gbps + wish);  // of both wishes
      const double compute_rate = memory ? granted : 1 - static_cast<double>(sample.gpu.comm_sms) / sample.gpu.sms;
      const double comm_rate = memory ? granted : 1;
      if (left > 0) {
        const double shared = std::min(work / compute_rate, left / comm_rate);
        now += shared;
        left -= shared * comm_rate;
        work -= shared * compute_rate;
        if (left <= 1e-12) {
          left = 0;
          time.comm_us = std::max(time.comm_us, now);
        }
      }
      now += std::max(0.0, work);
    }
  time.compute_us = now;
  if (left > 0) time.comm_us = now + left;
  time.total_us = std::max(time.compute_us, time.comm_us);
  return time;
}

TEST(Share, IsWhatSmallStepsOfTimeAddUpTo) {
  Rng rng(3);
  for (int trial = 0; trial < 300; ++trial) {
    const Sample sample = sample_of(rng);
    const SharedTime exact = share(sample.gpu, sample.alone), stepped = step_by_step(sample);
    // The last slice may be cut at another place: no more than that of rounding.
    const double slack = 1e-6 + exact.total_us * 2e-3 +
                         sample.alone.compute_us / 4000 * sample.gpu.sms / (sample.gpu.sms - sample.gpu.comm_sms);
    EXPECT_NEAR(exact.compute_us, stepped.compute_us, slack) << trial;
    EXPECT_NEAR(exact.comm_us, stepped.comm_us, slack) << trial;
  }
}

TEST(Share, IsNeverFasterThanAloneAndNeverSlowerThanBothShares) {
  Rng rng(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const Sample sample = sample_of(rng);
    const SharedTime time = share(sample.gpu, sample.alone);
    const double comm = comm_alone_us(sample.gpu, sample.alone);
    EXPECT_GE(time.compute_us, sample.alone.compute_us * (1 - 1e-12));
    EXPECT_GE(time.comm_us, comm * (1 - 1e-12));
    EXPECT_LE(time.memory_share, 1 + 1e-12);
    EXPECT_EQ(time.total_us, std::max(time.compute_us, time.comm_us));
    EXPECT_LE(time.total_us, (sample.alone.compute_us + comm) * (1 + 1e-12)) << "one after the other is the worst";
    // More SMs for communication that needs them only to keep its pace is never better for computing.
    if (sample.gpu.comm_sms + 1 < sample.gpu.sms) {
      SharedGpu more = sample.gpu;
      ++more.comm_sms;
      EXPECT_GE(share(more, sample.alone).compute_us, time.compute_us * (1 - 1e-12));
    }
  }
}

// By hand: 20 of 132 SMs, nothing bound by memory, equally long: computing goes on with 112 SMs until the end of
// communication, then with all.
TEST(Share, TakesTwentyOfAHundredAndThirtyTwoSms) {
  const SharedTime time = share({132, 20, 3350}, {100, 0, 100, 0});
  EXPECT_NEAR(time.comm_us, 100, 1e-9);
  EXPECT_NEAR(time.compute_us, 100 + 100 * 20.0 / 132, 1e-9);
}

// All bound by memory, communication asks for a quarter of it: both run at 1 / 1.25 until communication ends.
TEST(Share, SlowsBothDownWhereMemoryIsShort) {
  const SharedTime time = share({132, 0, 1000}, {200, 1, 100, 100 * 250e3});
  EXPECT_NEAR(time.memory_share, 0.25, 1e-12);
  EXPECT_NEAR(time.comm_us, 125, 1e-9);
  EXPECT_NEAR(time.compute_us, 225, 1e-9);
}

TEST(Share, HoldsCommunicationToTheSpeedOfMemory) {
  EXPECT_NEAR(comm_alone_us({132, 20, 1000}, {0, 0, 100, 300e6}), 300, 1e-9);
}

}  // namespace
}  // namespace commflow

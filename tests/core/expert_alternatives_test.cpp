#include "core/expert_alternatives.h"

#include <gtest/gtest.h>

#include <numeric>

#include "core/expert_bytes.h"
#include "core/expert_cases.h"

namespace commflow::experts {
namespace {

Settings layer_of(int ranks, int experts, int topk) {
  Settings s;
  s.nodes = 1;
  s.gpus_per_node = ranks;
  s.experts = experts;
  s.topk = topk;
  s.hidden = 100;
  s.out = {.element_bits = 8};
  return s;
}

// Bytes of rank 0 counted on the schedules of the collectives, for one token per rank.
double counted_bytes(int ranks, Bytes gathered, Bytes reduced) {
  const Schedule gather = *make_schedule(Collective::all_gather, Algorithm::halving_doubling, ranks);
  const Schedule reduce = *make_schedule(Collective::reduce_scatter, Algorithm::halving_doubling, ranks);
  return static_cast<double>(count_traffic(gather, gathered * ranks).sent[0] +
                             count_traffic(reduce, reduced * ranks).sent[0]);
}

TEST(ExpertAlternatives, BytesAndRoundsAreThoseOfTheSchedules) {
  for (const int ranks : {2, 4, 8, 16}) {
    const Settings s = layer_of(ranks, 16, 4);
    const Alternative gathered = alternative(s, Way::gathered);
    EXPECT_EQ(gathered.bytes_per_token, counted_bytes(ranks, 100, 200));
    EXPECT_EQ(alternative(s, Way::tensor_parallel).bytes_per_token, counted_bytes(ranks, 200, 200));
    const Schedule doubling = *make_schedule(Collective::all_gather, Algorithm::halving_doubling, ranks);
    EXPECT_EQ(gathered.rounds, 2 * std::ssize(doubling.rounds));
    const Schedule pairwise = *make_schedule(Collective::all_to_all, Algorithm::pairwise, ranks);
    EXPECT_EQ(alternative(s, Way::all_to_all).rounds, 2 * std::ssize(pairwise.rounds));
  }
}

// The same expected values that a counted layer meets on average.
TEST(ExpertAlternatives, AllToAllMeetsWhatIsCounted) {
  Settings s = layer_of(8, 64, 6);
  s.tokens = 4096;
  const auto counted = [&](Dedup dedup) {
    s.dedup = dedup;
    const Counts counts = count_layer(s);
    const ExchangeBytes out = bytes_of(s, counts, Exchange::dispatch);
    const ExchangeBytes home = bytes_of(s, counts, Exchange::combine);
    return static_cast<double>(out.nvlink + home.nvlink) / static_cast<double>(tokens_of_all(s));
  };
  const double all = alternative(s, Way::all_to_all).bytes_per_token;
  EXPECT_NEAR(counted(Dedup::none), all, 0.005 * all);
  const double merged = alternative(s, Way::merged).bytes_per_token;
  EXPECT_NEAR(counted(Dedup::per_rank), merged, 0.005 * merged);
}

TEST(ExpertAlternatives, GatheringSendsFewerBytesOnlyIfTokensGoToMoreExpertsThanThereAreRanks) {
  for (const int ranks : {2, 4, 8, 16}) {
    for (const int topk : {1, 2, 4, 8, 16}) {
      const Settings s = layer_of(ranks, 64, topk);
      const double all = alternative(s, Way::all_to_all).bytes_per_token;
      const double gathered = alternative(s, Way::gathered).bytes_per_token;
      EXPECT_EQ(all < gathered, topk < ranks) << ranks << " ranks, top-" << topk;
      EXPECT_LE(alternative(s, Way::merged).bytes_per_token, std::min(all, gathered) * (1 + 1e-12));
    }
  }
}

TEST(ExpertAlternatives, FewTokensAreForFewRoundsManyForFewBytes) {
  const Settings s = layer_of(16, 64, 2);
  const PortModel port{5, 50};
  const Alternative a2a = alternative(s, Way::all_to_all);
  const Alternative gathered = alternative(s, Way::gathered);
  const std::optional<double> crossing = crossing_tokens(a2a, gathered, port);
  ASSERT_TRUE(crossing);
  EXPECT_NEAR(time_us(a2a, *crossing, port), time_us(gathered, *crossing, port), 1e-9);
  EXPECT_GT(time_us(a2a, *crossing / 2, port), time_us(gathered, *crossing / 2, port));
  EXPECT_LT(time_us(a2a, *crossing * 2, port), time_us(gathered, *crossing * 2, port));
  // (30 - 8) rounds * 5 us against (15 - 2 * 15/16) * 300 bytes at 50 GB/s.
  EXPECT_NEAR(*crossing, 22 * 5 / (13.125 * 300 / 50e3), 1e-6);
}

TEST(ExpertAlternatives, NoCrossingWhereOneAlwaysWins) {
  const Settings s = layer_of(2, 64, 8);  // as many rounds, and gathering sends less
  EXPECT_FALSE(crossing_tokens(alternative(s, Way::all_to_all), alternative(s, Way::gathered), {5, 50}));
  EXPECT_TRUE(alternative(s, Way::tensor_parallel).even);
  EXPECT_EQ(name_of(Way::tensor_parallel), "tensor_parallel");
}

}  // namespace
}  // namespace commflow::experts

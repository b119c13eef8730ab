#include "core/traffic.h"

#include <gtest/gtest.h>

#include "core/collective_cases.h"

namespace commflow {
namespace {

using cases::Case;

Bytes total(const std::vector<Bytes>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), Bytes{0});
}

int ceil_lg(int n) {
  int exponent = 0;
  while ((1 << exponent) < n) ++exponent;
  return exponent;
}

int floor_power(int n) {
  int power = 1;
  while (2 * power <= n) power *= 2;
  return power;
}

TEST(BlockBytes, LoseNoByte) {
  for (const Bytes payload : {Bytes{0}, Bytes{1}, Bytes{7}, Bytes{1000003}, Bytes{1} << 50, (Bytes{1} << 62) + 5}) {
    for (const int blocks : {1, 2, 3, 7, 16, 1000, 1024}) {
      Bytes sum = 0;
      for (int block = 0; block < blocks; ++block) {
        const Bytes bytes = block_bytes(payload, blocks, block);
        EXPECT_GE(bytes, payload / blocks);
        EXPECT_LE(bytes, payload / blocks + 1);
        sum += bytes;
      }
      EXPECT_EQ(sum, payload);
    }
  }
}

TEST(BlockBytes, CutAtTheFloors) {
  // 10 bytes over 4: 0..2, 2..5, 5..7, 7..10
  EXPECT_EQ(block_bytes(10, 4, 0), 2);
  EXPECT_EQ(block_bytes(10, 4, 1), 3);
  EXPECT_EQ(block_bytes(10, 4, 2), 2);
  EXPECT_EQ(block_bytes(10, 4, 3), 3);
}

TEST(CountTraffic, FollowsTheRules) {
  const auto in = [](Rank rank, int slot) { return Place{rank, Area::in, slot}; };
  const auto out = [](Rank rank, int slot) { return Place{rank, Area::out, slot}; };
  const Schedule schedule{3,
                          2,
                          {
                              {{in(0, 0), out(0, 0)}},  // local only: no round
                              {{in(0, 0), out(1, 0)},
                               {in(0, 1), out(1, 1)},  // two slots, one message
                               {in(1, 0), out(2, 0)},
                               {in(2, 1), out(2, 1)}},                         // one message, one local move
                              {},                                              // nothing: no round
                              {{in(0, 0), out(2, 1)}, {in(1, 0), out(2, 0)}},  // rank 2 receives most
                          }};
  const Traffic traffic = count_traffic(schedule, std::vector<Bytes>{100, 7});
  EXPECT_EQ(traffic.rounds, 2);
  EXPECT_EQ(traffic.messages, 4);
  EXPECT_EQ(traffic.sent, (std::vector<Bytes>{207, 200, 0}));
  EXPECT_EQ(traffic.received, (std::vector<Bytes>{0, 107, 300}));
  EXPECT_EQ(traffic.critical_path_bytes, 107 + 200);
}

TEST(TimeUs, IsThePortModel) {
  Traffic traffic;
  traffic.rounds = 14;
  traffic.critical_path_bytes = 117440512;
  EXPECT_NEAR(time_us(traffic, {2.0, 300}), 419.468373333, 1e-6);
}

// Direct has fewer rounds than the ring and sends no more: it is never behind.
TEST(CrossingBytes, IsNowhereIfOneIsNeverBehind) {
  const auto count = [](Algorithm algorithm) {
    return count_traffic(*make_schedule(Collective::all_reduce, algorithm, 8), 1 << 20);
  };
  EXPECT_EQ(crossing_bytes(count(Algorithm::ring), count(Algorithm::direct), 1 << 20, {2, 100}), std::nullopt);
  EXPECT_EQ(crossing_bytes(count(Algorithm::ring), count(Algorithm::ring), 1 << 20, {2, 100}), std::nullopt);
}

// In many chunks the two trees come close to two buffers per port, whatever the number of ranks.
TEST(CountTraffic, OfADoubleTreeTendsToTwoBuffers) {
  for (const int n : {8, 16, 31}) {
    const Bytes payload = Bytes{1} << 24;
    const auto schedule = make_schedule(Collective::all_reduce, Algorithm::double_binary_tree, n, 0, {.chunks = 256});
    const double factor = static_cast<double>(count_traffic(*schedule, payload).critical_path_bytes) / (Bytes{1} << 24);
    EXPECT_GE(factor, 2.0 * (n - 1) / n);
    EXPECT_LE(factor, n % 2 == 0 ? 2.1 : 3.2) << n;  // for odd n rank 0 has children in both
  }
}

// What the tables of facts say about each algorithm, in rounds and in units of S/D bytes.
struct Cost {
  int rounds;
  Bytes numerator;  // critical_path_bytes = S * numerator / denominator
  Bytes denominator;
};

Cost halving_doubling_cost(Collective collective, int n) {
  const int p = floor_power(n);
  const int lg = ceil_lg(p);
  const bool folds = p != n;
  if (collective == Collective::all_reduce) {
    return {2 * lg + (folds ? 2 : 0), 2 * (p - 1) + (folds ? 2 * p : 0), p};
  }
  // Seats that answer for two blocks make the largest messages: the first n - p seats of p.
  const int pairs = n - p;
  Bytes exchanged = 0;
  for (int distance = 1; distance < p; distance *= 2) exchanged += distance + std::min(pairs, distance);
  if (collective == Collective::reduce_scatter) return {lg + (folds ? 2 : 0), exchanged + (folds ? n + 1 : 0), n};
  return {lg + (folds ? 2 : 0), exchanged + (folds ? 1 + n - 1 : 0), n};
}

Cost whole_buffer_doubling_cost(int n) {
  const int folds = floor_power(n) != n ? 2 : 0;
  return {ceil_lg(floor_power(n)) + folds, ceil_lg(floor_power(n)) + folds, 1};
}

// Rings in the node and over the rail; or two hops, each without what stays.
Cost hierarchical_cost(Collective collective, int n) {
  const int gpus = default_gpus_per_node(n);
  const int nodes = n / gpus;
  const Bytes off_gpu = Bytes{gpus - 1} * nodes;  // of n blocks
  if (collective == Collective::all_reduce) {
    return {2 * (gpus - 1) + 2 * (nodes - 1), 2 * off_gpu + 2 * (nodes - 1), n};
  }
  if (gpus == 1) return {1, n - 1, n};
  return {2, off_gpu + Bytes{nodes - 1} * gpus, n};
}

// Edges from the root of a tree of NCCL to its farthest leaf: one to its child, then a balanced tree.
int height_of_tree(int n) {
  return n == 1 ? 0 : ceil_lg(n);
}

// Its bytes depend on how far chunks are from the leaves: see OfADoubleTreeTendsToTwoBuffers.
constexpr Bytes kNotTabled = -1;

Cost double_tree_cost(int n) {
  return {2 * height_of_tree(n) + Tuning{}.chunks - 1, kNotTabled, 1};
}

Bytes set_bits_up_to(int n) {
  Bytes bits = 0;
  for (int i = 1; i < n; ++i) {
    for (int rest = i; rest > 0; rest /= 2) bits += rest % 2;
  }
  return bits;
}

Cost tabled_cost(Collective collective, Algorithm algorithm, int n) {
  const bool whole_buffer = collective == Collective::broadcast || collective == Collective::reduce;
  const bool twice = collective == Collective::all_reduce;
  const int chunks = Tuning{}.chunks;
  const int power = floor_power(n);
  switch (algorithm) {
    case Algorithm::halving_doubling:
    case Algorithm::recursive_halving: return halving_doubling_cost(collective, n);
    case Algorithm::recursive_doubling:
      return twice ? whole_buffer_doubling_cost(n) : halving_doubling_cost(collective, n);
    case Algorithm::one_shot: return {1, n - 1, 1};
    case Algorithm::bruck: return {ceil_lg(n), collective == Collective::all_gather ? n - 1 : set_bits_up_to(n), n};
    case Algorithm::chain: return {n - 2 + chunks, n - 2 + chunks, chunks};
    case Algorithm::scatter_allgather: return {ceil_lg(n) + n - 1, 2 * (n - 1), n};
    case Algorithm::scatter_allgather_doubling:
    case Algorithm::reduce_scatter_gather:
      return {2 * ceil_lg(power) + (power < n ? 1 : 0), 2 * (power - 1) + (power < n ? power : 0), power};
    case Algorithm::hierarchical: return hierarchical_cost(collective, n);
    case Algorithm::in_switch: return {chunks + 1, chunks + 1, chunks};
    case Algorithm::double_binary_tree: return double_tree_cost(n);
    case Algorithm::binomial:
      if (twice) return {2 * ceil_lg(n), 2 * ceil_lg(n), 1};
      return whole_buffer ? Cost{ceil_lg(n), ceil_lg(n), 1} : Cost{ceil_lg(n), n - 1, n};
    case Algorithm::linear: return whole_buffer ? Cost{n - 1, n - 1, 1} : Cost{n - 1, n - 1, n};
    case Algorithm::direct:
      if (collective == Collective::send_recv) return {1, 1, 1};
      return twice ? Cost{2, 2 * (n - 1), n} : Cost{1, n - 1, n};
    case Algorithm::ring: return twice ? Cost{2 * (n - 1), 2 * (n - 1), n} : Cost{n - 1, n - 1, n};
    case Algorithm::pairwise: break;
  }
  return {n - 1, n - 1, n};
}

// Whether an algorithm moves no more than the bound behind the busbw factor.
bool is_optimal(Collective collective, Algorithm algorithm, int n) {
  if (collective == Collective::broadcast || collective == Collective::reduce) {
    return n == 2 &&
           (algorithm == Algorithm::linear || algorithm == Algorithm::binomial || algorithm == Algorithm::chain);
  }
  switch (algorithm) {
    case Algorithm::halving_doubling:
    case Algorithm::recursive_halving: return floor_power(n) == n;
    case Algorithm::recursive_doubling: return collective == Collective::all_gather && floor_power(n) == n;
    case Algorithm::bruck: return collective == Collective::all_gather;
    case Algorithm::hierarchical: return collective == Collective::all_reduce || default_gpus_per_node(n) == 1;
    case Algorithm::one_shot:
    case Algorithm::double_binary_tree:
    case Algorithm::in_switch: return false;
    case Algorithm::binomial: return collective != Collective::all_reduce;
    default: return true;
  }
}

class EveryCount : public testing::TestWithParam<Case> {};

TEST_P(EveryCount, IsThatOfTheTables) {
  const Case c = GetParam();
  if (c.ranks == 1) return;
  const Cost cost = tabled_cost(c.collective(), c.algorithm().id, c.ranks);
  const Bytes payload = Bytes{64} * c.ranks * floor_power(c.ranks);
  for (const Rank root : cases::roots_of(c.collective(), std::min(c.ranks, 16))) {
    const Traffic traffic = count_traffic(c.algorithm().build(c.ranks, root), payload);
    EXPECT_EQ(traffic.rounds, cost.rounds);
    if (cost.numerator != kNotTabled) {
      EXPECT_EQ(traffic.critical_path_bytes * cost.denominator, payload * cost.numerator);
    }
  }
}

// The bounds of PERFORMANCE.md hold for whatever moves data from port to port; a switch that adds up breaks them.
TEST_P(EveryCount, NeverBeatsTheLowerBoundUnlessTheSwitchReduces) {
  const Case c = GetParam();
  const Bytes payload = Bytes{64} * c.ranks * floor_power(c.ranks);
  const Fraction bound = c.ranks > 1 ? busbw_factor(c.collective(), c.ranks) : Fraction{0, 1};
  const Traffic traffic = count_traffic(c.algorithm().build(c.ranks, 0), payload);
  const bool beats = traffic.critical_path_bytes * bound.denominator < payload * bound.numerator;
  EXPECT_EQ(beats, c.algorithm().id == Algorithm::in_switch && c.ranks > 2);
}

TEST_P(EveryCount, MeetsTheBusbwFactorWhereItIsOptimal) {
  const Case c = GetParam();
  if (c.ranks == 1 || !is_optimal(c.collective(), c.algorithm().id, c.ranks)) return;
  const Bytes payload = Bytes{64} * c.ranks;
  const Fraction factor = busbw_factor(c.collective(), c.ranks);
  const Traffic traffic = count_traffic(c.algorithm().build(c.ranks, 0), payload);
  EXPECT_EQ(traffic.critical_path_bytes * factor.denominator, payload * factor.numerator);
}

TEST_P(EveryCount, ConservesBytes) {
  const Case c = GetParam();
  for (const Bytes payload : {Bytes{1}, Bytes{1009}, Bytes{1} << 40}) {
    const Traffic traffic = count_traffic(c.algorithm().build(c.ranks, 0), payload);
    EXPECT_EQ(total(traffic.sent), total(traffic.received));
    EXPECT_EQ(traffic.rounds == 0, c.ranks == 1);
    EXPECT_EQ(traffic.messages == 0, c.ranks == 1);
  }
}

// Whether no byte goes a detour: folded ranks, stops on the way, whole buffers to many.
bool sends_each_byte_once(const Case& c) {
  switch (c.algorithm().id) {
    case Algorithm::halving_doubling:
    case Algorithm::recursive_halving: return floor_power(c.ranks) == c.ranks;
    case Algorithm::recursive_doubling: return c.collective() == Collective::all_gather;
    case Algorithm::one_shot:
    case Algorithm::in_switch: return false;
    case Algorithm::reduce_scatter_gather: return false;  // two halves
    case Algorithm::bruck: return c.collective() == Collective::all_gather;
    case Algorithm::hierarchical: return c.collective() == Collective::all_reduce;
    default: return true;
  }
}

// Whatever the payload, everything gets where it must, to the byte: per rank where the collective says what a
// rank lacks, in total where contributions are added up on the way (n - 1 additions per element, then n - 1
// copies).
TEST_P(EveryCount, LosesNoByteOfAnUnevenPayload) {
  const Case c = GetParam();
  const Bytes payload = 1000003;
  const Traffic traffic = count_traffic(c.algorithm().build(c.ranks, 0), payload);
  const bool exact = sends_each_byte_once(c);
  const auto own = [&](Rank rank) { return block_bytes(payload, c.ranks, rank); };
  const auto expect_received = [&](auto bytes_on) {
    for (Rank rank = 0; rank < c.ranks; ++rank) EXPECT_EQ(traffic.received[index_of(rank)], bytes_on(rank)) << rank;
  };
  const auto expect_total = [&](Bytes copies) {
    if (exact) {
      EXPECT_EQ(total(traffic.sent), copies * (c.ranks - 1) * payload);
    }
  };
  switch (c.collective()) {
    case Collective::all_gather: return expect_received([&](Rank rank) { return payload - own(rank); });
    case Collective::broadcast: return expect_received([&](Rank rank) { return rank == 0 ? 0 : payload; });
    case Collective::all_to_all:
      if (!exact) return;
      return expect_received([&](Rank rank) { return (c.ranks - 1) * own(rank); });
    case Collective::send_recv:
      return expect_received([&](Rank rank) { return c.ranks > 1 && rank == 1 ? payload : 0; });
    case Collective::gather: EXPECT_EQ(traffic.received[0], payload - own(0)); return;
    case Collective::scatter: EXPECT_EQ(traffic.sent[0], payload - own(0)); return;
    case Collective::all_reduce: return expect_total(2);
    case Collective::reduce:
    case Collective::reduce_scatter: return expect_total(1);
  }
}

std::vector<Case> counted_cases() {
  std::vector<Case> found = cases::all_cases(1, 17);
  for (std::size_t row = 0; row < algorithms().size(); ++row) {
    for (const int ranks : {32, 33, 63, 100}) found.push_back({row, ranks});
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, EveryCount, testing::ValuesIn(counted_cases()),
                         [](const auto& info) { return cases::label(info.param); });

// allreduce by ring, in the words of PERFORMANCE.md: 2(n-1) transfers per element, shared by n ports.
TEST(CountTraffic, OfARingAllReduceIsTheSameOnEveryRank) {
  for (const int n : {2, 3, 8, 16, 1024}) {
    const Bytes payload = Bytes{1} << 20;
    const Bytes even = payload - payload % n;
    const Traffic traffic = count_traffic(*make_schedule(Collective::all_reduce, Algorithm::ring, n), even);
    EXPECT_EQ(traffic.sent, std::vector<Bytes>(index_of(n), 2 * (n - 1) * (even / n)));
    EXPECT_EQ(traffic.received, traffic.sent);
    EXPECT_EQ(traffic.messages, 2 * std::int64_t{n} * (n - 1));
  }
}

}  // namespace
}  // namespace commflow

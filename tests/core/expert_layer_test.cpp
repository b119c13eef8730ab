#include "core/expert_layer.h"

#include <gtest/gtest.h>

#include <set>

#include "core/expert_bytes.h"
#include "core/expert_cases.h"
#include "core/gate.h"

namespace commflow::experts {
namespace {

constexpr std::uint64_t kSeeds = 300;

// The layer once more, by its definition and with nothing shared but the choice,
// the weights and the numbers to start with.
std::vector<Value> by_definition(const LayerRun& run) {
  const Settings& s = run.settings;
  const auto expert_of = [](const ExpertWeights& w, Value x, Value y) {
    const Value a = std::max<Value>(0, x * w.first.at(0, 0) + y * w.first.at(1, 0));
    const Value b = std::max<Value>(0, x * w.first.at(0, 1) + y * w.first.at(1, 1));
    return std::pair(a * w.second.at(0, 0) + b * w.second.at(1, 0), a * w.second.at(0, 1) + b * w.second.at(1, 1));
  };
  std::vector<std::int64_t> taken(static_cast<std::size_t>(s.experts));
  std::vector<Value> sums(static_cast<std::size_t>(2 * tokens_of_all(s)));
  for (int choice = 0; choice < s.topk; ++choice) {
    for (int token = 0; token < tokens_of_all(s); ++token) {
      const auto copy = static_cast<std::size_t>(token * s.topk + choice);
      const auto expert = static_cast<std::size_t>(run.routing.experts[copy]);
      if (capacity_of(s) && taken[expert]++ >= *capacity_of(s)) continue;
      const auto [a, b] =
          expert_of(run.data.experts[expert], run.data.tokens.at(token, 0), run.data.tokens.at(token, 1));
      sums[static_cast<std::size_t>(2 * token)] += run.routing.weights[copy] * a;
      sums[static_cast<std::size_t>(2 * token + 1)] += run.routing.weights[copy] * b;
    }
  }
  std::vector<Value> result;
  for (int token = 0; token < tokens_of_all(s); ++token) {
    const Value x = run.data.tokens.at(token, 0);
    const Value y = run.data.tokens.at(token, 1);
    const auto [a, b] = s.shared_expert ? expert_of(run.data.shared, x, y) : std::pair<Value, Value>(0, 0);
    for (const int col : {0, 1}) {
      const Value sum = sums[static_cast<std::size_t>(2 * token + col)];
      const Value rounded = sum >= 0 ? (sum + 32) / 64 : -((-sum + 32) / 64);  // halves away from zero
      result.push_back(run.data.tokens.at(token, col) + (col == 0 ? a : b) + rounded);
    }
  }
  return result;
}

TEST(ExpertLayer, EqualsTheLayerOnOneRank) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Settings s = random_settings(seed);
    ASSERT_TRUE(executable(s)) << s;
    const LayerRun run = run_layer(s);
    EXPECT_TRUE(run.complete) << s;
    EXPECT_EQ(run.output, run_on_one_rank(s, run.routing, run.data)) << s;
    EXPECT_EQ(run.output.data, by_definition(run)) << s;
  }
}

// The random layers have some of everything.
TEST(ExpertLayer, RandomLayersAreOfEveryKind) {
  int dropping = 0, limited = 0, replicated = 0, skewed = 0, sum_on_relays = 0, pairwise = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LayerRun run = prepare_layer(random_settings(seed));
    const Settings& s = run.settings;
    dropping += run.counts.dropped > 0 ? 1 : 0;
    limited += s.topk_nodes > 0 && s.topk_nodes < s.nodes ? 1 : 0;
    replicated += s.replicas_per_rank > 0 ? 1 : 0;
    skewed += s.zipf_hundredths >= 100 ? 1 : 0;
    pairwise += s.algorithm == Algorithm::pairwise ? 1 : 0;
    sum_on_relays += run.plan.departures.size() < run.plan.parcels.size() ? 1 : 0;
  }
  for (const int kind : {dropping, limited, replicated, skewed, sum_on_relays, pairwise}) EXPECT_GE(kind, 20);
}

TEST(ExpertLayer, LargestExecutedLayer) {
  Settings s;
  s.nodes = 2;
  s.gpus_per_node = 8;
  s.experts = kMaxExecutedExperts;
  s.topk = kMaxExecutedTopk;
  s.tokens = kMaxExecutedTokens;
  s.dedup = Dedup::per_node;
  s.path = Path::two_hop;
  ASSERT_TRUE(executable(s));
  const LayerRun run = run_layer(s);
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.output, run_on_one_rank(s, run.routing, run.data));
}

TEST(ExpertLayer, SchedulesAreSound) {
  for (std::uint64_t seed = 1; seed <= kSeeds; seed += 3) {
    const LayerRun run = run_layer(random_settings(seed));
    for (const Movement* movement : {&run.counts_exchange, &run.dispatch, &run.combine}) {
      EXPECT_EQ(validate(movement->schedule, movement->initial), std::nullopt) << run.settings;
    }
  }
}

// Every copy is computed once and comes home once, or is reported as dropped.
TEST(ExpertLayer, EveryCopyComesHomeOnceOrIsDropped) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LayerRun run = prepare_layer(random_settings(seed));
    std::int64_t dropped = 0;
    std::set<int> computed;
    for (const std::vector<int>& rows : run.plan.rows) {
      for (const int copy : rows) EXPECT_TRUE(computed.insert(copy).second) << run.settings;
    }
    std::vector<int> carried(run.plan.copies.size());
    for (const Parcel& parcel : run.plan.parcels) {
      const Departure& from = run.plan.departures[static_cast<std::size_t>(parcel.departure)];
      for (const int index : parcel.copies) {
        const Copy& copy = run.plan.copies[static_cast<std::size_t>(index)];
        ++carried[static_cast<std::size_t>(index)];
        EXPECT_EQ(copy.token, from.token);
        EXPECT_EQ(copy.home, from.home);
        EXPECT_EQ(copy.host, parcel.host);
      }
    }
    for (std::size_t index = 0; index < carried.size(); ++index) {
      const bool gone = run.plan.copies[index].host < 0;
      dropped += gone;
      EXPECT_EQ(carried[index], gone ? 0 : 1) << run.settings;
      EXPECT_EQ(computed.count(static_cast<int>(index)), gone ? 0U : 1U) << run.settings;
    }
    EXPECT_EQ(dropped, run.counts.dropped) << run.settings;
  }
}

// The schedule moves what was counted without it: vectors per rank, and messages.
void expect_counted(const LayerRun& run, const Schedule& schedule, Exchange exchange) {
  const std::vector<Bytes> one_each(static_cast<std::size_t>(schedule.slots), 1);
  const Traffic traffic = count_traffic(schedule, one_each);
  const ExchangeBytes counted = bytes_of(run.settings, legs_of(run.counts, exchange), 1);
  EXPECT_EQ(traffic.sent, counted.sent) << run.settings;
  EXPECT_EQ(traffic.received, counted.received) << run.settings;
  EXPECT_EQ(traffic.messages, counted.messages) << run.settings;
}

TEST(ExpertLayer, SchedulesMoveWhatIsCounted) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LayerRun run = run_layer(random_settings(seed));
    expect_counted(run, run.dispatch.schedule, Exchange::dispatch);
    expect_counted(run, run.combine.schedule, Exchange::combine);
  }
}

TEST(ExpertLayer, RowsFollowFromTheExchangedCounts) {
  for (std::uint64_t seed = 1; seed <= kSeeds; seed += 2) {
    const LayerRun run = prepare_layer(random_settings(seed));
    for (Rank host = 0; host < ranks_of(run.settings); ++host) {
      int first = 0;
      const std::vector<ExpertRows>& groups = run.plan.groups[static_cast<std::size_t>(host)];
      for (std::size_t local = 0; local < groups.size(); ++local) {
        Value count = 0;
        for (Rank home = 0; home < ranks_of(run.settings); ++home) {
          count += run.counts_exchange.final.values({host, Area::out, home})[local];
        }
        EXPECT_EQ(groups[local].count, count) << run.settings;
        EXPECT_EQ(groups[local].first, first) << run.settings;
        first += groups[local].count;
      }
    }
  }
}

// Without merging, tokens arrive in the order in which the experts need them.
TEST(ExpertLayer, SingleCopiesArriveInTheOrderOfTheRows) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const LayerRun run = prepare_layer(random_settings(seed));
    if (run.settings.dedup != Dedup::none) continue;
    for (const Copy& copy : run.plan.copies) {
      if (copy.host < 0) continue;
      EXPECT_EQ(run.plan.parcels[static_cast<std::size_t>(copy.parcel)].arrival, copy.row) << run.settings;
    }
  }
}

// Leaves out each transfer in turn; the layer must notice.
struct Spoiling {
  int tried = 0;
  int unnoticed = 0;
};

void leave_out_each(const LayerRun& whole, bool in_dispatch, Spoiling& spoiling) {
  const Schedule& schedule = in_dispatch ? whole.dispatch.schedule : whole.combine.schedule;
  for (std::size_t round = 0; round < schedule.rounds.size(); ++round) {
    for (std::size_t index = 0; index < schedule.rounds[round].size(); ++index) {
      LayerRun run = whole;
      Round& spoilt = (in_dispatch ? run.dispatch : run.combine).schedule.rounds[round];
      spoilt.erase(spoilt.begin() + static_cast<std::ptrdiff_t>(index));
      if (in_dispatch) {
        dispatch_tokens(run);
        compute_experts(run);
      }
      combine_results(run);
      ++spoiling.tried;
      spoiling.unnoticed += run.complete ? 1 : 0;
    }
  }
}

TEST(ExpertLayer, NoTransferIsNeedless) {
  Spoiling spoiling;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Settings s = random_settings(seed);
    s.tokens = 1;
    if (ranks_of(s) > 6) continue;
    LayerRun run = prepare_layer(s);
    leave_out_each(run, true, spoiling);
    dispatch_tokens(run);
    compute_experts(run);
    leave_out_each(run, false, spoiling);
    EXPECT_EQ(spoiling.unnoticed, 0) << s;
  }
  EXPECT_GT(spoiling.tried, 1000);
}

// The numbers show it, too: the values of one arrival changed on the way.
TEST(ExpertLayer, AWrongValueOnTheWayShowsInTheOutput) {
  int tried = 0;
  int changed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    LayerRun run = prepare_layer(random_settings(seed));
    dispatch_tokens(run);
    compute_experts(run);
    if (run.plan.parcels.empty()) continue;
    const Parcel& parcel = run.plan.parcels[seed % run.plan.parcels.size()];
    run.combine.initial.mutable_values({parcel.host, Area::in, parcel.arrival})[0] += 64 * kGateTotal;
    combine_results(run);
    ++tried;
    changed += run.output != run_on_one_rank(run.settings, run.routing, run.data) ? 1 : 0;
  }
  EXPECT_GE(changed, tried * 9 / 10) << "a copy of weight 0 may be anything";
}

TEST(ExpertLayer, WithoutCapacityForAnyTheResidualRemains) {
  Settings s;
  s.tokens = 8;
  s.experts = 8;
  s.topk = 1;
  s.shared_expert = false;
  s.table.assign(64, 3);  // all to one expert, which takes one of 64 tokens
  s.capacity_thousandths = 125;
  const LayerRun run = run_layer(s);
  EXPECT_EQ(run.counts.dropped, 63);
  ASSERT_EQ(run.output.data.size(), run.data.tokens.data.size());
  EXPECT_EQ(run.output, run_on_one_rank(s, run.routing, run.data));
  for (std::size_t i = 2; i < run.output.data.size(); ++i) EXPECT_EQ(run.output.data[i], run.data.tokens.data[i]);
}

}  // namespace
}  // namespace commflow::experts

#include "core/closed_form.h"

#include <gtest/gtest.h>

#include <set>

#include "core/collective_cases.h"

namespace commflow {
namespace {

using cases::Case;

Question question_of(const Case& c, Rank root, const Tuning& tuning, Bytes payload) {
  return {c.collective(), c.algorithm().id, c.ranks, root, tuning, payload};
}

void expect_equal(const Traffic& formula, const Traffic& counted) {
  EXPECT_EQ(formula.rounds, counted.rounds);
  EXPECT_EQ(formula.messages, counted.messages);
  EXPECT_EQ(formula.sent, counted.sent);
  EXPECT_EQ(formula.received, counted.received);
  EXPECT_EQ(formula.critical_path_bytes, counted.critical_path_bytes);
}

// Blocks as large as the largest: never less than counted, and less than a byte more per block sent.
void expect_bounded(const Traffic& formula, const Traffic& counted, Bytes blocks) {
  EXPECT_EQ(formula.rounds, counted.rounds);
  EXPECT_EQ(formula.messages, counted.messages);
  EXPECT_GE(formula.critical_path_bytes, counted.critical_path_bytes);
  for (std::size_t rank = 0; rank < formula.sent.size(); ++rank) {
    EXPECT_GE(formula.sent[rank], counted.sent[rank]);
    EXPECT_LE(formula.sent[rank], counted.sent[rank] + blocks);
    EXPECT_GE(formula.received[rank], counted.received[rank]);
  }
}

void expect_formula(const Case& c, Rank root, const Tuning& tuning, Bytes payload) {
  SCOPED_TRACE("root " + std::to_string(root) + ", payload " + std::to_string(payload) + ", chunks " +
               std::to_string(tuning.chunks) + ", node " + std::to_string(tuning.gpus_per_node));
  const auto schedule = make_schedule(c.collective(), c.algorithm().id, c.ranks, root, tuning);
  const Question question = question_of(c, root, tuning, payload);
  const auto formula = traffic_by_formula(question);
  ASSERT_EQ(formula.has_value(), schedule.has_value());
  if (!schedule) return;
  const Traffic counted = count_traffic(*schedule, payload);
  const bool padded = c.algorithm().id == Algorithm::bruck && c.collective() == Collective::all_to_all;
  if (padded && payload % c.ranks != 0) {
    expect_bounded(*formula, counted, Bytes{c.ranks} * 8);
  } else {
    expect_equal(*formula, counted);
  }
  const auto levels = levels_by_formula(question);
  EXPECT_EQ(levels.has_value(), uses_nodes(c.algorithm().id));
  if (levels) {
    EXPECT_EQ(*levels, count_levels(*schedule, payload, gpus_per_node(tuning, c.ranks)));
  }
}

class EveryFormula : public testing::TestWithParam<Case> {};

TEST_P(EveryFormula, IsTheCountOfTheSchedule) {
  const Case c = GetParam();
  const int last_root = needs_root(c.collective()) ? c.ranks - 1 : 0;
  for (const Bytes payload : {Bytes{0}, Bytes{1}, Bytes{3}, Bytes{1009}, Bytes{c.ranks} * 64 * 3, Bytes{1000003}}) {
    for (const Rank root : std::set<Rank>{0, last_root / 3, last_root}) expect_formula(c, root, {}, payload);
  }
}

TEST_P(EveryFormula, FollowsTheTuning) {
  const Case c = GetParam();
  if (uses_chunks(c.algorithm().id)) {
    for (const int chunks : {1, 2, 7, 32}) expect_formula(c, 0, {.chunks = chunks}, 1000003);
  }
  if (uses_nodes(c.algorithm().id)) {
    for (int gpus = 1; gpus <= c.ranks; ++gpus) expect_formula(c, 0, {.gpus_per_node = gpus}, 1000003);
  }
}

std::vector<Case> formula_cases() {
  std::vector<Case> found = cases::all_cases(1, 20);
  for (std::size_t row = 0; row < algorithms().size(); ++row) {
    for (const int ranks : {23, 24, 31, 32, 33, 47, 48, 56, 63, 64}) found.push_back({row, ranks});
  }
  return found;
}

INSTANTIATE_TEST_SUITE_P(All, EveryFormula, testing::ValuesIn(formula_cases()),
                         [](const auto& info) { return cases::label(info.param); });

// The formulas of the facts at sizes where no schedule is made.
TEST(Formula, GoesToAHundredThousandRanks) {
  const int n = 100000;
  const Bytes payload = Bytes{n} * 4000;
  const auto ask = [&](Collective collective, Algorithm algorithm) {
    return *traffic_by_formula({collective, algorithm, n, 7, {.gpus_per_node = 8}, payload});
  };
  const Traffic ring = ask(Collective::all_reduce, Algorithm::ring);
  EXPECT_EQ(ring.rounds, 2 * (n - 1));
  EXPECT_EQ(ring.critical_path_bytes, 2 * payload / n * (n - 1));
  EXPECT_EQ(ring.messages, 2 * std::int64_t{n} * (n - 1));
  EXPECT_EQ(ask(Collective::all_to_all, Algorithm::bruck).rounds, 17);
  EXPECT_EQ(ask(Collective::broadcast, Algorithm::scatter_allgather).rounds, 17 + n - 1);
  EXPECT_EQ(ask(Collective::all_reduce, Algorithm::recursive_doubling).rounds, 16 + 2);
  const auto levels =
      levels_by_formula({Collective::all_reduce, Algorithm::hierarchical, n, 0, {.gpus_per_node = 8}, payload});
  EXPECT_EQ(levels->intra.front(), 2 * payload / 8 * 7);
  EXPECT_EQ(levels->inter.front(), 2 * (payload / 8) / (n / 8) * (n / 8 - 1));
  for (const AlgorithmRow& row : algorithms()) {
    const Traffic traffic = ask(row.collective, row.id);
    EXPECT_EQ(std::accumulate(traffic.sent.begin(), traffic.sent.end(), Bytes{0}),
              std::accumulate(traffic.received.begin(), traffic.received.end(), Bytes{0}));
    EXPECT_GT(traffic.critical_path_bytes, 0);
  }
}

}  // namespace
}  // namespace commflow

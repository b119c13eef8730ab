#include "core/collective.h"

#include <gtest/gtest.h>

#include "core/collective_cases.h"

namespace commflow {
namespace {

using cases::Rows;

Rows outputs(Collective collective, Rank root, const std::vector<int>& widths, const Rows& inputs,
             Operator op = Operator::sum) {
  Rows rows;
  for (const Expected& expected :
       expected_output(collective, root, initial_buffers(collective, root, widths, inputs), op)) {
    rows.push_back(expected.values);
  }
  return rows;
}

TEST(Names, GoThereAndBack) {
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    EXPECT_EQ(collective_named(name_of(collective)), collective);
  }
  for (int i = 0; i < kOperators; ++i) {
    const auto op = static_cast<Operator>(i);
    EXPECT_EQ(operator_named(name_of(op)), op);
  }
  EXPECT_EQ(name_of(Collective::reduce_scatter), "reduce-scatter");
  EXPECT_EQ(collective_named("allreduce"), std::nullopt);
  EXPECT_EQ(operator_named("minus"), std::nullopt);
}

// The pictures of the NCCL user guide, three ranks.
TEST(ExpectedOutput, IsWhatTheGuideShows) {
  const std::vector<int> ones{1, 1, 1};
  const Rows own{{10}, {20}, {30}};
  const Rows full{{100, 101, 102}, {200, 201, 202}, {300, 301, 302}};
  EXPECT_EQ(outputs(Collective::all_reduce, 0, {1}, own), (Rows{{60}, {60}, {60}}));
  EXPECT_EQ(outputs(Collective::reduce, 1, {1}, own), (Rows{{}, {60}, {}}));
  EXPECT_EQ(outputs(Collective::broadcast, 2, {1}, {{}, {}, {30}}), (Rows{{30}, {30}, {30}}));
  EXPECT_EQ(outputs(Collective::all_gather, 0, ones, own), Rows(3, {10, 20, 30}));
  EXPECT_EQ(outputs(Collective::reduce_scatter, 0, ones, full), (Rows{{600}, {603}, {606}}));
  EXPECT_EQ(outputs(Collective::all_to_all, 0, ones, full), (Rows{{100, 200, 300}, {101, 201, 301}, {102, 202, 302}}));
  EXPECT_EQ(outputs(Collective::gather, 1, ones, own), (Rows{{}, {10, 20, 30}, {}}));
  EXPECT_EQ(outputs(Collective::scatter, 1, ones, {{}, {200, 201, 202}, {}}), (Rows{{200}, {201}, {202}}));
  EXPECT_EQ(outputs(Collective::send_recv, 2, {2}, {{}, {}, {7, 8}}), (Rows{{7, 8}, {}, {}}));
}

TEST(ExpectedOutput, KnowsTheOperators) {
  const Rows in{{1, 5, -2}, {4, 2, 3}, {7, 5, 2}};
  EXPECT_EQ(outputs(Collective::all_reduce, 0, {3}, in, Operator::sum), Rows(3, {12, 12, 3}));
  EXPECT_EQ(outputs(Collective::all_reduce, 0, {3}, in, Operator::prod), Rows(3, {28, 50, -12}));
  EXPECT_EQ(outputs(Collective::all_reduce, 0, {3}, in, Operator::min), Rows(3, {1, 2, -2}));
  EXPECT_EQ(outputs(Collective::all_reduce, 0, {3}, in, Operator::max), Rows(3, {7, 5, 3}));
  EXPECT_EQ(outputs(Collective::all_reduce, 0, {3}, in, Operator::avg), Rows(3, {12, 12, 3}));
}

TEST(Finish, DividesOnlyAnAverage) {
  EXPECT_EQ(finish(Operator::avg, 12, 3), (Fraction{4, 1}));
  EXPECT_EQ(finish(Operator::avg, -6, 4), (Fraction{-3, 2}));
  EXPECT_EQ(finish(Operator::avg, 0, 4), (Fraction{0, 1}));
  EXPECT_EQ(finish(Operator::sum, 12, 3), (Fraction{12, 1}));
}

// The oracle against the second definition, on random inputs of every size.
TEST(ExpectedOutput, AgreesWithTheDefinitionOnPlainVectors) {
  std::mt19937 random(1);
  for (int i = 0; i < kCollectives; ++i) {
    const auto collective = static_cast<Collective>(i);
    for (int ranks = 1; ranks <= kMaxExecutedRanks; ++ranks) {
      const Schedule shape{ranks, has_block_per_rank(collective) ? ranks : 3, {}};
      for (const Rank root : cases::roots_of(collective, ranks)) {
        const Buffers initial = cases::random_initial(collective, shape, root, random);
        const cases::Blocks in = cases::input_rows(initial);
        for (const Operator op : cases::kAllOperators) {
          const auto all = expected_output(collective, root, initial, op);
          for (Rank rank = 0; rank < ranks; ++rank) {
            cases::Row defined;
            std::vector<int> defined_blocks;
            for (int block = 0; block < shape.slots; ++block) {
              const auto part = cases::defined_result(collective, in, root, rank, block, op);
              if (!part) continue;
              defined.insert(defined.end(), part->begin(), part->end());
              defined_blocks.push_back(block);
            }
            const Expected& expected = all[index_of(rank)];
            ASSERT_EQ(output_blocks(collective, ranks, shape.slots, root, rank), defined_blocks);
            ASSERT_EQ(expected.values, defined) << name_of(collective) << " of " << ranks << " on " << rank;
            ASSERT_EQ(expected.from.size(), defined_blocks.size());
            for (std::size_t b = 0; b < defined_blocks.size(); ++b) {
              const auto origins = cases::defined_origins(collective, ranks, root, defined_blocks[b]);
              ASSERT_TRUE(cases::each_once(expected.from[b], origins));
            }
          }
        }
      }
    }
  }
}

TEST(BusbwFactor, IsThatOfNcclTests) {
  EXPECT_EQ(busbw_factor(Collective::all_reduce, 8), (Fraction{7, 4}));
  EXPECT_EQ(busbw_factor(Collective::all_reduce, 3), (Fraction{4, 3}));
  for (const Collective collective : {Collective::all_gather, Collective::reduce_scatter, Collective::all_to_all,
                                      Collective::gather, Collective::scatter}) {
    EXPECT_EQ(busbw_factor(collective, 16), (Fraction{15, 16})) << name_of(collective);
    EXPECT_EQ(busbw_factor(collective, 1), (Fraction{0, 1})) << name_of(collective);
  }
  EXPECT_EQ(busbw_factor(Collective::broadcast, 8), (Fraction{1, 1}));
  EXPECT_EQ(busbw_factor(Collective::reduce, 1), (Fraction{1, 1}));
  EXPECT_EQ(busbw_factor(Collective::send_recv, 2), (Fraction{1, 1}));
  EXPECT_EQ(busbw_factor(Collective::send_recv, 1), (Fraction{0, 1}));
}

}  // namespace
}  // namespace commflow

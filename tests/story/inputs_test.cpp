#include "story/inputs.h"

#include <gtest/gtest.h>

#include "core/algorithms.h"
#include "story/reduce.h"
#include "story/url.h"
#include "support/library.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::real_library;

State on_page(PageId page) {
  State state = initial_state(real_library());
  state.page = static_cast<int>(page);
  return state;
}

State typed(State state, InputId id, std::string_view text, Deriver& deriver) {
  ReadRows read = read_input(input(id), text, state);
  EXPECT_FALSE(read.misread) << sentence_of(*read.misread, text);
  return reduce(state, Fill{id, std::move(read.rows)}, deriver);
}

std::string refusal(InputId id, std::string_view text, const State& state) {
  const ReadRows read = read_input(input(id), text, state);
  return read.misread ? sentence_of(*read.misread, input(id).name) : "";
}

TEST(Inputs, NamesAreFoundAgainAndNoFieldHasThem) {
  for (const Input& each : inputs()) {
    EXPECT_EQ(&input(each.id), &each);
    EXPECT_EQ(input_named(each.name), &each);
    EXPECT_EQ(field_named(each.name), nullptr);
  }
  EXPECT_EQ(input_named("gpu"), nullptr);
}

TEST(Inputs, AnyStateIsSettledAndStaysSo) {
  Rng random(21);
  for (int round = 0; round < 20000; ++round) {
    const State state = support::random_state(random, real_library());
    EXPECT_EQ(normalise(state, real_library()), state);
    if (state.routing.empty()) continue;
    EXPECT_EQ(state.routing.size(), state.expert_nodes * state.expert_gpus * state.expert_tokens);
    EXPECT_EQ(state.expert_limit, 0);
  }
}

TEST(Inputs, TravelInLinks) {
  Rng random(22);
  int carried = 0;
  for (int round = 0; round < 3000; ++round) {
    State state = support::likely_state(random, real_library());
    const std::string link = encode(state, real_library());
    const Decoded decoded = decode(link, state, real_library());
    for (const Input& each : inputs()) {
      const Rows& rows = state.*each.member;
      const bool fits = text_of(rows, ",", ";").size() <= kLongestInLink;
      EXPECT_EQ(decoded.state.*each.member, fits ? rows : Rows{}) << link;
      carried += fits && !rows.empty() ? 1 : 0;
    }
  }
  EXPECT_GT(carried, 300);
}

TEST(Inputs, LinksAreReadWhateverStandsInThem) {
  const State base = on_page(PageId::experts);
  const auto routing_of = [&](std::string_view text) { return decode(text, base, real_library()); };
  const std::string shape = "#page=experts&expert_nodes=1&expert_gpus=2&experts=4";
  const Decoded good = routing_of(shape + "&routing=0,3;1,2");
  EXPECT_TRUE(good.notes.empty());
  EXPECT_EQ(good.state.routing.numbers, (std::vector<int>{0, 3, 1, 2}));
  EXPECT_EQ(good.state.expert_topk, 2);
  EXPECT_EQ(good.state.expert_tokens, 1);
  EXPECT_EQ(routing_of("#routing=0,3;1,2&page=experts&expert_nodes=1&expert_gpus=2&experts=4").state, good.state);
  EXPECT_EQ(routing_of(shape + "&routing=0%2C3%3b1%2c2").state, good.state);
  for (const auto& [text, note] :
       {std::pair{"0,9;1,2", "routing: line 1, column 2: found \"9\", expected a whole number from 0 to 3"},
        std::pair{"0,3;1,2;0,1", "routing: found 3 rows, expected a multiple of 2"},
        std::pair{"", "routing: no row; expected numbers between commas, one row per line"}}) {
    const Decoded bad = routing_of(shape + "&routing=" + text);
    EXPECT_TRUE(bad.state.routing.empty());
    EXPECT_EQ(bad.notes, std::vector<std::string>{note});
  }
}

TEST(Inputs, ARoutingTableSaysHowManyTokensAndChoicesThereAre) {
  Deriver deriver(real_library());
  State state = on_page(PageId::experts);
  state.expert_limit = 1;
  state = typed(state, InputId::routing, "0;1;2;3;4;5;6;7", deriver);
  EXPECT_EQ(state.expert_topk, 1);
  EXPECT_EQ(state.expert_tokens, 2);
  EXPECT_EQ(state.expert_limit, 0);
  const auto& routing = deriver.derive(state).experts.run.routing;
  EXPECT_EQ(routing.experts, state.routing.numbers);
  // Where it no longer fits, the seed decides again.
  EXPECT_TRUE(reduce(state, Set{FieldId::expert_topk, 2}, deriver).routing.empty());
  EXPECT_TRUE(reduce(state, Set{FieldId::expert_nodes, 1}, deriver).routing.empty());
  EXPECT_FALSE(reduce(state, Set{FieldId::experts, 16}, deriver).routing.empty());
  EXPECT_TRUE(reduce(state, Set{FieldId::preset, 1}, deriver).routing.empty());
  const auto clear = event_of("clear.routing", false, 0, state, real_library());
  ASSERT_TRUE(clear);
  EXPECT_TRUE(reduce(state, *clear, deriver).routing.empty());
  EXPECT_FALSE(event_of("clear.gpu", false, 0, state, real_library()));
}

TEST(Inputs, RoutingTablesThatCannotBeAreRefused) {
  const State state = on_page(PageId::experts);  // 4 GPUs, 8 experts
  EXPECT_EQ(refusal(InputId::routing, "0,1;2,3;4,5", state), "routing: found 3 rows, expected a multiple of 4");
  EXPECT_EQ(refusal(InputId::routing, "0;1;2;8", state),
            "routing: line 1, column 1: found \"8\", expected a whole number from 0 to 7");
  EXPECT_EQ(refusal(InputId::values, "100", state),
            "values: line 1, column 1: found \"100\", expected a whole number from -99 to 99");
  std::string many;
  for (int i = 0; i < 4 * kMostExpertTokens + 1; ++i) many += "0\n";
  EXPECT_EQ(refusal(InputId::routing, many, state), "routing: line 129: expected at most 128 rows");
}

// A press on any square leads to a table in which the token goes there, and nothing else has changed.
TEST(Inputs, APressOnASquareMovesOneToken) {
  Deriver deriver(real_library());
  Rng random(23);
  State state = on_page(PageId::experts);
  for (int round = 0; round < 300; ++round) {
    const auto before = deriver.derive(state).experts.run.routing;
    const int token = random.below(before.all_tokens()), expert = random.below(state.experts);
    const auto event =
        event_of("route." + std::to_string(token) + "." + std::to_string(expert), false, 0, state, real_library());
    ASSERT_TRUE(event);
    state = reduce(state, *event, deriver);
    const auto& after = deriver.derive(state).experts.run.routing;
    ASSERT_EQ(after.experts.size(), before.experts.size());
    for (int other = 0; other < before.all_tokens(); ++other) {
      std::vector<int> was(&before.experts[before.at(other, 0)], &before.experts[before.at(other, 0)] + before.topk);
      const std::vector<int> is(&after.experts[after.at(other, 0)], &after.experts[after.at(other, 0)] + after.topk);
      if (other != token) {
        EXPECT_EQ(is, was);
        continue;
      }
      EXPECT_EQ(is.back(), expert);
      if (std::find(was.begin(), was.end(), expert) == was.end()) {
        was.back() = expert;
        EXPECT_EQ(is, was);
      } else {
        EXPECT_TRUE(std::is_permutation(is.begin(), is.end(), was.begin(), was.end()));
      }
    }
  }
}

TEST(Inputs, SquaresThatAreNotThereChangeNothing) {
  Deriver deriver(real_library());
  const State state = on_page(PageId::experts);
  for (const auto& route : {Route{-1, 0}, Route{0, -1}, Route{16, 0}, Route{0, 8}, Route{1 << 30, 1 << 30}})
    EXPECT_EQ(reduce(state, route, deriver), state);
  EXPECT_EQ(reduce(on_page(PageId::walk), Route{0, 0}, deriver), on_page(PageId::walk));
  for (const char* id :
       {"route", "route.", "route.1", "route.1.", "route..1", "route.x.1", "route.1.1.1", "route.1 .1"})
    EXPECT_FALSE(event_of(id, false, 0, state, real_library())) << id;
}

// The result is what plain arithmetic on the typed numbers gives, by any algorithm.
TEST(Inputs, TypedValuesAreWhatIsReduced) {
  Deriver deriver(real_library());
  State state = on_page(PageId::collectives);
  state = typed(state, InputId::values, "3 1 4\n-1 5", deriver);
  for (const Operator op : {Operator::sum, Operator::min, Operator::max, Operator::prod})
    for (const Algorithm algorithm : {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::halving_doubling}) {
      state.op = static_cast<int>(op);
      state.algorithm = static_cast<int>(algorithm);
      const CollectiveRun& run = deriver.derive(normalise(state, real_library())).collective;
      ASSERT_TRUE(run.first.works());
      const Buffers& last = run.first.example.history.back();
      for (int block = 0; block < run.first.example.schedule.slots; ++block) {
        const int a[] = {3, 1, 4}, b[] = {-1, 5};  // GPUs 0 and 2 have the first row, 1 and 3 the second
        const Value x = a[block % 3], y = b[block % 2];
        const Value wanted = op == Operator::sum    ? 2 * (x + y)
                             : op == Operator::prod ? x * y * x * y
                             : op == Operator::min  ? std::min(x, y)
                                                    : std::max(x, y);
        for (Rank rank = 0; rank < run.ranks; ++rank)
          EXPECT_EQ(last.values({rank, Area::out, block}).front(), wanted) << name_of(algorithm) << " block " << block;
      }
    }
}

// Sixteen factors of the largest size stay exact.
TEST(Inputs, AProductOfTypedValuesFits) {
  Deriver deriver(real_library());
  State state = on_page(PageId::collectives);
  state.ranks = 16;
  state.op = static_cast<int>(Operator::prod);
  state = typed(state, InputId::values, "-99", deriver);
  Value wanted = 1;
  for (int i = 0; i < state.ranks; ++i) wanted *= -kMostFactor;
  const Example& example = deriver.derive(state).collective.first.example;
  EXPECT_EQ(example.history.back().values({5, Area::out, 0}).front(), wanted);
}

}  // namespace
}  // namespace commflow

// Text controls of the pages, and what they say about what cannot be taken.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <sstream>

#include "core/rng.h"
#include "story/exports.h"
#include "story/pages/pages.h"
#include "story/reduce.h"
#include "support/pages.h"

namespace commflow {
namespace {

using support::block;
using support::deriver;
using support::find;
using support::real_library;

State with_panel(PageId page, int lang) {
  State state = initial_state(real_library());
  state.page = static_cast<int>(page);
  state.lang = lang;
  state.panel = static_cast<int>(Panel::typed);
  return state;
}

Refused refused(InputId id, std::string text, const State& state) {
  const ReadRows read = read_input(input(id), text, state);
  EXPECT_TRUE(read.misread) << text;
  return {id, std::move(text), read.misread.value_or(Misread{})};
}

// Every kind of mistake, with the numbers that the sentence must name.
TEST(Typed, MistakesAreExplainedInBothLanguages) {
  std::string many = "0";
  for (int i = 0; i < 128; ++i) many += ";0";
  const std::vector<std::pair<std::string, std::vector<std::string>>> mistakes{{"", {}},
                                                                               {"0,1;2,x", {"x", "0", "7", "1", "2"}},
                                                                               {"0,8", {"8", "0", "7"}},
                                                                               {"3,3", {"3"}},
                                                                               {"0,1\n2", {"1", "2"}},
                                                                               {"0,1,2,3,4,5,6,7,0", {"8"}},
                                                                               {many, {"128"}},
                                                                               {"0;1;2", {"3", "4"}}};
  for (int lang = 0; lang < kLangs; ++lang) {
    const State state = with_panel(PageId::experts, lang);
    std::set<std::string> said;
    for (const auto& [text, numbers] : mistakes) {
      const Refused wrong = refused(InputId::routing, text, state);
      const Page page = make_page(state, deriver(), &wrong);
      const std::string& note = block(page, "routing_wrong").text;
      EXPECT_TRUE(said.insert(note).second) << note;
      EXPECT_EQ(note.find('{'), std::string::npos) << note;
      for (const std::string& each : numbers)
        EXPECT_NE(note.find(each), std::string::npos) << note << " lacks " << each;
      const Control& field = block(page, "routing_typed").controls.front();
      EXPECT_EQ(field.text, text) << "what was typed stays";
      EXPECT_EQ(field.why, note);
    }
  }
}

TEST(Typed, OnePagesMistakeIsNotToldOnAnother) {
  const State state = with_panel(PageId::collectives, 0);
  const Refused wrong = refused(InputId::routing, "x", state);
  const Page page = make_page(state, deriver(), &wrong);
  EXPECT_EQ(find(page, "values_wrong"), nullptr);
  EXPECT_EQ(block(page, "values_typed").controls.front().why, "");
}

TEST(Typed, ALongTableSaysThatLinksLeaveItOut) {
  State state = with_panel(PageId::experts, 0);
  state.expert_tokens = kMostExpertTokens;
  EXPECT_EQ(find(make_page(state, deriver()), "routing_long"), nullptr);
  state.experts = 16;
  for (int i = 0; i < 128; ++i) state.routing.add(std::array{8, 9, 10, 11, 12, 13, 14, 15});
  state.expert_topk = 8;
  ASSERT_EQ(normalise(state, real_library()), state);
  const Page page = make_page(state, deriver());
  EXPECT_NE(block(page, "routing_long").text.find("1024"), std::string::npos);
}

// The page's files say what the meters say.
TEST(Exports, CountsAddUpToTheTraffic) {
  Rng random(31);
  for (int round = 0; round < 60; ++round) {
    State state = with_panel(PageId::collectives, 0);
    state.collective = random.below(kCollectives);
    state.algorithm = random.below(kAlgorithms);
    state.ranks = random.between(2, 16);
    state.size_bits = random.below(30);
    state.uneven = random.below(2);
    state = normalise(state, real_library());
    const CollectiveRun& run = deriver().derive(state).collective;
    const auto file = make_file(Action::download_counts, state, deriver());
    ASSERT_EQ(file.has_value(), run.first.works());
    if (!file) continue;
    std::vector<Bytes> sent(run.first.traffic.sent.size()), received(sent.size());
    std::istringstream lines(file->text);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "algorithm,round,rank,sent_bytes,received_bytes");
    while (std::getline(lines, line)) {
      std::string name;
      long long number = 0, rank = 0, out = 0, in = 0;
      char comma = 0;
      std::istringstream cells(line);
      std::getline(cells, name, ',');
      cells >> number >> comma >> rank >> comma >> out >> comma >> in;
      EXPECT_EQ(name, name_of(run.first.algorithm));
      sent[static_cast<std::size_t>(rank)] += out;
      received[static_cast<std::size_t>(rank)] += in;
    }
    EXPECT_EQ(sent, run.first.traffic.sent) << name_of(run.first.algorithm) << " " << run.ranks;
    EXPECT_EQ(received, run.first.traffic.received);
  }
}

TEST(Exports, OtherActionsAndPagesHandOutNothing) {
  const State state = with_panel(PageId::collectives, 0);
  EXPECT_FALSE(make_file(Action::play, state, deriver()));
  EXPECT_FALSE(make_file(Action::download_counts, initial_state(real_library()), deriver()));
}

}  // namespace
}  // namespace commflow

// Stills hold what the figures hold, at every step, in every language; and pages without scripts hold what the pages
// say.
#include "story/stills.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "story/html.h"
#include "story/pages/pages.h"
#include "story/reduce.h"
#include "support/library.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::real_library;

// The start of every page and step, in both languages.
std::vector<State> starts() {
  std::vector<State> states;
  const Library& library = real_library();
  for (int lang = 0; lang < kLangs; ++lang)
    for (int page = 0; page <= max_of(field(FieldId::page), library); ++page)
      for (int step = 0; step <= (page == 0 ? max_of(field(FieldId::step), library) : 0); ++step) {
        State state = initial_state(library);
        state.lang = lang;
        state.page = page;
        state.step = step;
        states.push_back(state);
      }
  return states;
}

// What is wrong with the nesting of the elements, "" if nothing.
std::string nesting_problem(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return "a < without a >";
    const std::string tag = xml.substr(at + 1, end - at - 1);
    const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
    if (tag.front() == '/') {
      if (open.empty() || "/" + open.back() != tag) return "</...> of nothing: " + tag;
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

TEST(Stills, AreWellFormedAndHaveEveryWordAndTheSizeOfTheFigure) {
  Deriver deriver(real_library());
  for (const State& start : starts()) {
    const State state = at_telling_moment(start, deriver);
    const Page page = make_page(state, deriver);
    for (const float width : {320.0f, 820.0f})
      for (const Still& still : stills_of(page, state, deriver, width, Theme::light)) {
        const Figure figure = make_figure(still.block_id, {width}, state, deriver, true);
        EXPECT_EQ(nesting_problem(still.svg), "") << still.block_id;
        EXPECT_EQ(still.width, figure.width);
        EXPECT_EQ(still.height, figure.height);
        EXPECT_GT(still.height, 0) << still.block_id << " of page " << state.page;
        for (const Shape& shape : figure.shapes)
          if (!shape.text.empty()) {
            ASSERT_NE(still.svg.find(">" + escaped(shape.text) + "</text>"), std::string::npos) << shape.text;
          }
      }
  }
}

TEST(Stills, EachFigureOfAPageMayHaveAWidthOfItsOwn) {
  Deriver deriver(real_library());
  State state = initial_state(real_library());
  state.page = 1;
  const Page page = make_page(state, deriver);
  float next = 300;
  const auto stills = stills_of(
      page, state, deriver, [&](const Block&) { return next += 10; }, Theme::dark);
  ASSERT_GT(stills.size(), 1U);
  for (std::size_t i = 0; i < stills.size(); ++i) EXPECT_EQ(stills[i].width, 310 + 10 * static_cast<float>(i));
}

// Something with an arrow, wherever the step sends anything; and the same however often it is asked for.
TEST(Stills, TheTellingMomentOfAStepShowsWhatIsSent) {
  Deriver deriver(real_library());
  for (const State& start : starts()) {
    if (start.page != 0) continue;
    const State state = at_telling_moment(start, deriver);
    EXPECT_EQ(state, at_telling_moment(state, deriver));
    EXPECT_EQ(state, reduce(state, Set{FieldId::at, state.at}, deriver)) << "it lies inside the step";
    bool sends = false;
    for (const Beat& beat : deriver.derive(state).timeline(state).beats) sends = sends || beat.round >= 0;
    const Figure figure = make_figure("scene", {820}, state, deriver, true);
    int arrows = 0;
    for (const Shape& shape : figure.shapes) arrows += shape.head ? 1 : 0;
    if (sends) {
      EXPECT_GT(arrows, 0) << "step " << state.step;
    }
  }
}

TEST(Stills, ThemesDifferInColoursOnly) {
  Deriver deriver(real_library());
  const State state = initial_state(real_library());
  const Page page = make_page(state, deriver);
  const auto without_colours = [](const std::string& svg) {
    std::string rest;
    for (std::size_t at = 0; at < svg.size(); ++at) {
      rest += svg[at];
      if (svg[at] == '"' && at + 1 < svg.size() && svg[at + 1] == '#') at += 7;
    }
    return rest;
  };
  const std::string light = stills_of(page, state, deriver, 820, Theme::light).front().svg;
  const std::string dark = stills_of(page, state, deriver, 820, Theme::dark).front().svg;
  EXPECT_NE(light, dark);
  EXPECT_EQ(without_colours(light), without_colours(dark));
}

TEST(Handout, ASectionSaysWhatThePageSaysWithoutControls) {
  Deriver deriver(real_library());
  for (const State& state : starts()) {
    const Page page = make_page(state, deriver);
    const std::string html = section_of(page, "x", [](const Block& block) { return "[" + block.id + "]"; });
    EXPECT_EQ(nesting_problem(html), "");
    for (const Block& block : page.blocks) {
      if (block.region == Region::bar || block.region == Region::chips || block.region == Region::foot) continue;
      if (block.kind == BlockKind::figure) {
        EXPECT_NE(html.find("[" + block.id + "]"), std::string::npos);
      }
      EXPECT_NE(html.find(escaped(block.text)), std::string::npos) << block.text;
      for (const std::string& item : block.items) EXPECT_NE(html.find("<li>" + escaped(item)), std::string::npos);
      for (const Row& row : block.rows)
        for (const std::string& cell : row.cells) EXPECT_NE(html.find(">" + escaped(cell) + "</t"), std::string::npos);
    }
    EXPECT_EQ(html.find("<button"), std::string::npos);
  }
}

TEST(Handout, MarkupInTextsIsNoMarkup) {
  EXPECT_EQ(escaped("a < b & \"c\" > d"), "a &lt; b &amp; &quot;c&quot; &gt; d");
}

}  // namespace
}  // namespace commflow

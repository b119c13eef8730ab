// All pages of the walk, with the real texts, models and figures.
#include <gtest/gtest.h>

#include "story/pages/pages.h"
#include "story/reduce.h"
#include "support/pages.h"
#include "ui/page_checks.h"

namespace commflow::ui {
namespace {

using support::deriver;

State state_at(int step, Lang lang, int share) {
  State state = initial_state(support::real_library());
  state.step = step;
  state.lang = static_cast<int>(lang);
  state = reduce(state, Open{state}, deriver());
  state.at = deriver().derive(state).timeline(state).length() * share / 4;
  return state;
}

FigureSource figures(const State& state) {
  return [state](std::string_view id, FigureSpace space) { return make_figure(id, space, state, deriver(), false); };
}

std::string name(const State& state) {
  return "step " + std::to_string(state.step + 1) + (state.lang == 0 ? " en" : " zh") + " at " +
         std::to_string(state.at) + " panel " + std::to_string(state.panel);
}

void check_places_everywhere(const State& state) {
  const Page page = make_page(state, deriver());
  for (const Screen& screen : kScreens) check_places(page, figures(state), screen, name(state));
}

class Walk : public testing::TestWithParam<int> {};

TEST_P(Walk, EverythingHasItsPlace) {
  for (const Lang lang : {Lang::en, Lang::zh}) {
    for (const int share : {0, 2, 4}) check_places_everywhere(state_at(GetParam(), lang, share));
  }
}

INSTANTIATE_TEST_SUITE_P(Steps, Walk, testing::Range(0, 12));

TEST(WalkPanels, EveryPanelHasItsPlaceAndAnswers) {
  for (const Lang lang : {Lang::en, Lang::zh}) {
    State state = state_at(5, lang, 2);
    for (int panel = 0; panel <= static_cast<int>(Panel::about); ++panel) {
      state.panel = panel;
      check_page(make_page(state, deriver()), figures(state), name(state));
    }
    state.gpu = 1;
    check_page(make_page(state, deriver()), figures(state), name(state) + " gpu 1");
  }
}

// The other pages: everything has its place at every width, and every control answers.
class OtherPages : public testing::TestWithParam<int> {};

TEST_P(OtherPages, EverythingHasItsPlaceAndAnswers) {
  for (const Lang lang : {Lang::en, Lang::zh})
    for (const int panel : {static_cast<int>(Panel::none), static_cast<int>(Panel::settings)}) {
      State state = initial_state(support::real_library());
      state.page = GetParam();
      state.lang = static_cast<int>(lang);
      state.panel = panel;
      state = reduce(state, Open{state}, deriver());
      state.at = deriver().derive(state).timeline(state).length() / 2;
      check_page(make_page(state, deriver()), figures(state), "page " + std::to_string(GetParam()));
      check_places_everywhere(state);
    }
}

INSTANTIATE_TEST_SUITE_P(Pages, OtherPages, testing::Range(1, field(FieldId::page).max + 1));

TEST(WalkPanels, EmbeddedAndWithoutALayout) {
  State state = state_at(6, Lang::en, 2);
  state.embed = 1;
  check_page(make_page(state, deriver()), figures(state), "embedded");
  state = state_at(6, Lang::zh, 2);
  state.ep = 8;  // does not fit into TP x DP of the default layout
  check_page(make_page(state, deriver()), figures(state), "no layout");
}

}  // namespace
}  // namespace commflow::ui

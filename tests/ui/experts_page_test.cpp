// The experts page at all sizes, with the real texts and figures.
#include <gtest/gtest.h>
#include <imgui.h>

#include <algorithm>

#include "story/pages/pages.h"
#include "story/reduce.h"
#include "support/pages.h"
#include "ui/harness.h"
#include "ui/page_checks.h"

namespace commflow::ui {
namespace {

using support::deriver;

State experts_state(int lang) {
  State state = initial_state(support::real_library());
  state.page = static_cast<int>(PageId::experts);
  state.lang = lang;
  return state;
}

FigureSource figures(const State& state) {
  return [state](std::string_view id, FigureSpace space) { return make_figure(id, space, state, deriver(), false); };
}

void check(const State& state, const std::string& where) {
  check_page(make_page(state, deriver()), figures(state), where);
}

TEST(ExpertsPage, EverythingHasItsPlaceAndAnswers) {
  for (int lang = 0; lang < kLangs; ++lang) {
    State state = experts_state(lang);
    const int end = deriver().derive(state).timeline(state).length();
    for (const int share : {0, 2, 4}) {
      state.at = end * share / 4;
      check(state, "experts " + std::to_string(share));
    }
    state.expert_token = 3;
    state.panel = static_cast<int>(Panel::log);
    check(state, "experts with log and token");
    state.panel = static_cast<int>(Panel::settings);
    check(state, "experts with settings");
    state.panel = static_cast<int>(Panel::typed);
    check(state, "experts with a routing table");
  }
}

// In somebody's article a page is what plays: a title, one or two pictures, the player, a sentence, a way out.
TEST(EmbeddedPages, AreCompactAndHaveTheirPlace) {
  for (int lang = 0; lang < kLangs; ++lang)
    for (int page_id = 0; page_id < kPages; ++page_id)
      for (const int example : {0, 9, 14}) {
        State state = initial_state(support::real_library());
        state.lang = lang;
        state.page = page_id;
        state.example = example;
        state.embed = 1;
        state.at = 5000;
        state = normalise(state, support::real_library());
        const Page page = make_page(state, deriver());
        check_page(page, figures(state),
                   "embedded " + value_text(field(FieldId::page), page_id, support::real_library()));
        Harness harness;
        const float height = harness.frame(page, figures(state), {.width = 700, .height = 900}).page_height;
        EXPECT_GT(height, 200) << page_id << " " << example;
        EXPECT_LT(height, 1400) << page_id << " " << example;
      }
}

// However much is drawn, every corner is reached by its number.
TEST(CrowdedPage, NumbersOfCornersDoNotWrapRound) {
  State state = initial_state(support::real_library());
  state.page = static_cast<int>(PageId::collectives);
  state.ranks = 16;
  state.at = 1 << 20;
  state = reduce(state, Set{FieldId::compare, state.algorithm}, deriver());
  state.at = deriver().derive(state).timeline(state).length();
  Harness harness;
  harness.frame(make_page(state, deriver()), figures(state), {.width = 1280, .height = 1600});
  for (const ImDrawList* list : ImGui::GetDrawData()->CmdLists) {
    if (list->VtxBuffer.empty()) continue;
    const ImDrawIdx highest = *std::max_element(list->IdxBuffer.begin(), list->IdxBuffer.end());
    EXPECT_EQ(static_cast<int>(highest) + 1, list->VtxBuffer.Size);
  }
  EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 1 << 16) << "draws too little to say anything";
}

TEST(ExpertsPage, CrowdedAndUnfitLayersHaveTheirPlace) {
  for (int lang = 0; lang < kLangs; ++lang) {
    State state = experts_state(lang);
    state.expert_nodes = 4;
    state.expert_gpus = 4;
    state.experts = 64;
    state.expert_topk = 8;
    state.expert_tokens = 3;
    state.at = deriver().derive(state).timeline(state).length() / 2;
    check(state, "sixteen GPUs");
    state.expert_merge = 2;
    state.at = 0;
    check(state, "what cannot be");
    state = experts_state(lang);
    state.embed = 1;
    check(state, "embedded");
    state = experts_state(lang);
    state = reduce(state, Set{FieldId::preset, 3}, deriver());
    check(state, "a real setting");
  }
}

}  // namespace
}  // namespace commflow::ui

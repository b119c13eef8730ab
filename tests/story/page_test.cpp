// What must hold of every page, whatever the reader chose: it says something, in full, and its controls do what they
// say. States are random but the same on every machine.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "story/pages/pages.h"
#include "story/reduce.h"
#include "story/url.h"
#include "support/pages.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::block;
using support::deriver;
using support::real_library;

std::string link(const State& state) {
  return encode(state, real_library());
}

State opened(const State& state) {
  return reduce(state, Open{state}, deriver());
}

// Every text that a reader can meet on the page, with the place it stands in.
std::vector<std::pair<std::string, std::string>> texts_of(const Page& page) {
  std::vector<std::pair<std::string, std::string>> texts{{"title", page.title}, {"live", page.live}};
  for (const Block& block : page.blocks) {
    const bool has_text =
        block.kind == BlockKind::heading || block.kind == BlockKind::paragraph || block.kind == BlockKind::note;
    if (has_text || !block.text.empty()) texts.push_back({block.id, block.text});
    if (block.kind == BlockKind::figure) texts.push_back({block.id + " alt", block.alt});
    for (const std::string& item : block.items) texts.push_back({block.id, item});
    for (const std::string& column : block.columns) texts.push_back({block.id, column});
    for (const Row& row : block.rows)
      for (const std::string& cell : row.cells) texts.push_back({block.id, cell});
    for (const Control& control : block.controls) {
      texts.push_back({control.id, control.label});
      for (const std::string& choice : control.choices) texts.push_back({control.id, choice});
      if (!control.text.empty()) texts.push_back({control.id, control.text});
      if (!control.why.empty()) texts.push_back({control.id, control.why});
    }
  }
  return texts;
}

void expect_full_texts(const Page& page, const State& state) {
  for (const auto& [place, text] : texts_of(page)) {
    EXPECT_FALSE(text.empty()) << place << " " << link(state);
    EXPECT_EQ(text.find_first_of("{}"), std::string::npos) << place << ": " << text << " " << link(state);
    EXPECT_FALSE(text_named(text)) << place << " shows the key " << text << " " << link(state);
  }
}

void expect_unique_ids(const Page& page, const State& state) {
  std::set<std::string> blocks, controls;
  for (const Block& block : page.blocks) {
    EXPECT_FALSE(block.id.empty());
    EXPECT_TRUE(blocks.insert(block.id).second) << block.id << " " << link(state);
    for (const Control& control : block.controls)
      EXPECT_TRUE(controls.insert(control.id).second) << control.id << " " << link(state);
  }
}

void expect_whole_tables(const Page& page, const State& state) {
  for (const Block& block : page.blocks) {
    if (block.kind != BlockKind::table) continue;
    EXPECT_FALSE(block.columns.empty()) << block.id;
    for (const Row& row : block.rows)
      EXPECT_EQ(row.cells.size(), block.columns.size()) << block.id << " " << link(state);
  }
}

// A control stands for a field or an action, and shows where the state is.
void expect_true_control(const Control& control, const State& state) {
  SCOPED_TRACE(control.id + " " + link(state));
  const Field* f = field_named(control.id);
  switch (control.kind) {
    case ControlKind::button: EXPECT_TRUE(event_of(control.id, false, 0, state, real_library())); break;
    case ControlKind::toggle:
      ASSERT_TRUE(f);
      EXPECT_EQ(control.value, state.*f->member);
      break;
    case ControlKind::slider:
      ASSERT_TRUE(f);
      EXPECT_EQ(control.value, state.*f->member);
      EXPECT_GE(control.value, control.min);
      EXPECT_LE(control.value, control.max);
      EXPECT_GT(control.step, 0);
      break;
    case ControlKind::choice:
      ASSERT_TRUE(f);
      ASSERT_EQ(control.choices.size(), control.values.size());
      ASSERT_GE(control.value, 0);
      ASSERT_LT(control.value, static_cast<int>(control.values.size()));
      EXPECT_EQ(control.values[static_cast<std::size_t>(control.value)], state.*f->member);
      for (const int value : control.values) {
        EXPECT_GE(value, f->min);
        EXPECT_LE(value, max_of(*f, real_library()));
      }
      break;
    case ControlKind::link: EXPECT_FALSE(control.href.empty()); break;
    case ControlKind::text: {
      // What it shows can be typed as well.
      const Input* typed = input_named(control.id);
      ASSERT_TRUE(typed);
      const ReadRows read = read_input(*typed, control.text, state);
      ASSERT_FALSE(read.misread) << sentence_of(*read.misread, control.text);
      const Rows& rows = state.*typed->member;
      EXPECT_TRUE(rows.empty() || rows == read.rows) << control.text;
      break;
    }
  }
}

template <class Check>
void for_controls(const Page& page, Check check) {
  for (const Block& block : page.blocks)
    for (const Control& control : block.controls) check(control);
}

void expect_sound_page(const State& state) {
  const Page page = make_page(state, deriver());
  EXPECT_EQ(page.lang, state.lang == 0 ? "en" : "zh");
  EXPECT_EQ(page.playing, state.playing != 0);
  EXPECT_FALSE(page.blocks.empty());
  expect_full_texts(page, state);
  expect_unique_ids(page, state);
  expect_whole_tables(page, state);
  for_controls(page, [&](const Control& control) { expect_true_control(control, state); });
}

TEST(Page, IsSoundInEveryStepAndPanelOfTheFirstState) {
  for (int step = 0; step < 12; ++step) {
    for (int lang = 0; lang < kLangs; ++lang) {
      State state = initial_state(real_library());
      state.step = step;
      state.lang = lang;
      for (int panel = 0; panel <= field(FieldId::panel).max; ++panel) {
        state.panel = panel;
        state.gpu = panel * 2 - 1;
        expect_sound_page(opened(state));
      }
    }
  }
}

TEST(Page, IsSoundInEveryRoundOfTheFirstState) {
  for (int step = 0; step < 12; ++step) {
    State state = initial_state(real_library());
    state.step = step;
    const int end = deriver().derive(state).timeline(state).length();
    for (state.at = 0; state.at <= end; state.at += kBeat / 2) {
      expect_sound_page(state);
      state.lang = 1 - state.lang;
    }
  }
}

TEST(Page, IsSoundForEveryModelAndGpuType) {
  const Library& library = real_library();
  for (int model = 0; model <= max_of(field(FieldId::model), library); ++model) {
    for (int step = 0; step < 12; ++step) {
      State state = initial_state(library);
      state.model = model;
      state.hardware = step % (max_of(field(FieldId::hardware), library) + 1);
      state.step = step;
      state.panel = static_cast<int>(Panel::formula);
      state.lang = step % 2;
      if (library.models[static_cast<std::size_t>(model)].experts == 0) state.ep = 1;
      expect_sound_page(opened(state));
    }
  }
}

class RandomPages : public testing::TestWithParam<int> {};

TEST_P(RandomPages, AreSound) {
  Rng random(static_cast<std::uint64_t>(100 + GetParam()));
  for (int i = 0; i < 40; ++i) {
    State state = opened(support::likely_state(random, real_library()));
    for (int lang = 0; lang < kLangs; ++lang) {
      state.lang = lang;
      expect_sound_page(state);
    }
    if (HasFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomPages, testing::Range(0, 8));

// Anything at all that normalise() lets through, most of it layouts that cannot be.
TEST(Page, IsSoundWhereTheLayoutIsNot) {
  Rng random(200);
  int problems = 0;
  for (int i = 0; i < 300; ++i) {
    const State state = opened(support::random_state(random, real_library()));
    problems += deriver().derive(state).problem ? 1 : 0;
    expect_sound_page(state);
    if (HasFailure()) return;
  }
  EXPECT_GT(problems, 100);
}

// ---- controls ----

// The fields of two states that differ.
std::set<FieldId> differences(const State& a, const State& b) {
  std::set<FieldId> changed;
  for (const Field& f : fields())
    if (a.*f.member != b.*f.member) changed.insert(f.id);
  return changed;
}

// What a field may take with it: normalise() keeps tokens whole per GPU of a TP group, no more network cards than GPUs,
// and lets go of a GPU that is no more; a position is kept inside the step.
std::set<FieldId> may_follow(FieldId id) {
  switch (id) {
    case FieldId::step: return {FieldId::at, FieldId::playing};
    case FieldId::at: return {FieldId::playing};
    case FieldId::gpus_per_node: return {FieldId::nics_per_node, FieldId::at};
    case FieldId::tp: return {FieldId::tokens, FieldId::gpu, FieldId::at, FieldId::playing};
    case FieldId::pp:
    case FieldId::dp: return {FieldId::gpu, FieldId::at, FieldId::playing};
    default: return {FieldId::at, FieldId::playing};  // another layout or model has other rounds
  }
}

void expect_changes_its_field(const Control& control, int value, const State& state) {
  const Field& f = *field_named(control.id);
  const auto event = event_of(control.id, true, value, state, real_library());
  ASSERT_TRUE(event) << control.id;
  const State after = reduce(state, *event, deriver());
  const bool is_odd = f.id == FieldId::tokens || f.id == FieldId::nics_per_node || f.id == FieldId::gpus_per_node;
  EXPECT_TRUE(is_odd || after.*f.member == value) << control.id << " = " << value << " " << link(state);
  std::set<FieldId> changed = differences(state, after);
  changed.erase(f.id);
  for (const FieldId follower : may_follow(f.id)) changed.erase(follower);
  EXPECT_TRUE(changed.empty()) << control.id << " = " << value << " changed " << field(*changed.begin()).name
                               << " too, " << link(state);
}

void try_every_control(const State& state) {
  const Page page = make_page(state, deriver());
  for_controls(page, [&](const Control& control) {
    if (control.kind == ControlKind::choice)
      for (const int value : control.values) expect_changes_its_field(control, value, state);
    if (control.kind == ControlKind::slider)
      for (const int value : {control.min, (control.min + control.max) / 2, control.max})
        expect_changes_its_field(control, value, state);
    if (control.kind == ControlKind::toggle)
      for (const int value : {0, 1}) expect_changes_its_field(control, value, state);
  });
}

TEST(Controls, ChangeTheirFieldAndNothingElse) {
  State state = initial_state(real_library());
  state.step = 5;
  state.panel = static_cast<int>(Panel::settings);
  try_every_control(state);
  state.lang = 1;
  state.gpu = 7;
  state.tp = 4;
  state.at = kBeat;
  try_every_control(opened(state));
}

TEST(Controls, OfferTheWholeSetting) {
  State state = initial_state(real_library());
  state.panel = static_cast<int>(Panel::settings);
  std::set<std::string> offered;
  for_controls(make_page(state, deriver()), [&](const Control& control) { offered.insert(control.id); });
  for (const char* name :
       {"lang", "theme", "motion", "model", "hardware", "tokens", "micro_batches", "dispatch_precision",
        "combine_precision", "gpus_per_node", "nics_per_node", "tp", "pp", "dp", "ep", "order", "speed", "at"})
    EXPECT_TRUE(offered.count(name)) << name;
  for (const WalkStep& step : real_library().walk.steps) EXPECT_TRUE(offered.count("step." + step.id)) << step.id;
}

// A button that is enabled does something.
TEST(Controls, EnabledButtonsChangeTheState) {
  for (int step = 0; step < 12; ++step) {
    State state = initial_state(real_library());
    state.step = step;
    for (const int at : {0, kBeat, 1 << 20}) {
      state.at = at;
      const State now = opened(state);
      for_controls(make_page(now, deriver()), [&](const Control& control) {
        if (control.kind != ControlKind::button || control.pressed || !control.enabled) return;
        const auto event = event_of(control.id, false, 0, now, real_library());
        ASSERT_TRUE(event) << control.id;
        EXPECT_TRUE(reduce(now, *event, deriver()) != now) << control.id << " " << link(now);
      });
    }
  }
}

// Steps are told by their numbers in the texts; those are the numbers of the chips, whatever steps a walk has.
TEST(Page, NumbersOfStepsInTextsAreThoseOfTheChips) {
  Library library = real_library();
  const auto chip_of = [&](tiny::Step runs) {
    for (std::size_t i = 0; i < library.walk.steps.size(); ++i)
      if (library.walk.steps[i].runs == runs) return std::to_string(i + 1);
    return std::string("none");
  };
  const auto dense = std::find_if(library.models.begin(), library.models.end(),
                                  [](const Model& model) { return !has_experts(model); });
  ASSERT_NE(dense, library.models.end());
  for (const bool shorter : {false, true}) {
    if (shorter) library.walk.steps.erase(library.walk.steps.begin() + 1);
    Deriver own(library);
    State state = initial_state(library);
    const Page first = make_page(state, own);
    EXPECT_NE(block(first, "why").text.find("step " + chip_of(tiny::Step::gradients) + " keeps"), std::string::npos);
    state.model = static_cast<int>(dense - library.models.begin());
    state.step = std::stoi(chip_of(tiny::Step::route)) - 1;
    state.ep = 1;
    const Page page = make_page(normalise(state, library), own);
    const std::string steps = "steps " + chip_of(tiny::Step::route) + " to " + chip_of(tiny::Step::combine);
    EXPECT_NE(block(page, "what").text.find(steps), std::string::npos) << block(page, "what").text;
    const auto& notes = block(page, "notes").items;
    EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(steps) != std::string::npos;
    })) << steps;
  }
}

TEST(Page, WhatATextOfAScenarioMayNameIsFilledIn) {
  Library library = real_library();
  std::string text;
  for (const std::string_view name : kTextPlaceholders) text += "{" + std::string(name) + "} ";
  library.walk.steps.front().texts.what = {std::nullopt, {text, text}};
  Deriver own(library);
  const Page page = make_page(initial_state(library), own);
  const std::string& what = block(page, "what").text;
  EXPECT_EQ(what.find('{'), std::string::npos) << what;
  EXPECT_EQ(std::count(what.begin(), what.end(), ' '), static_cast<int>(std::size(kTextPlaceholders))) << what;
}

// ---- figures ----

TEST(Figure, EveryOneOfThePageCanBeDrawnAndPressed) {
  Rng random(300);
  for (int i = 0; i < 60; ++i) {
    const State state = opened(support::likely_state(random, real_library()));
    for (const Block& block : make_page(state, deriver()).blocks) {
      if (block.kind != BlockKind::figure) continue;
      for (const float width : {320.0F, 960.0F}) {
        const Figure figure = make_figure(block.id, {width}, state, deriver(), i % 2 == 0);
        EXPECT_GT(figure.height, 0) << link(state);
        EXPECT_FALSE(figure.shapes.empty()) << link(state);
        std::set<std::string> ids;
        for (const Target& target : figure.targets) {
          EXPECT_TRUE(ids.insert(target.id).second) << target.id << " " << link(state);
          EXPECT_TRUE(event_of(target.id, false, 0, state, real_library())) << target.id;
          EXPECT_FALSE(target.label.empty()) << target.id;
        }
      }
    }
    if (HasFailure()) return;
  }
}

TEST(Figure, NoTextIsLeftUnfilled) {
  Rng random(301);
  for (int i = 0; i < 60; ++i) {
    State state = opened(support::likely_state(random, real_library()));
    for (state.lang = 0; state.lang < kLangs; ++state.lang)
      for (const Shape& shape : make_figure("scene", {800}, state, deriver(), false).shapes) {
        ASSERT_EQ(shape.text.find_first_of("{}"), std::string::npos) << shape.text << " " << link(state);
        ASSERT_FALSE(text_named(shape.text)) << shape.text;
      }
  }
}

// The page speaks of beats, not of moments: it may be kept while only the position inside a beat changes.
TEST(Page, StaysTheSameInsideABeat) {
  for (int step = 0; step < 12; ++step) {
    State state = initial_state(real_library());
    state.step = step;
    state.playing = 1;
    const int beats = static_cast<int>(deriver().derive(state).timeline(state).beats.size());
    for (int beat = 0; beat < beats; ++beat) {
      state.at = beat * kBeat + 1;
      const Page early = make_page(state, deriver());
      state.at = beat * kBeat + kBeat - 1;
      const Page late = make_page(state, deriver());
      EXPECT_EQ(early.live, late.live);
      ASSERT_EQ(early.blocks.size(), late.blocks.size());
      for (std::size_t i = 0; i < early.blocks.size(); ++i) {
        EXPECT_EQ(early.blocks[i].text, late.blocks[i].text);
        EXPECT_EQ(early.blocks[i].items, late.blocks[i].items);
        EXPECT_EQ(early.blocks[i].alt, late.blocks[i].alt);
      }
    }
  }
}

}  // namespace
}  // namespace commflow

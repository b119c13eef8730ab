#include "story/url.h"

#include <gtest/gtest.h>

#include "story/reduce.h"
#include "support/library.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::real_library;

State decoded(std::string_view text, const State& base = initial_state(real_library())) {
  return decode(text, base, real_library()).state;
}

TEST(Url, EveryStateComesBack) {
  Rng random(3);
  const Library& library = real_library();
  for (int i = 0; i < 100000; ++i) {
    State state = support::random_state(random, library);
    const std::string link = encode(state, library);
    const Decoded back = decode(link, state, library);
    state.playing = 0;  // a link never starts to play by itself
    ASSERT_EQ(back.state, state) << link;
    ASSERT_TRUE(back.notes.empty()) << link << "\n" << back.notes.front();
    ASSERT_EQ(encode(back.state, library), link);
  }
}

// A link that names a real setting alone means all of it, as a press on it does.
TEST(Url, APresetAloneMeansAllOfIt) {
  Deriver deriver(real_library());
  State start = initial_state(real_library());
  start.page = static_cast<int>(PageId::experts);
  for (int preset = 1; preset <= max_of(field(FieldId::preset), real_library()); ++preset) {
    const State pressed = reduce(start, Set{FieldId::preset, preset}, deriver);
    const std::string id = value_text(field(FieldId::preset), preset, real_library());
    EXPECT_EQ(decode("#page=experts&preset=" + id, start, real_library()).state, pressed) << id;
    State changed = reduce(pressed, Set{FieldId::model, start.model}, deriver);
    changed = reduce(changed, Set{FieldId::expert_topk, start.expert_topk}, deriver);
    EXPECT_EQ(decode(encode(changed, real_library()), start, real_library()).state, changed) << id;
  }
}

// A real setting has its own way of routing: there are no typed rows beside it.
TEST(Url, RowsOrAPresetComeBack) {
  Rng random(8);
  for (int i = 0; i < 50; ++i) {
    State state = initial_state(real_library());
    state.expert_tokens = support::between(random, 1, 3);
    state.routing = support::fitting_routing(random, state);
    state.preset = support::between(random, 0, max_of(field(FieldId::preset), real_library()));
    ASSERT_FALSE(state.routing.empty());
    state = normalise(state, real_library());
    EXPECT_EQ(state.routing.empty(), state.preset > 0);
    EXPECT_EQ(decode(encode(state, real_library()), state, real_library()).state, state);
  }
}

TEST(Url, WhatNeverTravelsIsTheReaders) {
  State reader = initial_state(real_library());
  reader.theme = 2;
  reader.motion = 2;
  reader.embed = 1;
  reader.lang = 1;
  const State state = decoded("#v=1&step=dispatch", reader);
  EXPECT_EQ(state.theme, 2);
  EXPECT_EQ(state.motion, 2);
  EXPECT_EQ(state.embed, 1);
  EXPECT_EQ(state.lang, 1);
  EXPECT_EQ(state.step, 5);
}

TEST(Url, SaysNamesAndLeavesDefaultsOut) {
  const Library& library = real_library();
  EXPECT_EQ(encode(initial_state(library), library), "#v=1&page=walk&step=prepare&lang=en");
  State state = initial_state(library);
  state.step = 5;
  state.lang = 1;
  state.ep = 2;
  state.model = 0;
  EXPECT_EQ(encode(state, library),
            "#v=1&page=walk&step=dispatch&lang=zh&model=" + library.models.front().id + "&ep=2");
}

TEST(Url, AcceptsWhatPeopleType) {
  for (const char* text : {"#v=1&step=dispatch", "v=1&step=dispatch", "?step=dispatch", "#step=5", "&&step=dispatch&",
                           "#v=1&step=dispatch&step=dispatch"})
    EXPECT_EQ(decoded(text).step, 5) << text;
  EXPECT_EQ(decoded(""), initial_state(real_library()));
  EXPECT_EQ(decoded("#"), initial_state(real_library()));
}

TEST(Url, NotesEachPartThatItDidNotUnderstand) {
  const auto notes = [](const char* text) { return decode(text, initial_state(real_library()), real_library()).notes; };
  EXPECT_EQ(notes("#v=1&ep=2").size(), 0U);
  for (const char* text :
       {"#v=2", "#v=", "#colour=red", "#theme=dark", "#playing=step", "#ep=", "#ep", "#ep=four", "#ep=99", "#ep=-1",
        "#ep=99999999999999999999", "#=3", "#step=lunch", "#step=12", "#tp=2%20"})
    EXPECT_EQ(notes(text).size(), 1U) << text;
  EXPECT_NE(notes("#ep=99")[0].find("expected 1 to 16"), std::string::npos);
}

// Damaged links are states like any other.
void expect_valid(const std::string& text) {
  const Library& library = real_library();
  const State state = decoded(text);
  ASSERT_EQ(normalise(state, library), state) << text;
  ASSERT_EQ(decoded(encode(state, library)), state) << text;
}

TEST(Url, RandomBytesGiveAValidState) {
  Rng random(4);
  for (int i = 0; i < 20000; ++i) {
    std::string text(random.next() % 60, '\0');
    for (char& c : text) c = static_cast<char>(random.next() & 0xff);
    expect_valid(text);
  }
}

TEST(Url, SpoiltAndTruncatedLinksGiveAValidState) {
  Rng random(5);
  for (int i = 0; i < 20000; ++i) {
    std::string text = encode(support::random_state(random, real_library()), real_library());
    for (int spoil = static_cast<int>(random.next() % 4); spoil > 0; --spoil)
      text[random.next() % text.size()] = "&=#-0918azv \xff%"[random.next() % 13];
    expect_valid(text.substr(0, random.next() % (text.size() + 1)));
  }
}

TEST(Url, HugeNumbersGiveAValidState) {
  for (const Field& f : fields())
    for (const char* number :
         {"2147483647", "-2147483648", "2147483648", "99999999999999999999999", "-99999999999999999999999"})
      expect_valid("#v=1&" + std::string(f.name) + "=" + number);
  expect_valid("#" + std::string(200000, '&'));
  expect_valid("#ep=" + std::string(200000, '9'));
}

}  // namespace
}  // namespace commflow

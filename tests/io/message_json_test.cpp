#include "io/message_json.h"

#include <gtest/gtest.h>

#include "core/rng.h"
#include "io/json.h"
#include "story/url.h"
#include "support/library.h"

namespace commflow {
namespace {

using support::real_library;

Message read(const std::string& text, State state = initial_state(real_library())) {
  return read_message(text, state, real_library());
}

const Set* set_of(const Message& message) {
  const Told* told = std::get_if<Told>(&message.what);
  return told == nullptr ? nullptr : std::get_if<Set>(&told->event);
}

void expect_set(const std::string& text, FieldId field, int value) {
  const Message message = read(text);
  const Set* set = set_of(message);
  ASSERT_NE(set, nullptr) << text;
  EXPECT_EQ(set->field, field) << text;
  EXPECT_EQ(set->value, value) << text;
  EXPECT_TRUE(message.notes.empty()) << message.notes.front();
}

TEST(Message, SetTakesNumbersDigitsAndNames) {
  expect_set(R"({"type": "set", "id": "ep", "value": 8})", FieldId::ep, 8);
  expect_set(R"({"type": "set", "id": "ep", "value": "8"})", FieldId::ep, 8);
  expect_set(R"({"type": "set", "id": "step", "value": "dispatch"})", FieldId::step, 5);
  expect_set(R"({"type": "set", "id": "lang", "value": "zh"})", FieldId::lang, 1);
  expect_set(R"({"type": "set", "id": "embed", "value": "on"})", FieldId::embed, 1);
  expect_set(R"({"type": "set", "id": "gpu", "value": -1})", FieldId::gpu, -1);
}

TEST(Message, PressTakesActionsAndValues) {
  const Message message = read(R"({"type": "press", "id": "toggle_play", "source": "user"})");
  const Told& told = std::get<Told>(message.what);
  EXPECT_EQ(std::get<Press>(told.event).action, Action::toggle_play);
  EXPECT_EQ(told.source, Source::user);
  expect_set(R"({"type": "press", "id": "gpu.3"})", FieldId::gpu, 3);
  expect_set(R"({"type": "press", "id": "gpu.-1"})", FieldId::gpu, -1);
  expect_set(R"({"type": "press", "id": "step.combine"})", FieldId::step, 6);
  expect_set(R"({"type": "press", "id": "panel.log"})", FieldId::panel, 2);
  expect_set(R"({"type": "press", "id": "embed"})", FieldId::embed, 1);
}

TEST(Message, OpenReplacesTheStateAndNotesWhatItDidNotUnderstand) {
  const Message message = read(R"({"type": "open", "state": "#v=1&step=dispatch&ep=2&nonsense=7", "source": "url"})");
  const Told& told = std::get<Told>(message.what);
  EXPECT_EQ(told.source, Source::url);
  EXPECT_EQ(std::get<Open>(told.event).state.step, 5);
  EXPECT_EQ(std::get<Open>(told.event).state.ep, 2);
  ASSERT_EQ(message.notes.size(), 1U);
  EXPECT_NE(message.notes[0].find("nonsense"), std::string::npos);
}

TEST(Message, AnAddressWithoutALanguageKeepsTheReaders) {
  State chinese = initial_state(real_library());
  chinese.lang = 1;
  for (const char* address : {"", "#v=1&step=dispatch", "#"}) {
    const Message message = read(R"({"type": "open", "state": ")" + std::string(address) + "\"}", chinese);
    EXPECT_EQ(std::get<Open>(std::get<Told>(message.what).event).state.lang, 1) << address;
  }
}

TEST(Message, EnvironmentSaysOnlyWhatItSays) {
  const Message all =
      read(R"({"type": "environment", "theme": "dark", "motion": "reduced", "lang": "zh", "source": "system"})");
  const Environment& environment = std::get<Environment>(all.what);
  EXPECT_EQ(environment.dark, true);
  EXPECT_EQ(environment.reduced_motion, true);
  EXPECT_EQ(environment.lang, Lang::zh);
  const Message some = read(R"({"type": "environment", "theme": "light"})");
  EXPECT_EQ(std::get<Environment>(some.what).dark, false);
  EXPECT_EQ(std::get<Environment>(some.what).lang, std::nullopt);
}

struct Rubbish {
  const char* text;
  const char* note;
};
const Rubbish kRubbish[] = {
    {"", "parse error"},
    {"{", "parse error"},
    {"[]", "at the whole file: found a list of 0, expected an object"},
    {"7", "found 7, expected an object"},
    {"null", "expected an object"},
    {"{}", "at type: found nothing"},
    {R"({"type": 3})", R"(at type: found 3, expected "set", "press", "open" or "environment")"},
    {R"({"type": "destroy"})", R"(at type: found "destroy", expected "set")"},
    {R"({"type": "set"})", "at id: found nothing"},
    {R"({"type": "set", "id": 5, "value": 1})", "at id: found 5, expected a text"},
    {R"({"type": "set", "id": "ep"})", "at value: found nothing"},
    {R"({"type": "set", "id": "warp", "value": 1})", R"(id: found "warp", expected the name of a field)"},
    {R"({"type": "set", "id": "ep", "value": 17})", "ep: found 17, expected 1 to 16"},
    {R"({"type": "set", "id": "ep", "value": -3})", "ep: found -3, expected 1 to 16"},
    {R"({"type": "set", "id": "ep", "value": 2.5})", "ep: found 2.5, expected 1 to 16"},
    {R"({"type": "set", "id": "ep", "value": 99999999999999999999})",
     "ep: found 100000000000000000000, expected 1 to 16"},
    {R"({"type": "set", "id": "ep", "value": 18446744073709551615})", "ep: found 18446744073709551615, expected"},
    {R"({"type": "set", "id": "gpu", "value": 18446744073709551615})", "gpu: found 18446744073709551615, expected"},
    {R"({"type": "set", "id": "ep", "value": "four"})", R"(ep: found "four", expected 1 to 16)"},
    {R"({"type": "set", "id": "ep", "value": "4 "})", R"(ep: found "4 ", expected 1 to 16)"},
    {R"({"type": "set", "id": "ep", "value": [4]})", "ep: found a list of 1, expected 1 to 16"},
    {R"({"type": "set", "id": "ep", "value": null})", "ep: found nothing, expected 1 to 16"},
    {R"({"type": "set", "id": "theme", "value": "pink"})",
     R"(theme: found "pink", expected 0 to 2 or a name, "system" to "dark")"},
    {R"({"type": "set", "id": "step", "value": "lunch"})",
     R"(step: found "lunch", expected 0 to 11 or a name, "prepare" to "update")"},
    {R"({"type": "press"})", "at id: found nothing"},
    {R"({"type": "press", "id": "explode"})", R"(id: found "explode", expected an action)"},
    {R"({"type": "press", "id": "gpu"})", R"(id: found "gpu", expected an action)"},
    {R"({"type": "press", "id": "gpu.99"})", R"(gpu: found "gpu.99", expected -1 to 15)"},
    {R"({"type": "press", "id": "gpu."})", R"(id: found "gpu.", expected an action, a field with one of its values)"},
    {R"({"type": "press", "id": ".3"})", R"(id: found ".3", expected an action)"},
    {R"({"type": "open"})", "at state: found nothing"},
    {R"({"type": "open", "state": 5})", "at state: found 5, expected the text of an address"},
    {R"({"type": "environment", "theme": "pink"})", R"(at theme: found "pink", expected "light" or "dark")"},
    {R"({"type": "environment", "motion": 1})", R"(at motion: found 1, expected "full" or "reduced")"},
    {R"({"type": "environment", "lang": "fr"})", R"(at lang: found "fr", expected "en" or "zh")"},
    {R"({"type": "press", "id": "play", "source": "ghost"})", R"(at source: found "ghost", expected "user")"},
    {"{\"type\": \"press\", \"id\": \"\xff\xfe\"}", "parse error"},
};

TEST(Message, RubbishIsNotedAndDoesNothing) {
  for (const Rubbish& rubbish : kRubbish) {
    const Message message = read(rubbish.text);
    EXPECT_TRUE(std::holds_alternative<std::monostate>(message.what)) << rubbish.text;
    ASSERT_EQ(message.notes.size(), 1U) << rubbish.text;
    EXPECT_EQ(message.notes[0].find("message: "), 0U) << message.notes[0];
    EXPECT_NE(message.notes[0].find(rubbish.note), std::string::npos) << rubbish.text << "\n" << message.notes[0];
  }
}

TEST(Message, RandomBytesAreAnswered) {
  Rng random(7);
  const std::string seed = R"({"type": "set", "id": "step", "value": "dispatch", "source": "user"})";
  for (int i = 0; i < 20000; ++i) {
    std::string text = seed;
    for (int spoil = 0; spoil < 3; ++spoil) text[random.next() % text.size()] = static_cast<char>(random.next() & 0xff);
    const Message message = read(text.substr(0, random.next() % (2 * text.size())));
    const bool done = !std::holds_alternative<std::monostate>(message.what);
    EXPECT_TRUE(done || !message.notes.empty()) << text;
  }
}

// A deeply nested message costs memory, not the stack.
TEST(Message, DeepNestingIsAnswered) {
  EXPECT_FALSE(read(std::string(100000, '[')).notes.empty());
  EXPECT_FALSE(read(std::string(100000, '[') + std::string(100000, ']')).notes.empty());
}

// A second press on the GPU or panel that is open lets it go, as in the window.
TEST(Message, APressAgainLetsGo) {
  State state = initial_state(real_library());
  state.gpu = 3;
  const Message message = read(R"({"type": "press", "id": "gpu.3"})", state);
  ASSERT_NE(set_of(message), nullptr);
  EXPECT_EQ(set_of(message)->value, -1);
}

TEST(Source, NamesAreThoseOfMessages) {
  EXPECT_EQ(name_of(Source::user), "user");
  EXPECT_EQ(name_of(Source::system), "system");
}

}  // namespace
}  // namespace commflow

#pragma once
// Pieces that pages are made of: sentences with their numbers filled in, and
// controls read off the field table.

#include <initializer_list>
#include <string>
#include <vector>

#include "story/derive.h"
#include "story/event.h"
#include "story/page.h"
#include "story/references.h"

namespace commflow::parts {

struct Context {
  const State& state;
  const Derived& derived;
  const Glance& glance;
  const Library& library;
  const Catalog& words;
  Deriver& deriver;
  const Refused* refused = nullptr;  // what was typed wrongly
  const WalkStep& step() const { return library.walk.steps[static_cast<std::size_t>(state.step)]; }
};

Block paragraph(std::string id, Region region, std::string text);
Block note(std::string id, Region region, std::string text);
Block heading(std::string id, Region region, int level, std::string text);
Block list(std::string id, Region region, std::vector<std::string> items);
Block controls(std::string id, Region region, std::vector<Control> items);
Block figure(std::string id, Region region, std::string alt);
// Without rows as yet.
Block table(std::string id, Region region, std::vector<std::string> columns, std::string caption = "");

// Name, pages, language, theme, settings.
void add_bar(const Context& c, Page& page);

// A link to where a formula or figure comes from. `place` tells apart links of one page.
Control source_link(const Context& c, const Reference& source, std::string_view place);

std::string number(std::int64_t value);
// Microseconds with a tilde: an estimate.
std::string about(double us);
std::string words(const Context& c, Text key);
// The text of "GROUP.NAME PART", dashes of the name as underscores; the name itself where there is none.
std::string name_in(const Context& c, std::string_view group, std::string_view name, std::string_view part = ".name");
std::string dimension_name(const Context& c, Dimension dimension, std::string_view part = ".name");
const Gpu& gpu_of(const Context& c);

// The number, from 1, of the walk's first step that runs this one of the tiny model; "-" where none does.
std::string step_number(const Context& c, tiny::Step runs);
// A scenario's text in the reader's language, with what kTextPlaceholders names filled in.
std::string words_of(const Context& c, const LocalText& text);

// What a field may be set to, and how that reads.
struct Option {
  int value = 0;
  std::string text;
};
// The numbers first .. last, each read as text_of(number).
template <class TextOf>
std::vector<Option> options_of(int first, int last, TextOf text_of) {
  std::vector<Option> offered;
  for (int value = first; value <= last; ++value) offered.push_back({value, text_of(value)});
  return offered;
}
// A choice among the options, in their order. A value of the state that is not among them (a link may say it) is one
// more, read as its number.
Control options(const Context& c, FieldId id, Text label, std::vector<Option> offered);
// Each text stands for the next of the field's values, from its least.
Control choice(const Context& c, FieldId id, Text label, std::initializer_list<Text> texts);
// A choice among numbers, which ascend; the state's own stands where it belongs. Each reads as the number itself, or
// as text_of says.
Control numbers(const Context& c, FieldId id, Text label, std::vector<int> values,
                std::string (*text_of)(const Context& c, int value) = nullptr);
// A choice among all from first to last.
Control numbers_between(const Context& c, FieldId id, Text label, int first, int last);
// A choice among loaded models or GPUs.
Control named(const Context& c, FieldId id, Text label);
// Over all values of the field; `text` is the state's value in words.
Control slider(const Context& c, FieldId id, Text label, std::string text);
// The scrubber over the rounds of what plays.
Control seek(const Context& c);
Control speed(const Context& c);
// Which of the tokens 0, 1, ... is followed, or none; `homes` are the GPUs that they start on.
Control follow_choice(const Context& c, FieldId id, const std::vector<Rank>& homes);
Control button(const Context& c, Action action, Text label, std::string icon = "", bool enabled = true);
Control panel_button(const Context& c, Panel panel, Text label, std::string icon);

std::string primitive_name(const Context& c, Collective collective);
std::string primitive_text(const Context& c, Collective collective);
std::string problem_text(const Context& c);     // why the layout cannot be
std::string suggestion_text(const Context& c);  // "This works: ...", "" if nothing was found
std::string drawn_counted(const Context& c);
std::vector<std::string> notes_of(const Context& c);

// Copies of the tokens of the first expert group of the first stage, from the routing that is drawn.
struct CopyCount {
  int all = 0;
  int leaving = 0;
  int fullest = 0;  // most copies at one GPU
  int group = 1;
};
CopyCount count_copies(const Context& c);

}  // namespace commflow::parts

#include "io/message_json.h"

#include <algorithm>
#include <array>

#include "io/json.h"
#include "story/reduce.h"
#include "story/url.h"

namespace commflow {
namespace {

constexpr std::array<std::string_view, 4> kSources{"user", "api", "url", "system"};
constexpr std::array<std::string_view, 4> kTypes{"set", "press", "open", "environment"};
constexpr std::array<std::string_view, 2> kThemes{"light", "dark"};
constexpr std::array<std::string_view, 2> kMotions{"full", "reduced"};

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text.substr(0, 40)) + "\"";
}

std::string range_of(const Field& f, const Library& library) {
  const int max = max_of(f, library);
  std::string text = std::to_string(f.min) + " to " + std::to_string(max);
  if (value_text(f, max, library) != std::to_string(max))
    text += " or a name, " + in_quotes(value_text(f, f.min, library)) + " to " + in_quotes(value_text(f, max, library));
  return text;
}

Parsed<Event> set_event(const Field& f, std::optional<int> value, std::string_view found, const Library& library) {
  if (value && *value >= f.min && *value <= max_of(f, library)) return {Set{f.id, *value}, {}};
  return {std::nullopt, std::string(f.name) + ": found " + std::string(found) + ", expected " + range_of(f, library)};
}

Parsed<Event> unknown(std::string_view id, std::string_view expected) {
  return {std::nullopt, "id: found " + in_quotes(id) + ", expected " + std::string(expected)};
}

// The mirror presses a toggle by the name of its field.
std::optional<Event> turn_over(std::string_view id, const State& state) {
  const Field* f = field_named(id);
  if (f == nullptr || f->min != 0 || f->max != 1) return std::nullopt;
  return Set{f->id, 1 - state.*f->member};
}

Parsed<Event> press_event(std::string_view id, const State& state, const Library& library) {
  std::optional<Event> event = event_of(id, false, 0, state, library);
  if (!event) event = turn_over(id, state);
  if (!event) return unknown(id, "an action, a field with one of its values such as gpu.3, or an on-off field");
  const Set* set = std::get_if<Set>(&*event);
  if (set == nullptr) return {event, {}};
  return set_event(field(set->field), set->value, in_quotes(id), library);
}

// ---- messages ----

Parsed<Event> read_set(const Node& message, const Library& library) {
  const std::string id = message.get("id").text();
  const Field* f = field_named(id);
  if (f == nullptr) return unknown(id, "the name of a field");
  const Node value = message.get("value");
  if (const auto* text = value.json().get_ptr<const std::string*>())
    return set_event(*f, parse_value(*f, *text, library), in_quotes(*text), library);
  const auto number = whole_of(value.json());
  const bool fits = number && *number >= f->min && *number <= f->max;
  const auto whole = fits ? std::optional(static_cast<int>(*number)) : std::nullopt;
  return set_event(*f, whole, describe(value.json()), library);
}

Environment read_environment(const Node& message) {
  Environment environment;
  if (const auto theme = message.find("theme")) environment.dark = theme->one_of(kThemes) == 1;
  if (const auto motion = message.find("motion")) environment.reduced_motion = motion->one_of(kMotions) == 1;
  if (const auto lang = message.find("lang"))
    environment.lang = static_cast<Lang>(lang->one_of(field(FieldId::lang).names));
  return environment;
}

Source read_source(const Node& message) {
  const auto source = message.find("source");
  return source ? static_cast<Source>(source->one_of(kSources)) : Source::api;
}

struct Reader {
  const State& state;
  const Library& library;
  Message result{};

  void take(Parsed<Event> event, Source source) {
    if (event.value) result.what = Told{*event.value, source};
    if (!event.error.empty()) result.notes.push_back("message: " + event.error);
  }

  // What was typed is told to the reader where it was typed.
  void fill(const Input& input, const Node& message, Source source) {
    // A single number is a text that somebody has taken for one.
    const Json& value = message.get("value").json();
    const auto* text = value.get_ptr<const std::string*>();
    const auto number = whole_of(value);
    if (text == nullptr && !number) return message.get("value").fail("rows of numbers as a text, such as \"0,3;7,1\"");
    const std::string typed = text != nullptr ? *text : std::to_string(*number);
    ReadRows read = read_input(input, typed, state);
    if (!read.misread) {
      result.what = Told{Fill{input.id, std::move(read.rows)}, source};
      return;
    }
    result.notes.push_back("message: " + sentence_of(*read.misread, input.name));
    result.what = Refused{input.id, typed, *read.misread};
  }

  void set(const Node& message, Source source) {
    if (const Input* input = input_named(message.get("id").text())) return fill(*input, message, source);
    take(read_set(message, library), source);
  }

  void open(const Node& message, Source source) {
    const auto* address = message.get("state").json().get_ptr<const std::string*>();
    if (address == nullptr) return message.get("state").fail("the text of an address, such as \"#v=1&step=dispatch\"");
    Decoded decoded = decode(*address, state, library);
    result.notes = std::move(decoded.notes);
    result.what = Told{Open{decoded.state}, source};
  }

  void read(const Node& message) {
    const Source source = read_source(message);
    switch (message.get("type").one_of(kTypes)) {
      case 0: return set(message, source);
      case 1: return take(press_event(message.get("id").text(), state, library), source);
      case 2: return open(message, source);
      default: result.what = read_environment(message);
    }
  }
};

}  // namespace

std::string_view name_of(Source source) {
  return kSources[static_cast<std::size_t>(source)];
}

Message read_message(std::string_view text, const State& state, const Library& library) {
  const Parsed<Json> json = parse_json(text, "message");
  if (!json.value) return {{}, {json.error}};
  Problem problem{"message", {}};
  Reader reader{state, library};
  reader.read(Node(*json.value, problem));
  if (problem.none()) return std::move(reader.result);
  return {{}, {problem.error}};
}

}  // namespace commflow

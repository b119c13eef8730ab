#include "story/url.h"

#include <algorithm>
#include <charconv>

#include "story/expert_view.h"
#include "story/inputs.h"
#include "story/library.h"

namespace commflow {
namespace {

// What a link leaves out is as a reader starts, or as the real setting wants it that the link names.
State plain_state(int preset, const Library& library) {
  State state = initial_state(library);
  state.preset = preset;
  return with_preset(normalise(state, library), library);
}

// Fields of a link from its text, all others as they are in `base`.
State defaults(const State& base, int preset, const Library& library) {
  State state = plain_state(preset, library);
  for (const Field& f : fields())
    if (!f.in_address) state.*f.member = base.*f.member;
  state.lang = base.lang;
  return state;
}

std::string_view take_part(std::string_view& rest) {
  const std::size_t end = rest.find('&');
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  return part;
}

int preset_of(std::string_view text, const Library& library) {
  const Field& f = field(FieldId::preset);
  int preset = 0;
  while (!text.empty()) {
    const std::string_view part = take_part(text);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos || part.substr(0, equals) != f.name) continue;
    preset = std::clamp(parse_value(f, part.substr(equals + 1), library).value_or(0), 0, max_of(f, library));
  }
  return preset;
}

// Commas and semicolons that something on the way has made into %2C and %3B.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    int code = 0;
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::from_chars(&text[i + 1], &text[i + 3], code, 16).ptr == &text[i + 3];
    plain += escape ? static_cast<char>(code) : text[i];
    if (escape) i += 2;
  }
  return plain;
}

// After the fields, which say what an input may be.
void apply_input(const Input& input, std::string_view text, Decoded& decoded) {
  ReadRows read = read_input(input, unescaped(text), decoded.state);
  if (read.misread) return decoded.notes.push_back(sentence_of(*read.misread, input.name));
  decoded.state = with_input(std::move(decoded.state), input, std::move(read.rows));
}

// Applies "name=value"; false with a note when it means nothing.
void apply_part(std::string_view part, Decoded& decoded, const Library& library) {
  const std::size_t equals = part.find('=');
  const std::string_view name = part.substr(0, equals);
  const std::string_view text = equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
  if (name == "v") {
    if (text != "1") decoded.notes.push_back("v=" + std::string(text) + ": expected 1");
    return;
  }
  if (input_named(name) != nullptr) return;  // later
  const Field* f = field_named(name);
  if (f == nullptr || !f->in_address) {
    decoded.notes.push_back("unknown name '" + std::string(name) + "'");
    return;
  }
  const auto value = parse_value(*f, text, library);
  if (!value) {
    decoded.notes.push_back(std::string(name) + "='" + std::string(text) + "': expected a name or a whole number");
    return;
  }
  if (*value < f->min || *value > max_of(*f, library))
    decoded.notes.push_back(std::string(name) + "=" + std::string(text) + ": expected " + std::to_string(f->min) +
                            " to " + std::to_string(max_of(*f, library)));
  decoded.state.*f->member = *value;
}

}  // namespace

std::string encode(const State& state, const Library& library) {
  const State plain = plain_state(state.preset, library);
  std::string text = "#v=1";
  for (const Field& f : fields()) {
    const int value = state.*f.member;
    const bool always = f.id == FieldId::page || f.id == FieldId::step || f.id == FieldId::lang ||
                        (f.id == FieldId::preset && value != 0);
    if (!f.in_address || (!always && value == plain.*f.member)) continue;
    text += "&" + std::string(f.name) + "=" + value_text(f, value, library);
  }
  for (const Input& input : inputs())
    if (const std::string rows = text_of(state.*input.member, ",", ";"); !rows.empty() && rows.size() <= kLongestInLink)
      text += "&" + std::string(input.name) + "=" + rows;
  return text;
}

Decoded decode(std::string_view text, const State& base, const Library& library) {
  if (!text.empty() && (text.front() == '#' || text.front() == '?')) text.remove_prefix(1);
  Decoded decoded{defaults(base, preset_of(text, library), library), {}};
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = take_part(rest);
    if (!part.empty()) apply_part(part, decoded, library);
  }
  decoded.state = normalise(decoded.state, library);
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view part = take_part(rest);
    const std::size_t equals = std::min(part.find('='), part.size());
    const Input* input = input_named(part.substr(0, equals));
    if (input != nullptr) apply_input(*input, part.substr(std::min(equals + 1, part.size())), decoded);
  }
  decoded.state.playing = 0;
  decoded.state = normalise(decoded.state, library);
  return decoded;
}

}  // namespace commflow

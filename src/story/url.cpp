#include "story/url.h"

#include "story/library.h"

namespace commflow {
namespace {

// Fields of a link from its text, all others as they are in `base`.
State defaults(const State& base, const Library& library) {
  State state = initial_state(library);
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

// Applies "name=value"; false with a note when it means nothing.
void apply_part(std::string_view part, Decoded& decoded, const Library& library) {
  const std::size_t equals = part.find('=');
  const std::string_view name = part.substr(0, equals);
  const std::string_view text = equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
  if (name == "v") {
    if (text != "1") decoded.notes.push_back("v=" + std::string(text) + ": expected 1");
    return;
  }
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
  const State plain = initial_state(library);
  std::string text = "#v=1";
  for (const Field& f : fields()) {
    const int value = state.*f.member;
    const bool always = f.id == FieldId::page || f.id == FieldId::step || f.id == FieldId::lang;
    if (!f.in_address || (!always && value == plain.*f.member)) continue;
    text += "&" + std::string(f.name) + "=" + value_text(f, value, library);
  }
  return text;
}

Decoded decode(std::string_view text, const State& base, const Library& library) {
  Decoded decoded{defaults(base, library), {}};
  if (!text.empty() && (text.front() == '#' || text.front() == '?')) text.remove_prefix(1);
  while (!text.empty()) {
    const std::string_view part = take_part(text);
    if (!part.empty()) apply_part(part, decoded, library);
  }
  decoded.state.playing = 0;
  decoded.state = normalise(decoded.state, library);
  return decoded;
}

}  // namespace commflow

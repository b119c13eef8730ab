#include "story/pages/typed.h"

#include <algorithm>

#include "story/inputs.h"

namespace commflow::parts {
namespace {

// In the reader's language; sentence_of() says the same to developers.
std::string what_of(const Context& c, const Misread& misread) {
  const auto numbers = [&](Text key) {
    return c.words.get(key, {{"found", misread.found},
                             {"low", number(misread.low)},
                             {"high", number(misread.high)},
                             {"count", number(misread.count)},
                             {"expected", number(misread.expected)}});
  };
  switch (misread.kind) {
    case Misread::Kind::nothing: return words(c, Text::typed_nothing);
    case Misread::Kind::not_a_number: return numbers(Text::typed_not_a_number);
    case Misread::Kind::twice: return numbers(Text::typed_twice);
    case Misread::Kind::length: return numbers(Text::typed_length);
    case Misread::Kind::too_many_columns: return numbers(Text::typed_too_many_columns);
    case Misread::Kind::too_many_rows: return numbers(Text::typed_too_many_rows);
    case Misread::Kind::uneven_rows: return numbers(Text::typed_uneven_rows);
  }
  return {};
}

std::string why_of(const Context& c, const Misread& misread) {
  std::string what = what_of(c, misread);
  if (misread.column > 0)
    what = c.words.get(Text::typed_place,
                       {{"line", number(misread.line)}, {"column", number(misread.column)}, {"what", what}});
  else if (misread.line > 0)
    what = c.words.get(Text::typed_line, {{"line", number(misread.line)}, {"what", what}});
  return c.words.get(Text::typed_wrong, {{"why", what}});
}

}  // namespace

void add_typed(const Context& c, Page& page, Region region, InputId id, Text label, const Rows& shown, int lines) {
  const Input& typed = input(id);
  const Rows& rows = c.state.*typed.member;
  const bool refused = c.refused != nullptr && c.refused->input == id;
  const std::string name(typed.name);
  Control field;
  field.id = name;
  field.kind = ControlKind::text;
  field.label = words(c, label);
  field.text = refused ? c.refused->text : text_of(rows.empty() ? shown : rows, ", ", "\n");
  field.max = std::clamp(shown.size(), 2, lines);
  if (refused) field.why = why_of(c, c.refused->misread);
  std::string why = field.why;
  std::vector<Control> items{std::move(field)};
  if (!rows.empty() || refused) {
    Control clear;
    clear.id = "clear." + name;
    clear.label = words(c, Text::typed_seeded);
    items.push_back(std::move(clear));
  }
  page.blocks.push_back(controls(name + "_typed", region, std::move(items)));
  if (refused) page.blocks.push_back(paragraph(name + "_wrong", region, std::move(why)));
  if (text_of(rows, ",", ";").size() > kLongestInLink)
    page.blocks.push_back(
        note(name + "_long", region, c.words.get(Text::typed_too_long, {{"most", number(kLongestInLink)}})));
}

}  // namespace commflow::parts

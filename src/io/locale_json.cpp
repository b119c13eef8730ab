#include "io/locale_json.h"

#include <set>

namespace commflow {
namespace {

std::string expectation(std::string_view names) {
  if (names.empty()) return "a text without placeholders";
  return "a text with exactly the placeholders " + std::string(names);
}

}  // namespace

std::string placeholders_of(std::string_view text) {
  std::set<std::string_view> names;
  for (std::size_t open = text.find('{'); open != std::string_view::npos; open = text.find('{', open + 1)) {
    const std::size_t close = text.find('}', open);
    if (close == std::string_view::npos) break;
    names.insert(text.substr(open + 1, close - open - 1));
  }
  std::string joined;
  for (const std::string_view name : names) joined += (joined.empty() ? "" : " ") + std::string(name);
  return joined;
}

Catalog read_locale(const Node& node, bool is_part) {
  Catalog catalog;
  for (std::size_t i = 0; i < std::size(text_names); ++i) {
    if (is_part && !node.find(text_names[i])) continue;
    const Node entry = node.get(text_names[i]);
    std::string text = entry.text();
    if (placeholders_of(text) != text_placeholders[i]) entry.fail(expectation(text_placeholders[i]));
    catalog.set(static_cast<Text>(i), std::move(text));
  }
  return catalog;
}

}  // namespace commflow

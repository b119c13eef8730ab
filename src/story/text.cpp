#include "story/text.h"

#include <algorithm>

namespace commflow {

std::string fill(std::string_view pattern, std::initializer_list<Argument> arguments) {
  std::string out;
  while (!pattern.empty()) {
    const std::size_t open = pattern.find('{');
    const std::size_t close = open == std::string_view::npos ? open : pattern.find('}', open);
    if (close == std::string_view::npos) break;
    const std::string_view name = pattern.substr(open + 1, close - open - 1);
    out += pattern.substr(0, open);
    const auto* found =
        std::find_if(arguments.begin(), arguments.end(), [&](const Argument& a) { return a.name == name; });
    out += found == arguments.end() ? std::string(pattern.substr(open, close - open + 1)) : found->value;
    pattern.remove_prefix(close + 1);
  }
  return out += pattern;
}

void Catalog::set(Text key, std::string value) {
  values_[static_cast<std::size_t>(key)] = std::move(value);
}

std::string_view Catalog::get(Text key) const {
  const std::string& value = values_[static_cast<std::size_t>(key)];
  return value.empty() ? std::string_view(text_names[static_cast<std::size_t>(key)]) : std::string_view(value);
}

namespace {

constexpr bool in_order() {
  for (std::size_t i = 1; i < std::size(text_names); ++i)
    if (!(text_names[i - 1] < text_names[i])) return false;
  return true;
}
static_assert(in_order());

}  // namespace

// Figures put names together in every frame.
std::optional<Text> text_named(std::string_view name) {
  const auto found = std::lower_bound(text_names.begin(), text_names.end(), name);
  if (found == text_names.end() || *found != name) return std::nullopt;
  return static_cast<Text>(found - text_names.begin());
}

}  // namespace commflow

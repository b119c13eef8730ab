#pragma once
// Texts by key. The keys are generated from locales/en.json (tools/gen_text.py),
// so a typo does not compile and a key that one language lacks fails the build.
// The values are loaded at run time; this file knows no file format.

#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "story/text_keys.h"  // generated: enum class Text, text_names

namespace commflow {

enum class Lang : int { en, zh };
inline constexpr int kLangs = 2;

// Word order differs between languages, so arguments are named.
struct Argument {
  std::string_view name;
  std::string value;
};
// Replaces every {name}; a name without an argument stays visible as it is.
std::string fill(std::string_view pattern, std::initializer_list<Argument> arguments);

// All texts of one language. A value that is missing shows as its key.
class Catalog {
 public:
  void set(Text key, std::string value);
  std::string_view get(Text key) const;
  std::string get(Text key, std::initializer_list<Argument> arguments) const { return fill(get(key), arguments); }

 private:
  std::vector<std::string> values_ = std::vector<std::string>(std::size(text_names));
};

// "step.dispatch.title" -> Text::step_dispatch_title.
std::optional<Text> text_named(std::string_view name);

}  // namespace commflow

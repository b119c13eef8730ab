#include "cli/arguments.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace commflow {
namespace {

std::string quoted(std::string_view text) {
  return '"' + std::string(text) + '"';
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Decimal notation only: no "inf", no hexadecimal, no blanks.
std::optional<double> parse_number(std::string_view text) {
  if (text.empty() || text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string text_of(double value) {
  char digits[32];
  const int size = std::snprintf(digits, sizeof digits, "%g", value);
  return {digits, static_cast<std::size_t>(size)};
}

std::string names_of(std::span<const Option> options) {
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  return listed(names);
}

}  // namespace

std::string listed(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

Arguments::Arguments(std::span<const Option> options, std::span<const std::string_view> args) {
  read(options, args);
}

void Arguments::read(std::span<const Option> options, std::span<const std::string_view> args) {
  for (std::size_t i = 0; i < args.size() && problem_.empty(); ++i) {
    const std::string_view name = args[i].substr(0, args[i].find('='));
    const auto option = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
    if (option == options.end()) return fail("unknown argument " + quoted(args[i]) + "; expected " + names_of(options));
    if (given(name)) return fail(std::string(name) + " is given twice; expected once");
    const bool joined = name.size() < args[i].size();
    if (option->value.empty()) {
      if (joined) return fail(std::string(name) + " takes no value; given " + quoted(args[i]));
      values_[option->name] = {};
    } else if (joined) {
      values_[option->name] = args[i].substr(name.size() + 1);
    } else if (i + 1 < args.size()) {
      values_[option->name] = args[++i];
    } else {
      return fail(std::string(name) +
                  " is the last argument; expected a value after it: " + std::string(option->value));
    }
  }
}

std::string_view Arguments::text(std::string_view name, std::string_view expected) {
  if (given(name)) return values_.find(name)->second;
  refuse(name, expected);
  return {};
}

std::string_view Arguments::text_or(std::string_view name, std::string_view fallback) const {
  return given(name) ? values_.find(name)->second : fallback;
}

std::int64_t Arguments::integer(std::string_view name, std::int64_t min, std::int64_t max,
                                std::optional<std::int64_t> fallback) {
  if (!given(name) && fallback) return *fallback;
  const auto value = parse_integer(text_or(name, {}));
  if (value && *value >= min && *value <= max) return *value;
  refuse(name, min == max ? "the whole number " + std::to_string(min)
                          : "a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return min;
}

int Arguments::whole(std::string_view name, int min, int max, std::optional<int> fallback) {
  return static_cast<int>(integer(name, min, max, fallback));
}

double Arguments::number(std::string_view name, double min, double max, std::optional<double> fallback) {
  if (!given(name) && fallback) return *fallback;
  const auto value = parse_number(text_or(name, {}));
  if (value && *value >= min && *value <= max) return *value;
  refuse(name, "a number from " + text_of(min) + " to " + text_of(max));
  return min;
}

std::size_t Arguments::one_of(std::string_view name, std::span<const std::string_view> names,
                              std::optional<std::string_view> fallback) {
  const std::string_view value = text_or(name, fallback.value_or(std::string_view{}));
  const auto found = std::find(names.begin(), names.end(), value);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  refuse(name, listed(names));
  return 0;
}

void Arguments::refuse(std::string_view name, std::string_view expected) {
  const std::string state = given(name) ? " is " + quoted(text_or(name, {})) : " is missing";
  fail(std::string(name) + state + "; expected " + std::string(expected));
}

void Arguments::fail(std::string sentence) {
  if (problem_.empty()) problem_ = std::move(sentence);
}

}  // namespace commflow

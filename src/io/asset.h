#pragma once
// What the files under assets/ have in common: an id that appears in addresses,
// and the way from a text to a value or a sentence for its author.

#include "io/json.h"

namespace commflow {

// Lower-case words and numbers joined by '-' or '.'.
std::string read_asset_id(const Node& node);

template <class T>
Parsed<T> parse_asset(std::string_view text, std::string_view file, T (*read)(const Node& node)) {
  const Parsed<Json> json = parse_json(text, file);
  if (!json.value) return {std::nullopt, json.error};
  Problem problem{std::string(file), {}};
  T value = read(Node(*json.value, problem));
  if (!problem.none()) return {std::nullopt, problem.error};
  return {std::move(value), {}};
}

}  // namespace commflow

#pragma once
// JSON values with the place where they stand, so that every error names file,
// path, what was found and what was expected. The first error stays; after it
// all reads still answer, with harmless values, so that readers need no ifs.
// Knows nothing of what the files are about.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/parsed.h"

namespace commflow {

using Json = nlohmann::json;

// Where the first error of a file is kept.
struct Problem {
  std::string file;
  std::string error;
  bool none() const { return error.empty(); }
};

// The value of a JSON text. Errors name line and column; a key given twice is one.
Parsed<Json> parse_json(std::string_view text, std::string_view file);

// "4", "\"four\"", "a list": a value as an error shows it.
std::string describe(const Json& json);

// A number without a fraction that fits; nothing for anything else.
std::optional<std::int64_t> whole_of(const Json& json);

class Node {
 public:
  Node(const Json& json, Problem& problem) : json_(&json), problem_(&problem) {}

  // The same value as the whole of a file: later errors name that file.
  Node as_file(std::string file) const;

  const Json& json() const { return *json_; }
  const std::string& path() const { return path_; }  // "steps[3].counts[0]"

  // Notes "file: at path: found ..., expected ..." unless something was noted before.
  void fail(std::string_view expected) const;

  // Members of an object. get() fails where there is none; find() does not.
  Node get(std::string_view key) const;
  std::optional<Node> find(std::string_view key) const;
  std::vector<std::string> keys() const;
  // Fails on the first key that is not among these.
  void allow(const std::vector<std::string_view>& keys) const;

  // Elements of a list that has min to max of them.
  std::vector<Node> items(int min, int max) const;

  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  int whole(int min, int max) const { return static_cast<int>(integer(min, max)); }
  double number(double min, double max) const;
  bool flag() const;
  std::string text() const;  // not empty
  // Index into names.
  int one_of(std::span<const std::string_view> names) const;

 private:
  Node(const Json& json, Problem& problem, std::string path)
      : json_(&json), problem_(&problem), path_(std::move(path)) {}
  const Json* json_;
  Problem* problem_;
  std::string path_;
};

// "a", "b" or "c"
std::string alternatives(std::span<const std::string_view> names);

}  // namespace commflow

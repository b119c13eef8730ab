#pragma once
// What a reader of a file returns: the value, or a sentence for its author.
// Files are written by people; reading one never fails in any other way.

#include <optional>
#include <string>

namespace commflow {

template <class T>
struct Parsed {
  std::optional<T> value;
  std::string error;  // file, place in it, what was found, what was expected; "" when there is a value
};

}  // namespace commflow

#pragma once
// Ranks and slots are ints, containers count in size_t: the one conversion
// between them. Knows nothing else.

#include <cstddef>

namespace commflow {

constexpr std::size_t index_of(int value) {
  return static_cast<std::size_t>(value);
}

}  // namespace commflow

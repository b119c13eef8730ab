#pragma once
// A stable sort that is small: each use of std::stable_sort adds 5 kB to the download, of this one a few hundred bytes.

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace commflow {

// Sorts `values` so that none is less(than the one before it); equal ones keep their order. O(n log n) time, O(n) room.
template <class T, class Less>
void sort_stably(std::vector<T>& values, Less less) {
  const std::size_t count = values.size();
  std::vector<T> sorted(count);
  for (std::size_t run = 1; run < count; run *= 2) {
    for (std::size_t first = 0; first < count; first += 2 * run) {
      const std::size_t middle = std::min(first + run, count), last = std::min(middle + run, count);
      for (std::size_t out = first, a = first, b = middle; out < last; ++out) {
        const bool from_b = a == middle || (b < last && less(values[b], values[a]));
        sorted[out] = std::move(values[from_b ? b++ : a++]);
      }
    }
    values.swap(sorted);
  }
}

template <class T>
void sort_stably(std::vector<T>& values) {
  sort_stably(values, [](const T& a, const T& b) { return a < b; });
}

}  // namespace commflow

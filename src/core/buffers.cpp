#include "core/buffers.h"

#include <algorithm>

#include "core/index.h"

namespace commflow {
namespace {

constexpr std::size_t kAreas = 2;

}  // namespace

void Origins::add(Origins other) {
  std::uint64_t sum = 0;
  for (Rank rank = 0; rank < kMaxExecutedRanks; ++rank) {
    const int both = std::min(count(rank) + other.count(rank), 15);
    sum |= static_cast<std::uint64_t>(both) << (4 * rank);
  }
  counts_ = sum;
}

std::vector<Rank> Origins::ranks() const {
  std::vector<Rank> found;
  for (Rank rank = 0; rank < kMaxExecutedRanks; ++rank) {
    if (count(rank) > 0) found.push_back(rank);
  }
  return found;
}

Buffers::Buffers(int ranks, std::vector<int> widths, int switches)
    : ranks_(ranks), switches_(switches), widths_(std::move(widths)) {
  offsets_.reserve(widths_.size());
  for (const int width : widths_) {
    offsets_.push_back(row_width_);
    row_width_ += width;
  }
  values_.resize(index_of(nodes()) * kAreas * index_of(row_width_));
  origins_.resize(index_of(nodes()) * kAreas * widths_.size());
}

bool Buffers::contains(Place place) const {
  return place.rank >= 0 && place.rank < nodes() && place.slot >= 0 && place.slot < slots();
}

std::size_t Buffers::row(Place place) const {
  return index_of(place.rank) * kAreas + static_cast<std::size_t>(place.area);
}

std::size_t Buffers::cell(Place place) const {
  return row(place) * widths_.size() + index_of(place.slot);
}

std::size_t Buffers::first_value(Place place) const {
  return row(place) * index_of(row_width_) + index_of(offsets_[index_of(place.slot)]);
}

Origins Buffers::from(Place place) const {
  return origins_[cell(place)];
}

std::span<const Value> Buffers::values(Place place) const {
  return {values_.data() + first_value(place), index_of(width(place.slot))};
}

std::span<Value> Buffers::mutable_values(Place place) {
  return {values_.data() + first_value(place), index_of(width(place.slot))};
}

void Buffers::put(Place place, std::span<const Value> values, Origins from) {
  std::copy(values.begin(), values.end(), mutable_values(place).begin());
  set_from(place, from);
}

void Buffers::set_from(Place place, Origins from) {
  origins_[cell(place)] = from;
}

}  // namespace commflow

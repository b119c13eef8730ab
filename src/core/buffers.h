#pragma once
// What every rank holds while a schedule runs: small integers, and beside each
// slot the multiset of ranks whose contribution is in it. The number shows the
// reader what happens; the origins show a lost or doubled contribution even
// when the number happens to fit. Knows nothing of algorithms, models or time.

#include <cstdint>
#include <span>
#include <vector>

namespace commflow {

using Rank = int;
using Value = std::int64_t;

// Schedules are executed on at most this many ranks (origins are 4-bit counts).
inline constexpr int kMaxExecutedRanks = 16;

// Each rank has two rows of slots. `in` is never written: it is the row the
// reader compares with. Algorithms that work in place begin with local moves.
enum class Area : std::uint8_t { in, out };

struct Place {
  Rank rank = 0;
  Area area = Area::in;
  int slot = 0;
  bool operator==(const Place&) const = default;
};

// Multiset of contributing ranks 0..15, each counted up to 15.
class Origins {
 public:
  static Origins of(Rank rank) { return Origins{std::uint64_t{1} << (4 * rank)}; }
  Origins() = default;
  bool empty() const { return counts_ == 0; }
  int count(Rank rank) const { return static_cast<int>((counts_ >> (4 * rank)) & 15U); }
  // Adds every contribution of `other`; a count stays at 15 once it is there.
  void add(Origins other);
  // The contributing ranks, ascending, each once.
  std::vector<Rank> ranks() const;
  bool operator==(const Origins&) const = default;

 private:
  explicit Origins(std::uint64_t counts) : counts_(counts) {}
  std::uint64_t counts_ = 0;
};

// The slots of all ranks. Slot s has the same width (number of values, >= 0) on
// every rank; an empty slot has no origins and its values are 0.
class Buffers {
 public:
  Buffers() = default;
  // ranks in 1..kMaxExecutedRanks; widths[s] = values in slot s. Switches that
  // compute have rows like ranks, under the numbers from `ranks` on.
  Buffers(int ranks, std::vector<int> widths, int switches = 0);

  int ranks() const { return ranks_; }
  int switches() const { return switches_; }
  int nodes() const { return ranks_ + switches_; }
  int slots() const { return static_cast<int>(widths_.size()); }
  int width(int slot) const { return widths_[static_cast<std::size_t>(slot)]; }
  bool contains(Place place) const;

  bool filled(Place place) const { return !from(place).empty(); }
  Origins from(Place place) const;
  std::span<const Value> values(Place place) const;

  // `values` has width(place.slot) elements.
  void put(Place place, std::span<const Value> values, Origins from);
  std::span<Value> mutable_values(Place place);
  void set_from(Place place, Origins from);

  bool operator==(const Buffers&) const = default;

 private:
  std::size_t row(Place place) const;          // one area of one rank
  std::size_t cell(Place place) const;         // index into origins_
  std::size_t first_value(Place place) const;  // index into values_
  int ranks_ = 0;
  int switches_ = 0;
  int row_width_ = 0;             // values in one area of one rank
  std::vector<int> widths_;       // per slot
  std::vector<int> offsets_;      // per slot, within a row
  std::vector<Value> values_;     // [node][area][offset]
  std::vector<Origins> origins_;  // [node][area][slot]
};

}  // namespace commflow

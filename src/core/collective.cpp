#include "core/collective.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/index.h"

namespace commflow {
namespace {

// Whether a rank takes part with a value, and with which blocks of the payload.
enum class Share : std::uint8_t {
  everything,       // every rank, all blocks
  own_block,        // every rank, the block of its index
  root_everything,  // the root only, all blocks
  next_everything,  // the rank after the root only, all blocks
};

struct CollectiveRow {
  Collective id;
  std::string_view name;
  Share before;
  Share after;
  bool needs_root;
  bool reduces;
  bool has_block_per_rank;
};

constexpr std::array<CollectiveRow, kCollectives> kRows{{
    {Collective::broadcast, "broadcast", Share::root_everything, Share::everything, true, false, false},
    {Collective::reduce, "reduce", Share::everything, Share::root_everything, true, true, false},
    {Collective::all_reduce, "all-reduce", Share::everything, Share::everything, false, true, false},
    {Collective::all_gather, "all-gather", Share::own_block, Share::everything, false, false, true},
    {Collective::reduce_scatter, "reduce-scatter", Share::everything, Share::own_block, false, true, true},
    {Collective::all_to_all, "all-to-all", Share::everything, Share::everything, false, false, true},
    {Collective::gather, "gather", Share::own_block, Share::root_everything, true, false, true},
    {Collective::scatter, "scatter", Share::root_everything, Share::own_block, true, false, true},
    {Collective::send_recv, "send-recv", Share::root_everything, Share::next_everything, true, false, false},
}};

constexpr bool rows_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (kRows[i].id != static_cast<Collective>(i)) return false;
  }
  return true;
}
static_assert(rows_in_order());

const CollectiveRow& row_of(Collective collective) {
  return kRows[static_cast<std::size_t>(collective)];
}

constexpr std::array<std::string_view, kOperators> kOperatorNames{"sum", "prod", "min", "max", "avg"};

std::vector<int> blocks_of(Share share, int ranks, int blocks, Rank root, Rank rank) {
  if (share == Share::own_block) return {rank};
  if (share == Share::root_everything && rank != root) return {};
  if (share == Share::next_everything && rank != (root + 1) % ranks) return {};
  std::vector<int> all(index_of(blocks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

// The one input that becomes `block` on `rank` where nothing is reduced.
Place source_of(Collective collective, Rank root, Rank rank, int block) {
  switch (collective) {
    case Collective::all_to_all: return {block, Area::in, rank};
    case Collective::all_gather:
    case Collective::gather: return {block, Area::in, block};
    default: return {root, Area::in, block};
  }
}

void append(Expected& expected, std::span<const Value> values, Origins from) {
  expected.values.insert(expected.values.end(), values.begin(), values.end());
  expected.from.push_back(from);
}

void append_reduction(Expected& expected, const Buffers& initial, int block, Operator op) {
  const std::span<const Value> first = initial.values({0, Area::in, block});
  std::vector<Value> total(first.begin(), first.end());
  Origins from = Origins::of(0);
  for (Rank rank = 1; rank < initial.ranks(); ++rank) {
    const std::span<const Value> more = initial.values({rank, Area::in, block});
    for (std::size_t i = 0; i < total.size(); ++i) total[i] = combine(op, total[i], more[i]);
    from.add(Origins::of(rank));
  }
  append(expected, total, from);
}

Expected expected_on(Rank rank, Collective collective, Rank root, const Buffers& initial, Operator op) {
  Expected expected;
  for (const int block : output_blocks(collective, initial.ranks(), initial.slots(), root, rank)) {
    if (reduces(collective)) {
      append_reduction(expected, initial, block, op);
    } else {
      const Place source = source_of(collective, root, rank, block);
      append(expected, initial.values(source), Origins::of(source.rank));
    }
  }
  return expected;
}

// What rank holds in its result blocks, in the form of the expectation.
Expected held_by(Rank rank, Collective collective, Rank root, const Buffers& state) {
  Expected held;
  for (const int block : output_blocks(collective, state.ranks(), state.slots(), root, rank)) {
    const Place place{rank, Area::out, block};
    append(held, state.values(place), state.from(place));
  }
  return held;
}

Fraction lowest_terms(std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t divisor = std::gcd(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

}  // namespace

std::string_view name_of(Collective collective) {
  return row_of(collective).name;
}

std::optional<Collective> collective_named(std::string_view name) {
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const auto& r) { return r.name == name; });
  if (row == kRows.end()) return std::nullopt;
  return row->id;
}

std::string_view name_of(Operator op) {
  return kOperatorNames[static_cast<std::size_t>(op)];
}

std::optional<Operator> operator_named(std::string_view name) {
  const auto found = std::find(kOperatorNames.begin(), kOperatorNames.end(), name);
  if (found == kOperatorNames.end()) return std::nullopt;
  return static_cast<Operator>(found - kOperatorNames.begin());
}

bool needs_root(Collective collective) {
  return row_of(collective).needs_root;
}
bool reduces(Collective collective) {
  return row_of(collective).reduces;
}
bool has_block_per_rank(Collective collective) {
  return row_of(collective).has_block_per_rank;
}

std::vector<int> input_blocks(Collective collective, int ranks, int blocks, Rank root, Rank rank) {
  return blocks_of(row_of(collective).before, ranks, blocks, root, rank);
}

std::vector<int> output_blocks(Collective collective, int ranks, int blocks, Rank root, Rank rank) {
  return blocks_of(row_of(collective).after, ranks, blocks, root, rank);
}

Buffers initial_buffers(Collective collective, Rank root, const std::vector<int>& widths,
                        const std::vector<std::vector<Value>>& values, int switches) {
  const int ranks = static_cast<int>(values.size());
  Buffers buffers(ranks, widths, switches);
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::span<const Value> rest = values[index_of(rank)];
    for (const int block : input_blocks(collective, ranks, buffers.slots(), root, rank)) {
      const std::size_t width = index_of(buffers.width(block));
      buffers.put({rank, Area::in, block}, rest.first(width), Origins::of(rank));
      rest = rest.subspan(width);
    }
  }
  return buffers;
}

std::vector<Expected> expected_output(Collective collective, Rank root, const Buffers& initial, Operator op) {
  std::vector<Expected> all;
  for (Rank rank = 0; rank < initial.ranks(); ++rank) {
    all.push_back(expected_on(rank, collective, root, initial, op));
  }
  return all;
}

bool fulfils(Collective collective, Rank root, const Buffers& initial, const Buffers& state, Operator op) {
  for (Rank rank = 0; rank < initial.ranks(); ++rank) {
    const Expected expected = expected_on(rank, collective, root, initial, op);
    const Expected held = held_by(rank, collective, root, state);
    if (held.values != expected.values || held.from != expected.from) return false;
  }
  return true;
}

Fraction finish(Operator op, Value value, int ranks) {
  return op == Operator::avg ? lowest_terms(value, ranks) : Fraction{value, 1};
}

Fraction busbw_factor(Collective collective, int ranks) {
  switch (collective) {
    case Collective::broadcast:
    case Collective::reduce: return {1, 1};
    case Collective::send_recv: return {ranks > 1 ? 1 : 0, 1};
    case Collective::all_reduce: return lowest_terms(2 * (ranks - 1), ranks);
    default: return lowest_terms(ranks - 1, ranks);
  }
}

}  // namespace commflow

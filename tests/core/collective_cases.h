#pragma once
// Shared by the tests of the collective engine: random inputs, and the
// collectives defined a second time on plain vectors, straight from the table
// of the NCCL user guide, so that expected_output() has something to be
// measured against.

#include <cstdint>
#include <numeric>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "core/algorithms.h"
#include "core/index.h"

namespace commflow::cases {

using Row = std::vector<Value>;
using Rows = std::vector<Row>;     // per rank; empty where a rank has nothing
using Blocks = std::vector<Rows>;  // [rank][block]

inline constexpr Operator kAllOperators[] = {Operator::sum, Operator::prod, Operator::min, Operator::max,
                                             Operator::avg};

inline std::vector<Rank> roots_of(Collective collective, int ranks) {
  std::vector<Rank> roots(needs_root(collective) ? index_of(ranks) : 1);
  std::iota(roots.begin(), roots.end(), 0);
  return roots;
}

// Values per slot: uneven, zero included, where the collective allows it. A slot
// of an all-to-all lands in another slot, so there all are equal.
inline std::vector<int> random_widths(Collective collective, int slots, std::mt19937& random) {
  std::vector<int> widths(index_of(slots), 2);
  if (collective == Collective::all_to_all) return widths;
  for (int& width : widths) width = static_cast<int>(random() % 4);
  widths[random() % widths.size()] = 3;
  return widths;
}

inline Rows random_values(Collective collective, int ranks, Rank root, const std::vector<int>& widths,
                          std::mt19937& random) {
  Rows values(index_of(ranks));
  const int slots = static_cast<int>(widths.size());
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (const int block : input_blocks(collective, ranks, slots, root, rank)) {
      for (int i = 0; i < widths[index_of(block)]; ++i) {
        values[index_of(rank)].push_back(static_cast<Value>(random() % 2001) - 1000);
      }
    }
  }
  return values;
}

inline Buffers random_initial(Collective collective, const Schedule& schedule, Rank root, std::mt19937& random) {
  const std::vector<int> widths = random_widths(collective, schedule.slots, random);
  return initial_buffers(collective, root, widths, random_values(collective, schedule.ranks, root, widths, random),
                         schedule.switches);
}

// All that lies in `in`, block by block.
inline Blocks input_rows(const Buffers& initial) {
  Blocks rows(index_of(initial.ranks()));
  for (Rank rank = 0; rank < initial.ranks(); ++rank) {
    for (int slot = 0; slot < initial.slots(); ++slot) {
      const auto values = initial.values({rank, Area::in, slot});
      rows[index_of(rank)].emplace_back(values.begin(), values.end());
    }
  }
  return rows;
}

inline Value plainly_combined(Operator op, Value a, Value b) {
  if (op == Operator::min) return a < b ? a : b;
  if (op == Operator::max) return a > b ? a : b;
  const auto x = static_cast<std::uint64_t>(a);
  const auto y = static_cast<std::uint64_t>(b);
  return static_cast<Value>(op == Operator::prod ? x * y : x + y);
}

inline Row reduced(const Blocks& in, std::size_t block, Operator op) {
  Row total = in[0][block];
  for (std::size_t rank = 1; rank < in.size(); ++rank) {
    for (std::size_t i = 0; i < total.size(); ++i) total[i] = plainly_combined(op, total[i], in[rank][block][i]);
  }
  return total;
}

// The result blocks of `rank`: nullopt where the definition leaves a block open.
inline std::optional<Row> defined_result(Collective collective, const Blocks& in, Rank root, Rank rank, int block,
                                         Operator op) {
  const std::size_t r = index_of(rank);
  const std::size_t b = index_of(block);
  const bool at_root = rank == root;
  switch (collective) {
    case Collective::broadcast: return in[index_of(root)][b];
    case Collective::reduce: return at_root ? std::optional(reduced(in, b, op)) : std::nullopt;
    case Collective::all_reduce: return reduced(in, b, op);
    case Collective::all_gather: return in[b][b];
    case Collective::reduce_scatter: return r == b ? std::optional(reduced(in, b, op)) : std::nullopt;
    case Collective::all_to_all: return in[b][r];
    case Collective::gather: return at_root ? std::optional(in[b][b]) : std::nullopt;
    case Collective::scatter: return r == b ? std::optional(in[index_of(root)][b]) : std::nullopt;
    case Collective::send_recv: break;
  }
  const std::size_t receiver = (index_of(root) + 1) % in.size();
  return r == receiver ? std::optional(in[index_of(root)][b]) : std::nullopt;
}

// Who must have contributed to that block.
inline std::vector<Rank> defined_origins(Collective collective, int ranks, Rank root, int block) {
  switch (collective) {
    case Collective::reduce:
    case Collective::all_reduce:
    case Collective::reduce_scatter: {
      std::vector<Rank> all(index_of(ranks));
      std::iota(all.begin(), all.end(), 0);
      return all;
    }
    case Collective::all_gather:
    case Collective::all_to_all:
    case Collective::gather: return {block};
    default: return {root};
  }
}

inline bool each_once(Origins from, const std::vector<Rank>& ranks) {
  if (from.ranks() != ranks) return false;
  for (const Rank rank : ranks) {
    if (from.count(rank) != 1) return false;
  }
  return true;
}

// One row of the registry at one size.
struct Case {
  std::size_t row;
  int ranks;

  const AlgorithmRow& algorithm() const { return algorithms()[row]; }
  Collective collective() const { return algorithm().collective; }
};

inline std::string label(const Case& c) {
  std::string text = std::string(name_of(c.collective())) + "_" + std::string(name_of(c.algorithm().id)) + "_" +
                     std::to_string(c.ranks);
  for (char& letter : text) {
    if (letter == '-') letter = '_';
  }
  return text;
}

inline std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << label(c);
}

inline std::vector<Case> all_cases(int from_ranks, int to_ranks) {
  std::vector<Case> found;
  for (std::size_t row = 0; row < algorithms().size(); ++row) {
    for (int ranks = from_ranks; ranks <= to_ranks; ++ranks) found.push_back({row, ranks});
  }
  return found;
}

}  // namespace commflow::cases

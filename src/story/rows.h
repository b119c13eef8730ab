#pragma once
// Rows of whole numbers as a reader types or pastes them, a file holds them and
// an address carries them: one row per line (or between semicolons), numbers
// between commas or blanks, nothing behind a #. Full-width commas, semicolons
// and digits mean the same.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace commflow {

struct Rows {
  std::vector<int> numbers;  // of all rows, one after the other
  std::vector<int> ends;     // of each row, in `numbers`

  int size() const { return static_cast<int>(ends.size()); }
  bool empty() const { return ends.empty(); }
  std::span<const int> row(int index) const;
  void add(std::span<const int> row);
  bool operator==(const Rows&) const = default;
};

struct RowLimits {
  int low = 0, high = 0;  // of each number
  int most_rows = 0, most_columns = 0;
  bool same_length = false;  // all rows
  bool distinct = false;     // the numbers of a row
};

// Why rows cannot be what they are meant to be, in kinds and numbers, so that a page can say it in any language.
struct Misread {
  enum class Kind : std::uint8_t {
    nothing,           // no row at all
    not_a_number,      // `found` at line, column is no whole number from low to high
    twice,             // `found` is in its row already
    length,            // the row has `count` numbers, the first one has `expected`
    too_many_columns,  // more than `expected`
    too_many_rows,     // more than `expected`
    uneven_rows        // `count` rows, which are no multiple of `expected`
  };
  Kind kind{};
  int line = 0, column = 0;  // from 1, in the text; empty lines count
  std::string found;
  int low = 0, high = 0;
  int count = 0, expected = 0;
};
// "r.csv: line 2, column 2: found ..., expected ..."; `name`: of the file or the input.
std::string sentence_of(const Misread& misread, std::string_view name);

struct ReadRows {
  Rows rows;
  std::optional<Misread> misread;  // then there are no rows
};
ReadRows read_rows(std::string_view text, const RowLimits& limits);

// The reverse, with these between two numbers and between two rows.
std::string text_of(const Rows& rows, std::string_view between_numbers, std::string_view between_rows);

}  // namespace commflow

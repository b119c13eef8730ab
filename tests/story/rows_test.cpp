#include "story/rows.h"

#include <gtest/gtest.h>

#include "core/rng.h"

namespace commflow {
namespace {

constexpr RowLimits kTable{0, 7, 100, 8, true, true};
constexpr RowLimits kValues{-99, 99, 3, 4, false, false};

std::string error_of(std::string_view text, const RowLimits& limits = kTable) {
  const ReadRows read = read_rows(text, limits);
  EXPECT_EQ(read.misread.has_value(), read.rows.empty());
  return read.misread ? sentence_of(*read.misread, "r.csv") : "";
}

Rows rows_of(std::initializer_list<std::vector<int>> list) {
  Rows rows;
  for (const auto& row : list) rows.add(row);
  return rows;
}

TEST(Rows, AreReadAsPeopleWriteThem) {
  const Rows expected = rows_of({{0, 3}, {7, 1}, {2, 5}});
  EXPECT_EQ(read_rows("# rank 0\n0,3\n 7 , 1\t# second\r\n\n2,5", kTable).rows, expected);
  EXPECT_EQ(read_rows("0,3;7,1;2,5;", kTable).rows, expected);
  EXPECT_EQ(read_rows("0 3\n7\t1\n  2   5  ", kTable).rows, expected);
  EXPECT_EQ(read_rows("-1 2 3\n4", kValues).rows, rows_of({{-1, 2, 3}, {4}}));
}

TEST(Rows, WhatOtherKeyboardsTypeMeansTheSame) {
  const Rows expected = rows_of({{-1, 20}, {3, 45}});
  for (const char* text : {"\uff0d1\uff0c20\uff1b3\uff0c45", "\u22121\u300120;3\u300145", "\ufeff-1\u00a020\n3\u300045",
                           "-1,\uff12\uff10;\uff13,\uff14\uff15"})
    EXPECT_EQ(read_rows(text, kValues).rows, expected) << text;
}

// A quotation never ends in the middle of a character.
TEST(Rows, ErrorsQuoteWholeCharacters) {
  for (const std::string character : {"\u00e9", "\u4e00", "\U0001f600"})
    for (std::string text = "a"; text.size() < 40; text += character) {
      const ReadRows read = read_rows(text, kTable);
      ASSERT_TRUE(read.misread);
      EXPECT_EQ((read.misread->found.size() - 1) % character.size(), 0U) << text;
      EXPECT_LE(read.misread->found.size(), 20U);
    }
}

TEST(Rows, ErrorsNameLineAndColumn) {
  const std::string expected = ", expected a whole number from 0 to 7";
  EXPECT_EQ(error_of("0,1\n2,8\n"), "r.csv: line 2, column 2: found \"8\"" + expected);
  EXPECT_EQ(error_of("0,1\n\nx,2\n"), "r.csv: line 3, column 1: found \"x\"" + expected);
  EXPECT_EQ(error_of("0,-1\n"), "r.csv: line 1, column 2: found \"-1\"" + expected);
  EXPECT_EQ(error_of("0,1,\n"), "r.csv: line 1, column 3: found \"\"" + expected);
  EXPECT_EQ(error_of(",0\n"), "r.csv: line 1, column 1: found \"\"" + expected);
  EXPECT_EQ(error_of("1.5 2"), "r.csv: line 1, column 1: found \"1.5\"" + expected);
  EXPECT_EQ(error_of("99999999999"), "r.csv: line 1, column 1: found \"99999999999\"" + expected);
  EXPECT_EQ(error_of("4,4"), "r.csv: line 1, column 2: found 4 for the second time, expected different numbers");
  EXPECT_EQ(error_of("0,1\n2"), "r.csv: line 2, column 1: found 1 numbers, expected 2 as in the first row");
  EXPECT_EQ(error_of("0,1\n2,3,4"), "r.csv: line 2, column 3: found 3 numbers, expected 2 as in the first row");
  EXPECT_EQ(error_of("# nothing\n"), "r.csv: no row; expected numbers between commas, one row per line");
  EXPECT_EQ(error_of(""), "r.csv: no row; expected numbers between commas, one row per line");
  EXPECT_EQ(error_of("1;2;3;4", kValues), "r.csv: line 1: expected at most 3 rows");
  EXPECT_EQ(error_of("1 2 3 4 5", kValues), "r.csv: line 1, column 5: expected at most 4 numbers in a row");
}

TEST(Rows, WhatIsWrittenIsReadAgain) {
  Rng random(3);
  for (int round = 0; round < 500; ++round) {
    Rows rows;
    for (int left = 1 + random.below(3); left > 0; --left) {
      std::vector<int> row;
      for (int i = 1 + random.below(4); i > 0; --i) row.push_back(random.between(-99, 99));
      rows.add(row);
    }
    for (const auto& [numbers, lines] : {std::pair{",", ";"}, std::pair{", ", "\n"}, std::pair{" ", "\n"}})
      EXPECT_EQ(read_rows(text_of(rows, numbers, lines), kValues).rows, rows);
  }
}

TEST(Rows, AnyTextIsReadOrRefused) {
  Rng random(4);
  constexpr std::string_view kLetters = "0123456789,,,;;\n\n -#x\t\r";
  for (int round = 0; round < 20000; ++round) {
    std::string text;
    for (int i = random.below(24); i > 0; --i)
      text += kLetters[static_cast<std::size_t>(random.below(static_cast<int>(kLetters.size())))];
    const ReadRows read = read_rows(text, kTable);
    EXPECT_NE(read.rows.empty(), !read.misread.has_value());
    for (int row = 0; row < read.rows.size(); ++row) EXPECT_EQ(read.rows.row(row).size(), read.rows.row(0).size());
    for (const int number : read.rows.numbers) EXPECT_TRUE(number >= 0 && number <= 7);
  }
}

}  // namespace
}  // namespace commflow

// Line breaking, with a font of which every width is known: Han 1 em, the rest half.
#include "ui/text_layout.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace commflow::ui {
namespace {

struct Grid final : Measure {
  float width(std::string_view text, bool bold, float size) const override {
    const auto lead = static_cast<unsigned char>(text[0]);
    return (lead >= 0xE0 ? 1.0f : 0.5f) * size + (bold ? 1.0f : 0.0f);
  }
};

constexpr TextStyle kTen{10, false};

std::string text_of(const Line& line) {
  std::string text;
  for (const Run& run : line.runs) text += run.text;
  return text;
}

std::vector<std::string> lines(std::string_view text, float room) {
  std::vector<std::string> result;
  for (const Line& line : wrap(text, kTen, room, Grid{}).lines) result.push_back(text_of(line));
  return result;
}

using Lines = std::vector<std::string>;

TEST(TextLayout, WordsStayWholeAndSpacesHangOver) {
  EXPECT_EQ(lines("one two three", 40), (Lines{"one two", "three"}));
  EXPECT_EQ(lines("one two three", 35), (Lines{"one two", "three"}));
  EXPECT_EQ(lines("one two three", 34), (Lines{"one", "two", "three"}));
}

TEST(TextLayout, HanBreaksAnywhereButBeforeClosingMarks) {
  EXPECT_EQ(lines("每个向量要复制", 30), (Lines{"每个向", "量要复", "制"}));
  EXPECT_EQ(lines("发出去，收", 30), (Lines{"发出", "去，收"}));
  EXPECT_EQ(lines("求和。）好", 30), (Lines{"求", "和。）", "好"}));
}

TEST(TextLayout, OpeningMarksAreNeverLast) {
  EXPECT_EQ(lines("分发（好", 30), (Lines{"分发", "（好"}));
  EXPECT_EQ(lines("他说“好”", 30), (Lines{"他说", "“好”"}));
}

TEST(TextLayout, NoLineBeginsOrEndsWrongAtAnyWidth) {
  const std::string text =
      "每个 token 的向量要复制到所选专家（GPU 0、1、4、5）上，这就是**分发**：EP 组内的一次“All-to-All”，96 MiB，约 "
      "3/4。";
  const Lines closing{"，", "。", "、", "：", "）", "”"};
  const Lines opening{"（", "“"};
  for (float room = 85; room < 500; room += 1) {
    const TextBlock block = wrap(text, kTen, room, Grid{});
    for (const Line& line : block.lines) {
      const std::string words = text_of(line);
      for (const std::string& mark : closing)
        EXPECT_NE(words.compare(0, mark.size(), mark), 0) << room << ": " << words;
      for (const std::string& mark : opening) {
        const bool ends =
            words.size() >= mark.size() && words.compare(words.size() - mark.size(), mark.size(), mark) == 0;
        EXPECT_FALSE(ends) << room << ": " << words;
      }
      EXPECT_LE(line.width, room + 0.05f);
      EXPECT_EQ(words.find("**"), std::string::npos);
    }
    EXPECT_TRUE(block.fits) << room;
  }
}

TEST(TextLayout, ThinSpaceBetweenHanAndLatinOnce) {
  const TextBlock tight = wrap("在GPU上", kTen, 0, Grid{});
  EXPECT_FLOAT_EQ(tight.width, 10 + 2 + 15 + 2 + 10);
  ASSERT_EQ(tight.lines[0].runs.size(), 3u);
  EXPECT_FLOAT_EQ(tight.lines[0].runs[1].x, 12);
  EXPECT_FLOAT_EQ(wrap("在 GPU 上", kTen, 0, Grid{}).width, 10 + 5 + 15 + 5 + 10) << "a space that is there is enough";
  EXPECT_FLOAT_EQ(wrap("，GPU", kTen, 0, Grid{}).width, 10 + 15) << "punctuation has its own";
  EXPECT_EQ(wrap("在GPU", kTen, 20, Grid{}).lines[1].runs[0].x, 0) << "none where a line begins";
}

TEST(TextLayout, BoldIsARunOfItsOwn) {
  const TextBlock block = wrap("the **big** one", kTen, 0, Grid{});
  const auto& runs = block.lines[0].runs;
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].text, "big");
  EXPECT_TRUE(runs[1].bold);
  EXPECT_FLOAT_EQ(runs[1].width, 18);
  EXPECT_FALSE(runs[2].bold);
  EXPECT_EQ(wrap("a **", kTen, 0, Grid{}).lines.size(), 1u);
}

TEST(TextLayout, NumbersStayWithTheirWord) {
  EXPECT_EQ(lines("from GPU 5", 40), (Lines{"from", "GPU 5"}));
  EXPECT_EQ(lines("sent 96 MiB", 45), (Lines{"sent", "96 MiB"}));
  EXPECT_EQ(lines("in 12 steps of it", 55), (Lines{"in 12 steps", "of it"}));
}

TEST(TextLayout, HyphensBreakLongWordsOnly) {
  EXPECT_EQ(lines("an All-to-All", 45), (Lines{"an", "All-to-", "All"}))
      << "no other way: the word is wider than the line";
  EXPECT_EQ(lines("an All-to-All", 55), (Lines{"an", "All-to-All"}));
  EXPECT_EQ(lines("one micro-batch", 50), (Lines{"one micro-", "batch"}));
}

TEST(TextLayout, LineFeedsAndHardSpaces) {
  EXPECT_EQ(lines("a\nb", 100), (Lines{"a", "b"}));
  EXPECT_EQ(lines("a\n\nb", 100), (Lines{"a", "", "b"}));
  EXPECT_EQ(lines("10\xC2\xA0KB at", 30), (Lines{"10\xC2\xA0KB", "at"}));
  EXPECT_EQ(lines("", 100), (Lines{""}));
}

TEST(TextLayout, WhatCannotBreakIsSplitAndReported) {
  const TextBlock block = wrap("abcdefgh", kTen, 20, Grid{});
  EXPECT_FALSE(block.fits);
  EXPECT_EQ(block.lines.size(), 2u);
  EXPECT_EQ(wrap("abcdefgh", kTen, 0.5f, Grid{}).lines.size(), 8u);
}

TEST(TextLayout, NothingIsLostAndRubbishIsHarmless) {
  const std::string rubbish("\xE6\xAF a\xFF\xF0\x9F **\xC3", 12);
  for (float room = 0; room < 60; room += 3) {
    std::string all;
    for (const std::string& line : lines(rubbish, room)) all += line;
    EXPECT_EQ(std::count(all.begin(), all.end(), 'a'), 1);
  }
}

TEST(TextLayout, CacheTellsStylesApartAndForgets) {
  TextCache cache;
  EXPECT_FLOAT_EQ(cache.wrapped("ab", {10, false}, 0, Grid{}).width, 10);
  EXPECT_FLOAT_EQ(cache.wrapped("ab", {10, true}, 0, Grid{}).width, 12);
  EXPECT_FLOAT_EQ(cache.wrapped("ab", {20, false}, 0, Grid{}).width, 20);
  EXPECT_EQ(cache.wrapped("a b", {10, false}, 6, Grid{}).lines.size(), 2u);
  for (int i = 0; i < 5000; ++i) cache.wrapped(std::to_string(i), {10, false}, 0, Grid{});
  EXPECT_FLOAT_EQ(cache.wrapped("ab", {10, false}, 0, Grid{}).width, 10);
}

}  // namespace
}  // namespace commflow::ui

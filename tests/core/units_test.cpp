// Numbers as text, against what the C library prints.
#include "core/units.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "core/rng.h"

namespace commflow {
namespace {

// printf's digits without trailing zeros, and without a sign before nothing.
std::string printed(double value, int decimals) {
  char buffer[128];
  std::snprintf(buffer, sizeof buffer, "%.*f", decimals, value);
  std::string text(buffer);
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

TEST(Units, DecimalsAreRoundedAsPrintfRounds) {
  Rng rng(17);
  for (int i = 0; i < 200000; ++i) {
    const int decimals = static_cast<int>(rng.below(9));
    double value = static_cast<double>(rng.next() >> 11) / static_cast<double>(1 + rng.below(1 << 30));
    for (auto shift = rng.below(40); shift > 0 || value > 1e9; shift -= shift > 0 ? 1 : 0) value /= 2;
    if (rng.below(2) == 1) value = -value;
    ASSERT_EQ(text_of_decimal(value, decimals), printed(value, decimals)) << value << " to " << decimals;
  }
}

TEST(Units, TiesGoToTheEvenDigit) {
  for (int whole = 0; whole < 1000; ++whole) {
    const double half = whole + 0.5;
    EXPECT_EQ(text_of_decimal(half, 0), printed(half, 0));
    EXPECT_EQ(text_of_decimal(half / 4, 2), printed(half / 4, 2));
  }
  EXPECT_EQ(text_of_decimal(0.125, 2), "0.12");
  EXPECT_EQ(text_of_decimal(0.375, 2), "0.38");
}

TEST(Units, SmallAndLargeNumbersKeepTheirSize) {
  EXPECT_EQ(text_of_decimal(1e-30, 6), "0");
  EXPECT_EQ(text_of_decimal(-1e-30, 6), "0");
  EXPECT_EQ(text_of_decimal(5e-7, 6), printed(5e-7, 6));
  EXPECT_EQ(text_of_decimal(123456789012345678.0, 2), printed(123456789012345678.0, 0));
  EXPECT_EQ(text_of_decimal(1e20, 3), "100000000000000000000");
}

}  // namespace
}  // namespace commflow

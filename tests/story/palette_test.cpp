// Colours carry meaning here, so that they can be read is a claim to be tested.
#include "story/palette.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace commflow {
namespace {

constexpr Theme kThemes[] = {Theme::light, Theme::dark};
constexpr Ink kGrounds[] = {Ink::page, Ink::surface, Ink::raised};
constexpr Ink kSoft[] = {Ink::tp_soft, Ink::pp_soft, Ink::dp_soft, Ink::ep_soft};
constexpr Ink kDimensions[] = {Ink::tp, Ink::pp, Ink::dp, Ink::ep, Ink::sp, Ink::cp};

double lightness(Rgba c) {
  const double y = luminance(c);
  return y > 0.008856 ? 116 * std::cbrt(y) - 16 : 903.3 * y;
}

TEST(Palette, TextReadsOnEveryGround) {
  for (Theme theme : kThemes) {
    for (Ink text : {Ink::ink, Ink::muted, Ink::accent}) {
      for (Ink ground : kGrounds) EXPECT_GE(contrast(color(text, theme), color(ground, theme)), 4.5);
      for (Ink ground : kSoft) EXPECT_GE(contrast(color(text, theme), color(ground, theme)), 4.5);
    }
  }
}

TEST(Palette, TextInADimensionsHueReads) {
  for (Theme theme : kThemes) {
    for (Ink hue : kDimensions) {
      for (Ink ground : kGrounds) EXPECT_GE(contrast(text_color(hue, theme), color(ground, theme)), 4.5);
      const Rgba fill = color(hue, theme);
      EXPECT_GE(contrast(text_on(fill), fill), 4.5);
    }
  }
}

TEST(Palette, ShapesStandOut) {
  for (Theme theme : kThemes) {
    for (Ink ground : kGrounds) {
      const Rgba back = color(ground, theme);
      for (Ink hue : kDimensions) EXPECT_GE(contrast(color(hue, theme), back), 3.0);
      for (Ink sign : {Ink::idle, Ink::broken, Ink::focus}) EXPECT_GE(contrast(color(sign, theme), back), 3.0);
    }
  }
}

TEST(Palette, TintsCarryTextAndDifferInLightness) {
  for (Theme theme : kThemes) {
    std::vector<double> steps;
    for (int rank = 0; rank < 8; ++rank) {
      const Rgba tint = color(origin_ink(rank), theme);
      EXPECT_GE(contrast(text_on(tint), tint), 4.5) << rank;
      EXPECT_EQ(text_on(tint), text_on(color(Ink::origin0, theme))) << "digits of a sum cross several tints";
      steps.push_back(lightness(tint));
    }
    std::sort(steps.begin(), steps.end());
    for (std::size_t i = 1; i < steps.size(); ++i) EXPECT_GE(steps[i] - steps[i - 1], 3.0) << i;
  }
}

TEST(Palette, TintsAreNoDimensionsHue) {
  for (Theme theme : kThemes) {
    for (int rank = 0; rank < 16; ++rank) {
      for (Ink hue : kDimensions) EXPECT_NE(color(origin_ink(rank), theme), color(hue, theme));
    }
  }
}

TEST(Palette, NothingIsTransparent) {
  EXPECT_EQ(color(Ink::none, Theme::light).a, 0);
  EXPECT_EQ(text_color(Ink::none, Theme::dark), color(Ink::ink, Theme::dark));
}

}  // namespace
}  // namespace commflow

#pragma once
// Colours by meaning, for light and dark: the one table that all renderers of
// figures and pages read (pixels, SVG). Checked for contrast by a test.

#include <cstdint>

#include "story/figure.h"

namespace commflow {

enum class Theme : std::uint8_t { light, dark };

struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Rgba&) const = default;
};

Rgba color(Ink ink, Theme theme);

// Black or white text, whichever reads better on a full hue (a pressed chip).
Rgba text_on(Rgba background);

// WCAG 2: relative luminance 0..1, and the contrast of two opaque colours, 1..21.
double luminance(Rgba color);
double contrast(Rgba a, Rgba b);

}  // namespace commflow

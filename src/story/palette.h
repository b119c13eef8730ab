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

// Ink::none is transparent.
Rgba color(Ink ink, Theme theme);

// The same meaning as text on the page or a surface: hues that are too light to
// be read at 4.5 : 1 are darkened; Ink::none is the ink itself.
Rgba text_color(Ink ink, Theme theme);

// Dark or light text, whichever reads better on a fill (a tint, a pressed chip).
Rgba text_on(Rgba fill);

// WCAG 2: relative luminance 0..1, and the contrast of two opaque colours, 1..21.
double luminance(Rgba rgba);
double contrast(Rgba a, Rgba b);

}  // namespace commflow

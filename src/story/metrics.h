#pragma once
// Widths of text without a renderer, so that figures stay pure. Advances come
// from the native font; a browser's own font differs by a few per cent, hence
// the slack, and renderers shrink what is still too wide.

#include <string_view>

#include "story/figure.h"

namespace commflow {

// Figures leave this much more room than the text needs.
inline constexpr float kTextSlack = 1.08F;

// Width in logical units of UTF-8 text at a font size, slack included.
float text_width(std::string_view text, float size, Weight weight = Weight::regular);

}  // namespace commflow

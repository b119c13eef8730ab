#pragma once
// A figure as a still SVG picture: the same display list that is drawn on the
// page, with real text. For feeds, slides, print, and pages without WebGL.

#include <string>
#include <string_view>

#include "story/figure.h"
#include "story/palette.h"

namespace commflow {

// A complete document of figure.width x figure.height; `title` and `description`
// are what a screen reader says.
std::string svg_of(const Figure& figure, Theme theme, std::string_view title, std::string_view description);

}  // namespace commflow

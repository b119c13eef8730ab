#pragma once
// Small line drawings for buttons, made of the same strokes as the figures.

#include <string_view>

#include "ui/pen.h"

namespace commflow::ui {

// In a square of 20 around the centre; nothing for a name that is not known.
void draw_icon(const Pen& pen, std::string_view name, Point center, Rgba rgba);

}  // namespace commflow::ui

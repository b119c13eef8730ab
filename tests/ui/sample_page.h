#pragma once
// A page with every kind of block, control and shape, in both languages, as
// crowded as a step of the walk. What the renderer is tried on by itself.

#include <string>
#include <string_view>

#include "story/figure.h"
#include "story/page.h"

namespace commflow::ui {

Page sample_page(std::string_view lang);
Figure sample_figure(std::string_view lang, FigureSpace space);

}  // namespace commflow::ui

#pragma once
// The walk: one training step in twelve steps, as a page.

#include "story/figure.h"
#include "story/pages/parts.h"

namespace commflow {

void add_walk_page(const parts::Context& c, Page& page);
// "scene" and "glance".
Figure walk_figure(std::string_view block_id, FigureSpace space, const parts::Context& c, bool reduced_motion);

}  // namespace commflow

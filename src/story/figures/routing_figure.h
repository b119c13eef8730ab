#pragma once
// The routing table as squares: tokens down, experts across. A press on a square
// sends the token there.

#include "story/expert_view.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

// The layer is drawn. Squares can be pressed as long as they are large enough for a finger's tip and not too many for a
// keyboard; beyond that the table can be typed.
Figure routing_figure(const State& state, const ExpertView& view, const Catalog& words, FigureSpace space);

}  // namespace commflow

#pragma once
// Computing and communicating at once: what both share, and how long they take alone,
// one after the other, and together.

#include "story/collective_run.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

// Shapes: "time.NAME" are the bars of the times, "longer.NAME" what sharing adds to them.
Figure overlap_figure(const OverlapCost& cost, const Catalog& words, FigureSpace space);

}  // namespace commflow

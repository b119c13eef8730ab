#pragma once
// Time against message size, both logarithmic, for every algorithm of a collective.

#include "story/collective_run.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

Figure curve_figure(const CollectiveRun& run, const Catalog& words, FigureSpace space);

}  // namespace commflow

#pragma once
// A topology as a graph, with what an algorithm puts on every link.

#include "story/collective_run.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

// round: the one whose load is shown, -1 for all rounds together. With a second topology both stand beside each
// other, or below each other where there is little room; the ids of the second one's shapes begin with "beside.".
Figure topology_figure(const CollectiveRun& run, int round, const Catalog& words, FigureSpace space);

}  // namespace commflow

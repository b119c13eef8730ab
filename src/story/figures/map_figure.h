#pragma once
// Operation, algorithm, topology: three layers that are often mixed up, with only
// the combinations that exist joined. Every part can be pressed.

#include "story/collective_run.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

Figure map_figure(const CollectiveRun& run, TopologyKind topology, const Catalog& words, FigureSpace space);

}  // namespace commflow

#pragma once
// Sends and receives in the order of the program: what is over in which step, where it
// stops, and who waits for whom.

#include "story/collective_run.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

// Shapes: "call.RANK.GROUP.CALL" is a call, "wait.RANK.PEER" an arrow from who waits to whom it waits for.
Figure calls_figure(const Calls& calls, const Catalog& words, FigureSpace space);

}  // namespace commflow

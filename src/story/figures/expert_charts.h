#pragma once
// Small charts of the experts page: the same layer by other exchanges over the
// number of tokens, and two micro-batches that take turns.

#include "story/expert_costs.h"
#include "story/figure.h"
#include "story/text.h"

namespace commflow {

Figure expert_ways_chart(const State& state, const ExpertView& view, const Library& library, FigureSpace space);
Figure expert_overlap_chart(const ExpertOverlap& overlap, const Catalog& words, FigureSpace space);

// Name of a way, and its line in the chart.
std::string way_name(const Catalog& words, experts::Way way);

}  // namespace commflow

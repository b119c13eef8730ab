#pragma once
// The still figures of the concepts page: memory against a GPU's memory, one
// product cut two ways, and the GPUs of the walk with their groups.

#include "story/derive.h"
#include "story/examples.h"
#include "story/figure.h"

namespace commflow {

Figure memory_figure(const State& state, const Derived& derived, const Library& library, FigureSpace space);
Figure split_figure(const SplitProduct& split, const Catalog& words, FigureSpace space);
Figure setting_figure(const State& state, const Derived& derived, const Library& library, FigureSpace space);

}  // namespace commflow

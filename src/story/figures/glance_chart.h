#pragma once
// All steps of the walk side by side on logarithmic scales: what one GPU sends,
// by dimension, and how long that and its arithmetic take. A bar is solid up to
// one micro-batch and pale up to the whole training step.

#include "story/derive.h"
#include "story/figure.h"

namespace commflow {

// step: the one that is lit. Every column is a target "step.ID".
Figure glance_chart(const State& state, const Derived& derived, const Glance& glance, const Library& library,
                    FigureSpace space);

// One step's costs in words, one line per dimension and one for the arithmetic.
std::vector<std::string> glance_lines(const State& state, const Glance& glance, const Library& library, int step);

}  // namespace commflow

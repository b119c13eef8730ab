#pragma once
// The pages in words and controls, and the figures that appear in them. Both
// are functions of State and of what follows from it; neither keeps anything.

#include <string_view>

#include "story/derive.h"
#include "story/figure.h"
#include "story/inputs.h"
#include "story/page.h"
#include "story/pages/page_rows.h"

namespace commflow {

// Changes only when a field other than the position changes, or the round does; but for the value of the scrubber,
// which is the position. `refused`: what the reader typed last, if it was wrong.
Page make_page(const State& state, Deriver& deriver, const Refused* refused = nullptr);

// The display list of a figure block of that page at this very moment. With
// reduced motion transfers are still arrows instead of flights.
Figure make_figure(std::string_view block_id, FigureSpace space, const State& state, Deriver& deriver,
                   bool reduced_motion);

// What an action of the page hands out; nullopt for the others.
std::optional<File> make_file(Action action, const State& state, Deriver& deriver);

}  // namespace commflow

#pragma once
// The six ways to split the work, each with a small collective that plays.

#include "story/figures/example_figure.h"
#include "story/pages/parts.h"

namespace commflow::parts {

void add_ways(const Context& c, Page& page);
Figure way_figure(std::string_view block_id, FigureSpace space, const Context& c, bool reduced_motion);

// The transport of the chosen example, to stand below its figure.
void add_example_player(const Context& c, Page& page);
// What happens in it right now, in words; the same of the collectives page.
std::string example_sentence(const Context& c);
std::string collective_sentence(const Context& c);
// What an embedded concepts page is: the chosen example as it plays.
void add_example_alone(const Context& c, Page& page);

ExamplePicture picture_of(const Context& c, const Example& example, bool reduced_motion);

}  // namespace commflow::parts

#pragma once
// Concepts: why many GPUs, what training and a layer are, the ways to split the
// work, the primitives, what they ask of a network, and the words.

#include "story/figure.h"
#include "story/pages/parts.h"

namespace commflow {

void add_concepts_page(const parts::Context& c, Page& page);
// "memory", "split", "setting", "cards", and "example_ID" for the ways.
Figure concepts_figure(std::string_view block_id, FigureSpace space, const parts::Context& c, bool reduced_motion);

namespace parts {
// What each way asks of the network (network_needs.cpp): a table and what follows from it.
void add_network_needs(const Context& c, Page& page);
// The bandwidth of the chosen GPU's links, read in four ways (link_readings.cpp).
void add_link_readings(const Context& c, Page& page);
}  // namespace parts

}  // namespace commflow

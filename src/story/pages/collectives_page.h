#pragma once
// Collectives: any operation by any algorithm over any wiring, executed and counted.

#include "story/figure.h"
#include "story/pages/page_rows.h"
#include "story/pages/parts.h"

namespace commflow {

void add_collectives_page(const parts::Context& c, Page& page);
// "picture", "compared", "wires", "curves", "calls", "overlap", "map".
Figure collectives_figure(std::string_view block_id, FigureSpace space, const parts::Context& c, bool reduced_motion);
// The rounds in words, the schedule as JSON, the counts as CSV.
std::optional<File> collectives_file(Action action, const parts::Context& c);

namespace parts {
// Tables and sentences of numbers (collective_numbers.cpp).
void add_meters(const Context& c, Page& page);
void add_topologies(const Context& c, Page& page);
void add_curves(const Context& c, Page& page);
void add_faults(const Context& c, Page& page);
void add_rounds(const Context& c, Page& page);
// Sends and receives that wait for each other (collective_calls.cpp).
void add_calls(const Context& c, Page& page);
// Computing and communicating at once (collective_overlap.cpp).
void add_overlap(const Context& c, Page& page);
}  // namespace parts

}  // namespace commflow

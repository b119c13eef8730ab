#pragma once
// The numbers of a step, as blocks and as formulas.

#include <span>

#include "story/pages/parts.h"

namespace commflow::parts {

std::span<const QuantityId> counted_quantities(const Context& c);
std::string quantity_name(const Context& c, QuantityId id);
// The formula with its values, one line each: product, what leaves, how often.
std::vector<std::string> formula_lines(const Context& c, QuantityId id, int stage);

void add_counters(const Context& c, Page& page);
// What opens on request: the chosen GPU, settings, log, formulas, about.
void add_aside(const Context& c, Page& page);
void add_settings(const Context& c, Page& page);
void add_sources(const Context& c, Page& page, Region region, int level);

}  // namespace commflow::parts

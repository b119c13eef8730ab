#pragma once
// Controls that carry the moment that is shown somewhere else: links and pictures of it.

#include "story/pages/parts.h"

namespace commflow::parts {

// A row of buttons that copy a link, and the picture where there is one.
Block share_controls(const Context& c);
// The full page at this moment, for pages that show only a part of it; its href is the part of a link from # on.
void add_way_out(const Context& c, Page& page);
// Where mistakes are reported, likewise with the moment as href; the surroundings know the address.
Control report_link(const Context& c);

}  // namespace commflow::parts

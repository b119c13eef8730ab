#pragma once
// Text controls for what a reader types, and what to do about mistakes in it.

#include "story/pages/parts.h"

namespace commflow::parts {

// A field that shows `shown` (the example's rows while the reader has typed nothing) in at most `lines` lines, a button
// back to the example, why what was typed is not taken, and whether it is too long for a link.
void add_typed(const Context& c, Page& page, Region region, InputId id, Text label, const Rows& shown, int lines);

}  // namespace commflow::parts

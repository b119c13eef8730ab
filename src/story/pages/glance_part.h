#pragma once
// The strip of all steps under the walk, with what its estimates take for granted;
// at the last step, who sent what over which link.

#include "story/pages/parts.h"

namespace commflow::parts {

void add_glance(const Context& c, Page& page);

// "Estimated, for H200 SXM: 989 TFLOP/s in bf16 at 40 %; ...", the assumptions with their values.
std::string assumptions_text(const Context& c);

}  // namespace commflow::parts

#pragma once
// A file of assets/presets: a real expert-parallel layer and what is drawn for it.

#include "io/json.h"
#include "story/library.h"

namespace commflow {

// Both layers must be possible; which model there is, the library knows.
ExpertPreset read_preset(const Node& node);
Parsed<ExpertPreset> parse_preset(std::string_view text, std::string_view file);

}  // namespace commflow

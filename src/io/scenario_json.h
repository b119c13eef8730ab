#pragma once
// A scenario file to a Walk. The format is described by
// assets/scenarios/scenario.schema.json; what a schema cannot say (known text
// keys, algorithms that fit their collective, sizes that fit together) is checked
// here as well. Whether the model and the hardware exist is the library's matter.

#include "io/json.h"
#include "story/walk.h"

namespace commflow {

Walk read_scenario(const Node& node);

}  // namespace commflow

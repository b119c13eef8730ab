#pragma once
// Where texts and documents come from: main_web.cpp takes what the page handed
// over, main_native.cpp reads the folders. CMake chooses; there is no #ifdef.

#include <optional>

#include "io/json.h"
#include "story/text.h"

namespace commflow {

// nullopt: not here, or not yet.
std::optional<Parsed<Json>> data_of(Lang lang);

// True once after each change of the files.
bool data_changed();

}  // namespace commflow

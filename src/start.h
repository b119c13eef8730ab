#pragma once
// In what the starts of the programs differ. Texts and documents: main_web.cpp
// takes what the page handed over, main_native.cpp reads the folders. Typing: on
// the web into elements of the page. CMake chooses; there is no #ifdef.

#include <optional>

#include "io/json.h"
#include "story/text.h"
#include "ui/ui.h"

namespace commflow {

// nullopt: not here, or not yet.
std::optional<Parsed<Json>> data_of(Lang lang);

// True once after each change of the files.
bool data_changed();

// Null where others let the reader type.
ui::TextEditor text_editor();

}  // namespace commflow

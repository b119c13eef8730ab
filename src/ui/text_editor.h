#pragma once
// Typing into a text control with Dear ImGui, where no document offers a real field.

#include "ui/ui.h"

namespace commflow::ui {

// A TextEditor. Ends with Ctrl+Enter or when the field loses the focus; Escape takes back what was typed.
bool edit_text(const Pen& pen, Box field, std::string& text);

}  // namespace commflow::ui

#pragma once
// Tables with hairlines, as a textbook sets them: numbers to the right, text
// wraps, and where a table is wider than the page each row becomes a small list.

#include "story/page.h"
#include "ui/pen.h"

namespace commflow::ui {

float table_height(const Pen& pen, const Block& block, float room);
void draw_table(Pen& pen, const Block& block, Box box);

}  // namespace commflow::ui

#pragma once
// What must hold for every page, whatever it says: run on the sample page here
// and on all pages of the walk.

#include <string>

#include "ui/harness.h"

namespace commflow::ui {

// The sizes to design for; narrow ones are touched. The view is as high as the page.
extern const std::vector<Screen> kScreens;

// All checks at one size: everything has its place and nothing overlaps, is
// clipped or left out. `where` names the page in messages.
void check_places(const Page& page, const FigureSource& figure, const Screen& screen, const std::string& where);

// Each control yields exactly its event, each target its press.
void check_presses(const Page& page, const FigureSource& figure, const Screen& screen, const std::string& where);

// Both: places at all sizes, presses at a narrow and a wide one.
void check_page(const Page& page, const FigureSource& figure, const std::string& where);

}  // namespace commflow::ui

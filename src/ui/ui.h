#pragma once
// The page in pixels: lays the blocks of a Page out for a width, draws them and
// the figures with Dear ImGui, and says what was pressed. It must never know
// what a control does, which step is shown, or where the window comes from.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "story/figure.h"
#include "story/page.h"
#include "story/palette.h"
#include "ui/text_layout.h"

struct ImFont;

namespace commflow::ui {

struct Pen;

// Lets the reader type into a field of the screen and draws what is in it; true once when `text` is another one and
// they are done.
using TextEditor = bool (*)(const Pen& pen, Box field, std::string& text);

struct Input {
  const Page& page;
  // The display list of a figure block in the room it gets; called while drawing.
  std::function<Figure(std::string_view block_id, FigureSpace)> figure;
  Theme theme = Theme::light;
  float width = 0;        // of the page, in CSS px
  float page_top = 0;     // first row of the page that is visible
  float view_height = 0;  // visible rows
  bool touch = false;     // fingers: larger tap targets
  bool reduced_motion = false;
  ImFont* regular = nullptr;
  ImFont* bold = nullptr;       // the same as regular where there is none: thickened then
  TextEditor editor = nullptr;  // none: text fields are drawn, and others let the reader type
};

// Where something is, in page coordinates (CSS px): a control, a target of a
// figure ("gpu.3"), or a block (its id).
struct Hit {
  std::string id;
  Box box;
};

struct Drawn {
  std::vector<ControlEvent> events;  // take effect in the next frame
  std::vector<Hit> hits;
  float page_height = 0;
  bool hot = false;                    // what is under the pointer can be pressed
  std::vector<std::string> overflows;  // texts that did not fit their box; tests hold it empty
};

// What the renderer remembers between frames. Losing it costs time, not truth.
struct Memory {
  TextCache texts;
  std::string lang;  // whose glyphs there are
};

// Before ImGui's frame begins. What was drawn of another language's glyphs is not kept: together they would need an
// atlas twice as large, 4 MiB.
void use_glyphs_of(std::string_view lang, Memory& memory);

// Draws into the current ImGui frame, whose display is the visible slice.
Drawn draw(const Input& input, Memory& memory);

}  // namespace commflow::ui

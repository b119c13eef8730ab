#pragma once
// Where everything on a page goes at a given width: two columns when wide, one
// when narrow. Only measures, draws nothing, and knows nothing of the slice
// that is visible, so the height of a page depends on its width alone.

#include <functional>
#include <string_view>
#include <vector>

#include "story/figure.h"
#include "story/page.h"
#include "ui/pen.h"

namespace commflow::ui {

// How a control looks depends on where it stands.
enum class Look : std::uint8_t { chip, icon, primary, button, pill, scrubber, slider, toggle, link, text };

struct Placed {
  enum class Kind : std::uint8_t { text, note, bullet, badge, table, figure, control, rule };
  Kind kind = Kind::text;
  const Block* block = nullptr;
  std::string_view id;  // of the block, or of what stands for one; empty for controls
  Box box;
  // text, note, bullet, badge; also the caption of a control
  std::string_view text;
  TextStyle style;
  Ink ink = Ink::ink;
  // control
  const Control* control = nullptr;
  Look look = Look::button;
  int order = 0;         // chip: its place in the row, from 0
  int done = 0;          // chip: 1 = before the pressed one
  bool stacked = false;  // chip: number over label; table: one card per row
  bool bare = false;     // chip: number only
  // figure
  std::size_t figure = 0;
};

struct Layout {
  std::vector<Placed> items;
  std::vector<Figure> figures;
  float width = 0;
  float height = 0;
  bool wide = false;
};

using FigureSource = std::function<Figure(std::string_view block_id, FigureSpace)>;

Layout lay_out(const Page& page, const Pen& pen, float width, bool touch, const FigureSource& figure);

}  // namespace commflow::ui

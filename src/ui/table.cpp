#include "ui/table.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace commflow::ui {
namespace {

constexpr float kGap = 16;        // between columns
constexpr float kRowPadding = 4;  // above and below the text of a row
constexpr float kTextMin = 120;   // a text column may shrink to this
constexpr float kComfort = 640;
constexpr TextStyle kHead{13, true};

struct Grid {
  float width = 0;  // of the whole table
  std::vector<float> widths;
  std::vector<bool> numeric;
  bool stacked = false;
};

TextStyle cell_style(const Row& row) {
  return {14, row.emphasis};
}

// Digits, signs and estimates: "12", "-3", "~1.5 ms", "= 4".
bool looks_numeric(const std::string& text) {
  for (const char c : text) {
    if (c >= '0' && c <= '9') return true;
    const bool sign = c == '-' || c == '+' || c == '~' || c == '=' || c == ' ' || c == '.' || (c & 0x80) != 0;
    if (!sign) return false;
  }
  return false;
}

// Han and other letters are no signs, although they are not ASCII either.
bool begins_like_number(const std::string& text) {
  if (text.empty()) return false;
  const auto lead = static_cast<unsigned char>(text[0]);
  const bool far = lead >= 0xE3;  // Han and full-width forms
  return !far && looks_numeric(text.substr(0, 6));
}

bool is_numeric(const Block& block, std::size_t column) {
  int numbers = 0;
  int texts = 0;
  for (const Row& row : block.rows) {
    if (column >= row.cells.size() || row.cells[column].empty()) continue;
    ++(begins_like_number(row.cells[column]) ? numbers : texts);
  }
  return column > 0 && numbers > 0 && numbers >= texts;
}

std::size_t column_count(const Block& block) {
  std::size_t count = block.columns.size();
  for (const Row& row : block.rows) count = std::max(count, row.cells.size());
  return count;
}

float natural_width(const Pen& pen, const Block& block, std::size_t column) {
  float width = column < block.columns.size() ? pen.wrapped(block.columns[column], kHead, 0).width : 0;
  for (const Row& row : block.rows) {
    if (column < row.cells.size()) width = std::max(width, pen.wrapped(row.cells[column], cell_style(row), 0).width);
  }
  return width + 1;
}

// Space that is left goes to the text columns, so that numbers stay at the edge.
void share_out(Grid& grid, float spare) {
  const auto texts = static_cast<float>(std::count(grid.numeric.begin(), grid.numeric.end(), false));
  for (std::size_t i = 0; i < grid.widths.size(); ++i) {
    if (!grid.numeric[i]) grid.widths[i] += std::floor(spare / texts);
  }
}

// A table is no wider than the eye can follow a row, unless it has to be.
// Text columns give way, in proportion to what they have above the minimum.
Grid grid_of(const Pen& pen, const Block& block, float room) {
  Grid grid;
  const std::size_t count = column_count(block);
  float total = count > 0 ? kGap * static_cast<float>(count - 1) : 0;
  float spare = 0;
  for (std::size_t i = 0; i < count; ++i) {
    grid.widths.push_back(natural_width(pen, block, i));
    grid.numeric.push_back(is_numeric(block, i));
    total += grid.widths[i];
    if (!grid.numeric[i]) spare += std::max(0.0f, grid.widths[i] - kTextMin);
  }
  grid.width = std::min(room, std::max(total, kComfort));
  const float excess = total - grid.width;
  if (excess > spare) {
    grid.stacked = true;
  } else if (excess > 0) {
    for (std::size_t i = 0; i < count; ++i) {
      if (!grid.numeric[i]) grid.widths[i] -= excess * std::max(0.0f, grid.widths[i] - kTextMin) / spare;
    }
  } else {
    share_out(grid, -excess);
  }
  return grid;
}

float row_height(const Pen& pen, const std::vector<std::string>& cells, TextStyle style, const Grid& grid) {
  float height = pen.line_height(style.size);
  for (std::size_t i = 0; i < cells.size() && i < grid.widths.size(); ++i) {
    height = std::max(height, pen.text_height(cells[i], style, grid.widths[i]));
  }
  return height + 2 * kRowPadding;
}

bool has_head(const Block& block) {
  return std::any_of(block.columns.begin(), block.columns.end(), [](const std::string& c) { return !c.empty(); });
}

void draw_row(Pen& pen, const std::vector<std::string>& cells, TextStyle style, Ink ink, const Grid& grid, float x,
              float y) {
  for (std::size_t i = 0; i < cells.size() && i < grid.widths.size(); ++i) {
    pen.paragraph({x, y + kRowPadding, grid.widths[i], 0}, cells[i], style, pen.ink(ink),
                  grid.numeric[i] ? Anchor::right : Anchor::left);
    x += grid.widths[i] + kGap;
  }
}

// "column: value", one under the other; the first cell is the heading.
float stacked_row(const Pen& pen, Pen* draw, const Block& block, const Row& row, float x, float y, float room) {
  const float start = y;
  y += kRowPadding;
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const TextStyle style{14, i == 0 || row.emphasis};
    const bool named = i > 0 && i < block.columns.size() && !block.columns[i].empty();
    const float name = named ? std::min(room * 0.5f, pen.wrapped(block.columns[i], {13, false}, 0).width + 12) : 0;
    if (draw && named) draw->paragraph({x, y, name - 12, 0}, block.columns[i], {13, false}, pen.ink(Ink::muted));
    if (draw) {
      draw->paragraph({x + name, y, room - name, 0}, row.cells[i], style, pen.ink(Ink::ink),
                      named ? Anchor::right : Anchor::left);
    }
    const float head = named ? pen.text_height(block.columns[i], {13, false}, name - 12) : 0;
    y += std::max(head, pen.text_height(row.cells[i], style, room - name));
  }
  return y + kRowPadding - start;
}

}  // namespace

float table_height(const Pen& pen, const Block& block, float room) {
  const Grid grid = grid_of(pen, block, room);
  float height = 0;
  if (has_head(block) && !grid.stacked) height += row_height(pen, block.columns, kHead, grid);
  for (const Row& row : block.rows) {
    height += grid.stacked ? stacked_row(pen, nullptr, block, row, 0, 0, room)
                           : row_height(pen, row.cells, cell_style(row), grid);
  }
  return height;
}

void draw_table(Pen& pen, const Block& block, Box box) {
  const Grid grid = grid_of(pen, block, box.w);
  box.w = grid.width;
  float y = box.y;
  if (has_head(block) && !grid.stacked) {
    draw_row(pen, block.columns, kHead, Ink::muted, grid, box.x, y);
    y += row_height(pen, block.columns, kHead, grid);
  }
  for (const Row& row : block.rows) {
    pen.horizontal(box.x, box.right(), y, pen.ink(row.emphasis ? Ink::muted : Ink::hairline));
    if (grid.stacked) {
      y += stacked_row(pen, &pen, block, row, box.x, y, box.w);
    } else {
      draw_row(pen, row.cells, cell_style(row), Ink::ink, grid, box.x, y);
      y += row_height(pen, row.cells, cell_style(row), grid);
    }
  }
  pen.horizontal(box.x, box.right(), y, pen.ink(Ink::hairline));
}

}  // namespace commflow::ui

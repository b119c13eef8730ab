// One product over two GPUs, cut by columns and by rows.

#include <algorithm>

#include "story/figures/concept_figures.h"
#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

using tiny::Matrix;

constexpr float kPad = 8;
constexpr float kWidest = 30;  // of a cell
constexpr float kRow = 22;
constexpr float kSign = 22;
constexpr float kName = 52;

// What all drawing here shares.
struct Canvas {
  Figure& figure;
  const Catalog& words;
  const SplitProduct& split;
  float cell;
};

struct Range {
  int first, count;
};

// Cells of the range in the GPU's tint, the others pale.
void draw_matrix(const Canvas& canvas, Point at, const Matrix& matrix, Range rows, Range cols, std::vector<Ink> inks) {
  for (int row = 0; row < matrix.rows; ++row)
    for (int col = 0; col < matrix.cols; ++col) {
      const bool held =
          row >= rows.first && row < rows.first + rows.count && col >= cols.first && col < cols.first + cols.count;
      Shape cell =
          draw::cell({at.x + static_cast<float>(col) * canvas.cell, at.y + static_cast<float>(row) * kRow,
                      canvas.cell - 2, kRow - 2},
                     held ? std::to_string(matrix.at(row, col)) : std::string{}, held ? inks : std::vector<Ink>{});
      if (!held) cell.opacity = 0.45F;
      canvas.figure.shapes.push_back(std::move(cell));
    }
}

void draw_sign(const Canvas& canvas, float x, float y, float height, const std::string& sign) {
  canvas.figure.shapes.push_back(draw::text({x, y, kSign, height}, sign, 15, Ink::ink, Anchor::center));
}

Range all_rows(const Matrix& matrix) {
  return {0, matrix.rows};
}
Range all_cols(const Matrix& matrix) {
  return {0, matrix.cols};
}

// "GPU 0: x . its part of w = what it gets"
void draw_line(const Canvas& canvas, Point at, int gpu, bool by_rows) {
  const SplitProduct& split = canvas.split;
  const int half = split.w.rows / 2;
  const Range rows = by_rows ? Range{gpu * half, half} : all_rows(split.w);
  const Range cols = by_rows ? all_cols(split.w) : Range{gpu, 1};
  const Matrix& result =
      by_rows ? split.by_rows[static_cast<std::size_t>(gpu)] : split.by_columns[static_cast<std::size_t>(gpu)];
  const float height = static_cast<float>(split.w.rows) * kRow;
  const float middle = at.y + height / 2 - kRow / 2;
  canvas.figure.shapes.push_back(draw::text({at.x, middle, kName, kRow},
                                            canvas.words.get(Text::scene_gpu, {{"gpu", std::to_string(gpu)}}),
                                            draw::kSmall, Ink::ink, Anchor::left, Weight::bold));
  float x = at.x + kName;
  draw_matrix(canvas, {x, middle}, split.x, all_rows(split.x), by_rows ? Range{gpu * half, half} : all_cols(split.x),
              {origin_ink(gpu)});
  x += static_cast<float>(split.x.cols) * canvas.cell;
  draw_sign(canvas, x, at.y, height, std::string(canvas.words.get(Text::op_prod_sign)));
  x += kSign;
  draw_matrix(canvas, {x, at.y}, split.w, rows, cols, {origin_ink(gpu)});
  x += static_cast<float>(split.w.cols) * canvas.cell;
  draw_sign(canvas, x, at.y, height, "=");
  draw_matrix(canvas, {x + kSign, middle}, result, all_rows(result), all_cols(result), {origin_ink(gpu)});
}

float columns_of(const SplitProduct& split) {
  return static_cast<float>(split.x.cols + 2 * split.w.cols);
}
float panel_width(const SplitProduct& split, float cell) {
  return kName + columns_of(split) * cell + 2 * kSign;
}

float draw_panel(const Canvas& canvas, Point at, float width, bool by_rows) {
  const SplitProduct& split = canvas.split;
  canvas.figure.shapes.push_back(draw::text(
      {at.x, at.y, width, 20}, std::string(canvas.words.get(by_rows ? Text::split_by_rows : Text::split_by_columns)),
      15, Ink::ink, Anchor::left, Weight::bold));
  float y = at.y + 28;
  for (int gpu = 0; gpu < 2; ++gpu) {
    draw_line(canvas, {at.x, y}, gpu, by_rows);
    y += static_cast<float>(split.w.rows) * kRow + 10;
  }
  const std::string label(canvas.words.get(by_rows ? Text::split_add : Text::split_join));
  const Matrix& result = by_rows ? split.added : split.side_by_side;
  const float result_width = static_cast<float>(result.cols) * canvas.cell;
  canvas.figure.shapes.push_back(draw::text({at.x, y, width - result_width - 10, kRow - 2}, label, draw::kSmall));
  const float x = at.x + panel_width(split, canvas.cell) - result_width;
  for (int col = 0; col < result.cols; ++col) {
    std::vector<Ink> inks{origin_ink(by_rows ? 0 : col)};
    if (by_rows) inks.push_back(origin_ink(1));
    canvas.figure.shapes.push_back(draw::cell({x + static_cast<float>(col) * canvas.cell, y, canvas.cell - 2, kRow - 2},
                                              std::to_string(result.at(0, col)), std::move(inks)));
  }
  return y + kRow + 8;
}

}  // namespace

Figure split_figure(const SplitProduct& split, const Catalog& words, FigureSpace space) {
  Figure figure;
  figure.width = space.width;
  const float cell = std::min(kWidest, (space.width - 2 * kPad - panel_width(split, 0)) / columns_of(split));
  const Canvas canvas{figure, words, split, cell};
  const float width = panel_width(split, cell);
  const bool beside = space.width >= 2 * width + 3 * kPad + 24;
  const float first = draw_panel(canvas, {kPad, 4}, width, false);
  const Point second = beside ? Point{kPad + width + 40, 4} : Point{kPad, first + 12};
  const float end = draw_panel(canvas, second, width, true);
  figure.height = std::max(first, end);
  return figure;
}

}  // namespace commflow

// Beside the cards: the split matrix, and what every rank computes against the
// fullest one, for which all the others wait.
#include <algorithm>
#include <set>

#include "core/expert_bytes.h"
#include "core/units.h"
#include "story/figures/draw.h"
#include "story/figures/experts_figure.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kLine = 22;
constexpr float kTitle = 24;
constexpr float kGap = 24;

int ranks(const ExpertPicture& picture) {
  return experts::ranks_of(picture.view.settings);
}

std::string gpu(const ExpertPicture& picture, Rank rank) {
  return picture.words.get(Text::scene_gpu, {{"gpu", std::to_string(rank)}});
}

float label_width(const ExpertPicture& picture) {
  return std::max(text_width(gpu(picture, ranks(picture) - 1), draw::kSmall),
                  text_width(picture.words.get(Text::scene_received), draw::kSmall)) +
         8;
}

struct Matrix {
  Box room;
  float label = 0, cell = 0;
  bool digits = false;
  Box field(Rank from, Rank to) const {
    return {room.x + label + static_cast<float>(to) * cell, room.y + kTitle + 20 + static_cast<float>(from) * kLine,
            cell - 2, kLine - 2};
  }
};

Matrix matrix_in(const ExpertPicture& picture, Box room) {
  Matrix matrix{room, label_width(picture)};
  matrix.cell = std::min(36.0F, (room.w - matrix.label) / static_cast<float>(ranks(picture)));
  matrix.digits = matrix.cell >= text_width("00", draw::kSmall) + 3;
  return matrix;
}

float matrix_height(const ExpertPicture& picture) {
  return kTitle + 20 + static_cast<float>(ranks(picture) + 1) * kLine + 4;
}

// Fields light up while their copies travel.
std::set<std::pair<Rank, Rank>> lit_fields(const ExpertPicture& picture) {
  std::set<std::pair<Rank, Rank>> lit;
  const ExpertStage stage = picture.stage();
  const bool out = stage == ExpertStage::dispatch;
  if (!picture.moment.started || !(out || stage == ExpertStage::combine)) return lit;
  for (const Transfer& transfer : *expert_exchange(picture, stage).under_way)
    lit.insert(out ? std::pair{transfer.src.rank, transfer.dst.rank} : std::pair{transfer.dst.rank, transfer.src.rank});
  return lit;
}

void draw_field(ExpertPicture& picture, const Matrix& matrix, Rank from, Rank to, bool lit) {
  const Box box = matrix.field(from, to);
  if (!picture.reached(ExpertStage::count)) {
    picture.add(draw::rect(box, Ink::none, Ink::hairline, 3));
    return;
  }
  const std::int64_t copies = picture.view.counts.split.at(from, to);
  Shape field = draw::cell(box, matrix.digits ? std::to_string(copies) : "",
                           copies > 0 ? std::vector<Ink>{origin_ink(from)} : std::vector<Ink>{});
  field.hatch = from == to;
  field.opacity = std::max(0.25F, picture.progress(ExpertStage::count));
  if (lit) {
    field.line = Ink::ep;
    field.line_width = 2;
  }
  field.id = "split." + std::to_string(from) + "." + std::to_string(to);
  picture.add(std::move(field));
}

void draw_matrix(ExpertPicture& picture, Box room) {
  const Matrix matrix = matrix_in(picture, room);
  const auto lit = lit_fields(picture);
  const Catalog& words = picture.words;
  std::string title = std::string(words.get(Text::scene_split_matrix));
  const std::string axes = title + "  " + std::string(words.get(Text::scene_split_axes));
  if (text_width(axes, draw::kSmall) <= room.w) title = axes;
  picture.add(draw::text({room.x, room.y, room.w, 20}, title, draw::kSmall, Ink::muted));
  const std::vector<std::int64_t> received = experts::column_sums(picture.view.counts.split);
  for (Rank to = 0; to < ranks(picture); ++to) {
    const Box head = matrix.field(0, to), foot = matrix.field(ranks(picture), to);
    if (!matrix.digits) break;
    picture.add(
        draw::text({head.x, head.y - 20, head.w, 18}, std::to_string(to), draw::kSmall, Ink::muted, Anchor::center));
    if (!picture.finished(ExpertStage::exchange)) continue;
    Shape sum =
        draw::text(foot, std::to_string(received[index_of(to)]), draw::kSmall, Ink::ink, Anchor::center, Weight::bold);
    sum.id = "received." + std::to_string(to);
    picture.add(std::move(sum));
  }
  for (Rank from = 0; from < ranks(picture); ++from) {
    const float y = matrix.field(from, 0).y;
    picture.add(draw::text({room.x, y, matrix.label, kLine - 2}, gpu(picture, from), draw::kSmall, Ink::muted));
    for (Rank to = 0; to < ranks(picture); ++to) draw_field(picture, matrix, from, to, lit.count({from, to}) > 0);
  }
  if (matrix.digits)
    picture.add(draw::text({room.x, matrix.field(ranks(picture), 0).y, matrix.label, kLine - 2},
                           std::string(words.get(Text::scene_received)), draw::kSmall, Ink::muted));
}

float load_height(const ExpertPicture& picture) {
  return kTitle + static_cast<float>(ranks(picture)) * kLine + 26;
}

void draw_bar(ExpertPicture& picture, Box row, std::int64_t load, std::int64_t most) {
  const float full = row.w * static_cast<float>(load) / static_cast<float>(std::max<std::int64_t>(1, most));
  const float done = full * picture.progress(ExpertStage::experts);
  picture.add(draw::rect({row.x, row.y, full, row.h}, Ink::ep_soft, Ink::ep, 3));
  if (done > 0) {
    Shape worked = draw::rect({row.x, row.y, done, row.h}, Ink::ep, Ink::none, 3);
    worked.opacity = 0.35F;
    picture.add(std::move(worked));
  }
  if (row.w - full < 1) return;
  Shape idle = draw::rect({row.x + full, row.y, row.w - full, row.h}, Ink::none, Ink::hairline, 3);
  idle.hatch = true;
  picture.add(std::move(idle));
  const std::string word(picture.words.get(Text::role_waits));
  const float wide = text_width(word, draw::kSmall) + 8;
  if (wide > row.w - full) return;
  const Box plate{row.right() - wide - 2, row.y + 2, wide, row.h - 4};
  picture.add(draw::rect(plate, Ink::surface, Ink::none, 3));
  picture.add(draw::text(plate, word, draw::kSmall, Ink::muted, Anchor::center));
}

void draw_load(ExpertPicture& picture, Box room) {
  const std::vector<std::int64_t> load = experts::column_sums(picture.view.counts.split);
  const std::int64_t most = *std::max_element(load.begin(), load.end());
  const Catalog& words = picture.words;
  picture.add(
      draw::text({room.x, room.y, room.w, 20}, std::string(words.get(Text::experts_load)), draw::kSmall, Ink::muted));
  const bool known = picture.reached(ExpertStage::exchange);
  const float label = label_width(picture), digits = text_width("000", draw::kSmall) + 6;
  for (Rank rank = 0; rank < ranks(picture); ++rank) {
    const float y = room.y + kTitle + static_cast<float>(rank) * kLine;
    picture.add(draw::text({room.x, y, label, kLine - 2}, gpu(picture, rank), draw::kSmall, Ink::muted));
    const Box row{room.x + label + digits, y, room.w - label - digits, kLine - 2};
    if (!known) {
      picture.add(draw::rect(row, Ink::none, Ink::hairline, 3));
      continue;
    }
    Shape count = draw::text({room.x + label, y, digits - 6, kLine - 2}, std::to_string(load[index_of(rank)]),
                             draw::kSmall, Ink::ink, Anchor::right, Weight::bold);
    count.id = "load." + std::to_string(rank);
    picture.add(std::move(count));
    draw_bar(picture, row, load[index_of(rank)], most);
  }
  if (!known) return;
  const Fraction factor = experts::max_over_mean(load);
  const double ratio = static_cast<double>(factor.numerator) / static_cast<double>(factor.denominator);
  const std::string sentence = words.get(Text::experts_straggler, {{"factor", text_of_decimal(ratio, 2)}});
  picture.add(draw::text({room.x, room.y + load_height(picture) - 24, room.w, 20}, sentence, draw::kSmall, Ink::ink));
}

}  // namespace

float draw_expert_side(ExpertPicture& picture, Box room) {
  const Catalog& words = picture.words;
  const auto all = static_cast<float>(ranks(picture));
  // Beside each other only if the matrix keeps its digits.
  const float label = label_width(picture), least = label + all * (text_width("00", draw::kSmall) + 3);
  const float half = (room.w - kGap) / 2;
  const bool beside = room.w >= 560 && least <= half;
  const float matrix = matrix_height(picture), load = load_height(picture);
  const float title = text_width(
      std::string(words.get(Text::scene_split_matrix)) + "  " + std::string(words.get(Text::scene_split_axes)),
      draw::kSmall);
  const float first = beside ? std::min(std::max(label + 36 * all, title), half) : room.w;
  draw_matrix(picture, {room.x, room.y, first, matrix});
  if (beside)
    draw_load(picture, {room.x + first + kGap, room.y, room.w - first - kGap, load});
  else
    draw_load(picture, {room.x, room.y + matrix + 8, room.w, load});
  return (beside ? std::max(matrix, load) : matrix + 8 + load) + 4;
}

}  // namespace commflow

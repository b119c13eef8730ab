#include "story/figures/card.h"

#include <algorithm>
#include <cmath>

#include "story/figures/draw.h"
#include "story/follow.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kRow = draw::kCellHeight;
constexpr float kGhost = 0.32F;  // a value that is still to come
constexpr float kCaption = 19;
constexpr int kBucketCells = 4;    // at most so many numbers of a flat bucket are drawn, the rest is counted
constexpr float kBucketCell = 40;  // room for a gradient of four digits
constexpr float kNarrowestCell = 26;
constexpr float kOrigin = 17;  // the number of the GPU a block came from stands before it

void caption(Pen& pen, std::string words) {
  pen.add(draw::text({pen.area.x, pen.y, pen.area.w, kCaption}, std::move(words), draw::kSmall, Ink::muted));
  pen.y += kCaption;
}

// --- blocks of a collective -------------------------------------------------

bool is_bucket(const tiny::Communication& communication) {
  return !communication.parts.empty();
}

// Columns of numbers that are drawn of a slot, in so much room.
int drawn_rows(const tiny::Communication& communication, int slot, float room) {
  const int width = communication.initial.width(slot);
  if (!is_bucket(communication)) return width / std::max(1, communication.columns);
  return std::min(width, std::clamp(static_cast<int>(room / kBucketCell) - 1, 1, kBucketCells));
}

int stacked(const tiny::Communication& communication) {
  return is_bucket(communication) ? 1 : std::max(1, communication.columns);
}

// Slots of `area` that this rank ever holds.
std::vector<int> slots_in_use(const tiny::Communication& communication, Rank local, Area area) {
  std::vector<int> slots;
  const auto used = [&](int slot) {
    const Place place{local, area, slot};
    if (communication.initial.filled(place) || communication.final.filled(place)) return true;
    for (const Round& round : communication.schedule.rounds)
      for (const Transfer& transfer : round)
        if (transfer.dst == place) return true;
    return false;
  };
  for (int slot = 0; slot < communication.initial.slots(); ++slot)
    if (communication.initial.width(slot) > 0 && used(slot)) slots.push_back(slot);
  return slots;
}

// How the rows of a slot lie on a card: beside each other, in lines where they are too many.
struct SlotShape {
  int per_line = 1;
  int lines = 1;
  float cell = 0;
  float line_height = 0;
  float room = 0;
  float height() const { return static_cast<float>(lines) * line_height; }
  int rows_of(const tiny::Communication& communication, int slot) const {
    return drawn_rows(communication, slot, room);
  }
};

SlotShape slot_shape(const tiny::Communication& communication, int rows, float room) {
  constexpr float kNarrowest = 18, kWidest = 32;
  const int fit = std::max(1, static_cast<int>(room / kNarrowest));
  SlotShape shape;
  shape.room = room;
  shape.lines = std::max(1, (rows + fit - 1) / fit);
  shape.per_line = std::max(1, (rows + shape.lines - 1) / shape.lines);
  shape.cell = is_bucket(communication) ? kBucketCell - 4
                                        : std::clamp(room / static_cast<float>(shape.per_line), kNarrowest, kWidest);
  shape.line_height = static_cast<float>(stacked(communication)) * kRow + (shape.lines > 1 ? 2.0F : 0.0F);
  return shape;
}

void draw_slot(const Pen& pen, const tiny::Communication& communication, const Buffers& buffers, Place place, Box box,
               const SlotShape& shape, float opacity) {
  const auto values = buffers.values(place);
  const auto inks = inks_of(buffers.from(place), communication.members);
  const int rows = shape.rows_of(communication, place.slot);
  const auto tall = static_cast<std::size_t>(stacked(communication));
  for (int row = 0; row < rows; ++row) {
    const Box column{box.x + static_cast<float>(row % shape.per_line) * shape.cell,
                     box.y + static_cast<float>(row / shape.per_line) * shape.line_height, shape.cell - 1,
                     static_cast<float>(tall) * kRow};
    draw_column(pen, column, values.subspan(static_cast<std::size_t>(row) * tall, tall), inks, opacity);
    if (follows(pen.scene, token_of_slot_row(pen.scene.derived.layout, communication, place.slot, row)))
      draw_follow_mark(pen, column);
  }
  const auto rest = values.size() - static_cast<std::size_t>(rows) * tall;
  if (rest > 0)
    pen.add(draw::text({box.x + static_cast<float>(rows) * shape.cell + 2, box.y, kBucketCell - 4, kRow},
                       "+" + std::to_string(rest), draw::kSmall, Ink::muted));
}

// The GPU whose data this is; of a sum the number of GPUs in it, its stripes say which.
std::string origins_text(Origins from, const std::vector<Rank>& members) {
  const auto ranks = from.ranks();
  if (ranks.empty()) return {};
  if (ranks.size() > 1) return "+" + std::to_string(ranks.size());
  return std::to_string(members[static_cast<std::size_t>(ranks.front())]);
}

// One row of slots; wraps between slots.
void draw_slots(Pen& pen, const Exchange& exchange, Rank rank, Area area, const std::vector<int>& slots) {
  const tiny::Communication& communication = *exchange.communication;
  const Rank local = local_rank(communication, rank);
  const float room = pen.area.w - kOrigin - 4;
  int widest = 1;
  for (const int slot : slots) widest = std::max(widest, drawn_rows(communication, slot, room));
  const SlotShape shape = slot_shape(communication, widest, room);
  const float height = shape.height();
  float x = pen.area.x;
  for (const int slot : slots) {
    const float rest = is_bucket(communication) ? kBucketCell : 0.0F;
    const float width =
        static_cast<float>(std::min(shape.per_line, shape.rows_of(communication, slot))) * shape.cell + kOrigin + rest;
    if (x > pen.area.x && x + width > pen.area.right() + 1) {
      x = pen.area.x;
      pen.y += height + 4;
    }
    const Box box{x + kOrigin, pen.y, width - kOrigin, height};
    const Place place{local, area, slot};
    pen.slot(rank, area, slot, box);
    const Buffers& now = pen.scene.moment.fraction >= 1 ? exchange.after : exchange.before;
    pen.add(draw::text(
        {x, pen.y, kOrigin - 2, kRow},
        origins_text(now.filled(place) ? now.from(place) : communication.final.from(place), communication.members),
        draw::kSmall, Ink::muted, Anchor::center));
    if (now.filled(place)) {
      draw_slot(pen, communication, now, place, box, shape, 1);
    } else if (communication.final.filled(place)) {
      draw_slot(pen, communication, communication.final, place, box, shape, kGhost);
    } else {
      pen.add(draw::rect(box, Ink::none, Ink::hairline, 3));
    }
    x += width + 6;
  }
  pen.y += height + 4;
}

}  // namespace

void draw_blocks(Pen& pen, const Exchange& exchange, Rank rank) {
  const tiny::Communication& communication = *exchange.communication;
  const Rank local = local_rank(communication, rank);
  for (const Area area : {Area::in, Area::out}) {
    caption(pen, std::string(pen.scene.words().get(area == Area::in ? Text::scene_before : Text::scene_after)));
    const auto slots = slots_in_use(communication, local, area);
    if (slots.empty()) {
      pen.add(draw::text({pen.area.x, pen.y, pen.area.w, kRow}, std::string(pen.scene.words().get(Text::gpu_none)),
                         draw::kSmall, Ink::muted));
      pen.y += kRow * static_cast<float>(stacked(communication)) + 4;
    } else {
      draw_slots(pen, exchange, rank, area, slots);
    }
  }
}

namespace {

// --- matrices of a local computation ---------------------------------------

// Rows that are tokens are drawn as columns, so that a token stays one column everywhere.
// Every token of the sequence belongs to a member of the TP group; a matrix of the share to the rank itself.
std::vector<Ink> row_inks(const Pen& pen, Rank rank, const tiny::NamedMatrix& named, int row) {
  using enum tiny::Tensor;
  if (!rows_are_tokens(named.tensor)) return {};
  const auto& group = group_of(pen.scene.derived.layout, Dimension::tp, rank);
  switch (named.tensor) {
    case n1_full:
    case n2_full:
    case v:
    case u:
    case mlp_hidden:
    case grad_partial:
    case grad_u:
    case grad_v:
    case grad_mlp_partial:
    case grad_mlp_hidden:
      return {origin_ink(
          group[static_cast<std::size_t>(row * static_cast<int>(group.size()) / std::max(1, named.matrix.rows))])};
    case attention:
    case mlp_sum:
    case grad_n1: {
      std::vector<Ink> inks;
      for (const Rank member : group) inks.push_back(origin_ink(member));
      return inks;
    }
    default: return {origin_ink(rank)};
  }
}

struct MatrixShape {
  int across = 1, down = 1, lines = 1;
  float cell = kNarrowestCell;
  float width() const { return static_cast<float>(across) * cell; }
  float height() const { return static_cast<float>(lines) * (static_cast<float>(down) * kRow + 4) + kCaption; }
};

MatrixShape shape_of(const tiny::NamedMatrix& named, float room) {
  const bool tokens = rows_are_tokens(named.tensor);
  MatrixShape shape;
  const int across = tokens ? named.matrix.rows : named.matrix.cols;
  shape.down = std::max(1, tokens ? named.matrix.cols : named.matrix.rows);
  const int fit = std::max(1, static_cast<int>(room / kNarrowestCell));
  shape.lines = std::max(1, (across + fit - 1) / fit);
  shape.across = std::max(1, (across + shape.lines - 1) / shape.lines);
  return shape;
}

std::string tensor_caption(const Pen& pen, tiny::Tensor tensor) {
  const auto key = text_named("tensor." + std::string(name_of(tensor)));
  if (!key) return std::string(name_of(tensor));
  return pen.scene.words().get(*key, {{"topk", std::to_string(tiny::kTopk)}, {"gates", std::to_string(kGateTotal)}});
}

void draw_matrix(const Pen& pen, Rank rank, const tiny::NamedMatrix& named, Point at, const MatrixShape& shape,
                 float opacity) {
  const tiny::Matrix& matrix = named.matrix;
  const std::string words = tensor_caption(pen, named.tensor);
  pen.add(draw::text({at.x, at.y, std::max(shape.width(), text_width(words, draw::kSmall)), kCaption}, words,
                     draw::kSmall, Ink::muted));
  const bool tokens = rows_are_tokens(named.tensor);
  const int across = tokens ? matrix.rows : matrix.cols;
  for (int i = 0; i < across; ++i) {
    const float x = at.x + static_cast<float>(i % shape.across) * shape.cell;
    const float top =
        at.y + kCaption + static_cast<float>(i / shape.across) * (static_cast<float>(shape.down) * kRow + 4);
    std::vector<Value> values;
    for (int j = 0; j < shape.down; ++j) values.push_back(tokens ? matrix.at(i, j) : matrix.at(j, i));
    const Box box{x, top, shape.cell - 1, static_cast<float>(shape.down) * kRow};
    draw_column(pen, box, values, row_inks(pen, rank, named, tokens ? i : 0), opacity);
    if (tokens && follows(pen.scene, token_of_row(pen.scene.derived.layout, rank, named, i)))
      draw_follow_mark(pen, box);
  }
}

// How many of the shown matrices are operands: the results come last.
std::size_t operands_of(tiny::Compute compute, std::size_t shown) {
  return shown > 1 ? shown - (compute == tiny::Compute::columns ? std::min<std::size_t>(2, shown - 1) : 1) : 0;
}

// What is worth showing of a phase: all of it, but of the update one matrix before and after.
std::vector<const tiny::NamedMatrix*> worth_showing(const tiny::Phase& phase, Rank rank) {
  using enum tiny::Tensor;
  std::vector<const tiny::NamedMatrix*> list;
  for (const auto& shown : phase.shown[static_cast<std::size_t>(rank)]) {
    const bool one = shown.tensor == w_in || shown.tensor == grad_w_in;
    if (shown.matrix.rows > 0 && (phase.compute != tiny::Compute::update || one)) list.push_back(&shown);
  }
  return list;
}

// How far `phase` has got at this moment, 0 to 1.
float progress_of(const Scene& scene, const tiny::Phase& phase) {
  const auto index = static_cast<int>(&phase - scene.derived.run.phases.data());
  return index < scene.moment.at.phase ? 1 : index > scene.moment.at.phase ? 0 : scene.moment.fraction;
}

struct Shown {
  const tiny::NamedMatrix* named;
  bool result;
};

void draw_row_of_matrices(Pen& pen, const tiny::Phase& phase, Rank rank, const std::vector<Shown>& list) {
  const float progress = progress_of(pen.scene, phase);
  float x = pen.area.x;
  float line = 0;
  for (const Shown& shown : list) {
    const MatrixShape shape = shape_of(*shown.named, pen.area.w);
    const float width =
        std::max(shape.width(), text_width(tensor_caption(pen, shown.named->tensor), draw::kSmall)) + 12;
    if (x > pen.area.x && x + width > pen.area.right() + 12) {
      x = pen.area.x;
      pen.y += line;
      line = 0;
    }
    draw_matrix(pen, rank, *shown.named, {x, pen.y}, shape, shown.result ? std::max(kGhost, progress) : 1);
    x += width;
    line = std::max(line, shape.height() + 4);
  }
  pen.y += line;
}

std::vector<Shown> matrices_of(const tiny::Phase& phase, Rank rank) {
  const auto list = worth_showing(phase, rank);
  const std::size_t operands = operands_of(phase.compute, list.size());
  std::vector<Shown> shown;
  for (std::size_t i = 0; i < list.size(); ++i) shown.push_back({list[i], i >= operands});
  return shown;
}

// Beside a collective its own payload need not be shown a second time; on a narrow card only weights and the last
// result.
void draw_beside(Pen& pen, const tiny::Phase& phase, const tiny::Phase& collective, Rank rank) {
  const Scene& scene = pen.scene;
  const bool before = &phase < &collective;
  const bool narrow = scene.space.narrow();
  std::vector<Shown> list = matrices_of(phase, rank);
  if (before && !list.empty()) list.pop_back();  // it is the block before
  if (!before && !list.empty())
    list.erase(list.begin() +
               (phase.compute == tiny::Compute::add_residual || phase.compute == tiny::Compute::mlp_residual ? 1 : 0));
  if (narrow && before) list.clear();
  if (narrow && list.size() > 2) list = {list.front(), list.back()};
  draw_row_of_matrices(pen, phase, rank, list);
}

void draw_whole_step(Pen& pen, const tiny::Phase& collective, Rank rank) {
  const Scene& scene = pen.scene;
  const auto exchanges = exchanges_at(scene, collective);
  int last = -1;
  for (const Beat& beat : scene.derived.timeline(scene.state).beats) {
    if (beat.phase == last) continue;
    last = beat.phase;
    const tiny::Phase& phase = scene.derived.run.phases[static_cast<std::size_t>(beat.phase)];
    const Exchange* exchange = &phase == &collective ? exchange_of(exchanges, rank) : nullptr;
    if (exchange != nullptr) draw_blocks(pen, *exchange, rank);
    if (&phase != &collective) draw_beside(pen, phase, collective, rank);
  }
}

}  // namespace

bool follows(const Scene& scene, int token) {
  return token >= 0 && token == scene.state.token;
}

void draw_follow_mark(const Pen& pen, Box box) {
  pen.add(draw::follow_mark(box));
}

std::string digits_of(std::span<const Value> values) {
  std::string text;
  for (const Value value : values) text += (text.empty() ? "" : " ") + std::to_string(value);
  return text;
}

void draw_column(const Pen& pen, Box box, std::span<const Value> values, const std::vector<Ink>& inks, float opacity) {
  if (pen.dry || values.empty()) return;
  const float height = box.h / static_cast<float>(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    Shape shape =
        draw::cell({box.x, box.y + static_cast<float>(i) * height, box.w, height - 1}, std::to_string(values[i]), inks);
    shape.opacity = opacity;
    pen.add(std::move(shape));
  }
}

const tiny::Phase* whole_step(const Scene& scene) {
  const tiny::Phase* collective = nullptr;
  int last = -1, phases = 0;
  for (const Beat& beat : scene.derived.timeline(scene.state).beats) {
    if (beat.phase < 0 || beat.phase == last) continue;
    last = beat.phase;
    const tiny::Phase& phase = scene.derived.run.phases[static_cast<std::size_t>(beat.phase)];
    if (is_expert_phase(phase) || ++phases > 4) return nullptr;
    if (phase.communications.empty()) continue;
    if (collective != nullptr) return nullptr;
    collective = &phase;
  }
  return collective;
}

void draw_body(Pen& pen, const tiny::Phase& phase, const std::vector<Exchange>& exchanges, Rank rank) {
  if (const tiny::Phase* collective = whole_step(pen.scene)) return draw_whole_step(pen, *collective, rank);
  if (is_expert_phase(phase)) return draw_experts_body(pen, phase, exchanges, rank);
  if (phase.compute != tiny::Compute::none) return draw_row_of_matrices(pen, phase, rank, matrices_of(phase, rank));
  if (const Exchange* exchange = exchange_of(exchanges, rank)) draw_blocks(pen, *exchange, rank);
}

}  // namespace commflow

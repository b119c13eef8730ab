#include "story/figures/routing_figure.h"

#include <algorithm>

#include "story/figures/draw.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr float kRow = 26;
constexpr float kWidest = 40;
constexpr float kLeastPressed = 20;  // of a square's width
constexpr int kMostPressed = 1024;   // squares
constexpr float kHeader = 26;
constexpr float kGap = 2;

struct Table {
  const State& state;
  const ExpertView& view;
  const Catalog& words;
  Figure figure;
  float label = 0;  // width of what stands before a row
  float cell = 0;

  int experts() const { return view.settings.experts; }
  Box square(int token, int expert) const {
    return {label + static_cast<float>(expert) * cell, kHeader + static_cast<float>(token) * kRow, cell - kGap,
            kRow - kGap};
  }
  bool pressed() const { return cell >= kLeastPressed && view.run.routing.all_tokens() * experts() <= kMostPressed; }
};

std::string number(std::int64_t value) {
  return std::to_string(value);
}

// 1 for the first choice, 0 for an expert that the token does not go to.
int choice_of(const ExpertView& view, int token, int expert) {
  const auto& routing = view.run.routing;
  const int* first = &routing.experts[routing.at(token, 0)];
  const int* found = std::find(first, first + routing.topk, expert);
  return found == first + routing.topk ? 0 : static_cast<int>(found - first) + 1;
}

// Ids of the experts over the tint of the GPU that they live on.
void draw_header(Table& table) {
  for (int expert = 0; expert < table.experts(); ++expert) {
    const Box box = table.square(0, expert);
    const Rank home = table.view.counts.hosts.of_expert[static_cast<std::size_t>(expert)].front();
    table.figure.shapes.push_back(draw::rect({box.x, kHeader - 6, box.w, 3}, origin_ink(home), Ink::none, 1));
    const std::string id = number(expert);
    if (text_width(id, draw::kSmall) > table.cell) continue;
    table.figure.shapes.push_back(
        draw::text({box.x, 0, box.w, kHeader - 7}, id, draw::kSmall, Ink::muted, Anchor::center));
  }
}

void draw_square(Table& table, int token, int expert) {
  const Box box = table.square(token, expert);
  const int choice = choice_of(table.view, token, expert);
  Shape square = draw::rect(box, choice > 0 ? Ink::ep_soft : Ink::none, choice > 0 ? Ink::ep : Ink::hairline, 3);
  const std::string id = "route." + number(token) + "." + number(expert);
  square.id = id;
  table.figure.shapes.push_back(std::move(square));
  if (choice > 0 && table.cell >= text_width("0", draw::kSmall) + 2)
    table.figure.shapes.push_back(
        draw::text(box, number(choice), draw::kSmall, Ink::ink, Anchor::center, Weight::bold));
  if (!table.pressed()) return;
  const Text key = choice > 0 ? Text::routing_chosen : Text::routing_square;
  table.figure.targets.push_back(
      {id, table.words.get(key, {{"token", number(token)}, {"expert", number(expert)}, {"choice", number(choice)}}),
       box, choice > 0});
}

void draw_row(Table& table, int token) {
  const Box first = table.square(token, 0);
  const Rank home = token / table.view.settings.tokens;
  Shape cell = draw::cell({0, first.y, table.label - 6, first.h}, number(token), {origin_ink(home)});
  cell.hatch = home >= 8;
  table.figure.shapes.push_back(std::move(cell));
  for (int expert = 0; expert < table.experts(); ++expert) draw_square(table, token, expert);
  if (table.state.expert_token == token)
    table.figure.shapes.push_back(draw::follow_mark({0, first.y, table.figure.width, first.h}));
}

void draw_sums(Table& table) {
  const int tokens = table.view.run.routing.all_tokens();
  const auto& copies = table.view.counts.wanted;
  const Box row = table.square(tokens, 0);
  table.figure.shapes.push_back(draw::text({0, row.y, table.label - 6, row.h},
                                           std::string(table.words.get(Text::routing_sum)), draw::kSmall, Ink::muted));
  for (int expert = 0; expert < table.experts(); ++expert) {
    const Box box = table.square(tokens, expert);
    const std::string digits = number(copies[static_cast<std::size_t>(expert)]);
    if (text_width(digits, draw::kSmall) > table.cell) continue;
    table.figure.shapes.push_back(draw::text(box, digits, draw::kSmall, Ink::ink, Anchor::center, Weight::bold));
  }
}

}  // namespace

Figure routing_figure(const State& state, const ExpertView& view, const Catalog& words, FigureSpace space) {
  Table table{state, view, words, {}, 0, 0};
  const std::string sum(words.get(Text::routing_sum));
  table.label = std::max(text_width(sum, draw::kSmall), text_width("000", draw::kSmall)) + 14;
  table.cell = std::min(kWidest, (space.width - table.label) / static_cast<float>(table.experts()));
  table.figure.width = table.label + table.cell * static_cast<float>(table.experts());
  const int tokens = view.run.routing.all_tokens();
  draw_header(table);
  for (int token = 0; token < tokens; ++token) draw_row(table, token);
  draw_sums(table);
  table.figure.height = kHeader + static_cast<float>(tokens + 1) * kRow;
  return std::move(table.figure);
}

}  // namespace commflow

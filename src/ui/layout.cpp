#include "ui/layout.h"

#include <algorithm>
#include <cmath>

#include "ui/flow.h"
#include "ui/table.h"

namespace commflow::ui {
namespace {

constexpr float kWide = 1000;  // from here on two columns
constexpr float kContentMax = 1440;
constexpr float kTextMax = 38 * 16;  // longer lines are hard to follow

TextStyle heading_style(int level, bool wide) {
  const float sizes[2][3] = {{22, 18, 16}, {26, 20, 16}};
  return {sizes[wide ? 1 : 0][std::clamp(level, 1, 3) - 1], true};
}

bool belongs(const Page& page, Region region) {
  if (!page.embed) return true;
  return region == Region::title || region == Region::figure || region == Region::player || region == Region::live ||
         region == Region::foot;
}

struct Builder {
  const Page& page;
  const Pen& pen;
  const FigureSource& figure;
  bool touch;
  Layout out;

  Placed& add(Placed placed) {
    if (placed.block && placed.kind != Placed::Kind::control) placed.id = placed.block->id;
    out.items.push_back(placed);
    return out.items.back();
  }

  // Wrapped text over the column's width, or less where lines would be too long.
  void text(Column& column, const Block& block, std::string_view words, TextStyle style, Ink ink,
            Placed::Kind kind = Placed::Kind::text, float indent = 0) {
    const float room = std::min(column.w, kTextMax) - indent;
    const float height = pen.text_height(words, style, room);
    add({.kind = kind,
         .block = &block,
         .box = {column.x + indent, column.y, room, height},
         .text = words,
         .style = style,
         .ink = ink});
    column.y += height;
  }

  void badges(Column& column, const Block& block) {
    float x = column.x;
    const float height = 24;
    for (const std::string& item : block.items) {
      const float w = std::min(column.w, pen.wrapped(item, {13, false}, 0).width + 20);
      if (x > column.x && x + w > column.x + column.w) {
        x = column.x;
        column.y += height + 4;
      }
      add({.kind = Placed::Kind::badge,
           .block = &block,
           .box = {x, column.y, w, height},
           .text = item,
           .style = {13, false}});
      x += w + 8;
    }
    column.y += height;
  }

  void heading(Column& column, const Block& block) {
    const int level = block.region == Region::title ? 1 : block.level;
    column.gap(level <= 1 ? 4 : 20);
    text(column, block, block.text, heading_style(level, out.wide), Ink::ink);
    column.after = level <= 1 ? 8 : 6;
  }

  void list(Column& column, const Block& block) {
    column.gap(8);
    for (const std::string& item : block.items)
      text(column, block, item, {16, false}, Ink::ink, Placed::Kind::bullet, 18);
    column.after = 12;
  }

  void draw_figure_block(Column& column, const Block& block) {
    column.gap(12);
    const FigureSpace space{column.w};
    out.figures.push_back(figure ? figure(block.id, space) : Figure{});
    const Figure& made = out.figures.back();
    // A narrower figure stands in the middle, or where text begins.
    const float x = page.article ? column.x : column.x + std::max(0.0f, std::floor((column.w - made.width) / 2));
    Placed& placed = add({.kind = Placed::Kind::figure,
                          .block = &block,
                          .box = {x, column.y, std::min(made.width, column.w), made.height}});
    placed.figure = out.figures.size() - 1;
    column.y += made.height;
    column.after = 12;
  }

  void table(Column& column, const Block& block) {
    column.gap(12);
    if (!block.text.empty()) text(column, block, block.text, {13, false}, Ink::muted);
    const float height = table_height(pen, block, column.w);
    add({.kind = Placed::Kind::table, .block = &block, .box = {column.x, column.y, column.w, height}});
    column.y += height;
    column.after = 16;
  }

  void controls(Column& column, const Block& block) {
    column.gap(block.region == Region::chips || block.region == Region::player ? 4 : 8);
    if (!block.text.empty()) text(column, block, block.text, {13, false}, Ink::muted);
    Flow flow{pen, touch, block, column, out.items};
    switch (block.region) {
      case Region::chips: flow.chips(); break;
      case Region::player: flow.player(); break;
      default: flow.form(); break;
    }
    column.after = 12;
  }

  void plain(Column& column, const Block& block) {
    const bool small = block.region == Region::title || block.region == Region::foot || block.region == Region::bar;
    column.gap(small ? 4 : 12);
    text(column, block, block.text, {small ? 13.0f : 16.0f, false}, small ? Ink::muted : Ink::ink);
    column.after = small ? 4 : 12;
  }

  void note(Column& column, const Block& block) {
    column.gap(8);
    const bool title = block.region == Region::title;
    text(column, block, block.text, {14, false}, Ink::muted, title ? Placed::Kind::text : Placed::Kind::note,
         title ? 0 : 12);
    column.after = 8;
  }

  void block(Column& column, const Block& block) {
    switch (block.kind) {
      case BlockKind::heading: return heading(column, block);
      case BlockKind::paragraph: return plain(column, block);
      case BlockKind::note: return note(column, block);
      case BlockKind::table: return table(column, block);
      case BlockKind::figure: return draw_figure_block(column, block);
      case BlockKind::controls: return controls(column, block);
      case BlockKind::list:
        if (block.region != Region::title) return list(column, block);
        column.gap(8);
        badges(column, block);
        column.after = 8;
    }
  }

  void region(Column& column, Region wanted) {
    if (!belongs(page, wanted)) return;
    for (const Block& each : page.blocks) {
      if (each.region == wanted) block(column, each);
    }
  }

  bool has(Region wanted) const {
    return belongs(page, wanted) &&
           std::any_of(page.blocks.begin(), page.blocks.end(), [&](const Block& b) { return b.region == wanted; });
  }

  void rule(Column& column, float before, float after) {
    column.gap(before);
    add({.kind = Placed::Kind::rule, .box = {column.x, column.y, column.w, 1}});
    column.y += 1;
    column.after = after;
  }

  // The sentence of the round has room for some lines, so that nothing jumps
  // when it gets longer. Where no block says it, the page's own is drawn.
  void live(Column& column) {
    const bool has_block = has(Region::live);
    if (!has_block && !page.live.empty()) sentence(column, page.live, nullptr);
    for (const Block& each : page.blocks) {
      if (each.region != Region::live || !has_block) continue;
      each.kind == BlockKind::paragraph ? sentence(column, each.text, &each) : block(column, each);
    }
  }

  void sentence(Column& column, std::string_view words, const Block* block) {
    column.gap(8);
    const TextStyle style{16, false};
    const float room = std::min(column.w, kTextMax * 1.2f);
    const float lines = column.w >= 560 ? 2 : 3;
    const float height = std::max(pen.text_height(words, style, room), lines * pen.line_height(style.size));
    Placed& placed = add({.block = block, .box = {column.x, column.y, room, height}, .text = words, .style = style});
    if (!block) placed.id = "live";
    column.y += height;
    column.after = 12;
  }

  void bar(Column& column) {
    if (!has(Region::bar)) return;
    Flow::bar(pen, touch, page, column, out.items);
    rule(column, 4, 8);
  }

  void aside(Column& column) {
    if (!has(Region::aside)) return;
    rule(column, 16, 4);
    region(column, Region::aside);
  }

  void foot(Column& column) {
    if (!has(Region::foot)) return;
    rule(column, 24, 8);
    region(column, Region::foot);
  }

  // The player stands above the figure: figures may be taller than the window, and
  // what moves should be in sight of what moves it.
  void figure_and_player(Column& column) {
    region(column, Region::player);
    live(column);
    region(column, Region::figure);
  }

  void wide_body(Column& column) {
    constexpr float kGutter = 40;
    const float text_width = std::clamp(std::round(column.w * 0.32f), 300.0f, kTextMax);
    Column left{column.x, column.y, text_width};
    Column right{column.x + text_width + kGutter, column.y, column.w - text_width - kGutter};
    left.after = right.after = 12;
    region(left, Region::title);
    region(left, Region::story);
    region(left, Region::counters);
    figure_and_player(right);
    aside(right);
    column.y = std::max(left.y, right.y);
  }

  void narrow_body(Column& column) {
    region(column, Region::title);
    figure_and_player(column);
    region(column, Region::counters);
    region(column, Region::story);
    aside(column);
  }

  // Goes beside the text of its section, if there is room.
  static bool is_shown_beside(const Block& block) {
    return block.region == Region::figure || block.region == Region::player || block.region == Region::live;
  }

  void article_block(Column& column, const Block& each) {
    each.region == Region::live ? sentence(column, each.text, &each) : block(column, each);
  }

  // One section: its heading over both columns, text to the left, what is shown to the right.
  void section(Column& column, const std::vector<const Block*>& blocks) {
    std::size_t first = 0;
    if (!blocks.empty() && blocks.front()->kind == BlockKind::heading) block(column, *blocks[first++]);
    const bool beside = std::any_of(blocks.begin(), blocks.end(), [](const Block* b) { return is_shown_beside(*b); });
    if (!out.wide || !beside) {
      for (std::size_t i = first; i < blocks.size(); ++i) article_block(column, *blocks[i]);
      return;
    }
    constexpr float kGutter = 40;
    const float text_width = std::clamp(std::round(column.w * 0.4f), 300.0f, kTextMax);
    Column left{column.x, column.y, text_width},
        right{column.x + text_width + kGutter, column.y, column.w - text_width - kGutter};
    left.after = right.after = column.after;
    for (std::size_t i = first; i < blocks.size(); ++i)
      article_block(is_shown_beside(*blocks[i]) ? right : left, *blocks[i]);
    column.y = std::max(left.y, right.y);
    column.after = 12;
  }

  // What was asked for stands where the reader is when asking: at the top.
  void article(Column& column) {
    region(column, Region::title);
    aside(column);
    std::vector<const Block*> blocks;
    for (const Block& each : page.blocks) {
      if (each.region != Region::story && !is_shown_beside(each)) continue;
      if (each.kind == BlockKind::heading && each.level == 2) {
        section(column, blocks);
        blocks.clear();
      }
      blocks.push_back(&each);
    }
    section(column, blocks);
  }

  void build(float width) {
    out.width = width;
    out.wide = width >= kWide && !page.embed;
    const float margin = std::min(out.wide || width >= 700 ? 24.0f : 16.0f, width / 8);
    const float content = std::max(1.0f, std::min(width - 2 * margin, kContentMax));
    Column column{std::floor((width - content) / 2), 8, content};
    bar(column);
    region(column, Region::chips);
    if (page.article) {
      article(column);
    } else if (out.wide) {
      wide_body(column);
    } else {
      narrow_body(column);
    }
    foot(column);
    out.height = std::ceil(column.y + 24);
  }
};

}  // namespace

Layout lay_out(const Page& page, const Pen& pen, float width, bool touch, const FigureSource& figure) {
  Builder builder{page, pen, figure, touch, {}};
  builder.build(width);
  return std::move(builder.out);
}

}  // namespace commflow::ui

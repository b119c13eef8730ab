#include "ui/ui.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <utility>

#include "ui/controls.h"
#include "ui/figure_draw.h"
#include "ui/flow.h"
#include "ui/layout.h"
#include "ui/table.h"

namespace commflow::ui {
namespace {

Pen make_pen(const Input& input, Memory& memory) {
  Pen pen;
  pen.list = ImGui::GetWindowDrawList();
  pen.theme = input.theme;
  pen.regular = input.regular;
  pen.bold = input.bold ? input.bold : input.regular;
  pen.density = std::max(0.25f, ImGui::GetIO().DisplayFramebufferScale.x);
  pen.top = -pen.snap(input.page_top);
  pen.leading = input.page.lang == "zh" ? 1.6f : 1.5f;
  pen.texts = &memory.texts;
  pen.list->_FringeScale = 1 / pen.density;
  return pen;
}

void draw_text(Pen& pen, const Placed& placed) {
  if (!pen.sees(placed.box)) return;
  const Box box = placed.box;
  if (placed.kind == Placed::Kind::note) {
    pen.fill({box.x - 12, box.y + 3, 2, box.h - 6}, pen.ink(Ink::idle));
  } else if (placed.kind == Placed::Kind::bullet) {
    pen.disc({box.x - 10, box.y + pen.line_height(placed.style.size) / 2}, 2.25f, pen.ink(Ink::muted));
  } else if (placed.kind == Placed::Kind::badge) {
    pen.outline(box, pen.ink(Ink::hairline), 12);
    return pen.label({box.x + 10, box.y, box.w - 20, box.h}, placed.text, placed.style, pen.ink(Ink::ink));
  }
  pen.paragraph(box, placed.text, placed.style, pen.ink(placed.ink));
}

void unite(Box& all, Box box) {
  const float right = std::max(all.right(), box.right());
  const float bottom = std::max(all.bottom(), box.bottom());
  all.x = std::min(all.x, box.x);
  all.y = std::min(all.y, box.y);
  all.w = right - all.x;
  all.h = bottom - all.y;
}

// One hit per block: around all its lines.
void add_hit(std::vector<Hit>& hits, std::string_view id, Box box) {
  for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit) {
    if (hit->id == id) return unite(hit->box, box);
  }
  hits.push_back({std::string(id), box});
}

struct Drawing {
  const Input& input;
  Layout layout;
  Pen& pen;
  Hand hand;
  Drawn& drawn;

  void figure(const Placed& placed) {
    const Figure& figure = layout.figures[placed.figure];
    const Point origin{pen.snap(placed.box.x), pen.snap(placed.box.y)};
    draw_figure(pen, figure, origin);
    int index = 0;
    for (const Target& target : figure.targets) hand.target(target, origin, ++index);
  }

  void item(std::size_t index) {
    const Placed& placed = layout.items[index];
    if (placed.kind == Placed::Kind::control) return hand.control(placed, static_cast<int>(index));
    if (!placed.id.empty()) add_hit(drawn.hits, placed.id, placed.box);
    switch (placed.kind) {
      case Placed::Kind::figure: return figure(placed);
      case Placed::Kind::table:
        if (pen.sees(placed.box)) draw_table(pen, *placed.block, placed.box);
        return;
      case Placed::Kind::rule:
        if (pen.sees(placed.box))
          pen.horizontal(placed.box.x, placed.box.right(), placed.box.y, pen.ink(Ink::hairline));
        return;
      default: return draw_text(pen, placed);
    }
  }

  void run() {
    for (std::size_t i = 0; i < layout.items.size(); ++i) item(i);
    hand.draw_tip(layout.width, input.page_top, input.page_top + input.view_height);
  }
};

constexpr ImGuiWindowFlags kPageFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                        ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoScrollWithMouse |
                                        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoBackground;

}  // namespace

void use_glyphs_of(std::string_view lang, Memory& memory) {
  if (memory.lang == lang) return;
  memory.lang = lang;
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  if (atlas->Builder == nullptr) return;
  ImFontAtlasBuildDiscardBakes(atlas, 0);
  atlas->CompactCache();
}

Drawn draw(const Input& input, Memory& memory) {
  Drawn drawn;
  const Rgba ground = color(Ink::page, input.theme);
  ImGui::GetStyle().Colors[ImGuiCol_WindowBg] =
      ImGui::ColorConvertU32ToFloat4(IM_COL32(ground.r, ground.g, ground.b, 255));
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, {1, 1});
  ImGui::Begin("page", nullptr, kPageFlags);
  ImGui::PopStyleVar(3);
  Pen pen = make_pen(input, memory);
  Drawing drawing{input,
                  lay_out(input.page, pen, std::max(1.0f, input.width), input.touch, input.figure),
                  pen,
                  {pen, drawn, input.touch, input.editor, {}},
                  drawn};
  drawing.run();
  drawn.page_height = drawing.layout.height;
  drawn.overflows = std::move(pen.overflows);
  ImGui::End();
  return drawn;
}

}  // namespace commflow::ui

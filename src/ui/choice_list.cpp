// The list of a choice: a popup of Dear ImGui (which closes it, moves the focus
// with the arrow keys and keeps it on the screen) with rows drawn by us.
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "ui/controls.h"
#include "ui/flow.h"
#include "ui/icons.h"

namespace commflow::ui {
namespace {

constexpr float kEdge = 4;

ImVec4 vec(Rgba c) {
  return ImGui::ColorConvertU32ToFloat4(IM_COL32(c.r, c.g, c.b, c.a));
}

float list_width(const Pen& pen, const Control& control, Box field) {
  float widest = 0;
  for (const std::string& choice : control.choices)
    widest = std::max(widest, pen.wrapped(choice, kControlText, 0).width);
  return std::max(field.w, widest + 2 * kEdge + 2 * kPadding + kIcon + 4);
}

bool row(Pen& pen, const std::string& text, bool chosen, Box box, int index) {
  const ImRect area(box.x, box.y, box.right(), box.bottom());
  const ImGuiID id = ImGui::GetID(index);
  ImGui::ItemSize(area);
  if (!ImGui::ItemAdd(area, id)) return false;
  if (chosen && ImGui::IsWindowAppearing()) ImGui::SetItemDefaultFocus();
  bool hovered = false;
  bool held = false;
  const bool pressed = ImGui::ButtonBehavior(area, id, &hovered, &held);
  const bool focused = ImGui::IsItemFocused() && GImGui->NavCursorVisible;
  if (hovered) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  Rgba wash = pen.ink(Ink::ink);
  wash.a = held ? 40 : 20;
  if (hovered || focused) pen.fill(box, wash, 4);
  if (focused) pen.outline(box, pen.ink(Ink::focus), 4, 2);
  if (chosen) draw_icon(pen, "check", {box.x + kPadding + 6, box.center_y()}, pen.ink(Ink::accent));
  const float indent = kPadding + kIcon;
  pen.label({box.x + indent, box.y, box.w - indent - kPadding, box.h}, text, {14, chosen}, pen.ink(Ink::ink));
  return pressed;
}

}  // namespace

bool choice_list(const Pen& pen, const Control& control, Box field, bool touch, int& taken) {
  if (!ImGui::IsPopupOpen("list")) return false;
  const float height = touch ? 44.0f : 36.0f;
  const float all = height * static_cast<float>(control.choices.size()) + 2 * kEdge;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const ImVec2 size{std::min(list_width(pen, control, field), screen.x), std::min(all, screen.y)};
  const float x = std::clamp(field.x + pen.left, 0.0f, std::max(0.0f, screen.x - size.x));
  const float below = field.bottom() + pen.top + 4;
  const float above = field.y + pen.top - 4 - size.y;
  const float y = below + size.y <= screen.y || above < 0 ? std::min(below, std::max(0.0f, screen.y - size.y)) : above;
  ImGui::SetNextWindowPos({x, y});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {kEdge, kEdge});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 6.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_PopupRounding, 6.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_PopupBorderSize, 0.0f);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, 8.0f);
  ImGui::PushStyleColor(ImGuiCol_PopupBg, vec(pen.ink(Ink::raised)));
  bool done = false;
  if (ImGui::BeginPopup("list", ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings)) {
    Pen inside = pen;
    inside.list = ImGui::GetWindowDrawList();
    inside.list->_FringeScale = 1 / pen.density;
    inside.left = inside.top = 0;
    const float width = ImGui::GetContentRegionAvail().x;
    for (std::size_t i = 0; i < control.choices.size(); ++i) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const int index = static_cast<int>(i);
      if (!row(inside, control.choices[i], index == control.value, {at.x, at.y, width, height}, index)) continue;
      taken = index;
      done = true;
      ImGui::CloseCurrentPopup();
    }
    const ImVec2 at = ImGui::GetWindowPos();
    inside.outline({at.x, at.y, size.x, size.y}, pen.ink(Ink::idle), 6);
    ImGui::EndPopup();
  }
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(6);
  return done;
}

}  // namespace commflow::ui

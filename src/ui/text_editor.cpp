#include "ui/text_editor.h"

#include <imgui.h>

#include <algorithm>
#include <array>

#include "story/inputs.h"
#include "ui/flow.h"
#include "ui/pen.h"

namespace commflow::ui {
namespace {

ImVec4 vec(Rgba c) {
  return ImGui::ColorConvertU32ToFloat4(IM_COL32(c.r, c.g, c.b, c.a));
}

}  // namespace

bool edit_text(const Pen& pen, Box field, std::string& text) {
  std::array<char, kLongestTyped> typed{};
  std::copy_n(text.begin(), std::min(text.size(), kLongestTyped - 1), typed.begin());
  ImGui::SetCursorScreenPos({field.x + pen.left, field.y + pen.top});
  ImGui::PushFont(pen.regular, kControlText.size);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, vec(pen.ink(Ink::surface)));
  ImGui::PushStyleColor(ImGuiCol_Text, vec(pen.ink(Ink::ink)));
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {kPadding, 8});
  ImGui::InputTextMultiline("text", typed.data(), kLongestTyped, {field.w, field.h});
  // Keyboard navigation may be the one to take the focus away on Escape, and keeps what was typed.
  const bool done = ImGui::IsItemDeactivatedAfterEdit() && !ImGui::IsKeyPressed(ImGuiKey_Escape, false);
  ImGui::PopStyleVar();
  ImGui::PopStyleColor(2);
  ImGui::PopFont();
  if (done) text = typed.data();
  return done;
}

}  // namespace commflow::ui

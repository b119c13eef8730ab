#pragma once
// A font file whose size is its em, as it is in a browser. Dear ImGui's own
// loader takes the height from ascender to descender for the size instead,
// which for Noto Sans CJK is 1.45 em. Native only; must never know any text.

#include <imgui.h>

#include <cfloat>

namespace commflow::platform {

// Nothing if there is no such file.
inline ImFont* add_font_file(const char* path) {
  ImFontConfig config;
  config.Flags |= ImFontFlags_NoLoadError;
  // A negative size maps the em. It also turns the range of advances round, for
  // which the upper end must be negative, too.
  config.SizePixels = -16;
  config.GlyphMaxAdvanceX = -FLT_MAX;
  return ImGui::GetIO().Fonts->AddFontFromFileTTF(path, 0, &config);
}

}  // namespace commflow::platform

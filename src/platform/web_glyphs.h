#pragma once
// Glyphs by the browser: an ImFontLoader that has a 2D canvas measure and rasterise each glyph at first use, so that no
// language needs a font download and the canvas shows the same face as the text beside it (web/glyphs.js draws).
// Must never know what is written with them.

struct ImFont;

namespace commflow::platform {

// Adds the system's sans in the current ImGui context's atlas. One call per weight.
ImFont* add_browser_font(bool bold);

}  // namespace commflow::platform

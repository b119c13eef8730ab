#pragma once
// Compile-time settings of Dear ImGui, natively and on the web (IMGUI_USER_CONFIG). They keep out what CommFlow never
// shows, above all for the size of the download. Must never differ between the files that include imgui.h.

#define IMGUI_DISABLE_OBSOLETE_FUNCTIONS
#define IMGUI_DISABLE_DEMO_WINDOWS
#define IMGUI_DISABLE_DEBUG_TOOLS
#define IMGUI_DISABLE_DEFAULT_FONT
#define IMGUI_DISABLE_DEFAULT_SHELL_FUNCTIONS

// Sixteen GPUs with striped cells are more than 65,536 corners in one frame, and WebGL has no draw call with an offset
// for them: with 16 bits the numbers wrap round and triangles lie across the page.
#define ImDrawIdx unsigned int

#pragma once
// The seam between the program and the place it runs in: a browser element (web.cpp) or a window (sdl.cpp), chosen by
// CMake, never by #ifdef. The platform owns the ImGui context and its back end, the clock, the size and the input; it
// calls app_start() once and app_frame() whenever a picture is wanted. What crosses the seam as text is JSON that the
// platform hands on unread: it must never know the story or the core.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct ImFont;

namespace commflow {

// Written by main.cpp. The ImGui context, the fonts and all assets of the start are there when app_start() is called.
void app_start();

// One frame: take messages, change the state, and between begin_frame() and end_frame() draw with ImGui. The clock (in
// ms) stands still while nothing is drawn, so a long pause is no jump. Returns true while something moves; otherwise
// the next call comes with the next input, message or request_frame().
bool app_frame(double now_ms);

// Publishes "stills": every figure of the page at this moment as an SVG picture of that width in CSS pixels; 0: as wide
// as it was drawn last. For print, and where nothing can be drawn.
void app_stills(float width, bool is_dark);

namespace platform {

// The canvas shows the rows [page_top, page_top + height) of a page `width` wide, in CSS pixels. The page scrolls by
// the browser or the window, never by ImGui: draw row y of the page at y - page_top. Neither the layout nor the height
// of the page may depend on page_top or height. density = device pixels per CSS pixel.
struct View {
  float width = 0;
  float page_top = 0;
  float height = 0;
  float density = 1;
};

// A font size is the em in CSS pixels on every platform; a line of text is as high as its font size.
struct Fonts {
  ImFont* regular = nullptr;
  ImFont* bold = nullptr;
};

View view();
Fonts fonts();

// Starts an ImGui frame with the size and the input since the last one.
void begin_frame();
// Clears to the style's ImGuiCol_WindowBg and draws what ImGui has collected.
void end_frame();
// Asks for one more app_frame() although nothing moves, as when something was loaded or a tooltip is due.
void request_frame();

// Messages to the program since the last call, oldest first: objects with a "type".
std::vector<std::string> take_messages();
// News from the program: "page", "state", "error", ... (web/element.js lists the topics). The native platform uses
// only a few of them.
void publish(std::string_view topic, std::string_view json);
// The bytes of a file that was handed over (web) or lies in the assets (native); nothing if it is not there (yet).
std::optional<std::string> read_asset(std::string_view name);

}  // namespace platform
}  // namespace commflow

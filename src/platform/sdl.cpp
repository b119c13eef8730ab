// The native platform: one window with SDL2 and OpenGL, which scrolls the page
// and draws only when there is a reason to. Sizes are CSS pixels, as in a
// browser; a unit of the window is `zoom` of them.
#include "platform/sdl.h"

#include <SDL.h>
#include <SDL_opengl.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "platform/platform.h"
#include "platform/sdl_input.h"
#include "platform/sdl_png.h"
#include "platform/truetype.h"

namespace commflow::platform {
namespace {

constexpr int kSettleFrames = 3;      // Dear ImGui answers to an event one or two frames later
constexpr int kPollMs = 500;          // between looks at the files while nothing happens
constexpr double kLongestStep = 100;  // ms that pass in one frame; a longer pause is no jump
constexpr float kWheelRows = 60;

struct Native {
  WindowOptions options;
  SDL_Window* window = nullptr;
  SDL_GLContext context = nullptr;
  SDL_Cursor* arrow = nullptr;
  SDL_Cursor* hand = nullptr;
  Fonts fonts;
  View view;
  float zoom = 1;  // window units per CSS pixel, after the screen's scale and the reader's
  float reader_zoom = 1;
  float page_height = 0;
  std::vector<std::string> messages;
  double now_ms = 0;
  std::uint64_t ticks = 0;
  int settle = kSettleFrames;
  bool has_vsync = true;
  bool running = true;
};

Native native;

bool is_picture() {
  return !native.options.picture.empty();
}

int fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, SDL_GetError());
  return 1;
}

// ---- size and scrolling ----

// Where the window's units are device pixels, a dense screen must be asked for.
float screen_scale() {
  int drawable = 0;
  int window = 0;
  SDL_GL_GetDrawableSize(native.window, &drawable, nullptr);
  SDL_GetWindowSize(native.window, &window, nullptr);
  if (is_picture() || drawable > window) return 1;
  float dpi = 96;
  if (SDL_GetDisplayDPI(SDL_GetWindowDisplayIndex(native.window), nullptr, &dpi, nullptr) != 0) return 1;
  return std::clamp(std::round(dpi / 96 * 4) / 4, 1.0f, 3.0f);
}

void scroll_to(float top) {
  native.view.page_top = std::clamp(top, 0.0f, std::max(0.0f, native.page_height - native.view.height));
}

void measure() {
  int width = 0;
  int height = 0;
  int drawable = 0;
  SDL_GetWindowSize(native.window, &width, &height);
  SDL_GL_GetDrawableSize(native.window, &drawable, nullptr);
  const float base = native.options.density > 0 && is_picture() ? native.options.density : screen_scale();
  native.zoom = base * native.reader_zoom;
  View& view = native.view;
  view.width = static_cast<float>(width) / native.zoom;
  view.height = static_cast<float>(height) / native.zoom;
  view.density = width > 0 ? static_cast<float>(drawable) / view.width : 1;
  scroll_to(view.page_top);
}

// The focus moved by keyboard to what is not in sight.
void reveal_focus() {
  const ImGuiContext& g = *GImGui;
  if (!g.NavCursorVisible || !g.NavWindow || g.OpenPopupStack.Size > 0) return;
  const ImRect focus = ImGui::WindowRectRelToAbs(g.NavWindow, g.NavWindow->NavRectRel[g.NavLayer]);
  constexpr float kMargin = 24;
  const float top = native.view.page_top;
  if (focus.Min.y < 0) scroll_to(top + focus.Min.y - kMargin);
  if (focus.Max.y > native.view.height) scroll_to(top + focus.Max.y + kMargin - native.view.height);
  if (native.view.page_top != top) native.settle = kSettleFrames;
}

// ---- events ----

void zoom_by_key(SDL_Keycode key) {
  const float old = native.reader_zoom;
  if (key == SDLK_PLUS || key == SDLK_EQUALS || key == SDLK_KP_PLUS) native.reader_zoom *= 1.25f;
  if (key == SDLK_MINUS || key == SDLK_KP_MINUS) native.reader_zoom /= 1.25f;
  if (key == SDLK_0) native.reader_zoom = 1;
  native.reader_zoom = std::clamp(native.reader_zoom, 0.64f, 3.06f);
  if (native.reader_zoom != old) measure();
}

void hear_key(const SDL_KeyboardEvent& key) {
  if (key.type != SDL_KEYDOWN) return;
  const SDL_Keycode code = key.keysym.sym;
  const bool command = (key.keysym.mod & (KMOD_CTRL | KMOD_GUI)) != 0;
  if (command && (code == SDLK_q || code == SDLK_w)) native.running = false;
  if (command) return zoom_by_key(code);
  const std::string message = message_of_key(key);
  if (!message.empty()) native.messages.push_back(message);
  if (imgui_has_keyboard()) return;
  if (code == SDLK_DOWN) scroll_to(native.view.page_top + kWheelRows);
  if (code == SDLK_UP) scroll_to(native.view.page_top - kWheelRows);
}

void hear(const SDL_Event& event) {
  native.settle = kSettleFrames;
  switch (event.type) {
    case SDL_QUIT: native.running = false; break;
    case SDL_MOUSEWHEEL:
      // An open list scrolls by itself.
      if (GImGui->OpenPopupStack.Size > 0)
        ImGui::GetIO().AddMouseWheelEvent(0, event.wheel.preciseY);
      else
        scroll_to(native.view.page_top - event.wheel.preciseY * kWheelRows);
      break;
    case SDL_KEYDOWN: hear_key(event.key); break;
    case SDL_WINDOWEVENT: measure(); break;
    default: break;
  }
  give_to_imgui(event, native.zoom);
}

// ---- start and end ----

bool open_window(const WindowOptions& options) {
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_PROFILE_MASK, SDL_GL_CONTEXT_PROFILE_CORE);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_FLAGS, SDL_GL_CONTEXT_FORWARD_COMPATIBLE_FLAG);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 3);
  SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 2);
  const float scale = is_picture() && options.density > 0 ? options.density : 1;
  const auto units = [&](int size) { return static_cast<int>(std::lround(static_cast<float>(size) * scale)); };
  const std::uint32_t look = is_picture() ? SDL_WINDOW_HIDDEN : SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI;
  native.window = SDL_CreateWindow("CommFlow", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, units(options.width),
                                   units(options.height > 0 ? options.height : 800), SDL_WINDOW_OPENGL | look);
  if (!native.window) return false;
  native.context = SDL_GL_CreateContext(native.window);
  if (!native.context) return false;
  native.has_vsync = SDL_GL_SetSwapInterval(1) == 0;
  native.arrow = SDL_CreateSystemCursor(SDL_SYSTEM_CURSOR_ARROW);
  native.hand = SDL_CreateSystemCursor(SDL_SYSTEM_CURSOR_HAND);
  return true;
}

// What ImGui is handed must outlive the call.
const char* clipboard_text(ImGuiContext*) {
  static std::string text;
  if (char* copied = SDL_GetClipboardText()) {
    text = copied;
    SDL_free(copied);
  }
  return text.c_str();
}

void set_clipboard_text(ImGuiContext*, const char* text) {
  SDL_SetClipboardText(text);
}

bool start_imgui(const WindowOptions& options) {
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.BackendPlatformName = "sdl";
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImGui::GetPlatformIO().Platform_GetClipboardTextFn = clipboard_text;
  ImGui::GetPlatformIO().Platform_SetClipboardTextFn = set_clipboard_text;
  const std::string regular = options.fonts + "/font.otf";
  native.fonts.regular = add_font_file(regular.c_str());
  native.fonts.bold = add_font_file((options.fonts + "/font-bold.otf").c_str());
  if (!native.fonts.regular) {
    std::fprintf(stderr, "%s: no such font\n", regular.c_str());
    return false;
  }
  if (!native.fonts.bold) native.fonts.bold = native.fonts.regular;
  return ImGui_ImplOpenGL3_Init("#version 150");
}

void close() {
  if (ImGui::GetCurrentContext()) {
    if (ImGui::GetIO().BackendRendererUserData) ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
  }
  SDL_FreeCursor(native.hand);
  SDL_FreeCursor(native.arrow);
  if (native.context) SDL_GL_DeleteContext(native.context);
  if (native.window) SDL_DestroyWindow(native.window);
  SDL_Quit();
}

// ---- frames ----

bool frame() {
  const std::uint64_t now = SDL_GetTicks64();
  native.now_ms += std::min(static_cast<double>(now - native.ticks), kLongestStep);
  native.ticks = now;
  if (native.settle > 0) --native.settle;
  const bool moves = app_frame(native.now_ms);
  reveal_focus();
  return moves;
}

void run() {
  bool moves = true;
  while (native.running) {
    const bool idle = !moves && native.settle == 0;
    const bool focused = (SDL_GetWindowFlags(native.window) & SDL_WINDOW_INPUT_FOCUS) != 0;
    SDL_Event event;
    if (idle) {
      const int got = focused ? SDL_WaitEventTimeout(&event, kPollMs) : SDL_WaitEvent(&event);
      // What passed while nothing was drawn does not count.
      native.ticks = SDL_GetTicks64();
      if (got != 0) hear(event);
    }
    while (SDL_PollEvent(&event) != 0) hear(event);
    if ((SDL_GetWindowFlags(native.window) & SDL_WINDOW_MINIMIZED) != 0) {
      moves = false;
      continue;
    }
    moves = frame();
    if (!native.has_vsync) SDL_Delay(12);
  }
}

int take_picture() {
  const auto settle = [] {
    for (int i = 0; i < kSettleFrames; ++i) frame();
  };
  settle();
  if (native.options.height == 0) {
    const float height = std::ceil(native.page_height * native.zoom);
    SDL_SetWindowSize(native.window, static_cast<int>(std::lround(native.view.width * native.zoom)),
                      static_cast<int>(height));
    measure();
    settle();
  }
  int width = 0;
  int height = 0;
  SDL_GL_GetDrawableSize(native.window, &width, &height);
  std::vector<std::uint8_t> pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4);
  frame();
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
  if (write_png(native.options.picture, width, height, pixels)) return 0;
  std::fprintf(stderr, "%s: cannot be written\n", native.options.picture.c_str());
  return 1;
}

std::optional<std::string> read_file(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return std::nullopt;
  std::string bytes;
  char part[4096];
  for (std::size_t size; (size = std::fread(part, 1, sizeof part, file)) > 0;) bytes.append(part, size);
  std::fclose(file);
  return bytes;
}

void write_file(const std::string& path, const std::string& text) {
  FILE* file = std::fopen(path.c_str(), "wb");
  const bool written = file && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file) std::fclose(file);
  std::fprintf(stderr, written ? "%s: written\n" : "%s: cannot be written\n", path.c_str());
}

}  // namespace

View view() {
  return native.view;
}
Fonts fonts() {
  return native.fonts;
}
void request_frame() {
  native.settle = std::max(native.settle, 1);
}

void begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  // A hair more than whole pixels: the back end truncates.
  const float hair = 0.01f / native.view.density;
  io.DisplaySize = {native.view.width + hair, native.view.height + hair};
  io.DisplayFramebufferScale = {native.view.density, native.view.density};
  io.DeltaTime = 1.0f / 60;
  ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
}

void end_frame() {
  ImGui::Render();
  SDL_SetCursor(ImGui::GetMouseCursor() == ImGuiMouseCursor_Hand ? native.hand : native.arrow);
  int width = 0;
  int height = 0;
  SDL_GL_GetDrawableSize(native.window, &width, &height);
  const ImVec4 ground = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  glViewport(0, 0, width, height);
  glClearColor(ground.x, ground.y, ground.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  // A picture is read from what was just drawn.
  if (!is_picture()) SDL_GL_SwapWindow(native.window);
}

std::vector<std::string> take_messages() {
  return std::exchange(native.messages, {});
}

// A link or the text of a picture or file goes to the clipboard; files are written where the program was started.
void publish(std::string_view topic, std::string_view json) {
  if (topic != "page" && topic != "link" && topic != "picture" && topic != "file" && topic != "error" &&
      topic != "note")
    return;
  const auto news = nlohmann::json::parse(json, nullptr, false);
  if (topic == "page") {
    native.page_height = news.value("height", 0.0f);
    scroll_to(native.view.page_top);
  } else if (topic == "link") {
    SDL_SetClipboardText(news.value("hash", "").c_str());
  } else if (topic == "picture" || topic == "file") {
    const std::string text = news.value(topic == "file" ? "text" : "svg", "");
    if (news.value("use", "") == "copy")
      SDL_SetClipboardText(text.c_str());
    else
      write_file(news.value("name", "commflow.txt"), text);
  } else {
    std::fprintf(stderr, "%.*s\n", static_cast<int>(json.size()), json.data());
  }
}

std::optional<std::string> read_asset(std::string_view name) {
  return read_file(native.options.assets + "/" + std::string(name));
}

int run_window(const WindowOptions& options) {
  native.options = options;
  native.messages = options.messages;
  if (is_picture()) SDL_SetHintWithPriority(SDL_HINT_VIDEODRIVER, "offscreen", SDL_HINT_DEFAULT);
  SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
  if (SDL_Init(SDL_INIT_VIDEO) != 0) return fail("SDL");
  int code = 1;
  if (!open_window(options)) {
    fail("window");
  } else if (start_imgui(options)) {
    measure();
    native.ticks = SDL_GetTicks64();
    app_start();
    code = 0;
    if (is_picture())
      code = take_picture();
    else
      run();
  }
  close();
  return code;
}

}  // namespace commflow::platform

// The platform in a browser. web/canvas.js owns the element, its size, its input and the WebGL context, and calls the
// functions exported here; each element has an instance of its own. JavaScript is called through the Module object
// that made the instance, so nothing is global.
#include "platform/platform.h"

#include <GLES3/gl3.h>
#include <emscripten.h>
#include <imgui.h>
#include <imgui_impl_opengl3.h>
#include <imgui_internal.h>
#include <unistd.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <map>

#include "platform/web_glyphs.h"

EM_JS(void, commflow_js_publish, (const char* topic, int topic_size, const char* json, int json_size),
      { Module["publish"](UTF8ToString(topic, topic_size), UTF8ToString(json, json_size)); });

// The canvas may have been replaced by a new one.
EM_JS(void, commflow_js_bind_context, (), {
  if (GL.currentContext && GL.currentContext.GLctx == Module["context"]) return;
  if (GL.currentContext) GL.deleteContext(GL.currentContext.handle);
  const handle =
      GL.registerContext(Module["context"], ({majorVersion : 2, minorVersion : 0, enableExtensionsByDefault : 0}));
  GL.makeContextCurrent(handle);
});

namespace commflow::platform {
namespace {

constexpr int kSettleFrames = 2;  // ImGui answers to an event one or two frames later

struct Web {
  View view;
  Fonts fonts;
  std::map<std::string, std::string, std::less<>> assets;
  std::vector<std::string> messages;
  std::string inbox;  // JavaScript writes text and bytes here
  double now_ms = 0;
  double drawn_ms = 0;
  bool has_context = false;  // WebGL is there and not lost
  bool is_started = false;   // the back end is
  bool frame_requested = false;
  bool hand = false;
  int settle = 0;
  int frames = 0;
  int draws = 0;
};

Web web;

// Glyph pictures are made for whole device pixels, while ImGui advances by fractions; text that starts between two
// pixels would be blurred. Only glyphs sample the texture elsewhere than at its white pixel.
void snap_glyphs(ImDrawData& data) {
  const ImVec2 white = ImGui::GetIO().Fonts->TexUvWhitePixel;
  const float density = web.view.density;
  for (ImDrawList* list : data.CmdLists) {
    for (ImDrawVert& vertex : list->VtxBuffer) {
      if (vertex.uv.x == white.x && vertex.uv.y == white.y) continue;
      vertex.pos.x = std::round(vertex.pos.x * density) / density;
      vertex.pos.y = std::round(vertex.pos.y * density) / density;
    }
  }
}

void publish_cursor() {
  const bool hand = ImGui::GetMouseCursor() == ImGuiMouseCursor_Hand;
  if (hand == web.hand) return;
  web.hand = hand;
  publish("cursor", hand ? R"({"kind":"pointer"})" : R"({"kind":"default"})");
}

void draw(ImDrawData& data) {
  const ImVec4 background = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
  glViewport(0, 0, static_cast<int>(data.DisplaySize.x * data.FramebufferScale.x),
             static_cast<int>(data.DisplaySize.y * data.FramebufferScale.y));
  glClearColor(background.x, background.y, background.z, 1);
  glClear(GL_COLOR_BUFFER_BIT);
  snap_glyphs(data);
  ImGui_ImplOpenGL3_RenderDrawData(&data);
  ++web.draws;
}

void start_imgui() {
  IMGUI_CHECKVERSION();
  ImGui::CreateContext();
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.BackendPlatformName = "browser";
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
  io.ConfigFlags |= ImGuiConfigFlags_NoKeyboard;  // the document owns the keyboard
  io.Fonts->Flags |= ImFontAtlasFlags_NoBakedLines | ImFontAtlasFlags_NoMouseCursors;
  io.Fonts->TexMaxWidth = io.Fonts->TexMaxHeight = 4096;  // what phones can do
  web.fonts = {add_browser_font(false), add_browser_font(true)};
}

}  // namespace

View view() {
  return web.view;
}
Fonts fonts() {
  return web.fonts;
}
void request_frame() {
  web.frame_requested = true;
}

void begin_frame() {
  ImGuiIO& io = ImGui::GetIO();
  const View& view = web.view;
  // A hair more than whole pixels: the back end truncates.
  io.DisplaySize = {(std::round(view.width * view.density) + 0.01f) / view.density,
                    (std::round(view.height * view.density) + 0.01f) / view.density};
  io.DisplayFramebufferScale = {view.density, view.density};
  io.DeltaTime = static_cast<float>(std::clamp((web.now_ms - web.drawn_ms) / 1000, 1e-4, 0.1));
  web.drawn_ms = web.now_ms;
  if (web.has_context) ImGui_ImplOpenGL3_NewFrame();
  ImGui::NewFrame();
  // ImGui tells only the font on top of its stack; the other may be drawn with directly.
  web.fonts.bold->CurrentRasterizerDensity = view.density;
}

void end_frame() {
  ImGui::Render();
  publish_cursor();
  if (web.has_context) draw(*ImGui::GetDrawData());
}

std::vector<std::string> take_messages() {
  std::vector<std::string> taken;
  taken.swap(web.messages);
  return taken;
}

void publish(std::string_view topic, std::string_view json) {
  commflow_js_publish(topic.data(), static_cast<int>(topic.size()), json.data(), static_cast<int>(json.size()));
}

std::optional<std::string> read_asset(std::string_view name) {
  const auto found = web.assets.find(name);
  if (found == web.assets.end()) return std::nullopt;
  return found->second;
}

}  // namespace commflow::platform

using commflow::platform::kSettleFrames;
using commflow::platform::web;

extern "C" {

// Room for `size` bytes; what is written there is used by the next commflow_receive() or commflow_asset().
EMSCRIPTEN_KEEPALIVE char* commflow_inbox(int size) {
  web.inbox.resize(static_cast<std::size_t>(size));
  return web.inbox.data();
}

EMSCRIPTEN_KEEPALIVE void commflow_receive() {
  web.messages.push_back(web.inbox);
  web.settle = kSettleFrames;
}

// The inbox holds a name of name_size bytes and then the file.
EMSCRIPTEN_KEEPALIVE void commflow_asset(int name_size) {
  const auto split = static_cast<std::size_t>(name_size);
  web.assets[web.inbox.substr(0, split)] = web.inbox.substr(split);
  web.inbox = {};
  web.settle = kSettleFrames;
}

EMSCRIPTEN_KEEPALIVE void commflow_start() {
  commflow::platform::start_imgui();
  commflow::app_start();
}

// The element's WebGL context (Module.context) is there, or lost, or given back for others to use.
EMSCRIPTEN_KEEPALIVE void commflow_context(int is_there) {
  web.has_context = is_there != 0;
  web.settle = kSettleFrames;
  if (is_there) commflow_js_bind_context();
  if (is_there && !web.is_started) {
    ImGui_ImplOpenGL3_Init("#version 300 es");
    web.is_started = true;
  } else if (!is_there && web.is_started) {
    ImGui_ImplOpenGL3_DestroyDeviceObjects();  // made again by the first frame after the context is back
  }
}

// Closes an open list; returns whether there was one.
EMSCRIPTEN_KEEPALIVE int commflow_escape() {
  if (GImGui->OpenPopupStack.empty()) return 0;
  ImGui::ClosePopupToLevel(0, false);
  web.settle = kSettleFrames;
  return 1;
}

EMSCRIPTEN_KEEPALIVE void commflow_view(float width, float page_top, float height, float density) {
  const commflow::platform::View& old = web.view;
  if (old.width != width || old.height != height || old.density != density) web.settle = kSettleFrames;
  web.view = {width, page_top, height, density};
}

// kind: 0 move, 1 press, 2 release, 3 gone (left the canvas, or the browser took the gesture).
EMSCRIPTEN_KEEPALIVE void commflow_pointer(int kind, float x, float y, int is_touch) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddMouseSourceEvent(is_touch ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
  const bool gone = kind == 3;
  io.AddMousePosEvent(gone ? -FLT_MAX : x, gone ? -FLT_MAX : y);
  if (kind != 0) io.AddMouseButtonEvent(0, kind == 1);
  // A finger that is lifted hovers over nothing; ImGui takes this one frame after the release.
  if (kind == 2 && is_touch) io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
  web.settle = kSettleFrames;
}

// Returns whether another frame is wanted.
EMSCRIPTEN_KEEPALIVE int commflow_frame(double now_ms) {
  web.now_ms = now_ms;
  web.frame_requested = false;
  ++web.frames;
  const bool moving = commflow::app_frame(now_ms);
  const bool has_input = !ImGui::GetCurrentContext()->InputEventsQueue.empty();
  const bool settling = web.settle > 0;
  if (settling) --web.settle;
  return moving || has_input || settling || web.frame_requested;
}

// Publishes "stills" at once.
EMSCRIPTEN_KEEPALIVE void commflow_stills(float width, int is_dark) {
  commflow::app_stills(width, is_dark != 0);
}

// Publishes counters for tests as "debug".
EMSCRIPTEN_KEEPALIVE void commflow_debug() {
  int keys = 0;
  for (const ImGuiKeyData& key : ImGui::GetIO().KeysData) keys += key.Down ? 1 : 0;
  const ImTextureData* atlas = ImGui::GetIO().Fonts->TexData;
  const unsigned gl_error = web.has_context ? glGetError() : 0;
  const auto number = [](auto value) { return std::to_string(value); };
  commflow::platform::publish("debug", R"({"frames":)" + number(web.frames) + R"(,"draws":)" + number(web.draws) +
                                           R"(,"heap":)" + number(reinterpret_cast<std::uintptr_t>(sbrk(0))) +
                                           R"(,"keysDown":)" + number(keys) + R"(,"glError":)" + number(gl_error) +
                                           R"(,"atlas":[)" + number(atlas->Width) + "," + number(atlas->Height) + "]}");
}

}  // extern "C"

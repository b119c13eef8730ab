#include "ui/harness.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <chrono>

#include "platform/truetype.h"

namespace commflow::ui {
namespace {

constexpr char kFont[] = COMMFLOW_BUILD_DIR "/assets/font.otf";
constexpr char kBold[] = COMMFLOW_BUILD_DIR "/assets/font-bold.otf";

void acknowledge(ImTextureData* texture) {
  const bool gone = texture->Status == ImTextureStatus_WantDestroy;
  texture->SetTexID(gone ? ImTextureID_Invalid : ImTextureID(1));
  texture->SetStatus(gone ? ImTextureStatus_Destroyed : ImTextureStatus_OK);
}

}  // namespace

Harness::Harness() : context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;  // no offset for corners, as on the web
  ImFont* regular = platform::add_font_file(kFont);
  IM_ASSERT(regular && "the build makes assets/font.otf");
  platform::add_font_file(kBold);
}

Harness::~Harness() {
  ImGui::SetCurrentContext(context_);
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
    texture->SetTexID(ImTextureID_Invalid);
    texture->SetStatus(ImTextureStatus_Destroyed);
  }
  ImGui::DestroyContext(context_);
}

const Drawn& Harness::frame(const Page& page, const FigureSource& figure, const Screen& screen) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  const float height = screen.height < 0 ? std::max(drawn_.page_height, 200.0f) : screen.height;
  io.DisplaySize = {screen.width, height};
  io.DisplayFramebufferScale = {screen.density, screen.density};
  io.DeltaTime = 1.0f / 60;
  ImGui::NewFrame();
  ImFont* regular = io.Fonts->Fonts[0];
  ImFont* bold = io.Fonts->Fonts.Size > 1 ? io.Fonts->Fonts[1] : regular;
  const auto start = std::chrono::steady_clock::now();
  drawn_ = draw({.page = page,
                 .figure = figure,
                 .theme = screen.theme,
                 .width = screen.width,
                 .page_top = screen.page_top,
                 .view_height = height,
                 .touch = screen.touch,
                 .regular = regular,
                 .bold = bold,
                 .editor = screen.editor},
                memory_);
  cpu_ms_ = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  ImGui::Render();
  for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) acknowledge(texture);
  return drawn_;
}

std::vector<ControlEvent> Harness::press_and_release(const Page& page, const FigureSource& figure, const Screen& screen,
                                                     Point from, Point to) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  std::vector<ControlEvent> events;
  const auto step = [&] {
    frame(page, figure, screen);
    events.insert(events.end(), drawn_.events.begin(), drawn_.events.end());
  };
  io.AddMousePosEvent(from.x, from.y - screen.page_top);
  step();
  io.AddMouseButtonEvent(0, true);
  step();
  io.AddMousePosEvent(to.x, to.y - screen.page_top);
  step();
  io.AddMouseButtonEvent(0, false);
  step();
  step();
  return events;
}

std::vector<ControlEvent> Harness::click(const Page& page, const FigureSource& figure, const Screen& screen, Point at) {
  return press_and_release(page, figure, screen, at, at);
}

std::vector<ControlEvent> Harness::drag(const Page& page, const FigureSource& figure, const Screen& screen, Point from,
                                        Point to) {
  return press_and_release(page, figure, screen, from, to);
}

void Harness::move_mouse(float x, float y) {
  ImGui::GetIO().AddMousePosEvent(x, y);
}

void Harness::press_key(int imgui_key) {
  ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(imgui_key), true);
  ImGui::GetIO().AddKeyEvent(static_cast<ImGuiKey>(imgui_key), false);
}

const Hit* Harness::hit(std::string_view id) const {
  for (const Hit& each : drawn_.hits) {
    if (each.id == id) return &each;
  }
  return nullptr;
}

const ImDrawData* Harness::picture() const {
  return ImGui::GetDrawData();
}

}  // namespace commflow::ui

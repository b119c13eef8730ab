#include "platform/sdl_input.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <cfloat>
#include <string_view>

namespace commflow::platform {
namespace {

struct Action {
  SDL_Keycode key;
  std::string_view id;
};
constexpr Action kActions[] = {{SDLK_SPACE, "toggle_play"}, {SDLK_LEFT, "back"},     {SDLK_RIGHT, "forward"},
                               {SDLK_PAGEUP, "previous"},   {SDLK_PAGEDOWN, "next"}, {SDLK_HOME, "first"},
                               {SDLK_END, "last"}};

struct Key {
  SDL_Keycode sdl;
  ImGuiKey imgui;
};
constexpr Key kKeys[] = {{SDLK_TAB, ImGuiKey_Tab},
                         {SDLK_LEFT, ImGuiKey_LeftArrow},
                         {SDLK_RIGHT, ImGuiKey_RightArrow},
                         {SDLK_UP, ImGuiKey_UpArrow},
                         {SDLK_DOWN, ImGuiKey_DownArrow},
                         {SDLK_PAGEUP, ImGuiKey_PageUp},
                         {SDLK_PAGEDOWN, ImGuiKey_PageDown},
                         {SDLK_HOME, ImGuiKey_Home},
                         {SDLK_END, ImGuiKey_End},
                         {SDLK_SPACE, ImGuiKey_Space},
                         {SDLK_RETURN, ImGuiKey_Enter},
                         {SDLK_KP_ENTER, ImGuiKey_Enter},
                         {SDLK_ESCAPE, ImGuiKey_Escape},
                         {SDLK_DELETE, ImGuiKey_Delete},
                         {SDLK_BACKSPACE, ImGuiKey_Backspace},
                         {SDLK_a, ImGuiKey_A},
                         {SDLK_c, ImGuiKey_C},
                         {SDLK_v, ImGuiKey_V},
                         {SDLK_x, ImGuiKey_X},
                         {SDLK_y, ImGuiKey_Y},
                         {SDLK_z, ImGuiKey_Z}};

// Keys that are pressed go to one of both; a release always reaches Dear ImGui,
// so that no key stays down.
void give_key(const SDL_KeyboardEvent& event) {
  ImGuiIO& io = ImGui::GetIO();
  const auto mods = static_cast<SDL_Keymod>(event.keysym.mod);
  io.AddKeyEvent(ImGuiMod_Ctrl, (mods & KMOD_CTRL) != 0);
  io.AddKeyEvent(ImGuiMod_Shift, (mods & KMOD_SHIFT) != 0);
  io.AddKeyEvent(ImGuiMod_Alt, (mods & KMOD_ALT) != 0);
  const bool down = event.type == SDL_KEYDOWN;
  const bool starts = event.keysym.sym == SDLK_TAB || event.keysym.sym == SDLK_ESCAPE;
  if (down && !starts && !imgui_has_keyboard()) return;
  for (const Key& key : kKeys) {
    if (key.sdl == event.keysym.sym) io.AddKeyEvent(key.imgui, down);
  }
}

int button_of(const SDL_MouseButtonEvent& event) {
  switch (event.button) {
    case SDL_BUTTON_LEFT: return 0;
    case SDL_BUTTON_RIGHT: return 1;
    case SDL_BUTTON_MIDDLE: return 2;
    default: return -1;
  }
}

void give_button(const SDL_MouseButtonEvent& event, float zoom) {
  ImGuiIO& io = ImGui::GetIO();
  io.AddMouseSourceEvent(event.which == SDL_TOUCH_MOUSEID ? ImGuiMouseSource_TouchScreen : ImGuiMouseSource_Mouse);
  io.AddMousePosEvent(static_cast<float>(event.x) / zoom, static_cast<float>(event.y) / zoom);
  const int button = button_of(event);
  const bool down = event.type == SDL_MOUSEBUTTONDOWN;
  if (button >= 0) io.AddMouseButtonEvent(button, down);
  // A drag goes on outside the window.
  SDL_CaptureMouse(down ? SDL_TRUE : SDL_FALSE);
}

}  // namespace

bool imgui_has_keyboard() {
  return GImGui->NavCursorVisible || GImGui->OpenPopupStack.Size > 0 || ImGui::GetIO().WantTextInput;
}

void give_to_imgui(const SDL_Event& event, float zoom) {
  ImGuiIO& io = ImGui::GetIO();
  switch (event.type) {
    case SDL_MOUSEMOTION:
      io.AddMousePosEvent(static_cast<float>(event.motion.x) / zoom, static_cast<float>(event.motion.y) / zoom);
      break;
    case SDL_MOUSEBUTTONDOWN:
    case SDL_MOUSEBUTTONUP: give_button(event.button, zoom); break;
    case SDL_KEYDOWN:
    case SDL_KEYUP: give_key(event.key); break;
    case SDL_TEXTINPUT: io.AddInputCharactersUTF8(event.text.text); break;
    case SDL_WINDOWEVENT:
      if (event.window.event == SDL_WINDOWEVENT_LEAVE) io.AddMousePosEvent(-FLT_MAX, -FLT_MAX);
      if (event.window.event == SDL_WINDOWEVENT_FOCUS_GAINED) io.AddFocusEvent(true);
      if (event.window.event == SDL_WINDOWEVENT_FOCUS_LOST) io.AddFocusEvent(false);
      break;
    default: break;
  }
}

std::string message_of_key(const SDL_KeyboardEvent& key) {
  if (key.type != SDL_KEYDOWN || imgui_has_keyboard()) return {};
  if ((key.keysym.mod & (KMOD_CTRL | KMOD_ALT | KMOD_GUI)) != 0) return {};
  for (const Action& action : kActions) {
    if (action.key != key.keysym.sym) continue;
    return R"({"type":"press","source":"user","id":")" + std::string(action.id) + "\"}";
  }
  return {};
}

}  // namespace commflow::platform

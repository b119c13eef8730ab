#pragma once
// From SDL's events to Dear ImGui's, and the keys that play and step, which are
// the same as in a browser.

#include <SDL.h>

#include <string>

namespace commflow::platform {

// Mouse positions are divided by `zoom`: CSS pixels per unit of the window.
void give_to_imgui(const SDL_Event& event, float zoom);

// A list is open, the focus was moved with Tab, or something is typed.
bool imgui_has_keyboard();

// Space, the arrow keys, Page Up and the like as a message, unless Dear ImGui
// has the keyboard; "" for every other key.
std::string message_of_key(const SDL_KeyboardEvent& key);

}  // namespace commflow::platform

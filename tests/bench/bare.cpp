// The least that Dear ImGui, WebGL and a canvas can be: what the page is compared with.

#include <imgui.h>

#include "platform/platform.h"

namespace commflow {

void app_start() {}

void app_stills(float, bool) {}

bool app_frame(double) {
  platform::begin_frame();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::Begin("bare");
  ImGui::TextUnformatted("Hello");
  ImGui::Button("Button");
  ImGui::End();
  platform::end_frame();
  return false;
}

}  // namespace commflow

int main() {
  return 0;
}

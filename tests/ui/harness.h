#pragma once
// Dear ImGui without window, graphics or clock: draws a page and presses what it
// finds by id. Textures are acknowledged, so that glyphs come as on a screen.

#include <functional>
#include <string>
#include <string_view>

#include "ui/ui.h"

struct ImDrawData;
struct ImGuiContext;

namespace commflow::ui {

using FigureSource = std::function<Figure(std::string_view block_id, FigureSpace)>;

struct Screen {
  float width = 1280;
  float height = 800;  // of the visible slice; negative: as high as the page
  float page_top = 0;
  float density = 1;
  Theme theme = Theme::light;
  bool touch = false;
  TextEditor editor = nullptr;
};

class Harness {
 public:
  Harness();
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  // One frame; events are kept until taken.
  const Drawn& frame(const Page& page, const FigureSource& figure, const Screen& screen);
  // Frames until the mouse has gone to the point, pressed and let go; returns all events.
  std::vector<ControlEvent> click(const Page& page, const FigureSource& figure, const Screen& screen, Point at);
  std::vector<ControlEvent> drag(const Page& page, const FigureSource& figure, const Screen& screen, Point from,
                                 Point to);
  void move_mouse(float x, float y);
  void press_key(int imgui_key);

  const Drawn& last() const { return drawn_; }
  const Hit* hit(std::string_view id) const;
  const ImDrawData* picture() const;
  double cpu_ms() const { return cpu_ms_; }  // of the last draw()

 private:
  std::vector<ControlEvent> press_and_release(const Page&, const FigureSource&, const Screen&, Point from, Point to);

  ImGuiContext* context_;  // several may live at a time
  Memory memory_;
  Drawn drawn_;
  double cpu_ms_ = 0;
};

}  // namespace commflow::ui

#pragma once
// Draws controls in our own looks and lets Dear ImGui decide about hovering,
// pressing and focus. Knows what a control can do to its own value, and nothing
// of what follows from that.

#include <string>
#include <vector>

#include "ui/layout.h"
#include "ui/ui.h"

namespace commflow::ui {

struct Touched {
  bool hovered = false;
  bool held = false;
  bool pressed = false;
  bool focused = false;  // by keyboard, so that a ring is due
};

// A word beside what is under the pointer: the name of an icon, or why a
// control cannot be used.
struct Tip {
  std::string text;
  Box box;
};

struct Hand {
  Pen& pen;
  Drawn& drawn;
  bool touch = false;
  TextEditor editor = nullptr;
  Tip tip;

  // `index` tells two things with the same id apart.
  Touched touch_box(Box box, const std::string& id, int index, bool enabled);
  void control(const Placed& placed, int index);
  void target(const Target& target, Point origin, int index);
  void draw_tip(float width, float low, float high);

 private:
  void hint(const Touched& touched, const Placed& placed);
  void press(const Placed& placed, const Touched& touched);
  void chip(const Placed& placed, const Touched& touched);
  void button(const Placed& placed, const Touched& touched);
  void icon(const Placed& placed, const Touched& touched);
  void toggle(const Placed& placed, const Touched& touched);
  void link(const Placed& placed, const Touched& touched);
  void pill(const Placed& placed, const Touched& touched, Box field);
  void slider(const Placed& placed, const Touched& touched, Box field);
  void text_field(const Placed& placed, int index);
  void ring(Box box, const Touched& touched, float radius = 8);
};

// The part of a control's box that can be pressed: without its caption.
Box field_of(const Placed& placed);

// The list of a choice that is open; true when an entry was taken.
bool choice_list(const Pen& pen, const Control& control, Box field, bool touch, int& taken);

}  // namespace commflow::ui

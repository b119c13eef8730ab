#include "ui/controls.h"

#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>

#include "ui/flow.h"
#include "ui/icons.h"

namespace commflow::ui {
namespace {

constexpr float kRadius = 6;
constexpr int kMostNotches = 24;

Rgba faint(Rgba rgba, int alpha) {
  rgba.a = static_cast<std::uint8_t>(alpha);
  return rgba;
}

Box grown(Box box, float by) {
  return {box.x - by, box.y - by, box.w + 2 * by, box.h + 2 * by};
}

void wash(const Pen& pen, Box box, const Touched& touched, float radius) {
  if (touched.held || touched.hovered) pen.fill(box, faint(pen.ink(Ink::ink), touched.held ? 34 : 16), radius);
}

int clamped(const Control& control, float value) {
  const int step = std::max(control.step, 1);
  const auto steps =
      static_cast<int>(std::lround((value - static_cast<float>(control.min)) / static_cast<float>(step)));
  return std::clamp(control.min + steps * step, std::min(control.min, control.max), control.max);
}

// Left and Right belong to a slider that has the keyboard's focus.
int stepped_by_keys(const Control& control, ImGuiID id) {
  int value = control.value;
  for (const auto& [key, sign] : {std::pair{ImGuiKey_LeftArrow, -1}, std::pair{ImGuiKey_RightArrow, 1}}) {
    ImGui::SetKeyOwner(key, id);
    if (ImGui::IsKeyPressed(key, ImGuiInputFlags_Repeat, id)) value += sign * std::max(control.step, 1);
  }
  return std::clamp(value, std::min(control.min, control.max), control.max);
}

}  // namespace

Box field_of(const Placed& placed) {
  const bool captioned = placed.box.h > kCaptionHeight + 30 &&
                         (placed.look == Look::pill || placed.look == Look::slider || placed.look == Look::text);
  if (!captioned) return placed.box;
  return {placed.box.x, placed.box.y + kCaptionHeight, placed.box.w, placed.box.h - kCaptionHeight};
}

Touched Hand::touch_box(Box box, const std::string& id, int index, bool enabled) {
  ImGui::PushID(index);
  const ImGuiID item = ImGui::GetID(id.c_str());
  ImGui::PopID();
  const ImRect area(box.x + pen.left, box.y + pen.top, box.right() + pen.left, box.bottom() + pen.top);
  Touched touched;
  if (ImGui::ItemAdd(area, item)) touched.pressed = ImGui::ButtonBehavior(area, item, &touched.hovered, &touched.held);
  touched.focused = ImGui::IsItemFocused() && GImGui->NavCursorVisible;
  if (!enabled) touched.pressed = touched.held = false;
  if (touched.hovered && enabled) {
    drawn.hot = true;
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  return touched;
}

void Hand::ring(Box box, const Touched& touched, float radius) {
  if (touched.focused) pen.outline(grown(box, 3), pen.ink(Ink::focus), radius, 2);
}

void Hand::hint(const Touched& touched, const Placed& placed) {
  const Control& control = *placed.control;
  const bool nameless = placed.look == Look::icon || placed.look == Look::primary || placed.bare ||
                        (placed.look == Look::pill && placed.box.h < kCaptionHeight + 30);
  const std::string& text = !control.enabled && !control.why.empty() ? control.why
                            : nameless                               ? control.label
                                                                     : control.why;
  if (text.empty() || (control.enabled && !nameless)) return;
  // At once: a delay would have to be waited for with frames or a timer.
  if (touched.focused || touched.hovered) tip = {text, field_of(placed)};
}

void Hand::press(const Placed& placed, const Touched& touched) {
  const Control& control = *placed.control;
  if (!touched.pressed) return;
  if (control.kind == ControlKind::toggle) {
    drawn.events.push_back({control.id, true, control.value == 0 ? 1 : 0});
  } else if (control.kind == ControlKind::button || control.kind == ControlKind::link) {
    drawn.events.push_back({control.id, false, 0});
  }
}

void Hand::control(const Placed& placed, int index) {
  if (placed.look == Look::text) return text_field(placed, index);
  const Box field = field_of(placed);
  const Control& control = *placed.control;
  drawn.hits.push_back({control.id, field});
  const Touched touched = touch_box(field, control.id, index, control.enabled);
  hint(touched, placed);
  press(placed, touched);
  const bool slides = placed.look == Look::scrubber || placed.look == Look::slider;
  if (!slides && placed.look != Look::pill && !pen.sees(placed.box)) return;
  switch (placed.look) {
    case Look::chip: return chip(placed, touched);
    case Look::primary:
    case Look::icon: return icon(placed, touched);
    case Look::button: return button(placed, touched);
    case Look::toggle: return toggle(placed, touched);
    case Look::link: return link(placed, touched);
    case Look::pill: return pill(placed, touched, field);
    case Look::scrubber:
    case Look::slider: return slider(placed, touched, field);
    case Look::text: break;  // left above
  }
}

// The field is left to who lets the reader type; what is drawn here without one stands below it.
void Hand::text_field(const Placed& placed, int index) {
  const Control& control = *placed.control;
  const Box field = field_of(placed);
  drawn.hits.push_back({control.id, field});
  if (!pen.sees(placed.box)) return;
  pen.label({placed.box.x, placed.box.y, placed.box.w, kCaptionHeight - 2}, control.label, kCaption,
            pen.ink(Ink::muted));
  if (editor != nullptr && control.enabled) {
    std::string text = control.text;
    ImGui::PushID(control.id.c_str());
    ImGui::PushID(index);
    if (editor(pen, field, text)) drawn.events.push_back({control.id, true, 0, std::move(text)});
    ImGui::PopID();
    ImGui::PopID();
    return;
  }
  pen.fill(field, pen.ink(Ink::surface), kRadius);
  pen.outline(field, pen.ink(Ink::hairline), kRadius);
  const float line = pen.line_height(kControlText.size);
  std::string_view rest = control.text;
  for (int i = 0; i < control.max && !rest.empty(); ++i) {
    const std::string_view shown = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), shown.size() + 1));
    pen.label({field.x + kPadding, field.y + 8 + line * static_cast<float>(i), field.w - 2 * kPadding, line}, shown,
              kControlText, pen.ink(Ink::ink));
  }
}

void Hand::chip(const Placed& placed, const Touched& touched) {
  const Control& control = *placed.control;
  const Box box = placed.box;
  const bool on = control.pressed;
  if (on) {
    pen.fill(box, pen.ink(Ink::accent), kRadius);
  } else {
    wash(pen, box, touched, kRadius);
    const Rgba line = pen.ink(placed.done ? Ink::accent : Ink::hairline);
    pen.horizontal(box.x + 2, box.right() - 2, box.bottom() - 1, line, placed.done ? 2.0f : 1.0f);
  }
  const Rgba rgba = pen.ink(on ? Ink::page : placed.done ? Ink::ink : Ink::muted);
  const std::string number = std::to_string(placed.order + 1);
  if (placed.bare) {
    pen.label(box, number, {14, true}, rgba, Anchor::center);
  } else if (placed.stacked) {
    pen.label({box.x, box.y + 5, box.w, 18}, number, {13, true}, rgba, Anchor::center);
    pen.label({box.x + 1, box.y + 23, box.w - 2, 18}, control.label, {13, on}, rgba, Anchor::center);
  } else {
    const float number_width = pen.wrapped(number, {13, true}, 0).width;
    const float label_width = pen.wrapped(control.label, {13, on}, 0).width;
    const float x = box.x + (box.w - number_width - 6 - label_width) / 2;
    pen.label({x, box.y, number_width, box.h}, number, {13, true}, rgba);
    pen.label({x + number_width + 6, box.y, label_width, box.h}, control.label, {13, on}, rgba);
  }
  ring(box, touched);
}

void Hand::icon(const Placed& placed, const Touched& touched) {
  const Control& control = *placed.control;
  const Box box = placed.box;
  const Point center{box.center_x(), box.center_y()};
  const float radius = std::min(box.w, box.h) / 2 - 1;
  Rgba rgba = pen.ink(control.enabled ? Ink::ink : Ink::idle);
  if (placed.look == Look::primary) {
    pen.disc(center, radius, pen.ink(control.enabled ? Ink::accent : Ink::hairline));
    if (touched.hovered) pen.disc(center, radius, faint(pen.ink(Ink::page), touched.held ? 60 : 30));
    rgba = pen.ink(control.enabled ? Ink::page : Ink::muted);
  } else if (control.pressed) {
    pen.fill(box, faint(pen.ink(Ink::ink), 26), kRadius);
  }
  if (placed.look == Look::icon && control.enabled) wash(pen, box, touched, kRadius);
  if (!control.enabled && placed.look == Look::icon) rgba = faint(rgba, 150);
  draw_icon(pen, control.icon, center, rgba);
  ring(box, touched, placed.look == Look::primary ? radius + 4 : 8);
}

void Hand::button(const Placed& placed, const Touched& touched) {
  const Control& control = *placed.control;
  const Box box = placed.box;
  const bool on = control.pressed;
  if (on) pen.fill(box, pen.ink(Ink::accent), kRadius);
  if (!on && control.enabled) pen.fill(box, pen.ink(Ink::surface), kRadius);
  if (!on && control.enabled) wash(pen, box, touched, kRadius);
  if (!on) pen.outline(box, pen.ink(Ink::hairline), kRadius);
  const Rgba rgba = pen.ink(on ? Ink::page : control.enabled ? Ink::ink : Ink::muted);
  Box room{box.x + kPadding, box.y, box.w - 2 * kPadding, box.h};
  if (!control.icon.empty()) {
    draw_icon(pen, control.icon, {room.x + kIcon / 2, box.center_y()}, rgba);
    room.x += kIcon + 6;
    room.w -= kIcon + 6;
  }
  pen.label(room, control.label, kControlText, rgba, control.icon.empty() ? Anchor::center : Anchor::left);
  ring(box, touched);
}

void Hand::toggle(const Placed& placed, const Touched& touched) {
  const Control& control = *placed.control;
  const Box box = placed.box;
  const bool on = control.value != 0;
  const Box pill{box.x, box.center_y() - 10, kSwitch, 20};
  const Ink ink = control.enabled ? (on ? Ink::accent : Ink::muted) : Ink::idle;
  if (on) pen.fill(pill, pen.ink(ink), 10);
  if (!on) pen.outline(pill, pen.ink(ink), 10, 1.5f);
  const float x = on ? pill.right() - 10 : pill.x + 10;
  pen.disc({x, pill.center_y()}, on ? 7.0f : 5.5f, pen.ink(on ? Ink::page : ink));
  if (touched.hovered && control.enabled) pen.fill(pill, faint(pen.ink(Ink::ink), 20), 10);
  const Box room{pill.right() + 10, box.y, box.right() - pill.right() - 10, box.h};
  pen.label(room, control.label, kControlText, pen.ink(control.enabled ? Ink::ink : Ink::muted));
  ring(box, touched);
}

void Hand::link(const Placed& placed, const Touched& touched) {
  const Control& control = *placed.control;
  Box room = placed.box;
  const Rgba rgba = pen.ink(control.enabled ? Ink::accent : Ink::muted);
  if (!control.icon.empty()) {
    draw_icon(pen, control.icon, {room.x + kIcon / 2, room.center_y()}, rgba);
    room.x += kIcon + 6;
    room.w -= kIcon + 6;
  }
  pen.label(room, control.label, kControlText, rgba);
  pen.horizontal(room.x, room.right() - 1, room.center_y() + 10, touched.hovered ? rgba : faint(rgba, 120));
  ring(placed.box, touched);
}

void Hand::pill(const Placed& placed, const Touched& touched, Box field) {
  const Control& control = *placed.control;
  ImGui::PushID(control.id.c_str());
  if (touched.pressed) ImGui::OpenPopup("list");
  int taken = 0;
  if (choice_list(pen, control, field, touch, taken)) {
    const auto index = static_cast<std::size_t>(taken);
    const int value = index < control.values.size() ? control.values[index] : taken;
    if (taken != control.value) drawn.events.push_back({control.id, true, value});
  }
  ImGui::PopID();
  if (!pen.sees(placed.box)) return;
  if (field.y > placed.box.y) {
    pen.label({placed.box.x, placed.box.y, placed.box.w, kCaptionHeight - 2}, control.label, kCaption,
              pen.ink(Ink::muted));
  }
  if (control.enabled) pen.fill(field, pen.ink(Ink::surface), kRadius);
  if (control.enabled) wash(pen, field, touched, kRadius);
  pen.outline(field, pen.ink(Ink::hairline), kRadius);
  const Rgba rgba = pen.ink(control.enabled ? Ink::ink : Ink::muted);
  pen.label({field.x + kPadding, field.y, field.w - 2 * kPadding - 18, field.h}, value_text(control), kControlText,
            rgba);
  draw_icon(pen, "down", {field.right() - kPadding - 4, field.center_y()}, pen.ink(Ink::muted));
  ring(field, touched);
}

void Hand::slider(const Placed& placed, const Touched& touched, Box field) {
  const Control& control = *placed.control;
  const bool captioned = field.y > placed.box.y;
  const float words = captioned || field.w < 300 ? 0 : std::ceil(pen.wrapped(control.text, kCaption, 0).width) + 16;
  constexpr float kThumb = 7;
  const float x0 = field.x + kThumb;
  const float x1 = field.right() - kThumb - words;
  const auto span = static_cast<float>(control.max - control.min);

  int value = control.value;
  if (touched.held && span > 0 && x1 > x0) {
    const float at = (ImGui::GetIO().MousePos.x - pen.left - x0) / (x1 - x0);
    value = clamped(control, static_cast<float>(control.min) + at * span);
  } else if (touched.focused && control.enabled) {
    value = stepped_by_keys(control, ImGui::GetItemID());
  }
  if (value != control.value) drawn.events.push_back({control.id, true, value});
  if (!pen.sees(placed.box)) return;

  if (captioned) {
    const Box caption{placed.box.x, placed.box.y, placed.box.w, kCaptionHeight - 2};
    const float value_room = std::ceil(pen.wrapped(control.text, kCaption, 0).width) + 8;
    pen.label({caption.x, caption.y, caption.w - value_room, caption.h}, control.label, kCaption, pen.ink(Ink::muted));
    pen.label(caption, control.text, kCaption, pen.ink(Ink::ink), Anchor::right);
  } else if (words > 0) {
    pen.label({field.x, field.y, field.w, field.h}, control.text, kCaption, pen.ink(Ink::muted), Anchor::right);
  }
  const float y = pen.snap(field.center_y());
  const float share = span > 0 ? static_cast<float>(value - control.min) / span : 0;
  const float thumb = x0 + std::clamp(share, 0.0f, 1.0f) * (x1 - x0);
  const Rgba strong = pen.ink(control.enabled ? Ink::accent : Ink::idle);
  pen.horizontal(x0, x1, y, pen.ink(Ink::idle));
  pen.horizontal(x0, thumb, y, strong, 3);
  const int notches = span > 0 ? (control.max - control.min) / std::max(control.step, 1) : 0;
  for (int i = 0; notches <= kMostNotches && i <= notches; ++i) {
    const float x = x0 + (x1 - x0) * static_cast<float>(i) / static_cast<float>(std::max(notches, 1));
    pen.disc({x, y}, 3, x <= thumb ? strong : pen.ink(Ink::idle));
  }
  if (touched.hovered || touched.held) pen.disc({thumb, y}, kThumb + 5, faint(strong, touched.held ? 50 : 28));
  pen.disc({thumb, y}, kThumb, strong);
  ring(field, touched);
}

void Hand::target(const Target& target, Point origin, int index) {
  const Box box{target.box.x + origin.x, target.box.y + origin.y, target.box.w, target.box.h};
  drawn.hits.push_back({target.id, box});
  const Touched touched = touch_box(box, target.id, index, true);
  if (touched.pressed) drawn.events.push_back({target.id, false, 0});
  if (!pen.sees(grown(box, 4))) return;
  if (target.pressed) pen.outline(grown(box, 1), pen.ink(Ink::accent), 7, 2);
  if (touched.hovered && !target.pressed) pen.outline(grown(box, 2), pen.ink(Ink::muted), 8, 1);
  ring(grown(box, 2), touched, 9);
}

void Hand::draw_tip(float width, float low, float high) {
  if (tip.text.empty()) return;
  const float room = std::min(280.0f, width - 32);
  const TextBlock& words = pen.wrapped(tip.text, kCaption, room);
  const float w = words.width + 20;
  const float h = static_cast<float>(words.lines.size()) * pen.line_height(kCaption.size) + 12;
  const float x = std::clamp(tip.box.center_x() - w / 2, 8.0f, std::max(8.0f, width - w - 8));
  const bool above = tip.box.bottom() + 8 + h > high && tip.box.y - 8 - h >= low;
  const Box box{x, above ? tip.box.y - 8 - h : tip.box.bottom() + 8, w, h};
  pen.fill(box, pen.ink(Ink::accent), kRadius);
  pen.paragraph({box.x + 10, box.y + 6, room, 0}, tip.text, kCaption, pen.ink(Ink::page));
}

}  // namespace commflow::ui

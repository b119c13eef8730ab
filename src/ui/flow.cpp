#include "ui/flow.h"

#include <algorithm>
#include <cmath>

namespace commflow::ui {
namespace {

constexpr float kFieldMin = 160;
constexpr float kFieldGap = 16;
constexpr float kTextFieldMax = 608;

Look look_in_row(const Control& control) {
  switch (control.kind) {
    case ControlKind::choice: return Look::pill;
    case ControlKind::slider: return Look::scrubber;
    case ControlKind::toggle: return Look::toggle;
    case ControlKind::link: return Look::link;
    case ControlKind::text: return Look::text;
    case ControlKind::button: break;
  }
  if (control.icon == "play" || control.icon == "pause") return Look::primary;
  return control.icon.empty() ? Look::button : Look::icon;
}

Look look_in_form(const Control& control) {
  switch (control.kind) {
    case ControlKind::choice: return Look::pill;
    case ControlKind::slider: return Look::slider;
    case ControlKind::toggle: return Look::toggle;
    case ControlKind::link: return Look::link;
    case ControlKind::text: return Look::text;
    case ControlKind::button: return Look::button;
  }
  return Look::button;
}

bool has_caption(Look look) {
  return look == Look::pill || look == Look::slider || look == Look::text;
}

std::vector<const Control*> pointers(const Block& block) {
  std::vector<const Control*> result;
  for (const Control& control : block.controls) result.push_back(&control);
  return result;
}

}  // namespace

std::string_view value_text(const Control& control) {
  if (control.kind != ControlKind::choice || !control.text.empty()) return control.text;
  const auto index = static_cast<std::size_t>(std::max(control.value, 0));
  return index < control.choices.size() ? std::string_view(control.choices[index]) : std::string_view();
}

float Flow::natural_width(const Control& control, Look look) const {
  const auto words = [&](std::string_view text) { return std::ceil(pen.wrapped(text, kControlText, 0).width) + 1; };
  const auto caption = [&](std::string_view text) { return std::ceil(pen.wrapped(text, kCaption, 0).width) + 1; };
  switch (look) {
    case Look::icon: return height();
    case Look::primary: return height() + 4;
    case Look::link: return words(control.label) + (control.icon.empty() ? 0 : kIcon + 6);
    case Look::toggle: return kSwitch + 10 + words(control.label);
    case Look::slider: return std::max(kFieldMin, caption(control.label) + 12 + caption(control.text));
    case Look::scrubber: return kFieldMin;
    case Look::text: return kTextFieldMax;
    case Look::pill: {
      // As wide as the widest entry, so that nothing moves when another is chosen.
      float widest = words(value_text(control));
      for (const std::string& choice : control.choices) widest = std::max(widest, words(choice));
      return widest + kPadding * 2 + 20;
    }
    default: return words(control.label) + kPadding * 2 + (control.icon.empty() ? 0 : kIcon + 6);
  }
}

float Flow::text_height(const Control& control) const {
  return static_cast<float>(std::max(1, control.max)) * pen.line_height(kControlText.size) + 16;
}

void Flow::add(const Control& control, Look look, Box box) {
  items.push_back({.kind = Placed::Kind::control, .block = &block, .box = box, .control = &control, .look = look});
}

void Flow::chips() {
  const auto count = block.controls.size();
  if (count == 0) return;
  const float gap = column.w >= 560 ? 4.0f : 2.0f;
  const float all = static_cast<float>(count);
  const float per_row = (column.w + gap) / all >= 56 ? all : std::min(all, 6.0f);
  const float width = (column.w - gap * (per_row - 1)) / per_row;
  float label = 0;
  float number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    label = std::max(label, pen.wrapped(block.controls[i].label, {13, true}, 0).width);
    number = std::max(number, pen.wrapped(std::to_string(i + 1), {13, true}, 0).width);
  }
  const bool in_line = label + number + 6 + 16 <= width;
  const bool stacked = !in_line && label + 4 <= width;
  const float tall = stacked ? 48.0f : touch ? 44.0f : 40.0f;
  bool before = true;
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = std::floor(static_cast<float>(i) / per_row);
    const float in_row = static_cast<float>(i) - row * per_row;
    before = before && !block.controls[i].pressed;
    add(block.controls[i], Look::chip, {column.x + in_row * (width + gap), column.y + row * (tall + gap), width, tall});
    Placed& placed = items.back();
    placed.order = static_cast<int>(i);
    placed.done = before ? 1 : 0;
    placed.stacked = stacked;
    placed.bare = !in_line && !stacked;
  }
  const float rows = std::ceil(all / per_row);
  column.y += rows * tall + (rows - 1) * gap;
}

void Flow::row(const std::vector<const Control*>& controls, float x, float gap) {
  for (const Control* control : controls) {
    const Look look = look_in_row(*control);
    const float width = natural_width(*control, look);
    add(*control, look, {x, column.y, width, height()});
    x += width + gap;
  }
}

void Flow::player() {
  std::vector<const Control*> buttons;
  std::vector<const Control*> others;
  const Control* scrubber = nullptr;
  float buttons_width = 0;
  float others_width = 0;
  for (const Control& control : block.controls) {
    if (control.kind == ControlKind::slider && !scrubber) {
      scrubber = &control;
    } else if (control.kind == ControlKind::button) {
      buttons.push_back(&control);
      buttons_width += natural_width(control, look_in_row(control));
    } else {
      others.push_back(&control);
      others_width += natural_width(control, look_in_row(control)) + 8;
    }
  }
  const float free = column.w - buttons_width - others_width - 16;
  if (free >= kFieldMin || !scrubber) {
    row(buttons, column.x, 0);
    if (scrubber) add(*scrubber, Look::scrubber, {column.x + buttons_width + 12, column.y, free - 4, height()});
    row(others, column.x + column.w - others_width + 8, 8);
    column.y += height();
    return;
  }
  add(*scrubber, Look::scrubber, {column.x, column.y, column.w - others_width - (others.empty() ? 0 : 8), height()});
  row(others, column.x + column.w - others_width + 8, 8);
  column.y += height() + 4;
  const float gap =
      buttons.size() < 2 ? 0 : std::min(16.0f, (column.w - buttons_width) / static_cast<float>(buttons.size() - 1));
  const float used = buttons_width + gap * static_cast<float>(buttons.empty() ? 0 : buttons.size() - 1);
  row(buttons, column.x + std::max(0.0f, (column.w - used) / 2), gap);
  column.y += height();
}

void Flow::form() {
  const float columns = std::max(1.0f, std::floor((column.w + kFieldGap) / (kFieldMin + kFieldGap)));
  const float field = std::floor((column.w - kFieldGap * (columns - 1)) / columns);
  std::vector<Placed> line;
  float x = 0;
  const auto end_line = [&] {
    float tall = 0;
    for (const Placed& placed : line) tall = std::max(tall, placed.box.h);
    for (Placed& placed : line) {
      // Captions stand above what they name; the rest is level with the fields.
      placed.box.y = column.y + tall - placed.box.h;
      items.push_back(placed);
    }
    column.y += tall;
    line.clear();
    x = 0;
  };
  for (const Control* control : pointers(block)) {
    const Look look = look_in_form(*control);
    const bool captioned = has_caption(look);
    const float caption = captioned ? std::ceil(pen.wrapped(control->label, kCaption, 0).width) + 1 : 0;
    float width = std::min(column.w, std::max(caption, natural_width(*control, look)));
    if (captioned) {
      const float spans = std::min(columns, std::ceil((width + kFieldGap) / (field + kFieldGap)));
      width = field * spans + kFieldGap * (spans - 1);
    }
    if (!line.empty() && x + width > column.w + 0.5f) {
      end_line();
      column.y += 8;
    }
    const float field_tall = look == Look::text ? text_height(*control) : height();
    const float tall = field_tall + (captioned ? kCaptionHeight : 0);
    line.push_back({.kind = Placed::Kind::control,
                    .block = &block,
                    .box = {column.x + x, 0, width, tall},
                    .control = control,
                    .look = look});
    x += width + (captioned ? kFieldGap : 8);
  }
  end_line();
}

void Flow::bar(const Pen& pen, bool touch, const Page& page, Column& column, std::vector<Placed>& items) {
  constexpr float kGap = 4;
  std::vector<const Control*> controls;
  std::vector<const Block*> owners;
  std::vector<const Block*> names;
  for (const Block& block : page.blocks) {
    if (block.region != Region::bar) continue;
    if (block.kind != BlockKind::controls) names.push_back(&block);
    for (const Control& control : block.controls) {
      controls.push_back(&control);
      owners.push_back(&block);
    }
  }
  static const Block kNone;
  const Flow measure{pen, touch, kNone, column, items};
  float controls_width = 0;
  for (const Control* control : controls)
    controls_width += measure.natural_width(*control, look_in_row(*control)) + kGap;

  float x = column.x;
  const float right = column.x + column.w;
  float y = column.y;
  const float tall = measure.height();
  std::vector<const Block*> rest;
  for (const Block* name : names) {
    const bool head = name->kind == BlockKind::heading;
    const TextStyle style{head ? 18.0f : 13.0f, head};
    const float width = std::ceil(pen.wrapped(name->text, style, 0).width) + 1;
    // What does not fit on the line goes below it, wrapped.
    const bool fits = x + width <= right - controls_width - 16 || x == column.x;
    if (!fits) {
      rest.push_back(name);
      continue;
    }
    const float line = pen.line_height(style.size);
    const float lift = head ? 0 : 1;
    items.push_back({.kind = Placed::Kind::text,
                     .block = name,
                     .id = name->id,
                     .box = {x, y + (tall - line) / 2 + lift, width, line},
                     .text = name->text,
                     .style = style,
                     .ink = head ? Ink::ink : Ink::muted});
    x += width + 16;
  }
  const bool below = x > right - controls_width;
  if (below) y += tall + kGap;
  x = below ? column.x : right - controls_width + kGap;
  for (std::size_t i = 0; i < controls.size(); ++i) {
    const Look look = look_in_row(*controls[i]);
    const float width = measure.natural_width(*controls[i], look);
    if (x + width > right + 0.5f) {
      x = column.x;
      y += tall + kGap;
    }
    items.push_back({.kind = Placed::Kind::control,
                     .block = owners[i],
                     .box = {x, y, width, tall},
                     .control = controls[i],
                     .look = look});
    x += width + kGap;
  }
  column.y = y + tall;
  for (const Block* name : rest) {
    const TextStyle style{13, false};
    const float lines = pen.text_height(name->text, style, column.w);
    items.push_back({.kind = Placed::Kind::text,
                     .block = name,
                     .id = name->id,
                     .box = {column.x, column.y, column.w, lines},
                     .text = name->text,
                     .style = style,
                     .ink = Ink::muted});
    column.y += lines + 4;
  }
}

}  // namespace commflow::ui

#include "ui/page_checks.h"

#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

namespace commflow::ui {

const std::vector<Screen> kScreens{{.width = 320, .height = -1, .touch = true},
                                   {.width = 390, .height = -1, .touch = true},
                                   {.width = 768, .height = -1},
                                   {.width = 1280, .height = -1},
                                   {.width = 1600, .height = -1}};

namespace {

struct Part {
  const Control* control;
  Box box;
};

bool is_shown(const Page& page, const Block& block) {
  const Region r = block.region;
  return !page.embed || r == Region::title || r == Region::figure || r == Region::player || r == Region::live ||
         r == Region::foot;
}

bool overlap(Box a, Box b) {
  constexpr float kTouch = 0.6f;
  return a.x < b.right() - kTouch && b.x < a.right() - kTouch && a.y < b.bottom() - kTouch && b.y < a.bottom() - kTouch;
}

// Where each control was drawn; the second with an id has the second hit.
std::vector<Part> parts_of(const Page& page, const Drawn& drawn) {
  std::vector<Part> parts;
  std::vector<bool> used(drawn.hits.size());
  for (const Block& block : page.blocks) {
    if (!is_shown(page, block)) continue;
    for (const Control& control : block.controls) {
      std::size_t i = 0;
      while (i < drawn.hits.size() && (used[i] || drawn.hits[i].id != control.id)) ++i;
      if (i == drawn.hits.size()) {
        ADD_FAILURE() << "control " << control.id << " has no place";
        continue;
      }
      used[i] = true;
      parts.push_back({&control, drawn.hits[i].box});
    }
  }
  return parts;
}

void settle(Harness& harness, const Page& page, const FigureSource& figure, const Screen& screen) {
  for (int i = 0; i < 3; ++i) harness.frame(page, figure, screen);
}

std::vector<Hit> targets_of(const Page& page, const FigureSource& figure, const Harness& harness) {
  std::vector<Hit> targets;
  for (const Block& block : page.blocks) {
    if (block.kind != BlockKind::figure || !is_shown(page, block)) continue;
    const Hit* place = harness.hit(block.id);
    if (!place) continue;
    for (const Target& target : figure(block.id, {place->box.w}).targets) targets.push_back({target.id, target.box});
  }
  return targets;
}

Point middle(Box box) {
  return {box.center_x(), box.center_y()};
}

struct Presser {
  Harness& harness;
  const Page& page;
  const FigureSource& figure;
  const Screen& screen;

  void button(const Control& control, Box box) {
    const auto events = harness.click(page, figure, screen, middle(box));
    ASSERT_EQ(events.size(), 1u) << control.id;
    EXPECT_EQ(events[0].id, control.id);
    const bool turns = control.kind == ControlKind::toggle;
    EXPECT_EQ(events[0].is_set, turns);
    EXPECT_EQ(events[0].value, turns ? 1 - control.value : 0);
  }

  void choice(const Control& control, Box box) {
    const bool opens = harness.click(page, figure, screen, middle(box)).empty();
    ASSERT_TRUE(opens) << control.id;
    ASSERT_EQ(GImGui->OpenPopupStack.Size, 1) << control.id << " opens no list";
    const ImGuiWindow* list = GImGui->OpenPopupStack[0].Window;
    const auto count = static_cast<float>(control.choices.size());
    const float row = (list->ContentSize.y) / count;
    const int wanted = control.value == 0 && count > 1 ? 1 : 0;
    const Point at{list->Pos.x + list->Size.x / 2,
                   list->Pos.y + list->WindowPadding.y + row * (static_cast<float>(wanted) + 0.5f) - list->Scroll.y};
    const auto events = harness.click(page, figure, screen, {at.x, at.y + screen.page_top});
    EXPECT_EQ(GImGui->OpenPopupStack.Size, 0) << control.id << " stays open";
    if (wanted == control.value) return;
    ASSERT_EQ(events.size(), 1u) << control.id;
    EXPECT_EQ(events[0].id, control.id);
    EXPECT_TRUE(events[0].is_set);
    const auto index = static_cast<std::size_t>(wanted);
    EXPECT_EQ(events[0].value, control.values.empty() ? wanted : control.values[index]) << control.id;
  }

  void slider(const Control& control, Box box) {
    const auto drag = [&](float to) { return harness.drag(page, figure, screen, middle(box), {to, box.center_y()}); };
    for (const auto& [to, value] : {std::pair{box.right() + 300, control.max}, std::pair{box.x - 300, control.min}}) {
      const auto events = drag(to);
      if (value != control.value) {
        ASSERT_FALSE(events.empty()) << control.id;
        EXPECT_EQ(events.back().value, value) << control.id;
      }
      for (const ControlEvent& event : events) {
        EXPECT_EQ(event.id, control.id);
        EXPECT_TRUE(event.is_set);
        EXPECT_TRUE(event.value >= control.min && event.value <= control.max);
      }
    }
  }

  void press(const Control& control, Box box) {
    if (!control.enabled) {
      EXPECT_TRUE(harness.click(page, figure, screen, middle(box)).empty()) << control.id << " is not to be used";
      EXPECT_EQ(GImGui->OpenPopupStack.Size, 0) << control.id;
    } else if (control.kind == ControlKind::choice) {
      choice(control, box);
    } else if (control.kind == ControlKind::slider) {
      slider(control, box);
    } else if (control.kind == ControlKind::text) {
      EXPECT_TRUE(harness.click(page, figure, screen, middle(box)).empty()) << control.id << " is for who types";
    } else {
      button(control, box);
    }
  }
};

void check_inside(const Drawn& drawn, const Screen& screen) {
  for (const Hit& hit : drawn.hits) {
    EXPECT_GE(hit.box.x, 0) << hit.id;
    EXPECT_GE(hit.box.y, 0) << hit.id;
    EXPECT_LE(hit.box.right(), screen.width + 0.01f) << hit.id;
    EXPECT_LE(hit.box.bottom(), drawn.page_height + 0.01f) << hit.id;
    EXPECT_GT(hit.box.w, 0) << hit.id;
  }
}

}  // namespace

void check_places(const Page& page, const FigureSource& figure, const Screen& screen, const std::string& where) {
  SCOPED_TRACE(where + " at " + std::to_string(static_cast<int>(screen.width)));
  Harness harness;
  settle(harness, page, figure, screen);
  const Drawn& drawn = harness.last();
  for (const std::string& text : drawn.overflows) ADD_FAILURE() << "leaves its box: " << text;
  EXPECT_TRUE(drawn.events.empty());
  check_inside(drawn, screen);
  const std::vector<Part> parts = parts_of(page, drawn);
  std::vector<Hit> places;
  for (const Part& part : parts) {
    places.push_back({part.control->id, part.box});
    if (screen.touch) {
      EXPECT_GE(part.box.h, 36) << part.control->id;
    }
  }
  for (const Block& block : page.blocks) {
    if (!is_shown(page, block) || block.kind == BlockKind::controls) continue;
    const Hit* hit = harness.hit(block.id);
    EXPECT_NE(hit, nullptr) << "block " << block.id << " has no place";
    if (hit) places.push_back(*hit);
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(places[i].box, places[j].box)) << places[i].id << " lies on " << places[j].id;
    }
  }
  for (const Hit& target : targets_of(page, figure, harness)) EXPECT_NE(harness.hit(target.id), nullptr) << target.id;
}

void check_presses(const Page& page, const FigureSource& figure, const Screen& screen, const std::string& where) {
  SCOPED_TRACE(where + " pressed at " + std::to_string(static_cast<int>(screen.width)));
  Harness harness;
  settle(harness, page, figure, screen);
  Presser presser{harness, page, figure, screen};
  for (const Part& part : parts_of(page, harness.last())) presser.press(*part.control, part.box);
  for (const Hit& target : targets_of(page, figure, harness)) {
    const Hit* hit = harness.hit(target.id);
    if (!hit) continue;
    const auto events = harness.click(page, figure, screen, middle(hit->box));
    ASSERT_EQ(events.size(), 1u) << target.id;
    EXPECT_EQ(events[0].id, target.id);
    EXPECT_FALSE(events[0].is_set);
  }
}

void check_page(const Page& page, const FigureSource& figure, const std::string& where) {
  for (const Screen& screen : kScreens) check_places(page, figure, screen, where);
  check_presses(page, figure, kScreens[1], where);
  check_presses(page, figure, kScreens[3], where);
}

}  // namespace commflow::ui

// The renderer on a page with everything in it.
#include <gtest/gtest.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <set>

#include "ui/harness.h"
#include "ui/page_checks.h"
#include "ui/raster.h"
#include "ui/sample_page.h"
#include "ui/text_editor.h"

namespace commflow::ui {
namespace {

constexpr const char* kLangs[] = {"en", "zh"};

FigureSource figures(std::string lang) {
  return [lang](std::string_view, FigureSpace space) { return sample_figure(lang, space); };
}

bool same(const std::vector<Hit>& a, const std::vector<Hit>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Hit& p, const Hit& q) {
    return p.id == q.id && p.box.x == q.box.x && p.box.y == q.box.y && p.box.w == q.box.w && p.box.h == q.box.h;
  });
}

int vertices(const Harness& harness) {
  return harness.picture()->TotalVtxCount;
}

TEST(Page, HoldsAtAllSizesInBothLanguages) {
  for (const char* lang : kLangs) check_page(sample_page(lang), figures(lang), lang);
}

TEST(Page, EmbeddedShowsTheFigureAndThePlayer) {
  for (const char* lang : kLangs) {
    Page page = sample_page(lang);
    page.embed = true;
    check_page(page, figures(lang), lang);
    Harness harness;
    harness.frame(page, figures(lang), kScreens[1]);
    EXPECT_EQ(harness.hit("step.0"), nullptr);
    EXPECT_EQ(harness.hit("what"), nullptr);
    EXPECT_NE(harness.hit("scene"), nullptr);
    EXPECT_NE(harness.hit("live"), nullptr);
  }
}

TEST(Page, EmptyOneAndNoRoom) {
  Harness harness;
  EXPECT_TRUE(harness.frame({}, {}, {}).hits.empty());
  EXPECT_GT(harness.last().page_height, 0);
  const Page page = sample_page("zh");
  for (const float width : {0.0f, 1.0f, 40.0f}) {
    harness.frame(page, figures("zh"), {.width = width, .height = 0});
    harness.frame(page, figures("zh"), {.width = width, .height = 1});
    EXPECT_GT(harness.last().page_height, 0);
  }
}

TEST(Page, LayoutKnowsNothingOfTheSlice) {
  const Page page = sample_page("en");
  Harness harness;
  const Drawn whole = harness.frame(page, figures("en"), {.width = 390, .height = 844});
  const int at_top = vertices(harness);
  const Drawn below = harness.frame(page, figures("en"), {.width = 390, .height = 100, .page_top = 900});
  EXPECT_TRUE(same(whole.hits, below.hits));
  EXPECT_EQ(whole.page_height, below.page_height);
  EXPECT_LT(vertices(harness) * 3, at_top) << "what is not in sight is not drawn";
  harness.frame(page, figures("en"), {.width = 390, .height = 800, .page_top = 1e6f});
  EXPECT_EQ(vertices(harness), 0);
}

TEST(Page, PressesWorkInASlice) {
  const Page page = sample_page("en");
  Harness harness;
  Screen screen{.width = 390, .height = 500, .touch = true};
  harness.frame(page, figures("en"), screen);
  const Box box = harness.hit("play")->box;
  screen.page_top = box.y - 120;
  ASSERT_GT(screen.page_top, 0);
  const auto events = harness.click(page, figures("en"), screen, {box.center_x(), box.center_y()});
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].id, "play");
}

TEST(Page, PlacesAreTheSameAtEveryDensity) {
  const Page page = sample_page("zh");
  for (const float width : {390.0f, 1280.0f}) {
    Harness once;
    const Drawn one = once.frame(page, figures("zh"), {.width = width});
    for (const float density : {1.5f, 2.0f, 3.0f}) {
      Harness harness;
      const Drawn& dense = harness.frame(page, figures("zh"), {.width = width, .density = density});
      ASSERT_EQ(one.hits.size(), dense.hits.size());
      for (std::size_t i = 0; i < one.hits.size(); ++i) {
        EXPECT_NEAR(one.hits[i].box.y, dense.hits[i].box.y, 1) << one.hits[i].id << " at " << density;
        EXPECT_NEAR(one.hits[i].box.right(), dense.hits[i].box.right(), 1.5f) << one.hits[i].id << " at " << density;
      }
    }
  }
}

TEST(Page, PictureIsThereAndFollowsTheTheme) {
  const Page page = sample_page("en");
  double brightness[2] = {};
  for (const Theme theme : {Theme::light, Theme::dark}) {
    Harness harness;
    for (int i = 0; i < 2; ++i) harness.frame(page, figures("en"), {.width = 320, .height = 400, .theme = theme});
    const Rgba ground = color(Ink::page, theme);
    const Image image = rasterise(*harness.picture(), ground.r, ground.g, ground.b);
    std::set<int> colors;
    for (std::size_t i = 0; i < image.rgb.size(); i += 3) {
      colors.insert(image.rgb[i] << 16 | image.rgb[i + 1] << 8 | image.rgb[i + 2]);
      brightness[static_cast<int>(theme)] += image.rgb[i + 1];
    }
    EXPECT_GT(colors.size(), 100u);
  }
  EXPECT_GT(brightness[0], brightness[1] * 3);
}

TEST(Page, DragFollowsThePointerInSteps) {
  Page page;
  Control control{.id = "at", .kind = ControlKind::slider, .value = 0};
  control.max = 10;
  control.step = 2;
  Block block{.id = "player", .kind = BlockKind::controls, .region = Region::player};
  block.controls = {control};
  page.blocks = {block};
  Harness harness;
  harness.frame(page, {}, {});
  const Box box = harness.hit("at")->box;
  const auto events =
      harness.drag(page, {}, {}, {box.x + 7, box.center_y()}, {box.x + 7 + (box.w - 14) * 0.61f, box.y - 90});
  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().value, 6) << "the nearest step, although the pointer has left the control";
}

TEST(Page, OverflowIsCounted) {
  Page page;
  page.blocks = {{.id = "scene", .kind = BlockKind::figure, .region = Region::figure}};
  const auto figure = [](float width) {
    return [width](std::string_view, FigureSpace) {
      Figure made{.width = 300, .height = 40, .shapes = {}, .targets = {}};
      Shape shape;
      shape.kind = ShapeKind::text;
      shape.box = {0, 0, width, 20};
      shape.text = "a text that is too long";
      made.shapes.push_back(shape);
      return made;
    };
  };
  Harness harness;
  EXPECT_EQ(harness.frame(page, figure(300), {}).overflows.size(), 0u);
  EXPECT_EQ(harness.frame(page, figure(60), {}).overflows.size(), 1u);
}

TEST(Page, ReasonIsShownOnHover) {
  const Page page = sample_page("en");
  Harness harness;
  const Screen screen{.width = 1280, .height = 1200};
  harness.frame(page, figures("en"), screen);
  const int before = vertices(harness);
  const Box box = harness.hit("cp")->box;
  harness.move_mouse(box.center_x(), box.center_y());
  for (int i = 0; i < 3; ++i) harness.frame(page, figures("en"), screen);
  EXPECT_FALSE(harness.last().hot);
  EXPECT_GT(vertices(harness), before) << "at once: waiting would cost frames";
}

Page keyboard_page() {
  Page page;
  Control button{.id = "go", .label = "Go"};
  Control slider{.id = "n", .kind = ControlKind::slider, .label = "n", .value = 3};
  slider.max = 10;
  Control choice{.id = "tp", .kind = ControlKind::choice, .label = "TP", .value = 0};
  choice.choices = {"1", "2", "4"};
  choice.values = {1, 2, 4};
  Block block{.id = "form", .kind = BlockKind::controls, .region = Region::aside};
  block.controls = {button, slider, choice};
  page.blocks = {block};
  return page;
}

std::vector<ControlEvent> keys(Harness& harness, const Page& page, std::initializer_list<ImGuiKey> pressed) {
  std::vector<ControlEvent> events;
  for (const ImGuiKey key : pressed) {
    harness.press_key(key);
    for (int i = 0; i < 3; ++i) {
      harness.frame(page, {}, {});
      events.insert(events.end(), harness.last().events.begin(), harness.last().events.end());
    }
  }
  return events;
}

Page page_with_text() {
  Page page = keyboard_page();
  Control field;
  field.id = "values";
  field.kind = ControlKind::text;
  field.label = "Values";
  field.text = "1, 2";
  field.max = 2;
  page.blocks.front().controls.push_back(field);
  return page;
}

std::string typed_into(Harness& harness, const Page& page, const Screen& screen, const char* text, ImGuiKey key) {
  const Box box = harness.hit("values")->box;
  std::vector<ControlEvent> events = harness.click(page, {}, screen, {box.right() - 20, box.y + 16});
  const auto frame = [&] {
    harness.frame(page, {}, screen);
    events.insert(events.end(), harness.last().events.begin(), harness.last().events.end());
  };
  ImGui::GetIO().AddInputCharactersUTF8(text);
  for (int i = 0; i < 3; ++i) frame();
  EXPECT_TRUE(events.empty()) << "nothing is taken while it is typed";
  if (key == ImGuiKey_Enter) ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, true);
  harness.press_key(key);
  if (key == ImGuiKey_Enter) ImGui::GetIO().AddKeyEvent(ImGuiMod_Ctrl, false);
  for (int i = 0; i < 9; ++i) frame();
  if (events.size() != 1) return "events: " + std::to_string(events.size());
  EXPECT_EQ(events[0].id, "values");
  EXPECT_TRUE(events[0].is_set);
  return events[0].text;
}

TEST(Page, TextIsTypedWhereNoDocumentDoesIt) {
  const Page page = page_with_text();
  const Screen screen{.editor = edit_text};
  Harness harness;
  for (int i = 0; i < 3; ++i) harness.frame(page, {}, screen);
  EXPECT_EQ(typed_into(harness, page, screen, ", 3\n4", ImGuiKey_Enter), "1, 2, 3\n4");
  EXPECT_EQ(typed_into(harness, page, screen, "9", ImGuiKey_Escape), "events: 0") << "Escape takes it back";
  const Screen web;
  EXPECT_EQ(typed_into(harness, page, web, "5", ImGuiKey_Enter), "events: 0") << "there the document's field takes it";
}

TEST(Page, KeyboardOperatesEverything) {
  const Page page = keyboard_page();
  Harness harness;
  for (int i = 0; i < 3; ++i) harness.frame(page, {}, {});
  const auto pressed = keys(harness, page, {ImGuiKey_Tab, ImGuiKey_Space});
  ASSERT_EQ(pressed.size(), 1u);
  EXPECT_EQ(pressed[0].id, "go");
  const auto moved = keys(harness, page, {ImGuiKey_Tab, ImGuiKey_RightArrow, ImGuiKey_LeftArrow});
  ASSERT_EQ(moved.size(), 2u);
  EXPECT_EQ(moved[0].id, "n");
  EXPECT_EQ(moved[0].value, 4);
  EXPECT_EQ(moved[1].value, 2);
  const auto chosen = keys(harness, page, {ImGuiKey_Tab, ImGuiKey_Enter, ImGuiKey_DownArrow, ImGuiKey_Enter});
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].id, "tp");
  EXPECT_EQ(chosen[0].value, 2);
  EXPECT_TRUE(keys(harness, page, {ImGuiKey_Enter, ImGuiKey_Escape}).empty());
  EXPECT_EQ(GImGui->OpenPopupStack.Size, 0);
}

TEST(Page, FastEnough) {
#if defined(__SANITIZE_ADDRESS__)
  constexpr double kMost = 20;
#else
  constexpr double kMost = 2;
#endif
  const Page page = sample_page("en");
  // Fifteen copies of the sample's picture on top of each other: over 600 shapes.
  const FigureSource crowded = [](std::string_view, FigureSpace space) {
    Figure figure = sample_figure("en", space);
    const std::vector<Shape> once = figure.shapes;
    while (figure.shapes.size() < 600) figure.shapes.insert(figure.shapes.end(), once.begin(), once.end());
    return figure;
  };
  Harness harness;
  double best = 1e9;
  for (int i = 0; i < 60; ++i) {
    harness.frame(page, crowded, {});
    best = std::min(best, harness.cpu_ms());
  }
  EXPECT_LT(best, kMost);
}

}  // namespace
}  // namespace commflow::ui

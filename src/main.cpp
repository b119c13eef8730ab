// The wiring: what the platform brings goes to the App, what the App wants drawn goes to the UI, what was drawn and
// what is new goes back to the platform. An event raised while drawing one frame takes effect in the next.

#include <imgui.h>

#include <utility>

#include "app.h"
#include "platform/platform.h"
#include "start.h"
#include "ui/ui.h"

namespace commflow {
namespace {

struct Program {
  App app;
  ui::Memory memory;
  std::vector<ControlEvent> events;  // of the last drawn frame
};

Program program;

constexpr Lang kAllLangs[] = {Lang::en, Lang::zh};

void load_all() {
  for (const Lang lang : kAllLangs)
    if (const auto data = data_of(lang)) program.app.load(lang, *data);
}

void load_what_arrived() {
  if (data_changed()) load_all();
  const auto wanted = program.app.wanted_language();
  if (!wanted) return;
  if (const auto data = data_of(*wanted)) program.app.load(*wanted, *data);
}

// Fingers are thicker than the pointer of a mouse; a narrow page is a phone.
bool is_touched(float width) {
  return width < 640 || ImGui::GetIO().MouseSource == ImGuiMouseSource_TouchScreen;
}

ui::Drawn draw(App& app) {
  const platform::View view = platform::view();
  const platform::Fonts fonts = platform::fonts();
  const auto figure = [&](std::string_view id, FigureSpace space) { return app.figure(id, space); };
  const ui::Input input{app.page(),
                        figure,
                        app.is_dark() ? Theme::dark : Theme::light,
                        view.width,
                        view.page_top,
                        view.height,
                        is_touched(view.width),
                        app.reduces_motion(),
                        fonts.regular,
                        fonts.bold,
                        text_editor()};
  return ui::draw(input, program.memory);
}

std::vector<Placed> places_of(std::vector<ui::Hit>& hits) {
  std::vector<Placed> places;
  places.reserve(hits.size());
  for (ui::Hit& hit : hits) places.push_back({std::move(hit.id), hit.box});
  return places;
}

void publish_news(App& app) {
  for (const News& news : app.take_news()) platform::publish(news.topic, news.json);
}

}  // namespace

void app_start() {
  load_all();
  publish_news(program.app);
}

void app_stills(float width, bool is_dark) {
  program.app.tell_stills(width, is_dark ? Theme::dark : Theme::light);
  publish_news(program.app);
}

bool app_frame(double now_ms) {
  App& app = program.app;
  load_what_arrived();
  for (const std::string& message : platform::take_messages()) app.hear(message);
  app.take(std::exchange(program.events, {}));
  app.advance(now_ms);

  ui::use_glyphs_of(app.page().lang, program.memory);
  platform::begin_frame();
  ui::Drawn drawn = draw(app);
  if (drawn.hot) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  platform::end_frame();

  app.shown(places_of(drawn.hits), platform::view().width, drawn.page_height);
  program.events = std::move(drawn.events);
  publish_news(app);
  return app.is_busy() || !program.events.empty();
}

}  // namespace commflow

#include "app.h"

#include <algorithm>

#include "io/json_writer.h"
#include "io/library_json.h"
#include "story/pages/page_rows.h"
#include "story/reduce.h"
#include "story/url.h"

namespace commflow {
namespace {

// Browsers stop listening to a page that changes its address at every frame, as a drag would.
constexpr double kLeastMsBetweenStates = 250;
constexpr float kLeastStillWidth = 280;

std::string ready_json() {
  JsonWriter out;
  out.open('{').key("fields").open('[');
  for (const Field& f : fields()) out.text(f.name);
  return out.close(']').close('}').str();
}

std::string one_text(std::string_view name, std::string_view text) {
  return JsonWriter().open('{').text(name, text).close('}').str();
}

bool equal(const Box& a, const Box& b) {
  return a.x == b.x && a.y == b.y && a.w == b.w && a.h == b.h;
}

bool equal(const std::vector<Placed>& a, const std::vector<Placed>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Placed& p, const Placed& q) { return p.id == q.id && equal(p.box, q.box); });
}

// What the back button leads back to.
bool is_other_page(const State& a, const State& b) {
  return a.page != b.page || a.step != b.step;
}

std::string name_of(int lang) {
  return std::string(field(FieldId::lang).names[static_cast<std::size_t>(lang)]);
}

// What was typed wrongly is forgotten when something else takes its place.
bool is_answer(const Event& event, const Refused& refused) {
  const auto* filled = std::get_if<Fill>(&event);
  if (filled != nullptr) return filled->input == refused.input;
  return std::holds_alternative<Open>(event) || std::holds_alternative<Route>(event);
}

// What is shown when there is nothing to show.
Page page_of_problem(const std::string& problem, const Catalog& words, int lang) {
  Page page;
  page.lang = name_of(lang);
  page.title = words.get(Text::error_title);
  page.live = problem;
  page.blocks = {Block{"error", BlockKind::heading, Region::title, 1, page.title, {}, {}, {}, {}, {}},
                 Block{"problem", BlockKind::paragraph, Region::story, 2, problem, {}, {}, {}, {}, {}}};
  return page;
}

}  // namespace

App::App() {
  news_.push_back({"ready", ready_json()});
}

// ---- loading ----

void App::load(Lang lang, const Parsed<Json>& data) {
  const bool is_first = !is_loaded();
  const bool is_wanted = wanted_ == lang;
  const std::string error = data.value ? read_data(*data.value, lang, library_) : data.error;
  page_key_.reset();
  if (is_wanted) wanted_.reset();
  if (!error.empty()) return fail(error, lang);
  deriver_.forget();
  loaded_[static_cast<std::size_t>(lang)] = true;
  if (is_first) state_ = initial_state(library_);
  const int shown = is_first || is_wanted ? static_cast<int>(lang) : state_.lang;
  state_ = reduce(state_, Set{FieldId::lang, shown}, deriver_);
}

void App::fail(const std::string& error, Lang lang) {
  const std::string title(library_.catalogs[static_cast<std::size_t>(lang)].get(Text::error_title));
  news_.push_back({"error", JsonWriter().open('{').text("title", title).text("text", error).close('}').str()});
  if (is_loaded()) return;
  problem_ = error;
  state_.lang = static_cast<int>(lang);
}

// ---- what happened since the last frame ----

void App::apply(const Event& event, Source source) {
  if (!is_loaded()) return;
  if (const auto* press = std::get_if<Press>(&event)) hand_out(press->action);
  const State was = state_;
  const int before = state_.lang;
  state_ = reduce(state_, event, deriver_);
  source_ = source;
  if (refused_ && (is_answer(event, *refused_) || state_.page != was.page)) {
    refused_.reset();
    page_key_.reset();
  }
  if (page_row(state_) == nullptr) {
    news_.push_back({"program", one_text("state", encode(state_, library_))});
    state_ = was;
  }
  if (state_.lang == before) return;
  wanted_.reset();
  if (is_loaded(state_.lang)) return;
  wanted_ = static_cast<Lang>(state_.lang);
  news_.push_back({"asset", one_text("name", "data." + name_of(state_.lang) + ".json")});
  state_.lang = before;
}

void App::hear(std::string_view message_text) {
  const Message message = read_message(message_text, state_, library_);
  for (const std::string& note : message.notes) news_.push_back({"note", one_text("text", note)});
  if (const auto* told = std::get_if<Told>(&message.what)) apply(told->event, told->source);
  if (const auto* environment = std::get_if<Environment>(&message.what)) take(*environment);
  if (const auto* refused = std::get_if<Refused>(&message.what)) refuse(*refused);
}

void App::take(const Environment& environment) {
  if (environment.dark) environment_.dark = environment.dark;
  if (environment.reduced_motion) environment_.reduced_motion = environment.reduced_motion;
  if (environment.lang) apply(Set{FieldId::lang, static_cast<int>(*environment.lang)}, Source::system);
}

void App::type(const Input& input, const std::string& text) {
  ReadRows read = read_input(input, text, state_);
  if (read.misread) return refuse({input.id, text, *read.misread});
  apply(Fill{input.id, std::move(read.rows)}, Source::user);
}

// The reader sees why beside the text, which stays.
void App::refuse(Refused refused) {
  if (refused.text.size() > kLongestTyped) refused.text.clear();  // it would be part of every page from now on
  refused_ = std::move(refused);
  page_key_.reset();
}

void App::take(const std::vector<ControlEvent>& events) {
  for (const ControlEvent& control : events) {
    if (const Input* input = input_named(control.id)) {
      type(*input, control.text);
      continue;
    }
    const auto event = event_of(control.id, control.is_set, control.value, state_, library_);
    if (event) apply(*event, Source::user);
  }
}

// Time before playing began does not count, and a frame may last a fraction of a millisecond.
void App::advance(double now_ms) {
  const double passed = was_playing_ ? now_ms - now_ms_ : 0;
  now_ms_ = now_ms;
  if (state_.playing != 0) {
    rest_ms_ += std::max(0.0, passed);
    const int whole = static_cast<int>(rest_ms_);
    rest_ms_ -= whole;
    state_ = tick(state_, whole, deriver_);
  }
  was_playing_ = state_.playing != 0;
  if (!was_playing_) rest_ms_ = 0;
}

// ---- what is to be drawn ----

State App::page_key() {
  State key = state_;
  const int end = deriver_.derive(state_).timeline(state_).length();
  key.at = state_.at >= end ? end : (state_.at + kBeat - 1) / kBeat;
  return key;
}

const Page& App::page() {
  const State key = is_loaded() ? page_key() : state_;
  if (page_key_ == key) return page_;
  const Catalog& words = library_.catalogs[static_cast<std::size_t>(state_.lang)];
  page_ = is_loaded() ? make_page(state_, deriver_, refused_ ? &*refused_ : nullptr)
                      : page_of_problem(problem_, words, state_.lang);
  page_key_ = key;
  page_is_news_ = true;
  return page_;
}

Figure App::figure(std::string_view block_id, FigureSpace space) {
  if (!is_loaded()) return {};
  figure_widths_.insert_or_assign(std::string(block_id), space.width);
  Figure figure = make_figure(block_id, space, state_, deriver_, reduces_motion());
  const auto same = [&](const FigureTargets& targets) { return targets.block_id == block_id; };
  targets_.erase(std::remove_if(targets_.begin(), targets_.end(), same), targets_.end());
  targets_.push_back({std::string(block_id), figure.targets});
  return figure;
}

// ---- what the outside hears ----

void App::shown(std::vector<Placed> places, float width, float height) {
  const bool moved = width != told_width_ || height != told_height_ || !equal(places, told_places_);
  if (page_is_news_ || moved || is_dark() != told_dark_) {
    told_places_ = std::move(places);
    told_width_ = width;
    told_height_ = height;
    told_dark_ = is_dark();
    page_is_news_ = false;
    const ShownPage shown{page_, targets_, told_places_, width, height, told_dark_ ? "dark" : "light"};
    news_.push_back({"page", write_page(shown)});
  }
  if (is_loaded()) tell_state();
}

std::vector<Still> App::stills(float width, Theme theme) {
  if (!is_loaded()) return {};
  const auto width_of = [&](const Block& block) {
    const auto drawn = figure_widths_.find(block.id);
    return width > 0 || drawn == figure_widths_.end() ? std::max(width, kLeastStillWidth) : drawn->second;
  };
  return stills_of(page(), state_, deriver_, width_of, theme);
}

void App::tell_stills(float width, Theme theme) {
  JsonWriter out;
  out.open('{').key("stills").open('[');
  for (const Still& still : stills(width, theme)) {
    out.open('{').text("id", still.block_id).text("svg", still.svg);
    out.key("width").tenths(still.width).key("height").tenths(still.height).close('}');
  }
  news_.push_back({"stills", out.close(']').close('}').str()});
}

void App::hand_out(Action action) {
  if (action == Action::copy_link) news_.push_back({"link", one_text("hash", encode(state_, library_))});
  if (const auto file = make_file(action, state_, deriver_))
    news_.push_back({"file", JsonWriter()
                                 .open('{')
                                 .text("use", file->copied ? "copy" : "download")
                                 .text("name", file->name)
                                 .text("type", file->type)
                                 .text("text", file->text)
                                 .close('}')
                                 .str()});
  if (action != Action::copy_picture && action != Action::download_picture) return;
  const auto pictures = stills(0, is_dark() ? Theme::dark : Theme::light);
  if (pictures.empty()) return;
  const std::string step = value_text(field(FieldId::step), state_.step, library_);
  JsonWriter out;
  out.open('{').text("use", action == Action::copy_picture ? "copy" : "download");
  out.text("name", "commflow-" + step + "-" + name_of(state_.lang) + ".svg").text("svg", pictures.front().svg);
  out.key("width").tenths(pictures.front().width).key("height").tenths(pictures.front().height);
  news_.push_back({"picture", out.close('}').str()});
}

// A link to a moment that passes is of no use: while it plays only a new step is news.
void App::tell_state() {
  const bool is_settled = state_.playing == 0;
  const bool is_new_step = !told_state_ || is_other_page(state_, *told_state_);
  state_waits_ = false;
  if (!is_settled && !is_new_step) return;
  const std::string hash = encode(state_, library_);
  if (hash == told_hash_ && is_settled == told_settled_) return;
  state_waits_ = source_ == Source::user && !is_new_step && now_ms_ - told_ms_ < kLeastMsBetweenStates;
  if (state_waits_) return;
  news_.push_back({"state", state_json(hash)});
  told_state_ = state_;
  if (is_settled) settled_state_ = state_;
  told_hash_ = hash;
  told_settled_ = is_settled;
  told_ms_ = now_ms_;
}

std::string App::state_json(std::string_view hash) const {
  JsonWriter out;
  out.open('{').text("hash", hash).text("source", name_of(source_)).flag("settled", state_.playing == 0);
  out.flag("page_changed", settled_state_ && is_other_page(state_, *settled_state_));
  return out.text("step", value_text(field(FieldId::step), state_.step, library_)).close('}').str();
}

std::vector<News> App::take_news() {
  std::vector<News> taken;
  taken.swap(news_);
  return taken;
}

}  // namespace commflow

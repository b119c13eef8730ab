#pragma once
// The program without a screen: it takes messages and presses, lets time pass,
// says which page is to be drawn, and collects what the outside must hear. It
// owns State and everything loaded; nothing else in the program remembers
// anything that matters. It must never know ImGui or the platform.

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/json.h"
#include "io/message_json.h"
#include "io/page_json.h"
#include "story/pages/pages.h"
#include "story/stills.h"

namespace commflow {

// For platform::publish().
struct News {
  std::string topic;
  std::string json;
};

class App {
 public:
  App();

  // Texts of a language and all documents, as data_of() brings them: at the start, when a language that was asked for
  // arrives, and when a file was saved. What is wrong becomes news, and a page as long as there is nothing better.
  void load(Lang lang, const Parsed<Json>& data);
  // The language that was chosen but is not loaded.
  std::optional<Lang> wanted_language() const { return wanted_; }

  // One frame, in this order.
  void hear(std::string_view message_text);
  void take(const std::vector<ControlEvent>& events);
  void advance(double now_ms);
  const Page& page();
  Figure figure(std::string_view block_id, FigureSpace space);
  void shown(std::vector<Placed> places, float width, float height);
  // Every figure of the page at this moment as SVG becomes news, "stills". width 0: as wide as it was drawn.
  void tell_stills(float width, Theme theme);
  std::vector<News> take_news();

  bool is_dark() const { return state_.theme == 0 ? environment_.dark.value_or(false) : state_.theme == 2; }
  bool reduces_motion() const {
    return state_.motion == 0 ? environment_.reduced_motion.value_or(false) : state_.motion == 2;
  }
  // Wants another frame although nobody does anything.
  bool is_busy() const { return state_.playing != 0 || state_waits_; }

 private:
  // What a page depends on: State with the beat instead of the position.
  State page_key();
  bool is_loaded() const { return !library_.walk.steps.empty(); }
  bool is_loaded(int lang) const { return loaded_[static_cast<std::size_t>(lang)]; }
  void apply(const Event& event, Source source);
  void take(const Environment& environment);
  void type(const Input& input, const std::string& text);
  void refuse(Refused refused);
  void fail(const std::string& error, Lang lang);
  // What a press asks for that is no change: a link or a picture of the moment, as news "link" and "picture".
  void hand_out(Action action);
  std::vector<Still> stills(float width, Theme theme);
  void tell_state();
  std::string state_json(std::string_view hash) const;

  Library library_;
  std::array<bool, kLangs> loaded_{};
  Deriver deriver_{library_};
  State state_;
  Source source_ = Source::system;  // of the last change
  Environment environment_;
  std::optional<Lang> wanted_;
  std::string problem_;  // why nothing could be loaded

  double now_ms_ = 0;
  double rest_ms_ = 0;  // of a millisecond, not yet ticked
  bool was_playing_ = false;

  std::optional<Refused> refused_;  // what the reader typed and must mend

  Page page_;
  std::optional<State> page_key_;  // of page_
  std::vector<FigureTargets> targets_;
  std::map<std::string, float, std::less<>> figure_widths_;  // by block, as they were drawn last

  // What the outside knows.
  bool page_is_news_ = true;
  std::vector<Placed> told_places_;
  float told_width_ = 0, told_height_ = 0;
  bool told_dark_ = false;
  std::optional<State> told_state_;
  std::optional<State> settled_state_;  // the last one that was settled
  std::string told_hash_;
  bool told_settled_ = false;
  double told_ms_ = 0;
  bool state_waits_ = false;
  std::vector<News> news_;
};

}  // namespace commflow

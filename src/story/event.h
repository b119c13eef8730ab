#pragma once
// The only ways in which State changes, beside the passing of time (tick() in reduce.h).

#include <string>
#include <variant>

#include "story/inputs.h"

namespace commflow {

enum class Action : std::uint8_t {
  play,
  pause,
  toggle_play,
  forward,
  back,
  next,
  previous,
  first,
  last,
  rewind,
  use_suggestion,
  close_panel,
  // These change nothing here; who runs the program hands something out.
  copy_link,
  copy_picture,
  download_picture,
  copy_rounds,
  download_schedule,
  download_counts
};
inline constexpr int kActions = 18;
std::string_view name_of(Action action);  // "toggle_play"
std::optional<Action> action_named(std::string_view name);

struct Set {
  FieldId field{};
  int value = 0;
};
struct Press {
  Action action{};
};
// With no rows: back to what the seed makes.
struct Fill {
  InputId input{};
  Rows rows;
};
// A press on a square of the routing table: the token goes to that expert in place of its last choice; a square that it
// goes to already becomes its last choice, so that the next press replaces it.
struct Route {
  int token = 0;
  int expert = 0;
};
struct Open {
  State state;  // replaces what a link carries, see url.h
};
using Event = std::variant<Set, Press, Fill, Route, Open>;

// Who caused it, so that a host can ignore its own echo.
enum class Source : std::uint8_t { user, api, url, system };

}  // namespace commflow

#pragma once
// What reaches the program from outside: messages as JSON, from the mirror, the
// element's attributes, the address or a host page (web/session.js lists them).
// Rubbish never crashes: it becomes a note that says what was expected.
//   {"type": "set", "id": "ep", "value": 4 or "4" or the name of a value}
//   {"type": "set", "id": "routing", "value": "0,3;7,1"}: an input, see story/inputs.h
//   {"type": "press", "id": "toggle_play" or "gpu.3" or "step.dispatch"}, see story/reduce.h; also an on-off field
//   {"type": "open", "state": "#v=1&step=dispatch"}
//   {"type": "environment", "theme": "dark", "motion": "reduced", "lang": "zh"}
// each with an optional "source": user, api (the default), url or system.

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/parsed.h"
#include "story/event.h"
#include "story/library.h"

namespace commflow {

// What the surroundings say; nothing where they did not say it.
struct Environment {
  std::optional<bool> dark;
  std::optional<bool> reduced_motion;
  std::optional<Lang> lang;
};

struct Told {
  Event event;
  Source source = Source::api;
};

struct Message {
  std::variant<std::monostate, Told, Refused, Environment> what;  // monostate: nothing to be done
  std::vector<std::string> notes;                                 // for the console
};

Message read_message(std::string_view text, const State& state, const Library& library);

std::string_view name_of(Source source);  // "user"

}  // namespace commflow

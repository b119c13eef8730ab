#pragma once
// The state machine that the page, the native program and the tests share.

#include "story/derive.h"
#include "story/event.h"

namespace commflow {

// The next state. Ends in normalise(), and the position is kept inside the step.
State reduce(State state, const Event& event, Deriver& deriver);

// What a control did, as an event: a field ("tokens", with its new value), an
// action ("toggle_play"), a field with one of its values ("step.dispatch",
// "gpu.3", "panel.log"; a GPU or panel pressed again is let go), a square of the
// routing table ("route.TOKEN.EXPERT"), or an input to be given up ("clear.values"). nullopt for anything else.
std::optional<Event> event_of(std::string_view id, bool is_set, int value, const State& state, const Library& library);

// Time passes; moves the position while playing, stops at the end of the step
// (or of the round, when a single round is played). Exactly additive:
// tick(tick(s, a), b) == tick(s, a + b).
State tick(State state, int milliseconds, Deriver& deriver);

}  // namespace commflow

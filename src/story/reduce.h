#pragma once
// The state machine that the page, the native program and the tests share.

#include "story/derive.h"
#include "story/event.h"

namespace commflow {

// The next state. Ends in normalise(), and the position is kept inside the step.
State reduce(State state, const Event& event, Deriver& deriver);

// Time passes; moves the position while playing, stops at the end of the step
// (or of the round, when a single round is played). Exactly additive:
// tick(tick(s, a), b) == tick(s, a + b).
State tick(State state, int milliseconds, Deriver& deriver);

}  // namespace commflow

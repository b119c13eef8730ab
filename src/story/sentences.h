#pragma once
// What happens, in words: one sentence per beat, for the live line, the log and
// the screen reader. All of it is read off the schedules and buffers that are
// drawn.

#include <string>
#include <vector>

#include "story/derive.h"

namespace commflow {

// The beat's sentence: what its round sends, or what is computed. Names the
// transfers around `focus` first.
std::string beat_sentence(const State& state, const Derived& derived, const Library& library, int beat, Rank focus);

// The sentence for the present moment: before, during and after the step.
std::string live_sentence(const State& state, const Derived& derived, const Library& library);

// Every transfer of a beat with its arithmetic, one line each.
std::vector<std::string> beat_log(const State& state, const Derived& derived, const Library& library, int beat);

}  // namespace commflow

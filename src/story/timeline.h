#pragma once
// Time is an argument. A step is a row of beats, one per round or local
// computation; a position inside it names one beat and how far it has got.
// Nothing is started or undone, so seeking, links and tests are one path.

#include <vector>

#include "core/tiny_model.h"

namespace commflow {

// Quarter milliseconds: a round moves for 700 ms, then rests for 250 ms.
inline constexpr int kMotion = 4 * 700;
inline constexpr int kBeat = 4 * (700 + 250);

struct Beat {
  int phase = -1;  // index into tiny::Run::phases, -1: nothing happens in this step
  int round = -1;  // of the phase's schedules, -1: a local computation
};

struct Timeline {
  std::vector<Beat> beats;  // never empty
  int length() const { return static_cast<int>(beats.size()) * kBeat; }
};

// Rounds of a phase: the most rounds any of its schedules has.
int rounds_of(const tiny::Phase& phase);

// The beats of one walk step.
Timeline timeline_of(const tiny::Run& run, tiny::Step step);

// Positions in (k * kBeat, (k + 1) * kBeat] belong to beat k; position 0 is the
// state before anything moved.
struct Moment {
  int beat = 0;
  float fraction = 0;    // 0: not begun, 1: arrived; eased
  bool started = false;  // false only at position 0
  Beat at{};
};
// With reduced motion the fraction is 0 or 1 and nothing else changes.
Moment moment_at(const Timeline& timeline, int position, bool reduced_motion);

}  // namespace commflow

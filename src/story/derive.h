#pragma once
// Everything that follows from a State and does not depend on the clock: the
// executed run of the tiny model, the time line of every step, and what plays on
// the page that is open. Memoised on the fields it reads; never stored in State.

#include <array>
#include <optional>
#include <vector>

#include "core/walk_limits.h"
#include "story/collective_run.h"
#include "story/examples.h"
#include "story/expert_view.h"
#include "story/fields.h"
#include "story/glance.h"
#include "story/library.h"
#include "story/timeline.h"

namespace commflow {

// What a state asks for, of the chosen real model.
Layout layout_of(const State& state);
Workload workload_of(const State& state, const Library& library);

struct Derived {
  Workload work;
  Layout layout;
  bool dense = false;                  // the chosen model has no experts
  std::optional<WalkProblem> problem;  // why the layout cannot be
  bool executed = false;               // small enough to be run, not only counted; never with a problem
  tiny::Run run;                       // empty unless executed
  std::vector<Timeline> steps;         // one per step of the walk
  // Filled while their pages are open: concepts, collectives, experts.
  std::vector<Example> examples;
  std::vector<Timeline> example_timelines;
  CollectiveRun collective;
  ExpertView experts;
  // Of what plays on the page of `state`; of the walk where this program lacks that page.
  const Timeline& timeline(const State& state) const;
};

// Of the chosen step of the walk.
const Timeline& walk_timeline(const State& state, const Derived& derived);

// Height that the tallest moment of a step of the walk needs, so that nothing jumps while it plays.
struct WalkRoom {
  float grid = 0;
  float others = 0;
  bool split = false;
};

class Deriver {
 public:
  explicit Deriver(const Library& library) : library_(&library) {}
  const Library& library() const { return *library_; }
  const Derived& derive(const State& state);
  const Glance& glance(const State& state);
  // Measured by `measure` when the step, the width or what is chosen in it is another one than last time; never for a
  // mere change of position.
  using Measure = WalkRoom (*)(const State& state, const Derived& derived, const Library& library, float width);
  const WalkRoom& walk_room(const State& state, float width, Measure measure);
  // After the library was reloaded.
  void forget() {
    derived_ = {};
    page_keys_ = {};
    glance_.key.reset();
    room_.key.reset();
  }

 private:
  template <class Value>
  struct Memo {
    std::optional<State> key;  // the fields that were read
    Value value;
  };
  const Library* library_;
  Memo<Derived> derived_;
  std::array<std::optional<State>, kPages> page_keys_;  // of what lies in derived_ for single pages
  Memo<Glance> glance_;
  Memo<WalkRoom> room_;
  float room_width_ = 0;
};

}  // namespace commflow

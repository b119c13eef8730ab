#pragma once
// Everything that follows from a State and does not depend on the clock: the
// executed run of the tiny model and the time line of every step. Memoised on
// the fields it reads; never stored in State.

#include <optional>
#include <vector>

#include "core/walk_limits.h"
#include "story/fields.h"
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
  const Timeline& timeline(const State& state) const { return steps[static_cast<std::size_t>(state.step)]; }
};

class Deriver {
 public:
  explicit Deriver(const Library& library) : library_(&library) {}
  const Library& library() const { return *library_; }
  const Derived& derive(const State& state);
  // After the library was reloaded.
  void forget() { key_.reset(); }

 private:
  const Library* library_;
  std::optional<State> key_;
  Derived derived_;
};

}  // namespace commflow

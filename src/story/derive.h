#pragma once
// Everything that follows from a State and does not depend on the clock: the
// executed run of the tiny model and the time line of every step. Memoised on
// the fields it reads; never stored in State.

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
  std::vector<Example> examples;       // of the concepts page
  std::vector<Timeline> example_timelines;
  CollectiveRun collective;  // only while the collectives page is open
  ExpertView experts;        // made when the experts page asks for it
  // Of what plays on the page of `state`.
  const Timeline& timeline(const State& state) const {
    if (state.page == static_cast<int>(PageId::concepts))
      return example_timelines[static_cast<std::size_t>(state.example)];
    if (state.page == static_cast<int>(PageId::collectives)) return collective.timeline;
    if (state.page == static_cast<int>(PageId::experts)) return experts.timeline;
    return steps[static_cast<std::size_t>(state.step)];
  }
};

class Deriver {
 public:
  explicit Deriver(const Library& library) : library_(&library) {}
  const Library& library() const { return *library_; }
  const Derived& derive(const State& state);
  const Glance& glance(const State& state);
  // After the library was reloaded.
  void forget() {
    derived_.key.reset();
    collective_key_.reset();
    glance_.key.reset();
    experts_key_.reset();
  }

 private:
  template <class Value>
  struct Memo {
    std::optional<State> key;  // the fields that were read
    Value value;
  };
  const Library* library_;
  Memo<Derived> derived_;
  std::optional<State> collective_key_;
  std::optional<State> experts_key_;  // of what lies in derived_
  Memo<Glance> glance_;
};

}  // namespace commflow

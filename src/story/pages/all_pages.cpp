#include "story/pages/collectives_page.h"
#include "story/pages/concepts_page.h"
#include "story/pages/experts_page.h"
#include "story/pages/page_rows.h"
#include "story/pages/walk_page.h"

namespace commflow {
namespace {

void derive_concepts(const State&, const Library&, Derived& derived, std::optional<State>& key) {
  if (key) return;
  key.emplace();
  derived.examples = make_examples();
  derived.example_timelines.clear();
  for (const Example& example : derived.examples) derived.example_timelines.push_back(timeline_of(example));
}

void derive_collectives(const State& state, const Library& library, Derived& derived, std::optional<State>& key) {
  const State wanted = collective_key_of(state);
  if (key == wanted) return;
  derived.collective = make_collective_run(state, library, derived.collective);
  key = wanted;
}

void derive_experts(const State& state, const Library& library, Derived& derived, std::optional<State>& key) {
  const State wanted = expert_key_of(state);
  if (key == wanted) return;
  derived.experts = make_expert_view(state, library, derived.experts);
  key = wanted;
}

const Timeline& example_timeline(const State& state, const Derived& derived) {
  return derived.example_timelines[static_cast<std::size_t>(state.example)];
}
const Timeline& collective_timeline(const State&, const Derived& derived) {
  return derived.collective.timeline;
}
const Timeline& expert_timeline(const State&, const Derived& derived) {
  return derived.experts.timeline;
}

constexpr PageRow kRows[] = {
    {PageId::walk, add_walk_page, walk_figure, walk_timeline, nullptr},
    {PageId::concepts, add_concepts_page, concepts_figure, example_timeline, derive_concepts},
    {PageId::collectives, add_collectives_page, collectives_figure, collective_timeline, derive_collectives,
     collectives_file},
    {PageId::experts, add_experts_page, experts_page_figure, expert_timeline, derive_experts},
};

}  // namespace

std::span<const PageRow> page_rows() {
  return kRows;
}

}  // namespace commflow

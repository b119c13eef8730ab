#include "story/stills.h"

#include "story/pages/pages.h"
#include "story/svg.h"

namespace commflow {

std::vector<Still> stills_of(const Page& page, const State& state, Deriver& deriver, float width, Theme theme) {
  return stills_of(
      page, state, deriver, [width](const Block&) { return width; }, theme);
}

std::vector<Still> stills_of(const Page& page, const State& state, Deriver& deriver,
                             const std::function<float(const Block&)>& width_of, Theme theme) {
  std::vector<Still> stills;
  for (const Block& block : page.blocks) {
    if (block.kind != BlockKind::figure) continue;
    const Figure figure = make_figure(block.id, {width_of(block)}, state, deriver, true);
    stills.push_back({block.id, figure.width, figure.height, svg_of(figure, theme, page.title, block.alt)});
  }
  return stills;
}

namespace {

const tiny::Phase* phase_of(const Derived& derived, const Beat& beat) {
  if (beat.phase < 0 || beat.round < 0) return nullptr;
  return &derived.run.phases[static_cast<std::size_t>(beat.phase)];
}

// What the step is about: its collective, rather one that carries tokens; otherwise whatever is sent.
int importance(const tiny::Phase& phase, Collective primitive) {
  const tiny::Communication& first = phase.communications.front();
  return (first.collective == primitive ? 2 : 0) + (first.copies.empty() ? 0 : 1);
}

}  // namespace

State at_telling_moment(State state, Deriver& deriver) {
  const Derived& derived = deriver.derive(state);
  const auto& steps = deriver.library().walk.steps;
  if (state.page != static_cast<int>(PageId::walk)) return state;
  if (derived.problem || steps.empty()) return state;
  const Collective primitive = steps[static_cast<std::size_t>(state.step)].primitive;
  const auto& beats = derived.timeline(state).beats;
  std::size_t first = 0, end = beats.size();
  int most = -1;
  for (std::size_t i = 0; i < beats.size(); ++i) {
    const tiny::Phase* phase = phase_of(derived, beats[i]);
    if (phase == nullptr) continue;
    if (most >= 0 && beats[i].phase == beats[first].phase) end = i + 1;
    if (importance(*phase, primitive) <= most) continue;
    most = importance(*phase, primitive);
    first = i;
    end = i + 1;
  }
  // Before the first of several rounds all links of the phase are drawn, and what will arrive is pale.
  const bool shows_all_links = first == 0 && end > 1 && most >= 0;
  state.at = shows_all_links ? 0 : static_cast<int>(end) * kBeat;
  state.playing = 0;
  return state;
}

}  // namespace commflow

#include "story/timeline.h"

#include <algorithm>

namespace commflow {

int rounds_of(const tiny::Phase& phase) {
  std::size_t rounds = 0;
  for (const auto& communication : phase.communications)
    rounds = std::max(rounds, communication.schedule.rounds.size());
  return static_cast<int>(rounds);
}

Timeline timeline_of(const tiny::Run& run, tiny::Step step) {
  Timeline timeline;
  for (std::size_t i = 0; i < run.phases.size(); ++i) {
    const tiny::Phase& phase = run.phases[i];
    if (phase.step != step) continue;
    const int index = static_cast<int>(i);
    if (phase.compute != tiny::Compute::none) timeline.beats.push_back({index, -1});
    for (int round = 0; round < rounds_of(phase); ++round) timeline.beats.push_back({index, round});
  }
  if (timeline.beats.empty()) timeline.beats.push_back({});
  return timeline;
}

Moment moment_at(const Timeline& timeline, int position, bool reduced_motion) {
  const int last = static_cast<int>(timeline.beats.size()) - 1;
  Moment moment;
  moment.started = position > 0;
  moment.beat = position <= 0 ? 0 : std::min(last, (position - 1) / kBeat);
  moment.at = timeline.beats[static_cast<std::size_t>(moment.beat)];
  const int into = std::min(position - moment.beat * kBeat, kMotion);
  const float t = static_cast<float>(std::max(0, into)) / static_cast<float>(kMotion);
  if (reduced_motion) {
    moment.fraction = moment.started ? 1.0F : 0.0F;
  } else {
    moment.fraction = t * t * (3 - 2 * t);
  }
  return moment;
}

}  // namespace commflow

// Which GPUs are drawn in full, and what each is doing, in a phrase.

#include <algorithm>

#include "story/figures/walk_scene.h"
#include "story/follow.h"

#include "core/ordering.h"

namespace commflow {

bool takes_part(const tiny::Phase& phase, Rank rank) {
  return std::find(phase.active.begin(), phase.active.end(), rank) != phase.active.end();
}

std::vector<Rank> cards_at(const Scene& scene, const tiny::Phase& phase, std::size_t most) {
  std::vector<Rank> ranks;
  const auto take = [&](Rank rank) {
    if (ranks.size() < most && std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
  };
  const Layout& layout = scene.derived.layout;
  // Where the reader looks: at a GPU, else at the home of a token.
  Rank focus = phase.active.empty() ? 0 : phase.active.front();
  const int token = scene.state.token;
  if (token >= 0 && takes_part(phase, home_of_token(layout, token, phase.layer)))
    focus = home_of_token(layout, token, phase.layer);
  if (takes_part(phase, scene.state.gpu)) focus = scene.state.gpu;
  // Whole groups, the focus group first, then those of the focus' TP partners.
  std::vector<Rank> seeds{focus};
  for (const Rank rank : group_of(layout, Dimension::tp, focus))
    if (takes_part(phase, rank)) seeds.push_back(rank);
  for (const Rank rank : phase.active) seeds.push_back(rank);
  for (const Rank seed : seeds) {
    bool grouped = false;
    for (const auto& communication : phase.communications) {
      if (local_rank(communication, seed) < 0) continue;
      grouped = true;
      if (ranks.empty() || ranks.size() + communication.members.size() <= most || communication.members.size() > most)
        for (const Rank member : communication.members) take(member);
    }
    if (!grouped) take(seed);
  }
  sort_stably(ranks);
  return ranks;
}

Text role_of(const Scene& scene, Rank rank) {
  const tiny::Phase* phase = scene.phase();
  if (phase == nullptr || !takes_part(*phase, rank)) return Text::role_waits;
  const WalkStep& step = scene.library.walk.steps[static_cast<std::size_t>(scene.state.step)];
  const auto& beats = scene.derived.timeline(scene.state).beats;
  const auto is_round = [](const Beat& beat) { return beat.round >= 0; };
  const auto first = std::find_if(beats.begin(), beats.end(), is_round) - beats.begin();
  const auto last = std::find_if(beats.rbegin(), beats.rend(), is_round);
  const auto beat = static_cast<std::ptrdiff_t>(scene.moment.beat);
  const bool after = beats.rend() - last - 1 < beat ||
                     (scene.moment.fraction >= 1 && beat + 1 == static_cast<std::ptrdiff_t>(beats.size()));
  const std::string moment = !scene.moment.started || beat < first ? "before" : after ? "after" : "now";
  std::vector<std::string> suffixes{moment};
  for (const auto& communication : phase->communications) {
    const int local = local_rank(communication, rank);
    if (local < 0 || moment == "after") continue;
    const bool root = needs_root(communication.collective) && local == communication.root;
    if (root) suffixes = {"root", moment};
    if (moment == "now")
      suffixes =
          root ? std::vector<std::string>{"root", "sender", moment} : std::vector<std::string>{"receiver", moment};
  }
  const bool dense = scene.derived.dense && step.dense_texts;
  const std::string id = dense ? (step.id == "route"      ? "dense_up"
                                  : step.id == "dispatch" ? "dense_mlp"
                                                          : "dense_down")
                               : step.id;
  for (const std::string& suffix : suffixes)
    if (const auto key = text_named("role." + id + "." + suffix)) return *key;
  return Text::role_computes;
}

}  // namespace commflow

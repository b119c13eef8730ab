#include "core/walk_limits.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <tuple>

namespace commflow {

namespace {

bool divides(std::int64_t divisor, std::int64_t number) {
  return number % divisor == 0;
}

// Sizes may be anything: exact up to a million GPUs, a million above.
std::int64_t gpus_of(const Layout& layout) {
  constexpr std::int64_t kMost = 1'000'000;
  std::int64_t gpus = 1;
  for (const int size : {layout.tp, layout.pp, layout.dp, layout.cp}) gpus = std::min(gpus * size, kMost);
  return gpus;
}

std::optional<WalkProblem> size_misfit(const Layout& layout) {
  const int least = std::min({layout.tp, layout.pp, layout.dp, layout.ep, layout.cp, layout.etp});
  if (least < 1) return WalkProblem{Misfit::size_below_one, least, 1, {}, {}};
  const std::int64_t gpus = gpus_of(layout);
  if (gpus > kMaxWalkGpus) return WalkProblem{Misfit::too_many_gpus, gpus, kMaxWalkGpus, {}, {}};
  if (layout.cp > 1 || layout.etp > 1) {
    return WalkProblem{Misfit::context_or_expert_tp, std::int64_t{layout.cp} * layout.etp, 1, {}, {}};
  }
  return std::nullopt;
}

std::optional<WalkProblem> attention_misfit(const Model& model, int tp) {
  if (!divides(tp, model.heads)) return WalkProblem{Misfit::heads, tp, model.heads, {}, {}};
  if (has_latent_attention(model)) return std::nullopt;
  const bool fits = divides(tp, model.kv_heads) || divides(model.kv_heads, tp);
  if (!fits) return WalkProblem{Misfit::kv_heads, tp, model.kv_heads, {}, {}};
  return std::nullopt;
}

std::optional<WalkProblem> misfit(const Workload& work) {
  const Layout& layout = work.layout;
  if (auto problem = size_misfit(layout)) return problem;
  const int stage_gpus = layout.tp * layout.dp;
  if (!divides(layout.ep, stage_gpus)) return WalkProblem{Misfit::ep_in_stage, layout.ep, stage_gpus, {}, {}};
  if (!divides(layout.ep, work.model.experts)) {
    return WalkProblem{Misfit::experts, layout.ep, work.model.experts, {}, {}};
  }
  if (auto problem = attention_misfit(work.model, layout.tp)) return problem;
  if (layout.pp > work.model.layers) return WalkProblem{Misfit::layers, layout.pp, work.model.layers, {}, {}};
  if (work.tokens < layout.tp || !divides(layout.tp, work.tokens)) {
    return WalkProblem{Misfit::tokens, layout.tp, work.tokens, {}, {}};
  }
  return std::nullopt;
}

using Sizes = std::array<std::int64_t, 6>;
Sizes sizes_of(const Layout& layout) {
  return {layout.tp, layout.pp, layout.dp, layout.ep, layout.cp, layout.etp};
}

// Smaller is nearer; the sizes themselves break ties.
using Distance = std::tuple<int, std::int64_t, std::int64_t, Sizes>;
Distance distance(const Layout& wanted, const Layout& offered) {
  const Sizes a = sizes_of(wanted);
  const Sizes b = sizes_of(offered);
  int changed = 0;
  std::int64_t change = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    changed += a[i] != b[i] ? 1 : 0;
    change += std::abs(a[i] - b[i]);
  }
  return {changed, gpus_of(wanted) == gpus_of(offered) ? 0 : 1, change, b};
}

std::optional<Layout> nearest_layout(Workload work) {
  const Layout wanted = work.layout;
  std::optional<Layout> nearest;
  Layout& candidate = work.layout;
  candidate.cp = candidate.etp = 1;
  for (candidate.tp = 1; candidate.tp <= kMaxWalkGpus; ++candidate.tp) {
    for (candidate.pp = 1; candidate.tp * candidate.pp <= kMaxWalkGpus; ++candidate.pp) {
      for (candidate.dp = 1; world_size(candidate) <= kMaxWalkGpus; ++candidate.dp) {
        for (candidate.ep = 1; candidate.ep <= candidate.tp * candidate.dp; ++candidate.ep) {
          if (misfit(work)) continue;
          if (!nearest || distance(wanted, candidate) < distance(wanted, *nearest)) nearest = candidate;
        }
      }
    }
  }
  return nearest;
}

std::int64_t nearest_multiple(std::int64_t number, std::int64_t of) {
  return std::max<std::int64_t>(1, (number + of / 2) / of) * of;
}

}  // namespace

std::optional<WalkProblem> walk_problem(const Workload& work) {
  std::optional<WalkProblem> problem = misfit(work);
  if (!problem) return std::nullopt;
  problem->suggestion = nearest_layout(work);
  if (problem->misfit == Misfit::tokens) problem->suggested_tokens = nearest_multiple(work.tokens, work.layout.tp);
  return problem;
}

}  // namespace commflow

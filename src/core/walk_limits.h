#pragma once
// Which layouts the walk can show for a model, why another one cannot be, and
// what would work. Answers in kinds and numbers, so that a page can say it in
// any language.

#include <optional>

#include "core/workload.h"

namespace commflow {

inline constexpr int kMaxWalkGpus = 16;

enum class Misfit : std::uint8_t {
  size_below_one,        // value: the size
  too_many_gpus,         // value: GPUs, limit: 16
  context_or_expert_tp,  // cp and etp must be 1; value: cp * etp
  ep_in_stage,           // ep must divide tp * dp; value: ep, limit: tp * dp
  experts,               // ep must divide the experts of a layer; value: ep, limit: experts
  heads,                 // tp must divide the attention heads; value: tp, limit: heads
  kv_heads,              // tp and the key and value heads: one must divide the other
  layers,                // a stage needs a layer; value: pp, limit: layers
  tokens                 // tp must divide the tokens; value: tp, limit: tokens
};

struct WalkProblem {
  Misfit misfit{};
  std::int64_t value = 0;
  std::int64_t limit = 0;
  // The nearest layout that works: fewest sizes changed, then the same number of
  // GPUs if possible, then the smallest changes.
  std::optional<Layout> suggestion;
  // The nearest number of tokens that works with the layout as it is; for Misfit::tokens.
  std::optional<std::int64_t> suggested_tokens;
};

// nullopt: the walk can show it, and everything in workload.h is defined.
std::optional<WalkProblem> walk_problem(const Workload& work);

}  // namespace commflow

#pragma once
// Estimates for a layer of usual size, scaled up from what is counted on the one
// that is drawn: the same layer by other exchanges, and what hides behind what.

#include <array>
#include <optional>

#include "core/expert_alternatives.h"
#include "core/expert_overlap.h"
#include "story/expert_view.h"
#include "story/library.h"

namespace commflow {

// Tokens of a micro-batch on one GPU, as DeepEP measures its training kernels.
inline constexpr int kUsualTokens = 4096;
inline constexpr int kOverlappedLayers = 2;

// The link that an exchange of all GPUs depends on: the network, or NVLink inside one node.
PortModel expert_port(const State& state, const ExpertView& view, const Library& library);

std::array<experts::Alternative, experts::kWays> expert_ways(const ExpertView& view);

struct ExpertOverlap {
  experts::StageTimes times;  // nanoseconds, of one micro-batch in one layer
  experts::Overlap alone;     // one micro-batch
  experts::Overlap together;  // two that take turns
};
// nullopt without experts, or where the GPU's speed is not published. Attention and
// experts by the operations of their products, exchanges by the busiest GPU's bytes
// over its slower link and a latency per partner.
std::optional<ExpertOverlap> expert_overlap(const State& state, const ExpertView& view, const Library& library);

}  // namespace commflow

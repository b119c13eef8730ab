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

// Tokens of a micro-batch on one GPU: those of the chosen real setting, else as many as DeepEP measures its training
// kernels with.
int usual_tokens(const State& state, const ExpertView& view);
inline constexpr int kOverlappedLayers = 2;

// The link that an exchange of all GPUs depends on: the network, or NVLink inside one node.
PortModel expert_port(const State& state, const ExpertView& view, const Library& library);

std::array<experts::Alternative, experts::kWays> expert_ways(const ExpertView& view);

struct ExpertOverlap {
  experts::StageTimes times;  // nanoseconds, of one micro-batch in one layer
  experts::Overlap alone;     // one micro-batch
  experts::Overlap together;  // two that take turns
};
// How fast the exchanges alone let a request be decoded, at the link's full rate (see core/expert_overlap.h). nullopt
// where what is counted is no real setting with few tokens over several nodes.
std::optional<experts::DecodeLimit> expert_decode_limit(const State& state, const ExpertView& view,
                                                        const Library& library);

// nullopt without experts, or where the GPU's speed is not published. Attention and
// experts by the operations of their products, exchanges by the busiest GPU's bytes
// over its slower link and a latency per hop, to all partners at once.
std::optional<ExpertOverlap> expert_overlap(const State& state, const ExpertView& view, const Library& library);

}  // namespace commflow

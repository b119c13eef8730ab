#pragma once
// What lies between the cards: frames of groups, links with their bytes, and
// the cells that travel.

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "story/figures/scene.h"

namespace commflow {

using CardBoxes = std::map<Rank, Box>;

Ink ink_of(Dimension dimension);
Stroke stroke_of(Dimension dimension);
std::string_view dimension_name(Dimension dimension);  // "expert_dp"
std::string underscored(std::string_view name);        // "all-reduce" -> "all_reduce"

// What the step counts that belongs to this phase.
std::optional<QuantityId> quantity_of(const Scene& scene, const tiny::Phase& phase);
// Bytes of the real model in one message of the phase: its payload over the
// blocks of the collective; for dispatch and combine the expected share.
Bytes bytes_per_message(const Quantity& quantity, Collective collective);

void draw_group_frames(Scene& scene, const tiny::Phase& phase, const CardBoxes& cards);
void draw_links(Scene& scene, const tiny::Phase& phase, const std::vector<Exchange>& exchanges, const CardBoxes& cards);
// `places` also holds the chips of GPUs that are not drawn in full.
void draw_flights(Scene& scene, const std::vector<Exchange>& exchanges, const CardBoxes& cards,
                  const CardBoxes& places);

}  // namespace commflow

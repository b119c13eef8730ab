#pragma once
// One expert-parallel layer, token by token: stages that play, choices, what is
// counted, the same layer by other means, and what hides behind what.

#include "story/figure.h"
#include "story/pages/parts.h"

namespace commflow {

void add_experts_page(const parts::Context& c, Page& page);
// "expert_layer", "routing_squares", and what expert_context_figure() knows.
Figure experts_page_figure(std::string_view block_id, FigureSpace space, const parts::Context& c, bool reduced_motion);

namespace parts {
// Everything that a reader can choose about the layer (expert_choices.cpp).
void add_expert_choices(const Context& c, Page& page);
// The routing table as squares and as a text, where it is to be edited (expert_routing_part.cpp).
void add_expert_routing(const Context& c, Page& page);
// What is counted on the layer (expert_meters.cpp).
void add_expert_meters(const Context& c, Page& page);
// Backward, other exchanges for the same layer, overlap (expert_other.cpp).
void add_expert_context(const Context& c, Page& page);
// "expert_ways", "expert_overlap".
Figure expert_context_figure(std::string_view block_id, FigureSpace space, const Context& c);
}  // namespace parts

}  // namespace commflow

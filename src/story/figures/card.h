#pragma once
// The inside of a GPU's card: the blocks it holds before and after a
// collective, the matrices of a local computation, or its tokens and experts.
// One code path measures and draws, so that heights cannot disagree.

#include "story/figures/scene.h"

namespace commflow {

// Writes downwards into a card; a dry pen only measures.
struct Pen {
  Scene& scene;
  Box area;     // inside of the card
  float y = 0;  // next free row, absolute
  bool dry = false;
  void add(Shape shape) const {
    if (!dry) scene.add(std::move(shape));
  }
  void slot(Rank rank, Area area_of_slot, int index, Box box) const {
    if (!dry) scene.slots[{rank, area_of_slot, index}] = box;
  }
};

// A step with one collective and a few local computations fits into one picture:
// what is computed before it, its blocks before and after, what is computed from
// them. Then the phase of that collective; null where a step is shown phase by phase.
const tiny::Phase* whole_step(const Scene& scene);

// Anything of `phase` on `rank`, chosen by what the phase is.
void draw_body(Pen& pen, const tiny::Phase& phase, const std::vector<Exchange>& exchanges, Rank rank);

// The blocks of one collective, before and after.
void draw_blocks(Pen& pen, const Exchange& exchange, Rank rank);

// Tokens at home and experts (card_experts.cpp): all phases from the router's
// scores to the weighted sum, and their mirrors on the way back.
bool is_expert_phase(const tiny::Phase& phase);
void draw_experts_body(Pen& pen, const tiny::Phase& phase, const std::vector<Exchange>& exchanges, Rank rank);

// All copies of the tokens of one layer in the group of `rank`, from what the
// router chose; numbered like the buffers of dispatch (see tiny::Copy).
std::vector<tiny::Copy> copies_of(const Scene& scene, int layer, Rank rank);

// The numbers of one token or row, stacked.
void draw_column(const Pen& pen, Box box, std::span<const Value> values, const std::vector<Ink>& inks, float opacity);

// Whether this token is the one that is followed, and the frame it has then.
bool follows(const Scene& scene, int token);
void draw_follow_mark(const Pen& pen, Box box);

// The text of the numbers of a row, "12 7".
std::string digits_of(std::span<const Value> values);

}  // namespace commflow

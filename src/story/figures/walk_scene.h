#pragma once
// The picture of the walk: the GPUs of the step's groups as cards, the links
// between them, what travels, and the others pale.

#include "story/figures/scene.h"

namespace commflow {

// Draws into scene.figure; needs scene.space.width, leaves the height.
void draw_walk(Scene& scene, const WalkRoom& room);
// The room of the whole step, see Deriver::walk_room().
WalkRoom measure_walk(const State& state, const Derived& derived, const Library& library, float width);

// Ranks drawn in full at this moment, at most `most`, ascending.
std::vector<Rank> cards_at(const Scene& scene, const tiny::Phase& phase, std::size_t most);

// Whether a rank is active in a phase.
bool takes_part(const tiny::Phase& phase, Rank rank);

// What a rank does right now, a key like role.dispatch.now.
Text role_of(const Scene& scene, Rank rank);

// The split matrix of the expert group of the first card: rows from, columns to
// (split_matrix.cpp).
void draw_split_matrix(Scene& scene, const tiny::Phase& phase, Rank rank, Box room);
float split_matrix_height(int ranks);

}  // namespace commflow

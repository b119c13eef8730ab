#pragma once
// What all parts of the walk's picture share: the moment, the buffers at that
// moment, and where slots ended up on the page, so that flights find them.

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "story/derive.h"
#include "story/figure.h"

namespace commflow {

// A slot of one global rank in the phase that is drawn.
using SlotKey = std::tuple<Rank, Area, int>;

struct Scene {
  const State& state;
  const Derived& derived;
  const Library& library;
  Moment moment;
  bool reduced_motion = false;
  FigureSpace space;
  Figure figure;
  std::map<SlotKey, Box> slots;  // of the phase under way

  const Catalog& words() const { return library.catalogs[static_cast<std::size_t>(state.lang)]; }
  const tiny::Phase* phase() const {
    return moment.at.phase < 0 ? nullptr : &derived.run.phases[static_cast<std::size_t>(moment.at.phase)];
  }
  void add(Shape shape) { figure.shapes.push_back(std::move(shape)); }
};

// A communication of the phase, with its buffers before the round under way and
// after it, and the transfers in between.
struct Exchange {
  const tiny::Communication* communication = nullptr;
  Buffers before;
  Buffers after;
  const Round* round = nullptr;  // null outside rounds
};
// Replays `phase` up to the moment. A phase that lies before the moment's phase
// is complete, one that lies after it has not begun.
std::vector<Exchange> exchanges_at(const Scene& scene, const tiny::Phase& phase);

// The communication a rank takes part in, and its local rank there; -1 if none.
int local_rank(const tiny::Communication& communication, Rank rank);
const Exchange* exchange_of(const std::vector<Exchange>& exchanges, Rank rank);

// The copy of a token that a transfer of dispatch or combine carries; else null.
const tiny::Copy* copy_of(const tiny::Communication& communication, const Transfer& transfer);

// Global ranks of a multiset of local origins, as inks left to right.
std::vector<Ink> inks_of(Origins from, const std::vector<Rank>& members);

// What a local computation does, in a line with the tiny model's own constants.
std::string compute_text(const Scene& scene, tiny::Compute compute);

// Why a layout is only counted: the largest sizes that are executed.
std::string beyond_text(const Catalog& words);

// The first phase of the run with this layer, direction and local computation.
const tiny::Phase* find_compute(const tiny::Run& run, int layer, tiny::Compute compute);
// A matrix that a phase shows on a rank: the last one of that name, or null.
const tiny::Matrix* find_matrix(const tiny::Phase& phase, Rank rank, tiny::Tensor tensor, int index = 0);

}  // namespace commflow

#pragma once
// The figures of a page as still pictures: what is copied, downloaded, printed, put on paper by the build, and shown
// where there is no WebGL. Transfers are arrows in them, as with reduced motion.

#include <functional>
#include <string>
#include <vector>

#include "story/derive.h"
#include "story/page.h"
#include "story/palette.h"

namespace commflow {

struct Still {
  std::string block_id;
  float width = 0;  // in CSS pixels
  float height = 0;
  std::string svg;  // a complete document, see svg.h
};

// Of every figure of `page`, which is make_page(state), in the order of the page; each as wide as its block is said to
// be.
std::vector<Still> stills_of(const Page& page, const State& state, Deriver& deriver,
                             const std::function<float(const Block&)>& width_of, Theme theme);
std::vector<Still> stills_of(const Page& page, const State& state, Deriver& deriver, float width, Theme theme);

// The moment of the same step at which a still says most: what its collective is given and what comes of it, with the
// arrows between.
State at_telling_moment(State state, Deriver& deriver);

}  // namespace commflow

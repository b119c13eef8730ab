#pragma once
// A page and where its parts were drawn, as the JSON that web/mirror.js turns
// into real elements. Without places it is still a complete page.

#include <string>
#include <string_view>
#include <vector>

#include "story/figure.h"
#include "story/page.h"

namespace commflow {

// A control, a target of a figure or a block, in page coordinates.
struct Placed {
  std::string id;
  Box box;
};

struct FigureTargets {
  std::string block_id;
  std::vector<Target> targets;
};

struct ShownPage {
  const Page& page;
  const std::vector<FigureTargets>& figures;
  const std::vector<Placed>& places;
  float width = 0;
  float height = 0;
  std::string_view theme = "light";
};

std::string write_page(const ShownPage& shown);

}  // namespace commflow

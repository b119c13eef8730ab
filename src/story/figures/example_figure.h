#pragma once
// A small collective: one row per GPU, what it has before and after, and the
// cells that travel in between. The chosen one is drawn at its moment, the others
// as a still: before and after.

#include <string>
#include <vector>

#include "story/examples.h"
#include "story/figure.h"

namespace commflow {

struct ExamplePicture {
  const Example& example;
  std::string id;  // of its target; "" for none
  Moment moment;
  bool chosen = false;
  std::string title, before, after;
  std::vector<std::string> badges;  // what uses it
};

float example_height(const ExamplePicture& picture);
// A card as wide as `box`, at its top.
void draw_example(Figure& figure, Box box, const ExamplePicture& picture);

}  // namespace commflow

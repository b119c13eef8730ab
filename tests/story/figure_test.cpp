// What must hold of every figure, at every moment and width: it stays inside its
// room, every GPU can be pressed, and it shows the buffers that were executed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "story/figures/card.h"
#include "story/figures/walk_scene.h"
#include "story/pages/pages.h"
#include "story/reduce.h"
#include "story/svg.h"
#include "story/url.h"
#include "support/pages.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::deriver;
using support::real_library;

constexpr float kWidths[] = {288, 358, 480, 720, 1000};

State at(int step, int position = 0) {
  State state = initial_state(real_library());
  state.step = step;
  state.at = position;
  return reduce(state, Open{state}, deriver());
}

int steps() {
  return static_cast<int>(real_library().walk.steps.size());
}
int length(const State& state) {
  return deriver().derive(state).timeline(state).length();
}

bool finite(const Box& box) {
  return std::isfinite(box.x) && std::isfinite(box.y) && std::isfinite(box.w) && std::isfinite(box.h);
}

void expect_inside(const Figure& figure, const Box& box, const std::string& what) {
  EXPECT_TRUE(finite(box)) << what;
  EXPECT_GE(box.x, -6) << what;
  EXPECT_GE(box.y, -6) << what;
  EXPECT_LE(box.right(), figure.width + 6) << what;
  EXPECT_LE(box.bottom(), figure.height + 6) << what;
}

void expect_well_formed(const Figure& figure, const State& state, float width) {
  const std::string place = encode(state, real_library()) + " at " + std::to_string(static_cast<int>(width));
  ASSERT_GT(figure.height, 0) << place;
  for (const Shape& shape : figure.shapes) {
    if (shape.kind != ShapeKind::path) expect_inside(figure, shape.box, place + " " + shape.text);
    for (const Point& point : shape.points) expect_inside(figure, {point.x, point.y, 0, 0}, place + " path");
    if (!shape.text.empty()) {
      EXPECT_GE(shape.size, 13) << place;
    }
    EXPECT_EQ(shape.text.find('{'), std::string::npos) << place << " " << shape.text;
  }
  std::set<std::string> ids;
  int gpus = 0;
  for (const Target& target : figure.targets) {
    EXPECT_TRUE(ids.insert(target.id).second) << place << " " << target.id;
    expect_inside(figure, target.box, place + " " + target.id);
    // The list of tokens beside the figure does the same with room for a finger.
    const bool token = target.id.rfind("token.", 0) == 0;
    EXPECT_GE(target.box.h, token ? 24 : 32) << place << " " << target.id;
    gpus += target.id.rfind("gpu.", 0) == 0 ? 1 : 0;
    EXPECT_TRUE(event_of(target.id, false, 0, state, real_library()).has_value()) << target.id;
  }
  const Derived& derived = deriver().derive(state);
  if (derived.problem) return;
  EXPECT_EQ(gpus, world_size(derived.layout)) << place;
}

// The room is measured once per step; what a card holds at any moment must fit into it.
TEST(Figure, WhatACardHoldsStaysInItAtEveryMoment) {
  int cells = 0;
  for (int step = 0; step < steps(); ++step)
    for (const float width : kWidths)
      for (int position = 0; position <= length(at(step)); position += kBeat) {
        const State state = at(step, position);
        const Figure figure = make_figure("scene", {width}, state, deriver(), false);
        for (const Shape& card : figure.shapes) {
          if (card.id.rfind("gpu.", 0) != 0) continue;
          for (const Shape& shape : figure.shapes) {
            if (shape.kind != ShapeKind::cell || shape.id.rfind("split.", 0) == 0) continue;
            const Box& box = shape.box;
            const bool begins_inside = box.x >= card.box.x && box.right() <= card.box.right() && box.y >= card.box.y &&
                                       box.y < card.box.bottom();
            if (!begins_inside) continue;
            ++cells;
            EXPECT_LE(box.bottom(), card.box.bottom() + 1)
                << card.id << " step " << step << " at " << position << " w " << width;
          }
        }
      }
  EXPECT_GT(cells, 10000);
}

TEST(Figure, EveryStepMomentAndWidthIsWellFormed) {
  for (int step = 0; step < steps(); ++step)
    for (const float width : kWidths)
      for (int position = 0; position <= length(at(step)); position += kBeat / 2) {
        State state = at(step, position);
        for (const int lang : {0, 1}) {
          state.lang = lang;
          expect_well_formed(make_figure("scene", {width}, state, deriver(), false), state, width);
        }
      }
}

TEST(Figure, RandomStatesAreWellFormed) {
  Rng random(7);
  for (int i = 0; i < 400; ++i) {
    State likely = support::likely_state(random, real_library());
    likely.page = static_cast<int>(PageId::walk);  // the other pages have figures of their own
    const State state = reduce(State{}, Open{likely}, deriver());
    const float width = kWidths[static_cast<std::size_t>(i) % std::size(kWidths)];
    const Figure figure = make_figure("scene", {width}, state, deriver(), i % 2 == 0);
    if (!deriver().derive(state).problem) expect_well_formed(figure, state, width);
  }
}

TEST(Figure, HeightStaysTheSameWhileAStepPlays) {
  for (int step = 0; step < steps(); ++step) {
    // Steps that change their scene (all of the backward pass) may change what stands below the cards.
    const tiny::Step runs = real_library().walk.steps[static_cast<std::size_t>(step)].runs;
    if (runs == tiny::Step::stage2 || runs == tiny::Step::backward) continue;
    const float height = make_figure("scene", {720}, at(step), deriver(), false).height;
    for (int position = 0; position <= length(at(step)); position += kBeat / 3)
      EXPECT_FLOAT_EQ(make_figure("scene", {720}, at(step, position), deriver(), false).height, height)
          << step << " " << position;
  }
}

TEST(Figure, NarrowOnesShowAtMostFourGpusInFull) {
  for (int step = 0; step < steps(); ++step)
    for (int position = 0; position <= length(at(step)); position += kBeat) {
      const State state = at(step, position);
      int cards = 0;
      for (const Shape& shape : make_figure("scene", {358}, state, deriver(), false).shapes)
        cards += shape.id.rfind("gpu.", 0) == 0 ? 1 : 0;
      EXPECT_LE(cards, 4) << encode(state, real_library());
    }
}

// The copies that figures number from the router's choices are those of the dispatch that was executed.
TEST(Figure, CopiesAreThoseOfTheExecutedDispatch) {
  const State state = at(0);
  const Derived& derived = deriver().derive(state);
  const Scene scene{state, derived, real_library(), {}, false, {}, {}, {}};
  int checked = 0;
  for (const tiny::Phase& phase : derived.run.phases)
    for (const auto& communication : phase.communications) {
      if (communication.copies.empty() || phase.backward) continue;
      const auto drawn = copies_of(scene, phase.layer, communication.members.front());
      ASSERT_EQ(drawn.size(), communication.copies.size());
      for (const tiny::Copy& copy : communication.copies) {
        const auto same = std::count_if(drawn.begin(), drawn.end(), [&](const tiny::Copy& d) {
          return d.token == copy.token && d.choice == copy.choice && d.expert == copy.expert && d.gate == copy.gate &&
                 d.home == copy.home && d.host == copy.host && d.in_slot == copy.in_slot && d.out_slot == copy.out_slot;
        });
        EXPECT_EQ(same, 1) << "token " << copy.token << " choice " << copy.choice;
        ++checked;
      }
    }
  EXPECT_GT(checked, 0);
}

// The split matrix adds up to the copies, and its row sums to what each GPU sends.
TEST(Figure, SplitMatrixCountsTheExecutedTransfers) {
  const State state = at(5);
  const Derived& derived = deriver().derive(state);
  std::map<std::pair<Rank, Rank>, int> sent;
  for (const tiny::Phase& phase : derived.run.phases) {
    if (phase.step != tiny::Step::dispatch) continue;
    for (const auto& communication : phase.communications)
      for (const Round& round : communication.schedule.rounds)
        for (const Transfer& transfer : round)
          ++sent[{communication.members[static_cast<std::size_t>(transfer.src.rank)],
                  communication.members[static_cast<std::size_t>(transfer.dst.rank)]}];
  }
  int fields = 0;
  for (const Shape& shape : make_figure("scene", {720}, state, deriver(), false).shapes) {
    int from = -1, to = -1;
    if (std::sscanf(shape.id.c_str(), "split.%d.%d", &from, &to) != 2) continue;
    ++fields;
    EXPECT_EQ(shape.text, std::to_string((sent[{from, to}]))) << shape.id;
  }
  EXPECT_EQ(fields, 16);
}

TEST(Figure, WhatFliesHasLandedAtTheEnd) {
  const State middle = at(5, kBeat / 3), end = at(5, length(at(5)));
  const auto solid_cells = [&](const State& state) {
    int count = 0;
    for (const Shape& shape : make_figure("scene", {720}, state, deriver(), false).shapes)
      count +=
          shape.kind == ShapeKind::cell && shape.opacity >= 1 && !shape.stripes.empty() && shape.id.empty() ? 1 : 0;
    return count;
  };
  const int flying_width = solid_cells(middle);
  EXPECT_GT(flying_width, solid_cells(at(5)));  // in flight on top of what is there
  int arrived = 0;
  for (const Shape& shape : make_figure("scene", {720}, end, deriver(), false).shapes)
    arrived += shape.kind == ShapeKind::cell && shape.opacity >= 1 ? 1 : 0;
  EXPECT_GT(arrived, 32);  // all 32 copies at their experts
}

TEST(Svg, IsWellFormedAndComplete) {
  for (int step = 0; step < steps(); ++step) {
    const Figure figure = make_figure("scene", {720}, at(step), deriver(), true);
    const std::string svg = svg_of(figure, Theme::dark, "a < b", "c & d");
    EXPECT_NE(svg.find("<title>a &lt; b</title><desc>c &amp; d</desc>"), std::string::npos);
    EXPECT_EQ(svg.rfind("</svg>\n"), svg.size() - 7);
    std::size_t texts = 0;
    for (std::size_t found = svg.find("<text"); found != std::string::npos; found = svg.find("<text", found + 1))
      ++texts;
    std::size_t expected = 0;
    for (const Shape& shape : figure.shapes)
      expected += shape.kind == ShapeKind::text || shape.kind == ShapeKind::cell ? 1U : 0U;
    EXPECT_EQ(texts, expected);
  }
}

}  // namespace
}  // namespace commflow

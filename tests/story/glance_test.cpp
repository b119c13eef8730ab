// The strip of all steps, and the token that is followed.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/units.h"
#include "story/figures/card.h"
#include "story/figures/glance_chart.h"
#include "story/follow.h"
#include "story/pages/pages.h"
#include "story/reduce.h"
#include "support/pages.h"

namespace commflow {
namespace {

using support::block;
using support::deriver;
using support::real_library;

State first() {
  return initial_state(real_library());
}
int steps() {
  return static_cast<int>(real_library().walk.steps.size());
}

TEST(Glance, EveryColumnJumpsToItsStep) {
  const State state = first();
  const Figure figure = make_figure("glance", {800}, state, deriver(), false);
  ASSERT_EQ(figure.targets.size(), static_cast<std::size_t>(steps()));
  for (int step = 0; step < steps(); ++step) {
    const auto event = event_of(figure.targets[static_cast<std::size_t>(step)].id, false, 0, state, real_library());
    ASSERT_TRUE(event);
    EXPECT_EQ(reduce(state, *event, deriver()).step, step);
  }
}

// On a logarithmic scale a bar that is taller stands for more, whatever the step.
TEST(Glance, TallerMeansMore) {
  const State state = first();
  const Glance& glance = deriver().glance(state);
  const Figure figure = make_figure("glance", {1000}, state, deriver(), false);
  std::vector<std::pair<Bytes, float>> bars;
  for (std::size_t step = 0; step < glance.steps.size(); ++step) {
    const Box& column = figure.targets[step].box;
    for (const Dimension dimension : {Dimension::tp, Dimension::pp, Dimension::dp, Dimension::ep}) {
      const DimensionCost& cost = glance.steps[step].cost.dimensions[static_cast<std::size_t>(dimension)];
      if (cost.empty()) continue;
      float tallest = 0;
      for (const Shape& shape : figure.shapes) {
        const bool soft = shape.fill == Ink::tp_soft || shape.fill == Ink::pp_soft || shape.fill == Ink::dp_soft ||
                          shape.fill == Ink::ep_soft;
        const Ink full = dimension == Dimension::tp   ? Ink::tp
                         : dimension == Dimension::pp ? Ink::pp
                         : dimension == Dimension::dp ? Ink::dp
                                                      : Ink::ep;
        const bool inside = shape.box.x >= column.x && shape.box.right() <= column.right();
        const bool upper = shape.box.bottom() < column.y + column.h / 2;  // the scale of bytes
        if (soft && shape.line == full && inside && upper) tallest = std::max(tallest, shape.box.h);
      }
      EXPECT_GT(tallest, 0) << "step " << step;
      bars.push_back({cost.step, tallest});
    }
  }
  ASSERT_GT(bars.size(), 10U);
  for (const auto& a : bars)
    for (const auto& b : bars)
      if (a.first > b.first) {
        EXPECT_GE(a.second, b.second) << a.first << " " << b.first;
      }
}

TEST(Glance, LinesSayBytesAndTimes) {
  State state = first();
  const auto lines = glance_lines(state, deriver().glance(state), real_library(), 5);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_NE(lines[0].find("2.25 GiB"), std::string::npos) << "24 layers of 96 MiB: " << lines[0];
  EXPECT_NE(lines[0].find("18 GiB"), std::string::npos) << lines[0];
}

TEST(Glance, AssumptionsChangeTimesAndNothingElse) {
  State state = first();
  const Glance usual = deriver().glance(state);
  state.link_percent = 40;
  const Glance slow = deriver().glance(state);
  for (std::size_t i = 0; i < usual.gpus.size(); ++i) {
    EXPECT_GT(slow.gpus[i].communication_us(), usual.gpus[i].communication_us());
    EXPECT_EQ(slow.gpus[i].compute_us, usual.gpus[i].compute_us);
  }
  EXPECT_EQ(deriver().glance(first()).gpus.front().compute_us, usual.gpus.front().compute_us);
}

// A chosen GPU's steps never add up to more than its whole training step, wherever it stands.
TEST(Glance, StepsOfAGpuAreParts) {
  for (int gpu = 0; gpu < 8; ++gpu) {
    State state = first();
    state.gpu = gpu;
    state.step = steps() - 1;
    const Glance& glance = deriver().glance(state);
    Bytes parts = 0, all = 0;
    for (const Glance::Step& step : glance.steps)
      for (const DimensionCost& cost : step.cost.dimensions) parts += cost.step;
    for (const auto& in : glance.gpus[static_cast<std::size_t>(gpu)].dimensions)
      all += in.share.nvlink + in.share.network;
    EXPECT_LE(parts, all) << gpu;
    EXPECT_GE(static_cast<double>(parts), 0.9 * static_cast<double>(all)) << gpu;
    const Page page = make_page(state, deriver());
    const auto& traffic = block(page, "gpu_traffic").items;
    ASSERT_FALSE(traffic.empty());
    EXPECT_NE(traffic.back().find(text_of_bytes(all)), std::string::npos) << traffic.back();
  }
}

TEST(Glance, TheLastStepSumsUpWhoSentWhat) {
  State state = first();
  state.step = steps() - 1;
  const Page page = make_page(state, deriver());
  const auto& rows = block(page, "glance_gpus").rows;
  ASSERT_EQ(rows.size(), 8U);
  const TrainingStepCost& cost = deriver().glance(state).gpus[3];
  Bytes network = 0;
  for (const auto& in : cost.dimensions) network += in.share.network;
  EXPECT_EQ(rows[3].cells[2], text_of_bytes(network));
}

// ---- following a token -----------------------------------------------------

// Wherever a slot is said to hold a token, it holds what that token's home shows of it.
TEST(Follow, SlotsHoldWhatTheHomeOfTheTokenHolds) {
  const Derived& derived = deriver().derive(first());
  int compared = 0;
  for (const tiny::Phase& phase : derived.run.phases)
    for (const auto& communication : phase.communications) {
      if (communication.collective != Collective::all_gather && communication.collective != Collective::send_recv)
        continue;
      for (std::size_t local = 0; local < communication.members.size(); ++local)
        for (int slot = 0; slot < communication.final.slots(); ++slot) {
          const Place place{static_cast<Rank>(local), Area::out, slot};
          if (!communication.final.filled(place)) continue;
          const auto values = communication.final.values(place);
          for (int row = 0; row < static_cast<int>(values.size()) / communication.columns; ++row) {
            const int token = token_of_slot_row(derived.layout, communication, slot, row);
            if (token < 0) continue;
            const int stage = coordinates_of(derived.layout, communication.members.front()).pp;
            const Rank home = home_of_token(derived.layout, token, stage);
            const int own_row = token % tiny::kTokens % (tiny::kTokens / derived.layout.tp);
            // The last matrix of that name before or in this phase.
            const tiny::Matrix* matrix = nullptr;
            for (const tiny::Phase& other : derived.run.phases) {
              for (const auto& shown : other.shown[static_cast<std::size_t>(home)])
                if (shown.tensor == communication.subject && other.layer == stage && other.backward == phase.backward)
                  matrix = &shown.matrix;
              if (&other == &phase) break;
            }
            if (matrix == nullptr || matrix->cols != communication.columns || own_row >= matrix->rows) continue;
            for (int col = 0; col < matrix->cols; ++col)
              EXPECT_EQ(values[static_cast<std::size_t>(row * matrix->cols + col)], matrix->at(own_row, col))
                  << "token " << token << " in " << tiny::name_of(communication.subject);
            ++compared;
          }
        }
    }
  EXPECT_GT(compared, 50);
}

TEST(Follow, ItIsMarkedInEveryStepThatHoldsTokens) {
  for (int token = 0; token < 2 * tiny::kTokens; ++token)
    for (int step = 1; step < 10; ++step) {
      State state = first();
      state.token = token;
      state.step = step;
      bool marked = false;
      const int end = deriver().derive(state).timeline(state).length();
      for (state.at = 0; state.at <= end && !marked; state.at += kBeat / 2) {
        const Figure figure = make_figure("scene", {1000}, state, deriver(), false);
        marked = std::any_of(figure.shapes.begin(), figure.shapes.end(),
                             [](const Shape& shape) { return shape.id == "follow"; });
      }
      EXPECT_TRUE(marked) << "token " << token << " step " << step + 1;
    }
}

TEST(Follow, NothingIsMarkedUntilOneIsChosen) {
  for (int step = 0; step < steps(); ++step) {
    State state = first();
    state.step = step;
    const Figure figure = make_figure("scene", {1000}, state, deriver(), false);
    for (const Shape& shape : figure.shapes) EXPECT_NE(shape.id, "follow");
    EXPECT_TRUE(journey_of_token(state, deriver().derive(state), real_library()).empty());
  }
}

TEST(Follow, TheJourneyNamesTheExpertsThatTheRouterChose) {
  State state = first();
  state.token = 3;
  const Derived& derived = deriver().derive(state);
  const auto lines = journey_of_token(state, derived, real_library());
  ASSERT_GE(lines.size(), 8U);
  const Scene scene{state, derived, real_library(), {}, false, {}, {}, {}};
  int named = 0;
  for (const tiny::Copy& copy : copies_of(scene, 0, home_of_token(derived.layout, 3, 0))) {
    if (copy.token != 3) continue;
    const std::string expert = "expert " + std::to_string(copy.expert);
    const auto says = [&](const std::string& line) { return line.find(expert) != std::string::npos; };
    EXPECT_GE(std::count_if(lines.begin(), lines.end(), says), 2) << expert;
    ++named;
  }
  EXPECT_EQ(named, tiny::kTopk);
}

TEST(Follow, PressingTheTokenAgainLetsItGo) {
  State state = first();
  state = reduce(state, *event_of("token.5", false, 0, state, real_library()), deriver());
  EXPECT_EQ(state.token, 5);
  state = reduce(state, *event_of("token.5", false, 0, state, real_library()), deriver());
  EXPECT_EQ(state.token, -1);
}

}  // namespace
}  // namespace commflow

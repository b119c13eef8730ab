// No rank reads another's data except through a schedule. Everybody else's memory
// is poisoned or taken away, and nothing changes.

#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>

#include "core/tiny_cases.h"
#include "core/tiny_exchange.h"
#include "core/tiny_program.h"
#include "core/tiny_rank.h"
#include "core/tiny_shards.h"

namespace commflow::tiny {
namespace {

// A computation gets one memory, by its type, and keeps no state of its own.
static_assert(std::is_same_v<decltype(ComputeRow::run), void (*)(Memory&)>);

using World = std::vector<Memory>;

constexpr Value kPoison = -987654321;

bool same(const Memory& a, const Memory& b) {
  return a.matrices == b.matrices;
}

void poison(Memory& memory, const std::vector<Part>& parts) {
  for (const Part& part : parts) {
    const auto found = memory.matrices.find({part.tensor, part.index});
    if (found == memory.matrices.end()) continue;
    std::fill(found->second.data.begin(), found->second.data.end(), kPoison);
  }
}

bool is_member(const Flow& flow, Rank rank) {
  return std::count(flow.members.begin(), flow.members.end(), rank) > 0;
}

// The flow as the walk does it.
void perform(const Flow& flow, World& world) {
  if (flow.members.size() == 1) return keep(flow, world[static_cast<std::size_t>(flow.members.front())]);
  Communication communication = packed(flow, world);
  ASSERT_TRUE(run_and_unpack(flow, communication, world));
}

// Ranks outside the group: their memories are gone.
void expect_outsiders_do_not_matter(const Flow& flow, const World& before, const World& after) {
  World alone = before;
  for (std::size_t rank = 0; rank < alone.size(); ++rank) {
    if (!is_member(flow, static_cast<Rank>(rank))) alone[rank] = Memory{};
  }
  perform(flow, alone);
  for (std::size_t rank = 0; rank < alone.size(); ++rank) {
    if (is_member(flow, static_cast<Rank>(rank))) {
      EXPECT_TRUE(same(alone[rank], after[rank]));
    } else {
      EXPECT_TRUE(alone[rank].matrices.empty());
      EXPECT_TRUE(same(before[rank], after[rank]));
    }
  }
}

// What a member puts into its slots is its own: poison what the others would send.
void expect_own_slots(const Flow& flow, const World& before) {
  const Communication honest = packed(flow, before);
  for (std::size_t local = 0; local < flow.members.size(); ++local) {
    World poisoned = before;
    for (const Rank member : flow.members) {
      if (member != flow.members[local]) poison(poisoned[static_cast<std::size_t>(member)], flow.sent);
    }
    const Communication communication = packed(flow, poisoned);
    for (int slot = 0; slot < honest.initial.slots(); ++slot) {
      const Place place{static_cast<Rank>(local), Area::in, slot};
      const auto expected = honest.initial.values(place), found = communication.initial.values(place);
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), found.begin(), found.end()));
    }
  }
}

// What arrives comes out of the slots: after packing, what was sent is poisoned everywhere.
void expect_arrival_from_slots(const Flow& flow, const World& before, const World& after) {
  World poisoned = before;
  Communication communication = packed(flow, poisoned);
  for (const Rank member : flow.members) poison(poisoned[static_cast<std::size_t>(member)], flow.sent);
  ASSERT_TRUE(run_and_unpack(flow, communication, poisoned));
  for (std::size_t local = 0; local < flow.members.size(); ++local) {
    if (!receives(flow, static_cast<Rank>(local))) continue;
    const auto rank = static_cast<std::size_t>(flow.members[local]);
    for (const Part& part : flow.received) {
      EXPECT_EQ(poisoned[rank].at(part.tensor, part.index), after[rank].at(part.tensor, part.index));
    }
  }
}

void check_flow(const Flow& flow, World& world) {
  const World before = world;
  perform(flow, world);
  expect_outsiders_do_not_matter(flow, before, world);
  if (flow.members.size() == 1) return;
  expect_own_slots(flow, before);
  expect_arrival_from_slots(flow, before, world);
}

TEST(TinyIsolation, DataMoveThroughSlotsOnly) {
  for (const Case& setup : some_setups()) {
    SCOPED_TRACE(label_of(setup));
    World world = starting_memories(setup, make_model(setup));
    for (const Move& move : program(setup)) {
      for (const Flow& flow : move.flows) check_flow(flow, world);
      if (!move.flows.empty()) continue;
      for (const Rank rank : move.active) row_of(move.compute).run(world[static_cast<std::size_t>(rank)]);
    }
    EXPECT_EQ(assembled(setup, world), run_serial(setup));
  }
}

TEST(TinyIsolation, ComputationsDoNotDependOnTheirOrder) {
  const Case setup;
  World forth = starting_memories(setup, make_model(setup)), back = forth;
  for (const Move& move : program(setup)) {
    for (const Flow& flow : move.flows) {
      perform(flow, forth);
      perform(flow, back);
    }
    if (!move.flows.empty()) continue;
    for (const Rank rank : move.active) row_of(move.compute).run(forth[static_cast<std::size_t>(rank)]);
    for (auto rank = move.active.rbegin(); rank != move.active.rend(); ++rank) {
      row_of(move.compute).run(back[static_cast<std::size_t>(*rank)]);
    }
    for (std::size_t rank = 0; rank < forth.size(); ++rank) EXPECT_TRUE(same(forth[rank], back[rank]));
  }
}

// A rank other than the holder starts without: weights, tokens and labels must be sent.
TEST(TinyIsolation, RanksStartWithNothingButTheirOwn) {
  const Case setup;
  const World world = starting_memories(setup, make_model(setup));
  for (Rank rank = 0; rank < world_size(setup.layout); ++rank) {
    const Memory& memory = world[static_cast<std::size_t>(rank)];
    const Coordinates at = coordinates_of(setup.layout, rank);
    EXPECT_EQ(memory.has(Tensor::w_in), at.dp == 0);
    EXPECT_EQ(memory.has(Tensor::batch), rank == 0);
    EXPECT_EQ(memory.has(Tensor::label_batch), rank == 2);
    for (int id = 0; id < kExperts; ++id) EXPECT_EQ(memory.has(Tensor::expert, id), id / 2 == at.ep);
    EXPECT_TRUE(at.dp != 0 || memory.at(Tensor::w_in).cols == kInner / 2);
  }
}

// Where ranks disagree there is no result.
TEST(TinyIsolation, DisagreementIsNoResult) {
  const Case setup = setup_of(2, 2, 2, 2);
  World world = starting_memories(setup, make_model(setup));
  for (const Move& move : program(setup)) {
    for (const Flow& flow : move.flows) perform(flow, world);
    if (!move.flows.empty()) continue;
    for (const Rank rank : move.active) row_of(move.compute).run(world[static_cast<std::size_t>(rank)]);
  }
  ASSERT_TRUE(assembled(setup, world).has_value());
  for (const Tensor tensor : {Tensor::gain1, Tensor::router, Tensor::w_in, Tensor::grad_w_out, Tensor::expert}) {
    World wrong = world;
    Memory& memory = wrong.back();
    const int index = tensor == Tensor::expert ? memory.first_expert : 0;
    ++memory.matrices.at({tensor, index}).data.front();
    EXPECT_FALSE(assembled(setup, wrong).has_value()) << name_of(tensor);
  }
}

}  // namespace
}  // namespace commflow::tiny

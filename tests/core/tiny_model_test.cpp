// The strongest sentence that the project makes about itself: the sharded run
// equals the serial one, in every layout, and without any one transfer it does not.

#include "core/tiny_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/rng.h"
#include "core/tiny_cases.h"

namespace commflow::tiny {
namespace {

void expect_serial_equals_sharded(const Case& setup) {
  SCOPED_TRACE(label_of(setup));
  const auto run = run_sharded(setup);
  ASSERT_TRUE(run.result.has_value());
  const Result serial = run_serial(setup);
  EXPECT_EQ(run.result->activations, serial.activations);
  EXPECT_EQ(run.result->input_gradients, serial.input_gradients);
  EXPECT_EQ(run.result->gradients, serial.gradients);
  EXPECT_EQ(run.result->updated, serial.updated);
  EXPECT_EQ(run.result->loss, serial.loss);
  EXPECT_EQ(run.result->checkpoint, serial.checkpoint);
}

TEST(TinyModel, SerialEqualsShardedInEveryLayoutAndBothOrders) {
  int layouts = 0;
  for (const char* order : {"tp-pp-dp", "tp-dp-pp"}) {
    for (const std::uint64_t seed : {1U, 2U, 77U}) {
      for (const Case& setup : all_setups(seed, order)) {
        expect_serial_equals_sharded(setup);
        ++layouts;
      }
    }
  }
  EXPECT_EQ(layouts, 6 * 176);  // 128 with experts, 48 dense
}

TEST(TinyModel, SerialEqualsShardedForManySeedsOfTheDefaultLayout) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) expect_serial_equals_sharded(setup_of(2, 2, 2, 4, false, seed));
}

TEST(TinyModel, SerialEqualsShardedWithEveryAlgorithm) {
  int tried = 0;
  for (const AlgorithmRow& row : algorithms()) {
    if (!offers(row.collective, row.id)) continue;
    for (Case setup : {setup_of(4, 2, 3, 4), setup_of(4, 2, 3, 1, true), setup_of(2, 2, 4, 2)}) {
      AlgorithmChoice& choice = setup.algorithms;
      switch (row.collective) {
        case Collective::broadcast: choice.broadcast = row.id; break;
        case Collective::scatter: choice.scatter = row.id; break;
        case Collective::all_gather: choice.all_gather = row.id; break;
        case Collective::reduce_scatter: choice.reduce_scatter = row.id; break;
        case Collective::all_to_all: choice.all_to_all = row.id; break;
        case Collective::all_reduce: choice.all_reduce = row.id; break;
        case Collective::reduce: choice.reduce = row.id; break;
        case Collective::gather: choice.gather = row.id; break;
        case Collective::send_recv: continue;
      }
      SCOPED_TRACE(std::string(name_of(row.collective)) + " by " + std::string(name_of(row.id)));
      ASSERT_TRUE(can_execute(setup));
      expect_serial_equals_sharded(setup);
      ++tried;
    }
  }
  EXPECT_GE(tried, 3 * 16);
}

// True if the run without this transfer is no longer the serial run.
bool is_missed(const Case& setup, const Result& serial, const TransferId& left_out) {
  const auto run = run_sharded(setup, left_out);
  return !run.result || !(*run.result == serial);
}

std::string name_of_transfer(const TransferId& id, const Run& run) {
  const Phase& phase = run.phases[static_cast<std::size_t>(id.phase)];
  return std::string(name_of(phase.step)) + ", phase " + std::to_string(id.phase) + ", communication " +
         std::to_string(id.communication) + ", round " + std::to_string(id.round) + ", transfer " +
         std::to_string(id.transfer);
}

TEST(TinyModel, EveryTransferOfSeveralLayoutsIsMissed) {
  for (const Case& setup : some_setups()) {
    SCOPED_TRACE(label_of(setup));
    const Result serial = run_serial(setup);
    const auto run = run_sharded(setup);
    int transfers = 0;
    for_each_transfer(run, [&](const TransferId& id, const Transfer&) {
      ++transfers;
      EXPECT_TRUE(is_missed(setup, serial, id)) << name_of_transfer(id, run);
    });
    EXPECT_EQ(transfers > 0, world_size(setup.layout) > 1);
  }
}

TEST(TinyModel, OneTransferOfEveryPhaseOfEveryLayoutIsMissed) {
  Rng rng(2024);
  for (const Case& setup : all_setups()) {
    SCOPED_TRACE(label_of(setup));
    const Result serial = run_serial(setup);
    const auto run = run_sharded(setup);
    std::vector<std::vector<TransferId>> per_phase(run.phases.size());
    for_each_transfer(run, [&](const TransferId& id, const Transfer&) {
      per_phase[static_cast<std::size_t>(id.phase)].push_back(id);
    });
    for (const std::vector<TransferId>& ids : per_phase) {
      if (ids.empty()) continue;
      const TransferId& id = ids[static_cast<std::size_t>(rng.below(static_cast<int>(ids.size())))];
      EXPECT_TRUE(is_missed(setup, serial, id)) << name_of_transfer(id, run);
    }
  }
}

// Bookkeeping apart: the numbers themselves change. Only a contribution of zeros
// can be lost without a trace in the values; its missing origin is what shows it.
TEST(TinyModel, ALostTransferChangesTheNumbersUnlessItCarriedZeros) {
  const auto run = run_sharded(Case{});
  int changed = 0, total = 0;
  for_each_transfer(run, [&](const TransferId& id, const Transfer& transfer) {
    const Communication& whole =
        run.phases[static_cast<std::size_t>(id.phase)].communications[static_cast<std::size_t>(id.communication)];
    Schedule mutant = whole.schedule;
    Round& round = mutant.rounds[static_cast<std::size_t>(id.round)];
    round.erase(round.begin() + id.transfer);
    const Buffers final = commflow::run(mutant, whole.initial, whole.op);
    EXPECT_FALSE(final == whole.final);
    bool differs = false;
    const Place where = transfer.dst;
    for (int slot = 0; slot < final.slots(); ++slot) {
      const auto a = final.values({where.rank, Area::out, slot}), b = whole.final.values({where.rank, Area::out, slot});
      differs = differs || !std::equal(a.begin(), a.end(), b.begin());
    }
    changed += differs ? 1 : 0;
    ++total;
  });
  EXPECT_GT(changed, total * 8 / 10);
}

TEST(TinyModel, PhasesEndWhereSomethingNeverArrived) {
  const auto whole = run_sharded(Case{});
  for_each_transfer(whole, [&](const TransferId& id, const Transfer& transfer) {
    const auto run = run_sharded(Case{}, id);
    ASSERT_FALSE(run.result.has_value());
    ASSERT_EQ(run.phases.size(), static_cast<std::size_t>(id.phase) + 1);
    const auto& rounds = run.phases.back().communications[static_cast<std::size_t>(id.communication)].schedule.rounds;
    const Round& round = rounds[static_cast<std::size_t>(id.round)];
    EXPECT_EQ(std::count(round.begin(), round.end(), transfer), 0);
  });
}

TEST(TinyModel, WhatCannotBeExecutedIsSaidBeforehand) {
  EXPECT_TRUE(can_execute(Case{}));
  EXPECT_FALSE(can_execute(setup_of(8, 1, 1, 1)));  // beyond kMaxTp
  EXPECT_FALSE(can_execute(setup_of(3, 1, 1, 1)));  // 8 tokens in 3 parts
  EXPECT_FALSE(can_execute(setup_of(1, 5, 1, 1)));
  EXPECT_FALSE(can_execute(setup_of(1, 1, 5, 1)));
  EXPECT_FALSE(can_execute(setup_of(4, 1, 4, 16)));
  EXPECT_FALSE(can_execute(setup_of(2, 1, 3, 3)));        // 8 experts in 3 parts
  EXPECT_FALSE(can_execute(setup_of(2, 1, 2, 8)));        // ep does not divide tp * dp
  EXPECT_FALSE(can_execute(setup_of(2, 2, 2, 4, true)));  // no experts, ep 4
  EXPECT_FALSE(can_execute(setup_of(0, 1, 1, 1)));
  Case context = setup_of(2, 1, 2, 2);
  context.layout.cp = 2;
  EXPECT_FALSE(can_execute(context));
  Case wrong;
  wrong.algorithms.all_to_all = Algorithm::binomial;
  EXPECT_FALSE(can_execute(wrong));
}

TEST(TinyModel, ALayerHasTheSameNumbersInEveryLayout) {
  const Result base = run_serial(setup_of(1, 1, 1, 1));
  for (const Case& setup : all_setups()) {
    if (setup.dense) continue;
    EXPECT_EQ(run_serial(setup).activations[0][0], base.activations[0][0]) << label_of(setup);
  }
}

TEST(TinyModel, SameSeedSameRunOtherSeedOtherNumbers) {
  EXPECT_EQ(run_serial(Case{}), run_serial(Case{}));
  std::set<Value> losses;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) losses.insert(run_serial(setup_of(2, 2, 2, 4, false, seed)).loss);
  EXPECT_GT(losses.size(), 10U);
}

TEST(TinyModel, EveryNameIsThereAndStandsOnce) {
  std::set<std::string_view> names;
  for (int i = 0; i < kTensors; ++i) names.insert(name_of(static_cast<Tensor>(i)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(kTensors));
  EXPECT_EQ(name_of(Tensor::batch), "batch");
  EXPECT_EQ(name_of(Tensor::n1_full), "n1_full");
  EXPECT_EQ(name_of(Tensor::grad_n2), "grad_n2");
  EXPECT_EQ(name_of(Tensor::gradients), "gradients");
  EXPECT_EQ(name_of(Step::stage2), "stage2");
  EXPECT_EQ(name_of(Step::update), "update");
  EXPECT_EQ(name_of(Compute::scores_and_top), "scores_and_top");
  EXPECT_EQ(name_of(Compute::update), "update");
}

TEST(Rng, IsSplitMix64) {
  Rng rng(1234567);  // first numbers of the reference implementation
  EXPECT_EQ(rng.next(), 6457827717110365317U);
  EXPECT_EQ(rng.next(), 3203168211198807973U);
  EXPECT_EQ(rng.next(), 9817491932198370423U);
}

TEST(Rng, KeepsToItsRange) {
  Rng rng(5);
  std::set<int> seen;
  for (int i = 0; i < 200; ++i) seen.insert(rng.between(-1, 1));
  EXPECT_EQ(seen, (std::set<int>{-1, 0, 1}));
}

}  // namespace
}  // namespace commflow::tiny

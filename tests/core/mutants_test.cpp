// Every algorithm with one transfer spoilt, in every way there is: if a mutant
// passed, the checks would be too weak, or the transfer needless.
//
// A transfer left out, done twice or turned round must spoil the result. With
// another source or destination the result may still be right: who fetches a
// finished block from another rank that has it too, or sends a contribution
// into another branch of the tree, has written another correct algorithm. That
// it is not this one shows in who talks to whom.

#include <gtest/gtest.h>

#include "core/collective_cases.h"
#include "core/partners.h"

namespace commflow {
namespace {

using cases::Case;

struct Spoilt {
  Transfer original;
  std::size_t round;
  Schedule schedule;
  std::string how;
};

// What one check needs, made once per schedule.
struct Original {
  Case of;
  Rank root;
  Schedule schedule;
  Buffers initial;
};

Original original_of(const Case& c, Rank root) {
  std::mt19937 random(static_cast<unsigned>(17 * c.ranks + root));
  Schedule schedule = c.algorithm().build(c.ranks, root);
  Buffers initial = cases::random_initial(c.collective(), schedule, root, random);
  return {c, root, std::move(schedule), std::move(initial)};
}

bool refused(const Original& original, const Schedule& mutant) {
  if (validate(mutant, original.initial)) return true;
  const Buffers final = run(mutant, original.initial, Operator::sum);
  return !fulfils(original.of.collective(), original.root, original.initial, final, Operator::sum);
}

Spoilt spoil(const Original& original, std::size_t round, std::size_t index, std::string how) {
  return {original.schedule.rounds[round][index], round, original.schedule, std::move(how)};
}

Transfer& transfer_in(Spoilt& spoilt, std::size_t index) {
  return spoilt.schedule.rounds[spoilt.round][index];
}

std::string describe(const Original& original, const Spoilt& spoilt) {
  return "round " + std::to_string(spoilt.round) + ", root " + std::to_string(original.root) + ", from rank " +
         std::to_string(spoilt.original.src.rank) + " to rank " + std::to_string(spoilt.original.dst.rank) + ", slot " +
         std::to_string(spoilt.original.src.slot) + ": " + spoilt.how;
}

void expect_refused(const Original& original, const Spoilt& spoilt) {
  EXPECT_TRUE(refused(original, spoilt.schedule)) << describe(original, spoilt);
}

void expect_told_apart(const Original& original, const Spoilt& spoilt) {
  EXPECT_TRUE(refused(original, spoilt.schedule) ||
              !cases::follows_partners(original.of, original.root, spoilt.schedule))
      << describe(original, spoilt);
}

void check_deleted_and_doubled(const Original& original, std::size_t round, std::size_t index) {
  Spoilt deleted = spoil(original, round, index, "deleted");
  Round& transfers = deleted.schedule.rounds[round];
  transfers.erase(transfers.begin() + static_cast<std::ptrdiff_t>(index));
  expect_refused(original, deleted);

  Spoilt doubled = spoil(original, round, index, "doubled");
  doubled.schedule.rounds[round].push_back(doubled.original);
  expect_refused(original, doubled);
}

void check_other_source(const Original& original, std::size_t round, std::size_t index, Rank rank) {
  Spoilt spoilt = spoil(original, round, index, "source is now rank " + std::to_string(rank));
  Transfer& transfer = transfer_in(spoilt, index);
  if (transfer.src.rank == rank) return;
  transfer.src.rank = rank;
  expect_told_apart(original, spoilt);
}

void check_other_destination(const Original& original, std::size_t round, std::size_t index, Rank rank) {
  Spoilt spoilt = spoil(original, round, index, "destination is now rank " + std::to_string(rank));
  Transfer& transfer = transfer_in(spoilt, index);
  if (transfer.dst.rank == rank) return;
  transfer.dst.rank = rank;
  expect_told_apart(original, spoilt);
}

void check_turned_round(const Original& original, std::size_t round, std::size_t index) {
  Spoilt spoilt = spoil(original, round, index, "source and destination exchanged");
  Transfer& transfer = transfer_in(spoilt, index);
  if (transfer.local()) return;
  std::swap(transfer.src.rank, transfer.dst.rank);
  expect_refused(original, spoilt);
}

class Mutants : public testing::TestWithParam<Case> {};

TEST_P(Mutants, AreAllCaught) {
  const Case c = GetParam();
  for (const Rank root : cases::roots_of(c.collective(), c.ranks)) {
    const Original original = original_of(c, root);
    ASSERT_FALSE(refused(original, original.schedule));
    for (std::size_t round = 0; round < original.schedule.rounds.size(); ++round) {
      for (std::size_t index = 0; index < original.schedule.rounds[round].size(); ++index) {
        check_deleted_and_doubled(original, round, index);
        check_turned_round(original, round, index);
        for (Rank rank = 0; rank < c.ranks; ++rank) {
          check_other_source(original, round, index, rank);
          check_other_destination(original, round, index, rank);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Mutants, testing::ValuesIn(cases::all_cases(1, 8)),
                         [](const auto& info) { return cases::label(info.param); });

}  // namespace
}  // namespace commflow

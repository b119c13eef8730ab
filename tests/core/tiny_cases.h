#pragma once
// The layouts in which the tiny model is tried, for all its tests.

#include <string>
#include <vector>

#include "core/tiny_model.h"

namespace commflow::tiny {

// Inside a TEST, GoogleTest's own private Setup would be found first.
using Case = Setup;

inline Setup setup_of(int tp, int pp, int dp, int ep, bool dense = false, std::uint64_t seed = 1,
                      const char* order = "tp-pp-dp") {
  Setup setup;
  setup.layout.tp = tp;
  setup.layout.pp = pp;
  setup.layout.dp = dp;
  setup.layout.ep = ep;
  setup.layout.order = *parse_order(order);
  setup.dense = dense;
  setup.seed = seed;
  return setup;
}

inline std::string label_of(const Setup& setup) {
  const Layout& layout = setup.layout;
  return "tp " + std::to_string(layout.tp) + ", pp " + std::to_string(layout.pp) + ", dp " + std::to_string(layout.dp) +
         ", ep " + std::to_string(layout.ep) + (setup.dense ? ", dense" : "") + ", seed " + std::to_string(setup.seed) +
         (layout.order.fastest_first[1] == Dimension::dp ? ", tp-dp-pp" : "");
}

// Every layout that can be executed, with experts and dense.
inline std::vector<Setup> all_setups(std::uint64_t seed = 1, const char* order = "tp-pp-dp") {
  std::vector<Setup> setups;
  for (const bool dense : {false, true}) {
    for (int tp = 1; tp <= kMaxTp; ++tp) {
      for (int pp = 1; pp <= kMaxPp; ++pp) {
        for (int dp = 1; dp <= kMaxDp; ++dp) {
          for (int ep = 1; ep <= kMaxEp; ++ep) {
            const Setup setup = setup_of(tp, pp, dp, ep, dense, seed, order);
            if (can_execute(setup)) setups.push_back(setup);
          }
        }
      }
    }
  }
  return setups;
}

// A few of them that together have every kind of group, big and small.
inline std::vector<Setup> some_setups() {
  struct Sizes {
    int tp, pp, dp, ep;
    bool dense;
  };
  constexpr Sizes kSizes[] = {{2, 2, 2, 4, false}, {1, 1, 1, 1, false}, {2, 1, 2, 2, false},
                              {1, 2, 4, 4, false}, {4, 1, 2, 8, false}, {2, 3, 3, 2, false},
                              {4, 2, 1, 1, false}, {2, 2, 2, 1, true},  {4, 1, 3, 1, true}};
  std::vector<Setup> setups = {setup_of(2, 2, 2, 4, false, 1, "tp-dp-pp")};
  for (const Sizes& size : kSizes) setups.push_back(setup_of(size.tp, size.pp, size.dp, size.ep, size.dense));
  return setups;
}

// Calls f(id, transfer) for every transfer of a run.
template <class F>
void for_each_transfer(const Run& run, F f) {
  for (std::size_t phase = 0; phase < run.phases.size(); ++phase) {
    const auto& communications = run.phases[phase].communications;
    for (std::size_t number = 0; number < communications.size(); ++number) {
      const auto& rounds = communications[number].schedule.rounds;
      for (std::size_t round = 0; round < rounds.size(); ++round) {
        for (std::size_t i = 0; i < rounds[round].size(); ++i) {
          f(TransferId{static_cast<int>(phase), static_cast<int>(number), static_cast<int>(round), static_cast<int>(i)},
            rounds[round][i]);
        }
      }
    }
  }
}

}  // namespace commflow::tiny

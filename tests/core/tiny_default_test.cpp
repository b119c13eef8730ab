// What the reader meets first: seed 1 in the default layout. Short numbers, and a
// routing that shows by itself why dispatch is uneven.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/tiny_cases.h"

namespace commflow::tiny {
namespace {

struct Largest {
  Value forward = 0, backward = 0, weights = 0;
};

Value largest_of(const Matrix& matrix) {
  Value largest = 0;
  for (const Value value : matrix.data) largest = std::max(largest, value < 0 ? -value : value);
  return largest;
}

bool is_gradient(Tensor tensor) {
  return name_of(tensor).substr(0, 5) == "grad_";
}

// In everything that any rank shows.
Largest largest_shown(const Run& run) {
  Largest largest;
  for (const Phase& phase : run.phases) {
    for (const auto& rank : phase.shown) {
      for (const NamedMatrix& named : rank) {
        if (named.tensor == Tensor::loss) continue;  // a sum over all tokens
        Value& kind = is_gradient(named.tensor)          ? largest.backward
                      : phase.step < Step::backward      ? largest.forward
                      : phase.compute == Compute::update ? largest.weights
                                                         : largest.forward;
        kind = std::max(kind, largest_of(named.matrix));
      }
    }
  }
  return largest;
}

// In everything that travels, partial sums included.
Value largest_sent(const Run& run) {
  Value largest = 0;
  for (const Phase& phase : run.phases) {
    for (const Communication& communication : phase.communications) {
      for (const Buffers& state : history(communication.schedule, communication.initial, communication.op)) {
        for (Rank rank = 0; rank < state.ranks(); ++rank) {
          for (int slot = 0; slot < state.slots(); ++slot) {
            for (const Value value : state.values({rank, Area::out, slot})) {
              largest = std::max(largest, value < 0 ? -value : value);
            }
          }
        }
      }
    }
  }
  return largest;
}

TEST(TinyDefault, NumbersAreShort) {
  const auto run = run_sharded(Case{});
  const Largest largest = largest_shown(run);
  EXPECT_LE(largest.forward, 99);
  EXPECT_LE(largest.backward, 999);
  EXPECT_LE(largest.weights, 9);
  EXPECT_LE(largest_sent(run), 999);
  EXPECT_LE(run.result->loss, 999);
}

const Communication& dispatch_of(const Run& run, int layer) {
  for (const Phase& phase : run.phases) {
    if (phase.layer == layer && !phase.communications.empty() &&
        phase.communications.front().subject == Tensor::copies_in) {
      return phase.communications.front();
    }
  }
  return run.phases.front().communications.front();
}

TEST(TinyDefault, TheFirstDispatchIsVisiblyUneven) {
  const auto run = run_sharded(Case{});
  const Communication& dispatch = dispatch_of(run, 0);
  EXPECT_EQ(dispatch.members, (std::vector<Rank>{0, 1, 4, 5}));
  std::map<Rank, int> per_host;
  std::map<Rank, std::map<Rank, int>> split;
  std::vector<int> per_expert(kExperts);
  std::set<std::pair<int, Rank>> seen;
  int same_host = 0;
  for (const Copy& copy : dispatch.copies) {
    ++per_host[copy.host];
    ++split[copy.home][copy.host];
    ++per_expert[static_cast<std::size_t>(copy.expert)];
    same_host += seen.insert({copy.token, copy.host}).second ? 0 : 1;
  }
  std::set<int> loads;
  for (const auto& [host, copies] : per_host) loads.insert(copies);
  EXPECT_EQ(loads.size(), 4U);                                            // no two GPUs work equally hard
  EXPECT_GE(*loads.begin(), 4);                                           // and none is idle
  EXPECT_EQ(*std::min_element(per_expert.begin(), per_expert.end()), 0);  // an expert nobody wants
  EXPECT_GE(same_host, 1);                                                // both copies of a token on one GPU
  EXPECT_EQ(split[0][0], 2);                                              // GPU 0: 6 of 8 copies leave, 3/4
  for (const Rank host : dispatch.members) EXPECT_GE(split[0][host], 1);
  EXPECT_NE(split[0][4], split[0][5]);
}

TEST(TinyDefault, GatesAreWorthLookingAt) {
  const auto run = run_sharded(Case{});
  std::set<int> gates_of_gpu0;
  int equal = 0;
  for (const Copy& copy : dispatch_of(run, 0).copies) {
    if (copy.choice != 0) continue;
    EXPECT_LT(copy.gate, kGateTotal);  // the second expert always counts
    equal += copy.gate == kGateTotal / 2 ? 1 : 0;
    if (copy.home == 0) gates_of_gpu0.insert(copy.gate);
  }
  EXPECT_LE(equal, 4);
  EXPECT_GE(gates_of_gpu0.size(), 3U);
}

TEST(TinyDefault, AStepChangesEveryKindOfWeight) {
  const auto run = run_sharded(Case{});
  const Phase& update = *std::find_if(run.phases.begin(), run.phases.end(),
                                      [](const Phase& phase) { return phase.compute == Compute::update; });
  std::map<Tensor, int> changed;
  for (const auto& rank : update.shown) {
    std::map<std::pair<Tensor, int>, Matrix> before;
    for (const NamedMatrix& named : rank) {
      const auto [known, is_first] = before.insert({{named.tensor, named.index}, named.matrix});
      if (!is_first && !(known->second == named.matrix)) ++changed[named.tensor];
    }
  }
  for (const Tensor tensor :
       {Tensor::gain1, Tensor::w_in, Tensor::w_out, Tensor::gain2, Tensor::router, Tensor::expert}) {
    EXPECT_GT(changed[tensor], 0) << name_of(tensor);
  }
}

}  // namespace
}  // namespace commflow::tiny

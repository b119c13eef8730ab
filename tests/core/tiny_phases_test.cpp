// What a reader is shown: phases are well formed, groups are the groups of the
// layout, what is drawn is what arrived, and every copy of a token comes home.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/tiny_cases.h"

namespace commflow::tiny {
namespace {

// Deeper pipelines and more replicas add phases and groups, but no new kind of them.
template <class F>
void for_each_phase(F f) {
  for (const Case& setup : all_setups()) {
    if (setup.layout.pp > 2 || setup.layout.dp > 3) continue;
    SCOPED_TRACE(label_of(setup));
    const auto run = run_sharded(setup);
    for (std::size_t i = 0; i < run.phases.size(); ++i) {
      SCOPED_TRACE("phase " + std::to_string(i) + " of step " + std::string(name_of(run.phases[i].step)));
      f(setup, run.phases[i]);
    }
  }
}

const Matrix* shown(const Phase& phase, Rank rank, Tensor tensor, int index = 0) {
  for (const NamedMatrix& named : phase.shown[static_cast<std::size_t>(rank)]) {
    if (named.tensor == tensor && named.index == index) return &named.matrix;
  }
  return nullptr;
}

// The later one, where a phase changes a tensor.
const Matrix* shown_after(const Phase& phase, Rank rank, Tensor tensor, int index = 0) {
  const auto& list = phase.shown[static_cast<std::size_t>(rank)];
  const auto found = std::find_if(list.rbegin(), list.rend(), [&](const NamedMatrix& named) {
    return named.tensor == tensor && named.index == index;
  });
  return found == list.rend() ? nullptr : &found->matrix;
}

bool is_group(const Layout& layout, const Communication& communication) {
  if (communication.dimension != Dimension::pp) {
    const auto groups = groups_of(layout, communication.dimension);
    return std::count(groups.begin(), groups.end(), communication.members) == 1;
  }
  const Coordinates from = coordinates_of(layout, communication.members.front());
  const Coordinates to = coordinates_of(layout, communication.members.back());
  return communication.members.size() == 2 && from.tp == to.tp && from.dp == to.dp && std::abs(from.pp - to.pp) == 1;
}

TEST(TinyPhases, EitherComputeOrCommunicate) {
  for_each_phase([](const Case& setup, const Phase& phase) {
    EXPECT_NE(phase.compute == Compute::none, phase.communications.empty());
    EXPECT_EQ(phase.backward, phase.step == Step::backward);
    EXPECT_LT(phase.layer, setup.layout.pp);
    ASSERT_EQ(phase.shown.size(), static_cast<std::size_t>(world_size(setup.layout)));
    EXPECT_FALSE(phase.active.empty());
    EXPECT_TRUE(std::is_sorted(phase.active.begin(), phase.active.end()));
    for (Rank rank = 0; rank < world_size(setup.layout); ++rank) {
      const bool active = std::binary_search(phase.active.begin(), phase.active.end(), rank);
      EXPECT_EQ(active, !phase.shown[static_cast<std::size_t>(rank)].empty()) << "rank " << rank;
    }
  });
}

TEST(TinyPhases, GroupsAreTheGroupsOfTheLayout) {
  for_each_phase([](const Case& setup, const Phase& phase) {
    std::vector<Rank> talking;
    for (const Communication& communication : phase.communications) {
      EXPECT_GE(communication.members.size(), 2U);
      EXPECT_TRUE(is_group(setup.layout, communication));
      EXPECT_EQ(communication.schedule.rounds.size(), phase.communications.front().schedule.rounds.size());
      EXPECT_EQ(communication.collective, phase.communications.front().collective);
      talking.insert(talking.end(), communication.members.begin(), communication.members.end());
    }
    std::sort(talking.begin(), talking.end());
    // No rank is in two groups at once.
    EXPECT_TRUE(phase.communications.empty() || talking == phase.active);
  });
}

void expect_own_inputs_only(const Communication& communication) {
  for (Rank rank = 0; rank < communication.initial.ranks(); ++rank) {
    for (int slot = 0; slot < communication.initial.slots(); ++slot) {
      const Place in{rank, Area::in, slot};
      EXPECT_TRUE(!communication.initial.filled(in) || communication.initial.from(in) == Origins::of(rank));
      EXPECT_FALSE(communication.initial.filled({rank, Area::out, slot}));
    }
  }
}

TEST(TinyPhases, CommunicationsAreWhatTheirDefinitionSays) {
  for_each_phase([](const Case&, const Phase& phase) {
    for (const Communication& communication : phase.communications) {
      expect_own_inputs_only(communication);
      EXPECT_EQ(validate(communication.schedule, communication.initial).value_or(""), "");
      EXPECT_EQ(communication.final, run(communication.schedule, communication.initial, communication.op));
      for (int slot = 0; slot < communication.initial.slots(); ++slot) {
        EXPECT_EQ(communication.initial.width(slot) % communication.columns, 0);
      }
      if (!communication.copies.empty()) continue;  // uneven: see the tests of copies
      EXPECT_TRUE(fulfils(communication.collective, communication.root, communication.initial, communication.final,
                          communication.op));
    }
  });
}

// ---- copies of tokens

bool to_experts(const Communication& communication) {
  return communication.subject == Tensor::copies_in || communication.subject == Tensor::grad_returned;
}

TEST(TinyPhases, CopiesAreTheTransfers) {
  for_each_phase([](const Case&, const Phase& phase) {
    for (const Communication& communication : phase.communications) {
      if (communication.copies.empty()) continue;
      std::multiset<std::vector<int>> expected, found;
      for (const Copy& copy : communication.copies) {
        const std::vector<int> home{copy.home, copy.in_slot}, host{copy.host, copy.out_slot};
        const auto& from = to_experts(communication) ? home : host;
        const auto& to = to_experts(communication) ? host : home;
        expected.insert({from[0], from[1], to[0], to[1]});
      }
      for (const Round& round : communication.schedule.rounds) {
        for (const Transfer& transfer : round) {
          EXPECT_FALSE(transfer.reduce);
          found.insert({communication.members[static_cast<std::size_t>(transfer.src.rank)], transfer.src.slot,
                        communication.members[static_cast<std::size_t>(transfer.dst.rank)], transfer.dst.slot});
        }
      }
      EXPECT_EQ(found, expected);
    }
  });
}

// Each token of the group is there kTopk times, at different experts, with gates that sum to 64.
TEST(TinyPhases, EveryTokenTravelsToItsExpertsOnce) {
  for_each_phase([](const Case& setup, const Phase& phase) {
    for (const Communication& communication : phase.communications) {
      std::map<int, std::vector<Copy>> by_token;
      for (const Copy& copy : communication.copies) by_token[copy.token].push_back(copy);
      if (by_token.empty()) continue;
      EXPECT_EQ(by_token.size(), communication.members.size() * static_cast<std::size_t>(kTokens / setup.layout.tp));
      for (const auto& [token, copies] : by_token) {
        ASSERT_EQ(copies.size(), static_cast<std::size_t>(kTopk));
        EXPECT_NE(copies[0].expert, copies[1].expert);
        EXPECT_NE(copies[0].choice, copies[1].choice);
        EXPECT_EQ(copies[0].gate + copies[1].gate, kGateTotal);
        for (const Copy& copy : copies) {
          const Coordinates home = coordinates_of(setup.layout, copy.home);
          const Coordinates host = coordinates_of(setup.layout, copy.host);
          EXPECT_EQ(home.dp * kTokens + home.tp * (kTokens / setup.layout.tp),
                    token - token % (kTokens / setup.layout.tp));
          EXPECT_EQ(host.ep, copy.expert / (kExperts / setup.layout.ep));
          EXPECT_EQ(home.pp, phase.layer);
          EXPECT_EQ(host.pp, phase.layer);
        }
      }
    }
  });
}

TEST(TinyPhases, CopiesAreNumberedByThePermutation) {
  for_each_phase([](const Case&, const Phase& phase) {
    for (const Communication& communication : phase.communications) {
      std::map<Rank, std::vector<std::pair<int, int>>> at_home;  // expert, token in the order of slots
      for (const Copy& copy : communication.copies) {
        auto& list = at_home[copy.home];
        EXPECT_EQ(copy.in_slot, static_cast<int>(list.size()));
        list.emplace_back(copy.expert, copy.token);
      }
      for (const auto& [home, list] : at_home) EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
      std::map<Rank, std::vector<int>> at_host;  // expert of each slot
      for (const Copy& copy : communication.copies) {
        auto& list = at_host[copy.host];
        list.resize(std::max(list.size(), static_cast<std::size_t>(copy.out_slot) + 1), -1);
        EXPECT_EQ(list[static_cast<std::size_t>(copy.out_slot)], -1);
        list[static_cast<std::size_t>(copy.out_slot)] = copy.expert;
      }
      for (const auto& [host, list] : at_host) {
        EXPECT_EQ(std::count(list.begin(), list.end(), -1), 0);
        EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
      }
    }
  });
}

const Phase* phase_with(const Run& run, Compute compute, int layer) {
  for (const Phase& phase : run.phases) {
    if (phase.compute == compute && phase.layer == layer) return &phase;
  }
  return nullptr;
}

const Communication* communication_of(const Run& run, Tensor subject, Rank member) {
  for (const Phase& phase : run.phases) {
    for (const Communication& communication : phase.communications) {
      const auto& members = communication.members;
      if (communication.subject == subject && std::count(members.begin(), members.end(), member) > 0) {
        return &communication;
      }
    }
  }
  return nullptr;
}

// The counts that were shown and sent are the counts of what then travelled.
TEST(TinyPhases, CountsAreTheSplit) {
  for (const Case& setup : all_setups()) {
    if (setup.layout.ep == 1) continue;
    const auto run = run_sharded(setup);
    for (Rank rank = 0; rank < world_size(setup.layout); ++rank) {
      const Communication* dispatch = communication_of(run, Tensor::copies_in, rank);
      ASSERT_NE(dispatch, nullptr);
      const int layer = coordinates_of(setup.layout, rank).pp;
      const Matrix* sent = shown(*phase_with(run, Compute::scores_and_top, layer), rank, Tensor::counts);
      const Matrix* received = shown(*phase_with(run, Compute::experts, layer), rank, Tensor::received_counts);
      ASSERT_TRUE(sent != nullptr && received != nullptr);
      Matrix copies_sent{1, kExperts, std::vector<Value>(kExperts)};
      Matrix copies_received{received->rows, received->cols, std::vector<Value>(received->data.size())};
      for (const Copy& copy : dispatch->copies) {
        if (copy.home == rank) ++copies_sent.data[static_cast<std::size_t>(copy.expert)];
        if (copy.host != rank) continue;
        const int source = coordinates_of(setup.layout, copy.home).ep;
        ++copies_received.data[static_cast<std::size_t>(source * received->cols + copy.expert % received->cols)];
      }
      EXPECT_EQ(*sent, copies_sent);
      EXPECT_EQ(*received, copies_received);
    }
  }
}

// ---- what is shown is what arrived

std::vector<Value> arrived(const Communication& communication, Rank local) {
  std::vector<Value> values;
  const Buffers& final = communication.final;
  for (int slot = 0; slot < final.slots(); ++slot) {
    const Place place{local, Area::out, slot};
    if (!final.filled(place)) continue;
    const auto slot_values = final.values(place);
    values.insert(values.end(), slot_values.begin(), slot_values.end());
  }
  return values;
}

// Where a single tensor arrives, by the tensor that was sent.
const std::map<Tensor, Tensor> kArrivals = {{Tensor::batch, Tensor::sequence},
                                            {Tensor::n1, Tensor::n1_full},
                                            {Tensor::counts, Tensor::received_counts},
                                            {Tensor::copies_in, Tensor::copies_out},
                                            {Tensor::expert_out, Tensor::returned},
                                            {Tensor::x2, Tensor::x},
                                            {Tensor::grad_returned, Tensor::grad_expert_out},
                                            {Tensor::grad_copies_out, Tensor::grad_copies_in},
                                            {Tensor::grad_x1, Tensor::grad_partial},
                                            {Tensor::grad_x, Tensor::grad_x2},
                                            {Tensor::n2, Tensor::n2_full},
                                            {Tensor::grad_x2, Tensor::grad_mlp_partial}};

TEST(TinyPhases, WhatIsShownIsWhatArrived) {
  int compared = 0;
  for_each_phase([&](const Case&, const Phase& phase) {
    for (const Communication& communication : phase.communications) {
      const auto arrival = kArrivals.find(communication.subject);
      if (arrival == kArrivals.end()) continue;
      for (Rank local = 0; local < communication.initial.ranks(); ++local) {
        const Matrix* matrix =
            shown_after(phase, communication.members[static_cast<std::size_t>(local)], arrival->second);
        if (matrix == nullptr) continue;
        EXPECT_EQ(matrix->data, arrived(communication, local)) << name_of(communication.subject);
        ++compared;
      }
    }
  });
  EXPECT_GT(compared, 1000);
}

TEST(TinyPhases, ABucketSaysWhatItHolds) {
  for_each_phase([](const Case&, const Phase& phase) {
    for (const Communication& communication : phase.communications) {
      if (communication.parts.empty()) continue;
      for (Rank local = 0; local < communication.initial.ranks(); ++local) {
        std::vector<Value> shown_values;
        for (const Part& part : communication.parts) {
          const Matrix* matrix =
              shown_after(phase, communication.members[static_cast<std::size_t>(local)], part.tensor, part.index);
          ASSERT_NE(matrix, nullptr) << name_of(part.tensor);
          EXPECT_EQ(matrix->rows, part.rows);
          EXPECT_EQ(matrix->cols, part.cols);
          shown_values.insert(shown_values.end(), matrix->data.begin(), matrix->data.end());
        }
        EXPECT_EQ(shown_values, arrived(communication, local));
      }
    }
  });
}

// ---- the order of the twelve steps

TEST(TinyPhases, StepsComeInOrderAndAllTwelveHappen) {
  for (const Case& setup : all_setups()) {
    SCOPED_TRACE(label_of(setup));
    const auto run = run_sharded(setup);
    std::set<Step> steps;
    for (std::size_t i = 0; i < run.phases.size(); ++i) {
      steps.insert(run.phases[i].step);
      EXPECT_LE(run.phases[i > 0 ? i - 1 : 0].step, run.phases[i].step);
    }
    const Layout& layout = setup.layout;  // a group of one has nothing to send
    const bool all_dimensions = layout.tp > 1 && layout.pp > 1 && layout.dp > 1 && (layout.ep > 1 || setup.dense);
    EXPECT_TRUE(!all_dimensions || steps.size() == 12U);
  }
}

TEST(TinyPhases, ExpertsSendNothingWhereEachIsHeldOnce) {
  for (const Case& setup : all_setups()) {
    const auto run = run_sharded(setup);
    bool sent = false;
    for (const Phase& phase : run.phases) {
      for (const Communication& communication : phase.communications) {
        sent = sent || communication.dimension == Dimension::expert_dp;
      }
    }
    EXPECT_EQ(sent, !setup.dense && expert_dp_size(setup.layout) > 1) << label_of(setup);
  }
}

}  // namespace
}  // namespace commflow::tiny

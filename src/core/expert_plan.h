#pragma once
// Where every token of an executed layer goes, slot by slot: what a rank sends in
// which order, where it is merged, passed on and received, in which row its expert
// finds it. From the plan follow the schedules of dispatch and combine. Knows
// nothing of the values.
//
//   home, in slot --rail--> relay, relay slot --NVLink--> host, arrival      (two hops)
//   home, in slot --------------------------------------> host, arrival      (one hop)
//
// The combine goes the same way back, from the arrival to the in slot; what was
// merged on the way out is added up on the way home.

#include <cstdint>
#include <vector>

#include "core/expert_count.h"

namespace commflow::experts {

// A token for one of its experts.
struct Copy {
  int token = 0;  // through all ranks
  int choice = 0;
  int expert = 0;
  int weight = 0;
  Rank home = 0;
  Rank host = -1;   // -1: dropped
  int parcel = -1;  // the vector that it is part of
  int row = -1;     // of the host's grouped computation
};

// A vector that leaves its home (or stays there, as a local move).
struct Departure {
  int token = 0;
  Rank home = 0;
  int slot = 0;     // of `in` at home, and of `out` on the way back
  Rank relay = -1;  // -1 with one hop
  int relay_slot = -1;
};

// A vector that reaches a host: for one copy, or where copies are merged for all
// of the token's copies there.
struct Parcel {
  int departure = 0;
  Rank host = 0;
  int arrival = 0;          // slot of `out` at the host, and of `in` on the way back
  std::vector<int> copies;  // by choice
};

// The rows that a host computes for one of its experts: first, first + 1, ...
struct ExpertRows {
  int expert = 0;
  int first = 0;  // the sum of the counts before it
  int count = 0;
};

struct Plan {
  std::vector<Copy> copies;           // [token][choice]
  std::vector<Departure> departures;  // by home, then slot: the send order
  std::vector<Parcel> parcels;        // by home, then host
  // Per host: copies by expert (in the order of Hosts::on_rank), then home, token
  // and choice; and each expert's rows.
  std::vector<std::vector<int>> rows;
  std::vector<std::vector<ExpertRows>> groups;
  int slots = 0;  // that the schedules need
};

// routing has weights, counts belongs to it.
Plan make_plan(const Settings& settings, const Routing& routing, const Counts& counts);

Schedule dispatch_schedule(const Settings& settings, const Plan& plan);
Schedule combine_schedule(const Settings& settings, const Plan& plan);

}  // namespace commflow::experts

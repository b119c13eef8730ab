#pragma once
// Every kind of topology at every small size that it can have.

#include <ostream>
#include <string>
#include <vector>

#include "core/index.h"
#include "core/topology.h"

namespace commflow::cases {

struct Wired {
  TopologyKind kind;
  int gpus;
  Wiring wiring;

  Topology make() const { return make_topology(kind, gpus, wiring); }
};

inline std::string label(const Wired& wired) {
  std::string text = std::string(name_of(wired.kind)) + "_" + std::to_string(wired.gpus);
  if (wired.kind == TopologyKind::two_level) {
    text += "_node" + std::to_string(wired.wiring.gpus_per_node) + "_nics" + std::to_string(wired.wiring.nics_per_node);
  }
  for (char& letter : text) {
    if (letter == '-') letter = '_';
  }
  return text;
}

inline std::ostream& operator<<(std::ostream& out, const Wired& wired) {
  return out << label(wired);
}

inline std::vector<Wired> small_topologies() {
  std::vector<Wired> all;
  const auto add = [&](TopologyKind kind, int gpus, const Wiring& wiring) {
    if (size_problem(kind, gpus, wiring) == SizeProblem::none) all.push_back({kind, gpus, wiring});
  };
  for (int gpus = 1; gpus <= 16; ++gpus) {
    for (int kind = 0; kind < kTopologyKinds; ++kind) {
      if (static_cast<TopologyKind>(kind) != TopologyKind::two_level) add(static_cast<TopologyKind>(kind), gpus, {});
    }
    for (const int node : {1, 2, 3, 4, 8}) {
      for (const int nics : {1, 2, 4, 8}) {
        if (nics <= node) add(TopologyKind::two_level, gpus, {.gpus_per_node = node, .nics_per_node = nics});
      }
    }
  }
  return all;
}

}  // namespace commflow::cases

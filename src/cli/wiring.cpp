#include "cli/wiring.h"

#include "core/algorithms.h"

namespace commflow {
namespace {

TopologyKind read_kind(Arguments& arguments, std::string_view option) {
  std::vector<std::string_view> names;
  names.reserve(kTopologyKinds);
  for (int i = 0; i < kTopologyKinds; ++i) names.push_back(name_of(static_cast<TopologyKind>(i)));
  return static_cast<TopologyKind>(arguments.one_of(option, names));
}

Wiring read_wiring(Arguments& arguments, int gpus) {
  Wiring wiring;
  wiring.gbps = arguments.number("--gbps", 1e-6, 1e9, wiring.gbps);
  wiring.network_gbps = arguments.number("--network-gbps", 1e-6, 1e9, wiring.network_gbps);
  wiring.oversubscription = arguments.number("--oversubscription", 1e-3, 1e3, wiring.oversubscription);
  wiring.switches = arguments.whole("--switches", 1, 64, wiring.switches);
  wiring.gpus_per_node = arguments.whole("--gpus-per-node", 1, gpus, default_gpus_per_node(gpus));
  wiring.nics_per_node = arguments.whole("--nics-per-node", 1, wiring.gpus_per_node, wiring.gpus_per_node);
  return wiring;
}

void refuse_size(Arguments& arguments, SizeProblem problem, TopologyKind kind, int gpus, const Wiring& wiring) {
  const std::string name(name_of(kind));
  switch (problem) {
    case SizeProblem::none: return;
    case SizeProblem::not_a_power_of_two:
      return arguments.refuse("--size", "a power of two for a " + name + ": 1, 2, 4, 8, 16 and so on");
    case SizeProblem::not_a_rectangle:
      return arguments.refuse("--size",
                              "a product of two sides of at least 2 for a " + name + ": 4, 6, 8, 9 and so on");
    case SizeProblem::nodes_do_not_divide: break;
  }
  if (gpus % wiring.gpus_per_node != 0) {
    return arguments.refuse("--gpus-per-node", "a number that divides the " + std::to_string(gpus) + " GPUs");
  }
  arguments.refuse("--nics-per-node",
                   "a number that divides the " + std::to_string(wiring.gpus_per_node) + " GPUs of a node");
}

}  // namespace

Topology read_topology(Arguments& arguments, std::string_view kind_option, int max_gpus) {
  const TopologyKind kind = read_kind(arguments, kind_option);
  const int gpus = arguments.whole("--size", 1, max_gpus);
  const Wiring wiring = read_wiring(arguments, gpus);
  refuse_size(arguments, size_problem(kind, gpus, wiring), kind, gpus, wiring);
  return arguments.problem().empty() ? make_topology(kind, gpus, wiring) : make_topology(TopologyKind::ring, 1);
}

}  // namespace commflow

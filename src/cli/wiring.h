#pragma once
// What topology and route share: the topology that the arguments describe.

#include "cli/arguments.h"
#include "core/topology.h"

namespace commflow {

inline constexpr Option kSizeOption{"--size", "N", "number of GPUs"};
inline constexpr Option kSwitchesOption{"--switches", "K", "nvswitch: switches of the node, 1 to 64; 4 if not given"};
inline constexpr Option kNicsOption{"--nics-per-node", "C",
                                    "two-level: network cards of a node, a divisor of its GPUs; if not\n"
                                    "given, one per GPU"};
inline constexpr std::string_view kKindHelp =
    "ring, line, full-mesh, switch, nvswitch, two-level, binary-tree,\n"
    "mesh, torus or hypercube";

// Reads --size and what the kind needs; `kind_option` names the option with the
// kind. A size that the kind cannot have is refused.
Topology read_topology(Arguments& arguments, std::string_view kind_option, int max_gpus);

}  // namespace commflow

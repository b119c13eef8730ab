// commflow topology: links, diameter, bisection and degree, counted on the graph.

#include "cli/print.h"
#include "cli/request.h"
#include "cli/wiring.h"
#include "core/route.h"

namespace commflow {
namespace {

constexpr int kMaxGpus = 1024;

constexpr Option kOptions[] = {{"--kind", "K", kKindHelp},
                               kSizeOption,
                               kSwitchesOption,
                               {"--gpus-per-node", "G",
                                "two-level: a divisor of N; if not given, the largest up to 8 that makes\n"
                                "two nodes or more"},
                               kNicsOption,
                               {"--from", "A", "a GPU; with --to also the way from A to B"},
                               {"--to", "B", "another GPU"}};

constexpr std::string_view kNotes =
    "Nodes: GPUs 0 to N - 1, then switches. GPUs do not forward what is for others where there are switches.\n"
    "links: each counts once for both directions.\n"
    "diameter: the most links between two GPUs; one switch between them is two links.\n"
    "bisection: the fewest links to cut so that the GPUs fall into halves; tried in every way up to 16 GPUs,\n"
    "beyond by the formula of the kind, null where there is none (two-level with an odd number of nodes).\n"
    "max_degree: the most links of a GPU. switches: nodes that are no GPU. switch_ports: the most links of one.\n"
    "mesh, torus: as square as it goes; a side of 2 is joined once. binary-tree: filled row by row.\n"
    "hops, paths: with --from and --to; several paths share what is sent in equal parts.";

Report run_topology(Arguments& arguments) {
  const Topology topology = read_topology(arguments, "--kind", kMaxGpus);
  if (!arguments.problem().empty()) return {};
  const auto cut = bisection(topology);
  Report report{{"kind", name_of(topology.kind)},
                {"size", topology.gpus},
                {"links", link_count(topology)},
                {"diameter", diameter(topology)},
                {"bisection", cut ? Report(*cut) : Report(nullptr)},
                {"max_degree", max_degree(topology)},
                {"switches", topology.vertices - topology.gpus},
                {"switch_ports", switch_ports(topology)}};
  if (!arguments.given("--from") && !arguments.given("--to")) return report;
  const Vertex from = arguments.whole("--from", 0, topology.gpus - 1);
  const Vertex to = arguments.whole("--to", 0, topology.gpus - 1);
  if (!arguments.problem().empty()) return {};
  report["hops"] = hops(topology, from, to);
  report["paths"] = from == to ? std::vector<Way>{{from}} : route(topology, from, to);
  return report;
}

void print_topology(const Report& report, std::ostream& out) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& field : report.items()) {
    if (field.key() == "paths") continue;
    rows.push_back({field.key(), shown(field.value())});
  }
  if (report.contains("paths")) {
    for (const Report& path : report["paths"]) rows.push_back({"path", shown(path)});
  }
  print_table(rows, out);
}

}  // namespace

const Command kTopologyCommand{
    "topology", "links, diameter, bisection and degree of a wiring", kOptions, kNotes, run_topology, print_topology};

}  // namespace commflow

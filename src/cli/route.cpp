// commflow route: what an algorithm puts on the links of a topology.

#include "core/route.h"

#include "cli/count.h"
#include "cli/print.h"
#include "cli/wiring.h"
#include "core/index.h"

namespace commflow {
namespace {

constexpr int kMaxRoutedRanks = 256;

constexpr Option kOptions[] = {
    {"--topology", "K", kKindHelp},
    kSizeOption,
    kCollectiveOption,
    kAlgorithmOption,
    kBytesOption,
    kRootOption,
    kChunksOption,
    {"--gpus-per-node", "G",
     "a divisor of N, for two-level and for hierarchical; if not given, the\n"
     "largest up to 8 that makes two nodes or more"},
    kSwitchesOption,
    kNicsOption,
    {"--gbps", "B", "GB/s of a link in each direction; 100 if not given"},
    {"--network-gbps", "B", "two-level: GB/s of a network card in each direction; 50 if not given"},
    {"--oversubscription", "F", "two-level: bandwidth into a rail switch over that to the spine; 1 if not given"},
    {"--alpha-us", "A", "microseconds to start a round; 0 if not given"},
    {"--slow-link", "A-B", "two nodes that are joined: their link is slower in both directions"},
    {"--slow-factor", "F", "that many times; 10 if not given"}};

constexpr std::string_view kNotes =
    "Nodes: GPUs 0 to N - 1, then switches. Rank r is GPU r.\n"
    "load: bytes over every directed link, all rounds, and us: how long that keeps it busy.\n"
    "bottleneck: the link that is busy longest, the first of equals; null where nothing is sent.\n"
    "time_us: sum over the rounds of alpha + the largest load / bandwidth of a link.\n"
    "class: nvlink (also between any two GPUs), network, uplink (rail switch to spine).";

// "3-4": two nodes that are joined.
std::optional<std::pair<Vertex, Vertex>> read_link(std::string_view text, const Topology& topology) {
  for (const Link& link : topology.links) {
    if (text == std::to_string(link.from) + "-" + std::to_string(link.to)) return std::pair(link.from, link.to);
  }
  return std::nullopt;
}

Topology with_slow_link(Arguments& arguments, Topology topology) {
  const double factor = arguments.number("--slow-factor", 1, 1e6, 10);
  if (!arguments.given("--slow-link")) return topology;
  const auto link = read_link(arguments.text_or("--slow-link", ""), topology);
  if (link) return slowed(std::move(topology), link->first, link->second, factor);
  arguments.refuse("--slow-link", "two nodes that are joined, as " + std::to_string(topology.links.front().from) + "-" +
                                      std::to_string(topology.links.front().to));
  return topology;
}

Report report_of(const Topology& topology, const Routed& routed, int link) {
  const Link& at = topology.links[index_of(link)];
  const Bytes bytes = routed.load[index_of(link)];
  return {{"from", at.from},
          {"to", at.to},
          {"class", name_of(at.link_class)},
          {"bytes", bytes},
          {"us", static_cast<double>(bytes) / (at.gbps * 1e3)}};
}

Report report_of(const Topology& topology, const Routed& routed) {
  Report load = Report::array();
  for (int link = 0; link < static_cast<int>(topology.links.size()); ++link) {
    load.push_back(report_of(topology, routed, link));
  }
  return {{"load", std::move(load)},
          {"bottleneck", routed.bottleneck < 0 ? Report(nullptr) : report_of(topology, routed, routed.bottleneck)},
          {"rounds", routed.rounds.size()},
          {"time_us", routed.time_us}};
}

Report run_route(Arguments& arguments) {
  const Topology topology = with_slow_link(arguments, read_topology(arguments, "--topology", kMaxRoutedRanks));
  const Request request = read_request_among(arguments, topology.gpus);
  const Bytes payload = arguments.integer("--bytes", 1, kMaxPayload);
  const double alpha_us = arguments.number("--alpha-us", 0, 1e9, 0);
  if (!arguments.problem().empty()) return {};
  const auto routed = route_schedule(topology, schedule_of(request), payload, alpha_us);
  if (!routed) {
    arguments.refuse("--topology", "switch or nvswitch, for an algorithm that reduces in a switch");
    return {};
  }
  Report report{{"topology", name_of(topology.kind)}, {"size", topology.gpus}};
  report.update(report_of(request));
  report["bytes"] = payload;
  report["alpha_us"] = alpha_us;
  report.update(report_of(topology, *routed));
  return report;
}

std::string shown_link(const Report& link) {
  return link.is_null() ? "-" : shown(link["from"]) + " -> " + shown(link["to"]);
}

void print_route(const Report& report, std::ostream& out) {
  out << shown(report["collective"]) << " by " << shown(report["algorithm"]) << " over " << shown(report["topology"])
      << ", GPUs: " << shown(report["size"]) << ", rounds: " << shown(report["rounds"])
      << ", time_us: " << shown(report["time_us"]) << ", bottleneck: " << shown_link(report["bottleneck"]) << "\n\n";
  std::vector<std::vector<std::string>> rows{{"link", "class", "bytes", "us"}};
  for (const Report& link : report["load"]) {
    rows.push_back({shown_link(link), shown(link["class"]), shown(link["bytes"]), shown(link["us"])});
  }
  print_table(rows, out);
}

}  // namespace

const Command kRouteCommand{
    "route", "what an algorithm puts on the links of a topology", kOptions, kNotes, run_route, print_route};

}  // namespace commflow

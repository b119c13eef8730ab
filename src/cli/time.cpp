// commflow time: what the port model makes of the counts.

#include "cli/count.h"
#include "cli/print.h"

namespace commflow {
namespace {

constexpr Option kOptions[] = {kCollectiveOption,
                               kAlgorithmOption,
                               kCountedRanksOption,
                               kBytesOption,
                               kRootOption,
                               kChunksOption,
                               kNodesOption,
                               {"--alpha-us", "A", "microseconds to start a round"},
                               {"--gbps", "B", "GB/s (10^9 bytes per second) of a rank in each direction"}};

constexpr std::string_view kNotes =
    "Fields of count, and\n"
    "time_us: rounds * alpha + critical_path_bytes / bandwidth.\n"
    "algbw_gbps: S / time. busbw_gbps: algbw * busbw_factor. Both null where nothing takes time.";

Report run_time(Arguments& arguments) {
  const Count count = read_count(arguments);
  PortModel model;
  model.alpha_us = arguments.number("--alpha-us", 0, 1e9);
  model.gbps = arguments.number("--gbps", 1e-6, 1e9);
  Report report = report_of(count);
  const double time = time_us(count.traffic, model);
  report["alpha_us"] = model.alpha_us;
  report["gbps"] = model.gbps;
  report["time_us"] = time;
  if (time > 0) {
    const double algbw_gbps = static_cast<double>(count.payload) / time / 1e3;
    report["algbw_gbps"] = algbw_gbps;
    report["busbw_gbps"] = algbw_gbps * as_number(busbw_factor(count.request.collective, count.request.ranks));
  } else {
    report["algbw_gbps"] = nullptr;
    report["busbw_gbps"] = nullptr;
  }
  return report;
}

}  // namespace

const Command kTimeCommand{
    "time", "how long that takes, and the bandwidths of nccl-tests", kOptions, kNotes, run_time, print_fields};

}  // namespace commflow

// commflow faults: who waits for whom when a GPU is late or dead or a link slow.

#include "core/faults.h"

#include <cmath>

#include "cli/count.h"
#include "cli/print.h"

namespace commflow {
namespace {

constexpr int kMaxRanks = 256;

constexpr Option kOptions[] = {kCollectiveOption,
                               kAlgorithmOption,
                               {"--ranks", "N", "1 to 256"},
                               kBytesOption,
                               kRootOption,
                               kChunksOption,
                               kNodesOption,
                               {"--alpha-us", "A", "microseconds to start a message"},
                               {"--gbps", "B", "GB/s (10^9 bytes per second) of a rank in each direction"},
                               {"--late", "R", "a rank that begins later than the others"},
                               {"--late-us", "D", "by so many microseconds; 1000 if not given"},
                               {"--dead", "R", "a rank that does nothing"},
                               {"--from-round", "K", "from the K-th round on; 1 if not given"},
                               {"--slow-link", "A-B", "two ranks: what they send each other takes longer"},
                               {"--slow-factor", "F", "so many times; 10 if not given"}};

constexpr std::string_view kNotes =
    "Give at most one of --late, --dead and --slow-link.\n"
    "A message starts when both ends are through with the rounds before; a rank without one goes on at once.\n"
    "rounds: for each, waits: who (rank) waits for whom (on) how long (us); done_us: per rank, when it is through.\n"
    "null is for ever. Ranks from N on are switches.\n"
    "time_us: when the last rank is through; healthy_us: without the fault. blocked: ranks that never are.";

// "2-5": two different ranks.
void read_slow_link(Arguments& arguments, int ranks, Fault& fault) {
  const std::string_view text = arguments.text_or("--slow-link", "");
  for (Rank rank = 0; rank < ranks; ++rank) {
    for (Rank peer = 0; peer < ranks; ++peer) {
      if (rank == peer || text != std::to_string(rank) + "-" + std::to_string(peer)) continue;
      fault.rank = rank;
      fault.peer = peer;
      return;
    }
  }
  arguments.refuse("--slow-link", "two different ranks from 0 to " + std::to_string(ranks - 1) + ", as 0-1");
}

Fault read_fault(Arguments& arguments, int ranks) {
  const bool late = arguments.given("--late");
  const bool dead = arguments.given("--dead");
  const bool slow = arguments.given("--slow-link");
  if (late + dead + slow > 1) arguments.fail("expected at most one of --late, --dead and --slow-link");
  Fault fault;
  fault.late_us = arguments.number("--late-us", 0, 1e12, 1000);
  fault.from_round = arguments.whole("--from-round", 1, 1 << 30, 1) - 1;
  fault.factor = arguments.number("--slow-factor", 1, 1e6, 10);
  if (late || dead) fault.rank = arguments.whole(late ? "--late" : "--dead", 0, ranks - 1);
  if (slow) read_slow_link(arguments, ranks, fault);
  if (late) fault.kind = Fault::Kind::late_gpu;
  if (dead) fault.kind = Fault::Kind::dead_gpu;
  if (slow) fault.kind = Fault::Kind::slow_link;
  return fault;
}

Report finite(double us) {
  return std::isfinite(us) ? Report(us) : Report(nullptr);
}

Report report_of(const Progress& progress, int ranks) {
  Report waits = Report::array();
  for (const Wait& wait : progress.waits)
    waits.push_back({{"rank", wait.rank}, {"on", wait.on}, {"us", finite(wait.us)}});
  Report done = Report::array();
  for (int rank = 0; rank < ranks; ++rank) done.push_back(finite(progress.done_us[static_cast<std::size_t>(rank)]));
  return {{"waits", std::move(waits)}, {"done_us", std::move(done)}};
}

Report blocked_ranks(const std::vector<Progress>& progress, int ranks) {
  Report blocked = Report::array();
  for (int rank = 0; rank < ranks; ++rank) {
    if (std::isinf(progress.back().done_us[static_cast<std::size_t>(rank)])) blocked.push_back(rank);
  }
  return blocked;
}

Report run_faults(Arguments& arguments) {
  const Request request = read_request(arguments, kMaxRanks);
  const Bytes payload = arguments.integer("--bytes", 1, kMaxPayload);
  const PortModel model{arguments.number("--alpha-us", 0, 1e9), arguments.number("--gbps", 1e-6, 1e9)};
  const Fault fault = read_fault(arguments, request.ranks);
  if (!arguments.problem().empty()) return {};
  const Schedule schedule = schedule_of(request);
  const std::vector<Progress> progress = play_out(schedule, payload, model, fault);
  Report rounds = Report::array();
  for (const Progress& round : progress) rounds.push_back(report_of(round, request.ranks));
  Report report = report_of(request);
  report["bytes"] = payload;
  report["rounds"] = std::move(rounds);
  report["blocked"] = blocked_ranks(progress, request.ranks);
  report["healthy_us"] = makespan_us(schedule, play_out(schedule, payload, model, {}));
  report["time_us"] = finite(makespan_us(schedule, progress));
  return report;
}

void print_faults(const Report& report, std::ostream& out) {
  out << shown(report["collective"]) << " by " << shown(report["algorithm"]) << ", ranks: " << shown(report["ranks"])
      << ", time_us: " << shown(report["time_us"]) << ", healthy_us: " << shown(report["healthy_us"])
      << ", blocked: " << (report["blocked"].empty() ? "-" : shown(report["blocked"])) << "\n\n";
  std::vector<std::vector<std::string>> rows{{"round", "rank", "waits for", "us"}};
  for (std::size_t k = 0; k < report["rounds"].size(); ++k) {
    for (const Report& wait : report["rounds"][k]["waits"]) {
      const std::string us = wait["us"].is_null() ? "for ever" : shown(wait["us"]);
      rows.push_back({std::to_string(k + 1), shown(wait["rank"]), shown(wait["on"]), us});
    }
  }
  print_table(rows, out);
}

}  // namespace

const Command kFaultsCommand{"faults",   "who waits for whom when a GPU is late or dead, or a link slow",
                             kOptions,   kNotes,
                             run_faults, print_faults};

}  // namespace commflow

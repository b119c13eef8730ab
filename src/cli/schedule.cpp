// commflow schedule: every transfer of every round, enough to replay it elsewhere.

#include <string>

#include "cli/print.h"
#include "cli/request.h"
#include "story/exports.h"

namespace commflow {
namespace {

constexpr int kMaxListedRanks = 256;  // 131,000 transfers in the longest list

constexpr Option kOptions[] = {kCollectiveOption, kAlgorithmOption, {"--ranks", "N", "1 to 256"},
                               kRootOption,       kChunksOption,    kNodesOption};

constexpr std::string_view kNotes =
    "rounds: a list of transfers per round. A transfer has src and dst, each a rank, an area\n"
    "(in or out) and a slot, and op: copy overwrites dst, reduce combines src into it.\n"
    "To replay: fill the places under inputs with the blocks of the payload, leave all others\n"
    "empty; all transfers of a round read what was there before the round; a reduce into an\n"
    "empty place stores. Then the places under outputs hold the result.\n"
    "switches: nodes that reduce and multicast, numbered after the ranks.";

Report run_schedule(Arguments& arguments) {
  const Request request = read_request(arguments, kMaxListedRanks);
  if (!arguments.problem().empty()) return {};
  const Schedule schedule = schedule_of(request);
  Report report = report_of(request);
  report.update(Report::parse(schedule_json(request.collective, request.algorithm, request.root, schedule)));
  return report;
}

std::string shown_place(const Report& place) {
  return shown(place["area"]) + "[" + shown(place["slot"]) + "]";
}

void print_schedule(const Report& report, std::ostream& out) {
  out << shown(report["collective"]) << " by " << shown(report["algorithm"]) << ", ranks: " << shown(report["ranks"])
      << ", slots per rank: " << shown(report["slots"]) << ", rounds: " << report["rounds"].size() << "\n\n";
  std::vector<std::vector<std::string>> rows{{"round", "from", "", "", "to", "", "op"}};
  for (std::size_t k = 0; k < report["rounds"].size(); ++k) {
    for (const Report& transfer : report["rounds"][k]) {
      const Report& src = transfer["src"];
      const Report& dst = transfer["dst"];
      rows.push_back({std::to_string(k + 1), shown(src["rank"]), shown_place(src), "->", shown(dst["rank"]),
                      shown_place(dst), shown(transfer["op"])});
    }
  }
  print_table(rows, out);
}

}  // namespace

const Command kScheduleCommand{
    "schedule", "every transfer of every round of an algorithm", kOptions, kNotes, run_schedule, print_schedule};

}  // namespace commflow

// commflow count: rounds, messages and bytes of an algorithm, counted on its schedule or by formula.

#include "cli/count.h"

#include <algorithm>

#include "cli/print.h"
#include "core/closed_form.h"

namespace commflow {
namespace {

constexpr Option kOptions[] = {kCollectiveOption, kAlgorithmOption, kCountedRanksOption, kBytesOption,
                               kRootOption,       kChunksOption,    kNodesOption};

constexpr std::string_view kNotes =
    "Block i of S bytes over n blocks is bytes floor(i*S/n) to floor((i+1)*S/n), so no byte is lost.\n"
    "by: schedule, counted on every transfer, up to 1024 ranks; formula beyond, equal to it in tests. All-to-all\n"
    "by bruck then takes every block as large as the largest.\n"
    "rounds: rounds in which something leaves a rank.\n"
    "messages: all blocks from one rank to another in one round are one message.\n"
    "bytes_sent, bytes_received: per rank.\n"
    "critical_path_bytes: sum over the rounds of the largest max(sent, received) of a rank.\n"
    "busbw_factor: the collective's, as nccl-tests define it, whatever the algorithm.\n"
    "port_factor: critical_path_bytes / S, the algorithm's.\n"
    "intra_bytes, inter_bytes: hierarchical only; what a GPU, at most, sends inside its node and to other nodes.";

Report run_count(Arguments& arguments) {
  return report_of(read_count(arguments));
}

Bytes largest(const std::vector<Bytes>& bytes) {
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

void fill(Count& count) {
  const Request& request = count.request;
  if (count.by_formula) {
    const Question question{request.collective, request.algorithm, request.ranks,
                            request.root,       request.tuning,    count.payload};
    count.traffic = traffic_by_formula(question).value_or(Traffic{});
    count.levels = levels_by_formula(question).value_or(LevelTraffic{});
    return;
  }
  const Schedule schedule = schedule_of(request);
  count.traffic = count_traffic(schedule, count.payload);
  if (uses_nodes(count.request.algorithm)) {
    count.levels = count_levels(schedule, count.payload, count.request.tuning.gpus_per_node);
  }
}

}  // namespace

Count read_count(Arguments& arguments) {
  Count count;
  count.request = read_request(arguments, kMaxFormulaRanks);
  count.by_formula = count.request.ranks > kMaxCountedRanks;
  count.payload = arguments.integer("--bytes", 1, count.by_formula ? kMaxFormulaPayload : kMaxPayload);
  if (arguments.problem().empty()) fill(count);
  return count;
}

double as_number(const Fraction& fraction) {
  return static_cast<double>(fraction.numerator) / static_cast<double>(fraction.denominator);
}

Report report_of(const Count& count) {
  const Traffic& traffic = count.traffic;
  Report report = report_of(count.request);
  report["bytes"] = count.payload;
  report["by"] = count.by_formula ? "formula" : "schedule";
  report["rounds"] = traffic.rounds;
  report["messages"] = traffic.messages;
  report["bytes_sent"] = traffic.sent;
  report["bytes_received"] = traffic.received;
  report["critical_path_bytes"] = traffic.critical_path_bytes;
  report["busbw_factor"] = as_number(busbw_factor(count.request.collective, count.request.ranks));
  report["port_factor"] = static_cast<double>(traffic.critical_path_bytes) / static_cast<double>(count.payload);
  if (uses_nodes(count.request.algorithm)) {
    report["intra_bytes"] = largest(count.levels.intra);
    report["inter_bytes"] = largest(count.levels.inter);
  }
  return report;
}

const Command kCountCommand{"count",     "rounds, messages and bytes of an algorithm", kOptions, kNotes, run_count,
                            print_fields};

}  // namespace commflow

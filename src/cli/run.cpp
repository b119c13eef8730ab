// commflow run: executes an algorithm on values and shows what every rank has.

#include <cmath>

#include "cli/print.h"
#include "cli/values.h"
#include "core/index.h"

namespace commflow {
namespace {

constexpr Option kOptions[] = {kCollectiveOption,
                               kAlgorithmOption,
                               {"--ranks", "N", "1 to 16"},
                               kRootOption,
                               kChunksOption,
                               kNodesOption,
                               {"--op", "OP", "sum, prod, min, max or avg; sum if not given; only reductions use it"},
                               {"--input", "FILE",
                                "JSON list of values per rank, null where a rank has none; - is\n"
                                "standard input. Without it, rank r has 100(r+1), 100(r+1)+1, ..."}};

constexpr std::string_view kNotes =
    "Values are whole numbers of 64 bits; where nothing is reduced also letters, as \"abc\" or "
    "[\"a\",\"b\",\"c\"].\n"
    "All ranks with an input have equally many; for reduce-scatter, all-to-all and scatter a multiple of N.\n"
    "inputs, outputs: a list per rank, null where a rank has no input or no result.";

Operator read_operator(Arguments& arguments) {
  std::vector<std::string_view> names;
  for (int i = 0; i < kOperators; ++i) names.push_back(name_of(static_cast<Operator>(i)));
  return static_cast<Operator>(arguments.one_of("--op", names, "sum"));
}

// Whether a sum or product leaves the 64 bits that the engine computes with.
bool overflows(const Request& request, const RankValues& input, Operator op) {
  if (!reduces(request.collective) || op == Operator::min || op == Operator::max) return false;
  for (std::size_t i = 0; i < input.values.front().size(); ++i) {
    long double total = op == Operator::prod ? 1 : 0;
    for (const auto& values : input.values) {
      const auto value = static_cast<long double>(values[i]);
      total = op == Operator::prod ? total * value : total + value;
    }
    if (std::fabs(total) >= 0x1p63L) return true;
  }
  return false;
}

// The values that a request starts from; wrong ones are noted in `arguments`.
RankValues read_input(Arguments& arguments, const Request& request, int slots, Operator op) {
  if (!arguments.given("--input")) return default_values(request, slots, op);
  RankValues input = read_values(arguments, request);
  if (arguments.problem().empty() && overflows(request, input, op)) {
    const std::string combined(name_of(op));
    arguments.fail("--input has values whose " + combined + " needs more than 64 bits; expected smaller ones");
  }
  return input;
}

// Values of these blocks, one after the other; nothing where there are no blocks.
Report values_of(const Buffers& buffers, Rank rank, Area area, const std::vector<int>& blocks, Operator op,
                 Spelling spelling) {
  if (blocks.empty()) return nullptr;
  std::vector<Fraction> values;
  for (const int block : blocks) {
    for (const Value value : buffers.values({rank, area, block})) values.push_back(finish(op, value, buffers.ranks()));
  }
  return spelt(values, spelling);
}

void add_values(Report& report, const Request& request, const RankValues& input, const Schedule& schedule,
                Operator op) {
  const Buffers initial = initial_buffers(request.collective, request.root, slot_widths(request, schedule.slots, input),
                                          input.values, schedule.switches);
  const Buffers final = run(schedule, initial, op);
  const Operator shown_op = reduces(request.collective) ? op : Operator::sum;  // only a reduction can be an average
  Report inputs = Report::array();
  Report outputs = Report::array();
  for (Rank rank = 0; rank < request.ranks; ++rank) {
    const auto before = input_blocks(request.collective, request.ranks, schedule.slots, request.root, rank);
    const auto after = output_blocks(request.collective, request.ranks, schedule.slots, request.root, rank);
    inputs.push_back(values_of(initial, rank, Area::in, before, Operator::sum, input.spelling));
    outputs.push_back(values_of(final, rank, Area::out, after, shown_op, input.spelling));
  }
  report["inputs"] = std::move(inputs);
  report["outputs"] = std::move(outputs);
}

Report run_run(Arguments& arguments) {
  const Request request = read_request(arguments, kMaxExecutedRanks);
  const Operator op = read_operator(arguments);
  if (!arguments.problem().empty()) return {};
  const Schedule schedule = schedule_of(request);
  const RankValues input = read_input(arguments, request, schedule.slots, op);
  if (!arguments.problem().empty()) return {};
  Report report = report_of(request);
  report["op"] = reduces(request.collective) ? Report(name_of(op)) : Report(nullptr);
  report["rounds"] = schedule.rounds.size();
  add_values(report, request, input, schedule, op);
  return report;
}

void print_run(const Report& report, std::ostream& out) {
  out << shown(report["collective"]) << " by " << shown(report["algorithm"]);
  if (!report["op"].is_null()) out << ", op " << shown(report["op"]);
  out << ", rounds: " << shown(report["rounds"]) << "\n\n";
  std::vector<std::vector<std::string>> rows{{"rank", "input", "", "output"}};
  for (std::size_t rank = 0; rank < report["inputs"].size(); ++rank) {
    rows.push_back({std::to_string(rank), shown(report["inputs"][rank]), "->", shown(report["outputs"][rank])});
  }
  print_table(rows, out);
}

}  // namespace

const Command kRunCommand{"run",    "executes an algorithm on given or default values", kOptions, kNotes, run_run,
                          print_run};

}  // namespace commflow

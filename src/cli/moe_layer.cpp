#include "cli/moe_layer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "cli/count.h"
#include "cli/input.h"
#include "cli/print.h"
#include "core/expert_alternatives.h"
#include "core/expert_bytes.h"
#include "story/rows.h"

namespace commflow {
namespace {

using experts::Counts;
using experts::Dedup;
using experts::Exchange;
using experts::ExchangeBytes;
using experts::Flow;
using experts::Path;
using experts::Settings;

constexpr std::array<std::string_view, 3> kDedups{"none", "rank", "node"};
constexpr std::array<std::string_view, 2> kPlacements{"in-order", "balanced"};
constexpr std::array<std::string_view, 2> kPaths{"one-hop", "two-hop"};

// A number in units of 1 / parts, as finely as is counted.
int read_parts(Arguments& arguments, std::string_view name, int parts, int most) {
  const double value = parts * arguments.number(name, 0, static_cast<double>(most) / parts, 0);
  const double whole = std::round(value);
  if (std::abs(value - whole) > 1e-6) arguments.refuse(name, "a multiple of 1/" + std::to_string(parts));
  return static_cast<int>(whole);
}

void read_capacity(Arguments& arguments, Settings& settings) {
  if (!arguments.given("--capacity-factor")) return;
  settings.capacity_thousandths = read_parts(arguments, "--capacity-factor", 1000, experts::kMaxCapacityThousandths);
  if (settings.capacity_thousandths == 0) arguments.refuse("--capacity-factor", "a number above 0");
}

void read_table(Arguments& arguments, Settings& settings) {
  if (!arguments.given("--table")) return;
  for (const std::string_view other : {"--seed", "--zipf"}) {
    if (arguments.given(other))
      arguments.fail(std::string(other) + " does nothing beside --table; expected one of them");
  }
  const std::optional<InputText> input = read_input(arguments, "--table");
  if (!input) return;
  const RowLimits limits{0, settings.experts - 1, std::numeric_limits<int>::max(), settings.experts, true, true};
  ReadRows table = read_rows(input->text, limits);
  if (table.misread) return arguments.fail("--table " + sentence_of(*table.misread, input->name));
  const auto topk = static_cast<int>(table.rows.row(0).size());
  if (topk != settings.topk || table.rows.size() != experts::tokens_of_all(settings)) {
    return arguments.fail("--table " + input->name + " has " + std::to_string(table.rows.size()) + " lines of " +
                          std::to_string(topk) + " experts; expected " +
                          std::to_string(experts::tokens_of_all(settings)) + " lines, one per token of all ranks, of " +
                          std::to_string(settings.topk));
  }
  settings.table = std::move(table.rows.numbers);
}

void read_path(Arguments& arguments, Settings& settings) {
  settings.dedup = static_cast<Dedup>(arguments.one_of("--dedup", kDedups, "none"));
  const std::string_view usual = kPaths[settings.dedup == Dedup::per_node ? 1 : 0];
  settings.path = static_cast<Path>(arguments.one_of("--path", kPaths, usual));
}

Settings read_settings(Arguments& arguments, const MoeRequest& moe) {
  Settings settings;
  settings.nodes = moe.nodes;
  settings.gpus_per_node = moe.gpus_per_node;
  settings.experts = moe.experts;
  settings.topk = moe.topk;
  settings.tokens = static_cast<int>(std::min<std::int64_t>(moe.tokens, experts::kMaxCountedCopies));
  settings.hidden = moe.hidden;
  settings.out = moe.dispatch;
  settings.home = moe.combine;
  settings.seed =
      static_cast<std::uint64_t>(arguments.integer("--seed", 0, std::numeric_limits<std::int64_t>::max(), 1));
  settings.zipf_hundredths = read_parts(arguments, "--zipf", 100, experts::kMaxZipfHundredths);
  settings.topk_nodes = arguments.given("--topk-nodes") ? arguments.whole("--topk-nodes", 1, moe.nodes) : 0;
  settings.placement = static_cast<experts::Placement>(arguments.one_of("--placement", kPlacements, "in-order"));
  settings.replicas_per_rank = arguments.whole("--replicas", 0, experts::kMaxReplicasPerRank, 0);
  read_capacity(arguments, settings);
  read_path(arguments, settings);
  if (arguments.problem().empty()) read_table(arguments, settings);
  if (!arguments.problem().empty()) return settings;
  if (const auto problem = experts::settings_problem(settings)) arguments.fail(sentence_of(*problem));
  return settings;
}

Report rows_of(const Flow& flow) {
  Report rows = Report::array();
  for (auto row = flow.vectors.begin(); row != flow.vectors.end(); row += flow.ranks) {
    rows.push_back(std::vector<std::int64_t>(row, row + flow.ranks));
  }
  return rows;
}

Report replicas_of(const Counts& counts) {
  Report list = Report::array();
  for (std::size_t expert = 0; expert < counts.hosts.of_expert.size(); ++expert) {
    const std::vector<Rank>& ranks = counts.hosts.of_expert[expert];
    if (ranks.size() > 1) list.push_back({{"expert", expert}, {"ranks", ranks}});
  }
  return list;
}

std::vector<std::int64_t> vectors_of(std::vector<Bytes> bytes, Bytes message) {
  for (Bytes& one : bytes) one /= message;
  return bytes;
}

void report_settings(const Settings& settings, Report& report) {
  report["nodes"] = settings.nodes;
  report["gpus_per_node"] = settings.gpus_per_node;
  if (settings.table.empty()) report["seed"] = settings.seed;
  report["dedup"] = kDedups[static_cast<std::size_t>(settings.dedup)];
  report["path"] = kPaths[static_cast<std::size_t>(settings.path)];
}

void report_routing(const Settings& settings, const Counts& counts, Report& report) {
  const std::vector<std::int64_t> computed = experts::column_sums(counts.split);
  const auto tokens = static_cast<double>(experts::tokens_of_all(settings));
  report["split"] = rows_of(counts.split);
  report["capacity"] = counts.capacity ? Report(*counts.capacity) : Report();
  report["dropped"] = counts.dropped;
  report["tokens_per_expert"] = counts.taken;
  report["computed"] = computed;
  report["max_over_mean"] = as_number(experts::max_over_mean(computed));
  report["distinct_ranks"] = static_cast<double>(counts.reach.ranks) / tokens;
  report["distinct_nodes"] = static_cast<double>(counts.reach.nodes) / tokens;
  if (settings.replicas_per_rank > 0) report["replicas"] = replicas_of(counts);
}

void report_bytes(const Settings& settings, const Counts& counts, Report& report) {
  const ExchangeBytes out = experts::bytes_of(settings, counts, Exchange::dispatch);
  report["sent"] = vectors_of(out.sent, out.message);
  report["received"] = vectors_of(out.received, out.message);
  report["sent_bytes"] = out.sent;
  report["received_bytes"] = out.received;
  report["off_rank_bytes"] = out.nvlink + out.network;
  report["off_node_bytes"] = out.network;
  report["nvlink_bytes"] = out.nvlink;
  report["combine_off_node_bytes"] = experts::bytes_of(settings, counts, Exchange::combine).network;
  report["messages"] = out.messages;
  report["smallest_message_bytes"] = out.smallest_message;
}

// Off-node vectors per token, as the settings merge them.
double expected_off_node(const experts::Expected& expected, Dedup dedup) {
  if (dedup == Dedup::none) return expected.off_node_copies;
  return dedup == Dedup::per_rank ? expected.off_node_ranks : expected.off_node_nodes;
}

void report_expected(const Settings& settings, Report& report) {
  const std::optional<experts::Expected> expected = experts::expected_of(settings);
  report["expected_distinct_nodes"] = expected ? Report(expected->nodes) : Report();
  if (!expected) {
    report["expected_off_node_bytes"] = Report();
    return;
  }
  const auto message = static_cast<double>(message_bytes(settings.hidden, settings.out));
  report["expected_off_node_bytes"] =
      expected_off_node(*expected, settings.dedup) * static_cast<double>(experts::tokens_of_all(settings)) * message;
}

Report exchanges_of(const Settings& settings, const Counts& counts) {
  Report list = Report::array();
  for (int index = 0; index < experts::kExchanges; ++index) {
    const auto exchange = static_cast<Exchange>(index);
    const ExchangeBytes bytes = experts::bytes_of(settings, counts, exchange);
    const Bytes most = *std::max_element(bytes.sent.begin(), bytes.sent.end());
    const double mean = static_cast<double>(bytes.nvlink + bytes.network) / experts::ranks_of(settings);
    list.push_back({{"exchange", experts::name_of(exchange)},
                    {"message_bytes", bytes.message},
                    {"nvlink_bytes", bytes.nvlink},
                    {"off_node_bytes", bytes.network},
                    {"sent_bytes_max", most},
                    {"sent_bytes_mean", mean}});
  }
  return list;
}

Report alternatives_of(const Settings& settings) {
  Report list = Report::array();
  for (int index = 0; index < experts::kWays; ++index) {
    const experts::Alternative way = experts::alternative(settings, static_cast<experts::Way>(index));
    list.push_back({{"alternative", experts::name_of(way.way)},
                    {"bytes_per_rank", way.bytes_per_token * settings.tokens},
                    {"rounds", way.rounds},
                    {"even", way.even}});
  }
  return list;
}

// A list of objects with the same keys.
void print_objects(const Report& list, std::ostream& out) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& field : list.front().items()) rows.front().push_back(field.key());
  for (const Report& object : list) {
    std::vector<std::string>& row = rows.emplace_back();
    for (const auto& field : object.items()) row.push_back(shown(field.value()));
  }
  out << '\n';
  print_table(rows, out);
}

}  // namespace

void print_layer(const Report& report, std::ostream& out) {
  constexpr std::string_view kTables[] = {"replicas", "exchanges", "alternatives"};
  Report fields = report;
  fields.erase("tokens_per_expert");  // would be taken for a list by rank
  constexpr std::size_t kMostShownRanks = 16;
  if (report.contains("split") && report["split"].size() > kMostShownRanks) fields["split"] = "--json lists it";
  for (const std::string_view table : kTables) fields.erase(std::string(table));
  print_fields(fields, out);
  for (const std::string_view table : kTables) {
    const auto found = report.find(std::string(table));
    if (found != report.end() && !found->empty()) print_objects(*found, out);
  }
}

void read_ranks(Arguments& arguments, MoeRequest& moe) {
  const bool by_nodes = arguments.given("--nodes") || arguments.given("--gpus-per-node");
  if (!by_nodes || arguments.given("--ranks")) moe.ranks = arguments.whole("--ranks", 1, moe.experts);
  moe.nodes = arguments.whole("--nodes", 1, moe.experts, 1);
  std::optional<int> share;
  if (arguments.given("--ranks") || !by_nodes) share = std::max(1, moe.ranks / moe.nodes);
  moe.gpus_per_node = arguments.whole("--gpus-per-node", 1, moe.experts, share);
  const std::int64_t product = std::int64_t{moe.nodes} * moe.gpus_per_node;
  if (product > moe.experts)
    arguments.refuse("--nodes", "at most as many ranks as --experts " + std::to_string(moe.experts));
  if (by_nodes && !arguments.given("--ranks"))
    moe.ranks = static_cast<int>(std::min<std::int64_t>(product, moe.experts));
  if (moe.ranks != product) {
    arguments.refuse("--ranks", "nodes times GPUs per node, " + std::to_string(moe.nodes) + " * " +
                                    std::to_string(moe.gpus_per_node) + " = " + std::to_string(product));
  }
}

bool asks_for_layer(const Arguments& arguments) {
  constexpr std::string_view kNames[] = {"--nodes",      "--gpus-per-node",   "--seed",     "--zipf",  "--table",
                                         "--topk-nodes", "--capacity-factor", "--replicas", "--dedup", "--path"};
  return std::any_of(std::begin(kNames), std::end(kNames),
                     [&](std::string_view name) { return arguments.given(name); });
}

void append_layer(Arguments& arguments, const MoeRequest& moe, Report& report) {
  if (!arguments.problem().empty()) return;
  const Settings settings = read_settings(arguments, moe);
  if (!arguments.problem().empty()) return;
  const Counts counts = experts::count_layer(settings);
  report_settings(settings, report);
  report_routing(settings, counts, report);
  report_bytes(settings, counts, report);
  report_expected(settings, report);
  report["exchanges"] = exchanges_of(settings, counts);
  report["alternatives"] = alternatives_of(settings);
}

}  // namespace commflow

// commflow groups: the coordinates of every rank and the groups that follow.

#include "core/groups.h"
#include "cli/command.h"
#include "cli/print.h"

namespace commflow {
namespace {

constexpr int kMostPerDimension = 1 << 20;

constexpr Option kOptions[] = {
    {"--tp", "N", "tensor parallel size; sizes not given are 1"},
    {"--pp", "N", "pipeline stages"},
    {"--dp", "N", "data parallel replicas"},
    {"--ep", "N", "expert parallel size; carved out of the ranks of a stage, no further factor"},
    {"--cp", "N", "context parallel size"},
    {"--etp", "N", "tensor parallel size inside an expert"},
    {"--order", "O",
     "coordinates of a rank, fastest first: tp-pp-dp (if not given), tp-dp-pp (Megatron-LM)\n"
     "or another permutation; cp may be left out, it then follows tp"},
};

constexpr std::string_view kNotes =
    "World size = tp * cp * pp * dp. Inside a stage the ranks, tp fastest, then cp, then dp, are\n"
    "cut a second time for experts: etp fastest, then ep, then expert_dp (copies of an expert).\n"
    "ranks: the coordinates of each rank.\n"
    "groups: per dimension all groups, each in the order of its coordinate.";

struct NamedDimension {
  const char* name;
  Dimension dimension;
};
constexpr NamedDimension kGroups[] = {{"tp", Dimension::tp}, {"pp", Dimension::pp},
                                      {"dp", Dimension::dp}, {"cp", Dimension::cp},
                                      {"ep", Dimension::ep}, {"expert_dp", Dimension::expert_dp}};

Layout read_layout(Arguments& arguments) {
  const auto size = [&](std::string_view name) { return arguments.whole(name, 1, kMostPerDimension, 1); };
  Layout layout;
  layout.tp = size("--tp");
  layout.pp = size("--pp");
  layout.dp = size("--dp");
  layout.ep = size("--ep");
  layout.cp = size("--cp");
  layout.etp = size("--etp");
  const auto order = parse_order(arguments.text_or("--order", "tp-pp-dp"));
  if (order) layout.order = *order;
  if (!order) arguments.refuse("--order", "tp, pp and dp, and possibly cp, once each, joined by \"-\"");
  if (const auto problem = layout_problem(layout)) arguments.fail(*problem);
  return layout;
}

Report report_of(const Coordinates& at, Rank rank) {
  return {{"rank", rank}, {"tp", at.tp}, {"pp", at.pp},   {"dp", at.dp},
          {"cp", at.cp},  {"ep", at.ep}, {"etp", at.etp}, {"expert_dp", at.expert_dp}};
}

Report run_groups(Arguments& arguments) {
  const Layout layout = read_layout(arguments);
  if (!arguments.problem().empty()) return {};
  Report report;
  report["world_size"] = world_size(layout);
  report["ranks"] = Report::array();
  for (Rank rank = 0; rank < world_size(layout); ++rank) {
    report["ranks"].push_back(report_of(coordinates_of(layout, rank), rank));
  }
  for (const NamedDimension& row : kGroups) report["groups"][row.name] = groups_of(layout, row.dimension);
  return report;
}

void print_coordinates(const Report& ranks, std::ostream& out) {
  std::vector<std::vector<std::string>> rows(1);
  for (const auto& field : ranks.front().items()) rows.front().push_back(field.key());
  for (const Report& rank : ranks) {
    rows.emplace_back();
    for (const Report& value : rank) rows.back().push_back(shown(value));
  }
  print_table(rows, out);
}

void print_groups(const Report& report, std::ostream& out) {
  print_coordinates(report["ranks"], out);
  out << '\n';
  std::vector<std::vector<std::string>> rows;
  for (const auto& dimension : report["groups"].items()) {
    std::string line;
    for (const Report& group : dimension.value()) line += (line.empty() ? "{" : " {") + shown(group) + "}";
    rows.push_back({dimension.key(), line});
  }
  print_table(rows, out);
}

}  // namespace

const Command kGroupsCommand{"groups",    "coordinates of ranks, and who talks to whom", kOptions, kNotes, run_groups,
                             print_groups};

}  // namespace commflow

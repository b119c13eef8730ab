#pragma once
// What a command is: a name, the arguments it takes, a function from arguments
// to a report. A new command is one file and one row in cli.cpp. The report is
// JSON; the readable form is printed from it, so that the two cannot differ.

#include <nlohmann/json.hpp>
#include <ostream>
#include <span>
#include <string_view>

#include "cli/arguments.h"

namespace commflow {

using Report = nlohmann::ordered_json;  // keys in the order in which they were put

struct Command {
  std::string_view name;
  std::string_view summary;         // one line, for the overview
  std::span<const Option> options;  // --json and --help come by themselves
  std::string_view notes;           // for --help: what the fields mean; may be empty
  // Notes what is wrong in `arguments`; the report is then thrown away.
  Report (*run)(Arguments& arguments);
  void (*print)(const Report& report, std::ostream& out);
};

extern const Command kScheduleCommand;
extern const Command kRunCommand;
extern const Command kCountCommand;
extern const Command kTimeCommand;
extern const Command kTreeCommand;
extern const Command kTopologyCommand;
extern const Command kRouteCommand;
extern const Command kFaultsCommand;
extern const Command kMoeCommand;
extern const Command kGroupsCommand;
extern const Command kPageCommand;
extern const Command kSvgCommand;
extern const Command kHandoutCommand;

}  // namespace commflow

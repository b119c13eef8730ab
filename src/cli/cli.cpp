#include "cli/cli.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/command.h"

namespace commflow {
namespace {

constexpr int kSuccess = 0;
constexpr int kWrongArguments = 2;

// The table: a new command is one row.
const Command* const kCommands[] = {&kScheduleCommand, &kRunCommand,   &kCountCommand,  &kTimeCommand, &kTreeCommand,
                                    &kTopologyCommand, &kRouteCommand, &kFaultsCommand, &kMoeCommand,  &kGroupsCommand,
                                    &kPageCommand,     &kSvgCommand,   &kHandoutCommand};

constexpr Option kJson{"--json", "", "print JSON"};
constexpr Option kHelp{"--help", "", "print this"};

constexpr std::string_view kOverviewStart =
    "commflow                 opens the window\n"
    "commflow COMMAND ...     prints and needs no display\n\n";
constexpr std::string_view kOverviewEnd = "\ncommflow COMMAND --help  says what a command takes and prints\n";

std::string padded(std::string_view text, std::size_t width) {
  std::string result(text);
  result.resize(std::max(width, result.size()), ' ');
  return result;
}

void print_overview(std::ostream& out) {
  out << kOverviewStart;
  for (const Command* command : kCommands) out << "  " << padded(command->name, 10) << command->summary << '\n';
  out << kOverviewEnd;
}

void print_option(const Option& option, std::ostream& out) {
  constexpr std::size_t kIndent = 22;
  const std::string space = option.value.empty() ? "" : " ";
  out << "  " << padded(std::string(option.name) + space + std::string(option.value), kIndent - 2);
  for (const char letter : option.help) {
    out << letter;
    if (letter == '\n') out << std::string(kIndent, ' ');
  }
  out << '\n';
}

void print_help(const Command& command, std::ostream& out) {
  out << "commflow " << command.name << ": " << command.summary << "\n\n";
  for (const Option& option : command.options) print_option(option, out);
  print_option(kJson, out);
  print_option(kHelp, out);
  if (!command.notes.empty()) out << '\n' << command.notes << '\n';
}

const Command* find_command(std::string_view name) {
  const auto found = std::find_if(std::begin(kCommands), std::end(kCommands),
                                  [&](const Command* command) { return command->name == name; });
  return found == std::end(kCommands) ? nullptr : *found;
}

int refuse_command(std::string_view name, std::ostream& err) {
  std::vector<std::string_view> names;
  for (const Command* command : kCommands) names.push_back(command->name);
  err << "commflow: unknown command \"" << name << "\"; expected " << listed(names) << '\n';
  return kWrongArguments;
}

int run_command(const Command& command, std::span<const std::string_view> args, std::ostream& out, std::ostream& err) {
  std::vector<Option> options(command.options.begin(), command.options.end());
  options.push_back(kJson);
  options.push_back(kHelp);
  Arguments arguments(options, args);
  if (arguments.given(kHelp.name)) {
    print_help(command, out);
    return kSuccess;
  }
  const Report report = arguments.problem().empty() ? command.run(arguments) : Report();
  if (!arguments.problem().empty()) {
    err << "commflow " << command.name << ": " << arguments.problem() << '\n';
    return kWrongArguments;
  }
  for (const std::string& note : arguments.notes()) err << "commflow " << command.name << ": " << note << '\n';
  if (arguments.given(kJson.name)) {
    out << report.dump(-1, ' ', false, Report::error_handler_t::replace) << '\n';
  } else {
    command.print(report, out);
  }
  return kSuccess;
}

}  // namespace

int run_command_line(std::span<const std::string_view> args, std::ostream& out, std::ostream& err) {
  if (args.empty()) return refuse_command("", err);
  if (args.front() == kHelp.name || args.front() == "help") {
    print_overview(out);
    return kSuccess;
  }
  const Command* command = find_command(args.front());
  return command == nullptr ? refuse_command(args.front(), err) : run_command(*command, args.subspan(1), out, err);
}

}  // namespace commflow

#pragma once
// The command line: dumps schedules, results, counts, times and pages as text
// or JSON, without a window. Knows the engine and the story, never the screen.

#include <ostream>
#include <span>
#include <string_view>

namespace commflow {

// args without the program's name. Exit code: 0, or 2 after one sentence on `err`
// that names the argument, what was given and what was expected.
int run_command_line(std::span<const std::string_view> args, std::ostream& out, std::ostream& err);

}  // namespace commflow

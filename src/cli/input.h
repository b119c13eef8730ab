#pragma once
// A file that an argument names, or the standard input.

#include <optional>
#include <string>

#include "cli/arguments.h"

namespace commflow {

struct InputText {
  std::string name;  // for errors
  std::string text;
};

// "-" is the standard input. Nothing, and a problem noted, if it cannot be read.
std::optional<InputText> read_input(Arguments& arguments, std::string_view option);

}  // namespace commflow

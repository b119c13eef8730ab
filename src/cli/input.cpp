#include "cli/input.h"

#include <fstream>
#include <iostream>
#include <iterator>

namespace commflow {

std::optional<InputText> read_input(Arguments& arguments, std::string_view option) {
  const std::string path(arguments.text(option, "a file, or - for standard input"));
  if (path == "-") return InputText{"standard input", {std::istreambuf_iterator<char>(std::cin), {}}};
  std::ifstream file(path, std::ios::binary);
  if (file) return InputText{path, {std::istreambuf_iterator<char>(file), {}}};
  arguments.refuse(option, "a file that can be read, or - for standard input");
  return std::nullopt;
}

}  // namespace commflow

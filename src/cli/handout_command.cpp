// commflow handout: the stills of all steps and the pages without scripts, as files.

#include <filesystem>
#include <system_error>

#include "cli/command.h"
#include "cli/handout.h"
#include "cli/link.h"

namespace commflow {
namespace {

constexpr Option kOptions[] = {{"--out", "DIR", "folder to write into, which must be there"}, kDataOption};

constexpr std::string_view kNotes =
    "Writes handout.LANG.html, with the words, tables and a still of every step, and stills/STEP.LANG.THEME.svg.\n"
    "handout.css and the page itself lie beside them in the folder that build-wasm.sh makes.";

Report run_handout(Arguments& arguments) {
  Library library;
  if (!load_library(arguments, library)) return {};
  const std::string folder(arguments.text("--out", "a folder"));
  if (!arguments.problem().empty()) return {};
  std::error_code failed;
  if (!std::filesystem::is_directory(folder, failed)) arguments.refuse("--out", "a folder");
  if (!arguments.problem().empty()) return {};
  int files = 0;
  const std::string error = write_handout(library, folder, files);
  if (!error.empty()) arguments.fail(error);
  return {{"folder", folder}, {"files", files}};
}

void print_handout(const Report& report, std::ostream& out) {
  out << report["folder"].get_ref<const std::string&>() << ": " << report["files"] << " files\n";
}

}  // namespace

const Command kHandoutCommand{"handout",    "stills and text of all steps as files", kOptions, kNotes, run_handout,
                              print_handout};

}  // namespace commflow

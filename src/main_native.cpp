// The start of the native program: a command prints and needs no display; without one a window opens, or with
// --picture a PNG is written. Texts and documents are read from their folders, again whenever a file is saved.

#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.h"
#include "cli/cli.h"
#include "io/folder.h"
#include "io/json_writer.h"
#include "platform/sdl.h"
#include "start.h"
#include "story/fields.h"
#include "ui/text_editor.h"

namespace commflow {
namespace {

constexpr Option kOptions[] = {
    {"--state", "#...", "what to show: the part of a link from # on"},
    {"--theme", "T", "light or dark"},
    {"--width", "N", "of the window, in CSS pixels"},
    {"--height", "N", "likewise; for a picture 0 is as high as the page"},
    {"--density", "D", "device pixels per CSS pixel of a picture"},
    {"--picture", "FILE", "write a PNG instead of opening a window"},
    {"--data", "DIR", "folder that holds locales/ and assets/"},
};

constexpr int kMostPixels = 16384;

struct Folder {
  std::string root;
  std::uint64_t stamp = 0;
};
Folder folder;

std::string_view name_of(Lang lang) {
  return field(FieldId::lang).names[static_cast<std::size_t>(lang)];
}

std::string environment_message(std::string_view theme) {
  const char* locale = std::getenv("LANG");
  const bool chinese = locale != nullptr && std::string_view(locale).substr(0, 2) == "zh";
  JsonWriter out;
  out.open('{').text("type", "environment").text("source", "system").text("theme", theme);
  return out.text("lang", name_of(chinese ? Lang::zh : Lang::en)).close('}').str();
}

std::string open_message(std::string_view state) {
  return JsonWriter().open('{').text("type", "open").text("source", "url").text("state", state).close('}').str();
}

platform::WindowOptions window_options(Arguments& arguments) {
  constexpr std::string_view kThemes[] = {"light", "dark"};
  platform::WindowOptions options;
  options.picture = arguments.text_or("--picture", "");
  options.width = arguments.whole("--width", 1, kMostPixels, options.width);
  options.height = arguments.whole("--height", options.picture.empty() ? 1 : 0, kMostPixels, options.height);
  options.density = static_cast<float>(arguments.number("--density", 0, 8, 0));
  options.fonts = COMMFLOW_BUILD_DIR "/assets";
  options.assets = folder.root;
  options.messages.push_back(environment_message(kThemes[arguments.one_of("--theme", kThemes, "light")]));
  if (arguments.given("--state")) options.messages.push_back(open_message(arguments.text_or("--state", "")));
  return options;
}

int open_window(std::span<const std::string_view> args) {
  Arguments arguments(kOptions, args);
  folder.root = arguments.given("--data") ? std::string(arguments.text_or("--data", ""))
                                          : find_data({folder_of_program(), COMMFLOW_SOURCE_DIR});
  const platform::WindowOptions options = window_options(arguments);
  if (arguments.problem().empty()) return platform::run_window(options);
  std::cerr << "commflow: " << arguments.problem() << '\n';
  return 2;
}

}  // namespace

std::optional<Parsed<Json>> data_of(Lang lang) {
  return pack_folder(folder.root, name_of(lang));
}

bool data_changed() {
  const std::uint64_t before = std::exchange(folder.stamp, folder_stamp(folder.root));
  return before != 0 && before != folder.stamp;
}

ui::TextEditor text_editor() {
  return ui::edit_text;
}

}  // namespace commflow

int main(int argc, char** argv) {
  const std::vector<std::string_view> args(argv + 1, argv + argc);
  const bool has_command = !args.empty() && (args.front().substr(0, 2) != "--" || args.front() == "--help");
  if (has_command) return commflow::run_command_line(args, std::cout, std::cerr);
  return commflow::open_window(args);
}

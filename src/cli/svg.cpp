// commflow svg: the figure of a link as a still picture.

#include <fstream>

#include "cli/command.h"
#include "cli/link.h"
#include "story/pages/pages.h"
#include "story/stills.h"
#include "story/url.h"

namespace commflow {
namespace {

constexpr std::string_view kThemes[] = {"light", "dark"};

constexpr Option kOptions[] = {
    kStateOption,
    kLangOption,
    kDataOption,
    {"--theme", "T", "light or dark; if not given, light"},
    {"--width", "W", "in CSS pixels, 280 to 1600; if not given, 820"},
    {"-o", "FILE", "where to write; if not given, the picture itself is printed"},
};

constexpr std::string_view kNotes =
    "The picture has the same shapes as the figure on the page, with real text, a title and a description.";

Report run_svg(Arguments& arguments) {
  Library library;
  if (!load_library(arguments, library)) return {};
  const State state = read_state(arguments, library);
  const auto theme = static_cast<Theme>(arguments.given("--theme") ? arguments.one_of("--theme", kThemes) : 0);
  const std::int64_t width = arguments.given("--width") ? arguments.whole("--width", 280, 1600) : 820;
  const std::string file(arguments.text_or("-o", ""));
  if (!arguments.problem().empty()) return {};
  Deriver deriver(library);
  const auto stills = stills_of(make_page(state, deriver), state, deriver, static_cast<float>(width), theme);
  if (stills.empty()) {
    arguments.fail("this page has no figure: " + encode(state, library));
    return {};
  }
  const std::string& svg = stills.front().svg;
  Report report{{"state", encode(state, library)}, {"bytes", svg.size()}};
  if (file.empty()) {
    report["svg"] = svg;
  } else if (std::ofstream(file, std::ios::binary) << svg) {
    report["file"] = file;
  } else {
    arguments.fail("-o " + file + ": this file cannot be written");
  }
  return report;
}

void print_svg(const Report& report, std::ostream& out) {
  if (report.contains("svg"))
    out << report["svg"].get_ref<const std::string&>();
  else
    out << report["file"].get_ref<const std::string&>() << ": " << report["bytes"] << " bytes, "
        << report["state"].get_ref<const std::string&>() << '\n';
}

}  // namespace

const Command kSvgCommand{"svg", "the figure of a link as a still picture", kOptions, kNotes, run_svg, print_svg};

}  // namespace commflow

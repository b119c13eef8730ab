// commflow page: what the reader of a link sees, in words: the page that the window draws and the mirror speaks.

#include <utility>

#include "cli/command.h"
#include "cli/link.h"
#include "cli/print.h"
#include "io/page_json.h"
#include "story/pages/pages.h"
#include "story/url.h"

namespace commflow {
namespace {

constexpr float kFigureWidth = 960;

constexpr Option kOptions[] = {kStateOption, kLangOption, kDataOption};

constexpr std::string_view kNotes =
    "What of the link was not understood is said on the standard error output.\n"
    "blocks: the page from top to bottom; kind is heading, paragraph, note, list, table, figure or controls.\n"
    "live: the sentence of the moment, as a screen reader speaks it.";

std::vector<FigureTargets> targets_of(const Page& page, const State& state, Deriver& deriver) {
  std::vector<FigureTargets> all;
  for (const Block& block : page.blocks)
    if (block.kind == BlockKind::figure)
      all.push_back({block.id, make_figure(block.id, {kFigureWidth}, state, deriver, true).targets});
  return all;
}

Report run_page(Arguments& arguments) {
  Library library;
  if (!load_library(arguments, library)) return {};
  const State state = read_state(arguments, library);
  if (!arguments.problem().empty()) return {};
  Deriver deriver(library);
  const Page page = make_page(state, deriver);
  const auto targets = targets_of(page, state, deriver);
  Report report = Report::parse(write_page({page, targets, {}, 0, 0, "light"}), nullptr, false);
  for (const char* unplaced : {"width", "height", "theme"}) report.erase(unplaced);
  report["state"] = encode(state, library);
  return report;
}

// ---- as text ----

std::string text_of(const Report& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::string() : shown(*found);
}

void print_rows(const Report& block, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{block["columns"].get<std::vector<std::string>>()};
  for (const Report& row : block["rows"]) rows.push_back(row.get<std::vector<std::string>>());
  print_table(rows, out);
}

// "[tp] TP (tensor): 2 of 1, 2, 4", "[next] Next step (not now: ...)"
void print_control(const Report& control, std::ostream& out) {
  const std::string value = text_of(control, "text");
  out << "  [" << text_of(control, "id") << "] " << text_of(control, "label");
  if (!value.empty()) out << ": " << value;
  if (control.contains("min"))
    out << " (" << control["value"] << ", " << control["min"] << " to " << control["max"] << ")";
  if (control.contains("choices")) {
    const char* before = " (";
    for (const Report& choice : control["choices"]) out << std::exchange(before, ", ") << shown(choice);
    out << ")";
  }
  if (control.value("pressed", false)) out << " *";
  if (!control.value("enabled", true))
    out << " (not now" << (text_of(control, "why").empty() ? "" : ": ") << text_of(control, "why") << ")";
  if (control.contains("href")) out << " <" << text_of(control, "href") << ">";
  out << '\n';
}

void print_block(const Report& block, std::ostream& out) {
  const std::string kind = text_of(block, "kind");
  const std::string text = text_of(block, "text");
  if (kind == "heading")
    out << '\n' << std::string(static_cast<std::size_t>(block.value("level", 1)), '#') << ' ' << text << '\n';
  else if (kind == "note")
    out << "> " << text << '\n';
  else if (kind == "figure")
    out << "[figure " << text_of(block, "id") << "] " << text_of(block, "alt") << '\n';
  else if (kind == "table")
    print_rows(block, out);
  else if (!text.empty())
    out << text << '\n';
  if (kind == "list")
    for (const Report& item : block["items"]) out << "- " << shown(item) << '\n';
  if (kind == "controls")
    for (const Report& control : block["items"]) print_control(control, out);
}

void print_page(const Report& report, std::ostream& out) {
  out << text_of(report, "title") << '\n';
  for (const Report& block : report["blocks"]) print_block(block, out);
  out << '\n' << text_of(report, "live") << '\n' << text_of(report, "state") << '\n';
}

}  // namespace

const Command kPageCommand{"page", "what the reader of a link sees, in words", kOptions, kNotes, run_page, print_page};

}  // namespace commflow

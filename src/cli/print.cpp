#include "cli/print.h"

#include <algorithm>

namespace commflow {
namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789+-.e") == std::string_view::npos;
}

std::string padded(const std::string& text, std::size_t width) {
  const std::string blanks(width - std::min(width, text.size()), ' ');
  return is_number(text) ? blanks + text : text + blanks;
}

std::string shown_run(const Report& list, std::size_t first, std::size_t end) {
  const std::string last = end - first > 1 ? "-" + std::to_string(end - 1) : "";
  return (last.empty() ? "rank " : "ranks ") + std::to_string(first) + last + ": " + shown(list[first]);
}

std::string shown_by_rank(const Report& list) {
  constexpr int kMaxRuns = 8;
  std::string text;
  int runs = 0;
  for (std::size_t first = 0, end = 0; first < list.size(); first = end) {
    while (end < list.size() && list[end] == list[first]) ++end;
    if (++runs > kMaxRuns) return text + ", ... (--json lists all)";
    text += (text.empty() ? "" : ", ") + shown_run(list, first, end);
  }
  return text;
}

}  // namespace

std::string shown(const Report& value) {
  if (value.is_null()) return "-";
  if (const auto* text = value.get_ptr<const std::string*>()) return *text;
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Report& element : value) text += (text.empty() ? "" : " ") + shown(element);
  return text;
}

void print_fields(const Report& report, std::ostream& out) {
  std::size_t width = 0;
  for (const auto& field : report.items()) width = std::max(width, field.key().size());
  for (const auto& field : report.items()) {
    const bool by_rank = field.value().is_array();
    out << padded(field.key(), width) << "  " << (by_rank ? shown_by_rank(field.value()) : shown(field.value()))
        << '\n';
  }
}

void print_table(const std::vector<std::vector<std::string>>& rows, std::ostream& out) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += (i > 0 ? "  " : "") + padded(row[i], widths[i]);
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace commflow

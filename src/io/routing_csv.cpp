#include "io/routing_csv.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace commflow {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// What stands before `end`, which is cut off `rest` as well.
std::string_view take_until(std::string_view& rest, char end) {
  const std::size_t size = std::min(rest.find(end), rest.size());
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return taken;
}

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class Reader {
 public:
  Reader(std::string_view file, int experts) : file_(file), experts_(experts) {}

  Parsed<RoutingTable> read(std::string_view text) {
    while (!text.empty() && error_.empty()) {
      ++line_;
      std::string_view line = take_until(text, '\n');
      line = trimmed(take_until(line, '#'));
      if (!line.empty()) read_line(line);
    }
    if (error_.empty() && table_.tokens == 0) error_ = file_ + " has no line with ids; expected one for each token";
    if (!error_.empty()) return {std::nullopt, error_};
    return {std::move(table_), {}};
  }

 private:
  void read_line(std::string_view line) {
    const std::size_t before = table_.experts.size();
    const auto size = static_cast<int>(std::count(line.begin(), line.end(), ',')) + 1;
    if (table_.tokens > 0 && size != table_.topk) {
      return fail(std::min(size, table_.topk + 1), "found " + std::to_string(size) + " ids, expected " +
                                                       std::to_string(table_.topk) + " as in the first line");
    }
    for (int column = 1; column <= size && error_.empty(); ++column) {
      read_id(trimmed(take_until(line, ',')), column, before);
    }
    table_.topk = size;
    ++table_.tokens;
  }

  void read_id(std::string_view text, int column, std::size_t before) {
    const std::optional<int> id = whole(text);
    if (!id || *id < 0 || *id >= experts_) {
      return fail(column,
                  "found \"" + std::string(text) + "\", expected an expert from 0 to " + std::to_string(experts_ - 1));
    }
    const auto first = table_.experts.begin() + static_cast<std::ptrdiff_t>(before);
    if (std::find(first, table_.experts.end(), *id) != table_.experts.end()) {
      return fail(column, "found expert " + std::to_string(*id) + " for the second time, expected different ones");
    }
    table_.experts.push_back(*id);
  }

  void fail(int column, const std::string& what) {
    error_ = file_ + ": line " + std::to_string(line_) + ", column " + std::to_string(column) + ": " + what;
  }

  std::string file_;
  int experts_;
  int line_ = 0;
  std::string error_;
  RoutingTable table_;
};

}  // namespace

Parsed<RoutingTable> parse_routing_csv(std::string_view text, std::string_view file, int experts) {
  return Reader(file, experts).read(text);
}

}  // namespace commflow

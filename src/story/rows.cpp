#include "story/rows.h"

#include <algorithm>
#include <charconv>

namespace commflow {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::size_t kLongestFound = 20;  // of what an error quotes

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// What stands before one of `ends`, which is cut off `rest` as well.
std::string_view take_until(std::string_view& rest, std::string_view ends) {
  const std::size_t size = std::min(rest.find_first_of(ends), rest.size());
  const std::string_view taken = rest.substr(0, size);
  rest.remove_prefix(std::min(size + 1, rest.size()));
  return taken;
}

// Between commas, where there are any: an empty place is a mistake then. Else between blanks.
std::vector<std::string_view> places_of(std::string_view row) {
  std::vector<std::string_view> places;
  const bool commas = row.find(',') != std::string_view::npos;
  for (bool more = true; more;) {
    const std::string_view ends = commas ? std::string_view(",") : kBlanks;
    more = row.find_first_of(ends) != std::string_view::npos;
    const std::string_view place = trimmed(take_until(row, ends));
    if (commas || !place.empty()) places.push_back(place);
  }
  return places;
}

std::optional<int> whole(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is typed on Chinese keyboards or pasted from formatted text, and means the same.
std::string plain(std::string_view text) {
  constexpr std::pair<std::string_view, std::string_view> kSame[] = {
      {"\xef\xbc\x8c", ","}, {"\xe3\x80\x81", ","}, {"\xef\xbc\x9b", ";"}, {"\xe2\x88\x92", "-"},
      {"\xef\xbc\x8d", "-"}, {"\xc2\xa0", " "},     {"\xe3\x80\x80", " "}, {"\xef\xbb\xbf", ""}};
  std::string out;
  while (!text.empty()) {
    const auto same = std::find_if(std::begin(kSame), std::end(kSame),
                                   [&](const auto& pair) { return text.substr(0, pair.first.size()) == pair.first; });
    if (same != std::end(kSame)) {
      out += same->second;
      text.remove_prefix(same->first.size());
    } else if (text.size() >= 3 && text.substr(0, 2) == "\xef\xbc" && text[2] >= '\x90' && text[2] <= '\x99') {
      out += static_cast<char>('0' + (text[2] - '\x90'));  // full-width digits
      text.remove_prefix(3);
    } else {
      out += text.front();
      text.remove_prefix(1);
    }
  }
  return out;
}

// The beginning of a text, without half a character at its end.
std::string beginning_of(std::string_view text) {
  std::size_t size = std::min(text.size(), kLongestFound);
  while (size < text.size() && size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return std::string(text.substr(0, size));
}

class Reader {
 public:
  explicit Reader(const RowLimits& limits) : limits_(limits) {}

  ReadRows read(std::string_view text) {
    while (!text.empty() && !misread_) {
      ++line_;
      std::string_view line = take_until(text, "\n");
      line = take_until(line, "#");
      while (!line.empty() && !misread_) {
        const std::string_view row = trimmed(take_until(line, ";"));
        if (!row.empty()) read_row(row);
      }
    }
    if (!misread_ && rows_.empty()) fail({Misread::Kind::nothing, 0, 0, {}, 0, 0, 0, 0});
    if (misread_) return {{}, std::move(misread_)};
    return {std::move(rows_), {}};
  }

 private:
  void read_row(std::string_view text) {
    const auto places = places_of(text);
    const auto count = static_cast<int>(places.size());
    const int first = rows_.empty() ? count : static_cast<int>(rows_.row(0).size());
    if (rows_.size() == limits_.most_rows)
      return fail({Misread::Kind::too_many_rows, line_, 0, {}, 0, 0, 0, limits_.most_rows});
    if (limits_.same_length && count != first)
      return fail({Misread::Kind::length, line_, std::min(count, first + 1), {}, 0, 0, count, first});
    if (count > limits_.most_columns)
      return fail(
          {Misread::Kind::too_many_columns, line_, limits_.most_columns + 1, {}, 0, 0, count, limits_.most_columns});
    std::vector<int> row;
    for (const std::string_view place : places) {
      if (!read_number(place, row)) return;
    }
    rows_.add(row);
  }

  bool read_number(std::string_view place, std::vector<int>& row) {
    const std::optional<int> number = whole(place);
    const int column = static_cast<int>(row.size()) + 1;
    const bool twice = number && limits_.distinct && std::find(row.begin(), row.end(), *number) != row.end();
    const bool fits = number && *number >= limits_.low && *number <= limits_.high;
    if (fits && !twice)
      row.push_back(*number);
    else
      fail({fits ? Misread::Kind::twice : Misread::Kind::not_a_number, line_, column, beginning_of(place), limits_.low,
            limits_.high, 0, 0});
    return fits && !twice;
  }

  void fail(Misread misread) { misread_ = std::move(misread); }

  const RowLimits& limits_;
  int line_ = 0;
  Rows rows_;
  std::optional<Misread> misread_;
};

std::string what_of(const Misread& misread) {
  const auto number = [](int value) { return std::to_string(value); };
  switch (misread.kind) {
    case Misread::Kind::nothing: return "no row; expected numbers between commas, one row per line";
    case Misread::Kind::not_a_number:
      return "found \"" + misread.found + "\", expected a whole number from " + number(misread.low) + " to " +
             number(misread.high);
    case Misread::Kind::twice: return "found " + misread.found + " for the second time, expected different numbers";
    case Misread::Kind::length:
      return "found " + number(misread.count) + " numbers, expected " + number(misread.expected) +
             " as in the first row";
    case Misread::Kind::too_many_columns: return "expected at most " + number(misread.expected) + " numbers in a row";
    case Misread::Kind::too_many_rows: return "expected at most " + number(misread.expected) + " rows";
    case Misread::Kind::uneven_rows:
      return "found " + number(misread.count) + " rows, expected a multiple of " + number(misread.expected);
  }
  return {};
}

}  // namespace

std::span<const int> Rows::row(int index) const {
  const int begin = index == 0 ? 0 : ends[static_cast<std::size_t>(index - 1)];
  const int end = ends[static_cast<std::size_t>(index)];
  return std::span(numbers).subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

void Rows::add(std::span<const int> row) {
  numbers.insert(numbers.end(), row.begin(), row.end());
  ends.push_back(static_cast<int>(numbers.size()));
}

std::string sentence_of(const Misread& misread, std::string_view name) {
  std::string place(name);
  if (misread.line > 0) place += ": line " + std::to_string(misread.line);
  if (misread.column > 0) place += ", column " + std::to_string(misread.column);
  return place + ": " + what_of(misread);
}

ReadRows read_rows(std::string_view text, const RowLimits& limits) {
  return Reader(limits).read(plain(text));
}

std::string text_of(const Rows& rows, std::string_view between_numbers, std::string_view between_rows) {
  std::string text;
  for (int index = 0; index < rows.size(); ++index) {
    if (index > 0) text += between_rows;
    const auto row = rows.row(index);
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) text += between_numbers;
      text += std::to_string(row[i]);
    }
  }
  return text;
}

}  // namespace commflow

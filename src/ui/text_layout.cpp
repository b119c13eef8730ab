#include "ui/text_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace commflow::ui {
namespace {

constexpr float kHanGap = 0.18f;    // em between Han and Latin
constexpr float kRounding = 0.02f;  // a text fits where exactly its own width is free
constexpr std::size_t kCacheLimit = 1500;

enum class Kind : std::uint8_t { space, newline, word, mark, han, opening, closing };

struct Glyph {
  std::string_view bytes;
  char32_t code = 0;
  Kind kind = Kind::word;
  bool bold = false;
  float width = 0;
  float gap = 0;           // thin space before it, unless it begins a line
  bool may_break = false;  // before it
};

bool contains(const char32_t* first, const char32_t* last, char32_t code) {
  return std::find(first, last, code) != last;
}

// U+3001 and the like in words: , . ; : ? ! ) > ] } of full width, closing
// quotes, dashes, the ellipsis, the percent sign.
bool is_closing(char32_t c) {
  static constexpr std::array<char32_t, 28> kClosing{
      0x3001, 0x3002, 0xFF0C, 0xFF0E, 0xFF1A, 0xFF1B, 0xFF1F, 0xFF01, 0xFF09, 0xFF3D, 0xFF5D, 0x300B, 0x3009, 0x300D,
      0x300F, 0x3011, 0x3015, 0x2019, 0x201D, 0x2026, 0x2014, 0xFF05, 0x30FB, 0x00B7, 0xFF5E, 0x2030, 0x3005, 0x30FC};
  return contains(kClosing.begin(), kClosing.end(), c);
}

bool is_opening(char32_t c) {
  static constexpr std::array<char32_t, 11> kOpening{0xFF08, 0xFF3B, 0xFF5B, 0x300A, 0x3008, 0x300C,
                                                     0x300E, 0x3010, 0x3014, 0x2018, 0x201C};
  return contains(kOpening.begin(), kOpening.end(), c);
}

bool is_han(char32_t c) {
  return (c >= 0x2E80 && c <= 0x9FFF) || (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFF00 && c <= 0xFFEF) ||
         (c >= 0x20000 && c <= 0x3FFFF);
}

// Latin, Greek and digits: what gets a thin space beside Han.
bool is_word(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= 0xC0 && c <= 0x3FF) ||
         c == '%' || c == '~' || c == '+' || c == '#';
}

Kind kind_of(char32_t c) {
  if (c == '\n') return Kind::newline;
  if (c == ' ') return Kind::space;
  if (is_closing(c)) return Kind::closing;
  if (is_opening(c)) return Kind::opening;
  if (is_han(c)) return Kind::han;
  return is_word(c) ? Kind::word : Kind::mark;
}

// Total: a broken byte counts as one character.
std::size_t length_of(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC0 ? 2 : 1;
}

char32_t code_of(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<char32_t>(static_cast<unsigned char>(bytes[i])); };
  switch (bytes.size()) {
    case 2: return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3: return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    case 4: return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    default: return byte(0);
  }
}

bool is_joint(const Glyph& glyph) {
  return glyph.code == '-' || glyph.code == '/';
}

bool may_break_between(const Glyph& a, const Glyph& b) {
  if (a.kind == Kind::newline) return true;
  if (b.kind == Kind::space || b.kind == Kind::newline) return false;
  if (a.kind == Kind::space) return true;
  if (b.kind == Kind::closing || a.kind == Kind::opening) return false;
  if (a.kind == Kind::han || b.kind == Kind::han) {
    // Signs such as ( and ) hold on to what they enclose.
    return !(b.kind == Kind::mark && b.code != '(') && !(a.kind == Kind::mark && a.code == '(');
  }
  if (a.kind == Kind::closing) return is_han(a.code);
  if (b.kind == Kind::opening) return is_han(b.code);
  return is_joint(a) && b.kind == Kind::word;
}

float gap_between(const Glyph& a, const Glyph& b, float size) {
  const bool mixed = (a.kind == Kind::han && b.kind == Kind::word) || (a.kind == Kind::word && b.kind == Kind::han);
  return mixed ? std::round(size * kHanGap) : 0.0f;
}

// After a hyphen or a slash only between long parts: never All-/to-All.
void keep_short_parts(std::vector<Glyph>& glyphs) {
  constexpr std::size_t kLong = 4;
  const auto is_part = [&](std::size_t i) { return i < glyphs.size() && glyphs[i].kind == Kind::word; };
  for (std::size_t i = 1; i < glyphs.size(); ++i) {
    if (!glyphs[i].may_break || !is_joint(glyphs[i - 1]) || glyphs[i].kind != Kind::word) continue;
    std::size_t before = 0;
    std::size_t after = 0;
    while (is_part(i - 2 - before) && before < kLong) ++before;
    while (is_part(i + after) && after < kLong) ++after;
    glyphs[i].may_break = before == kLong && after == kLong;
  }
}

bool is_digit(const Glyph& glyph) {
  return glyph.code >= '0' && glyph.code <= '9';
}

// A number with a unit belongs to it more than to the word before it.
void free_number(std::vector<Glyph>& glyphs, std::size_t last) {
  std::size_t first = last;
  while (first > 0 && is_digit(glyphs[first - 1])) --first;
  if (first > 0 && glyphs[first - 1].kind == Kind::space) glyphs[first].may_break = true;
}

// "GPU 5", "round 2" and "96 MiB" stay together, although there is a space.
void keep_numbers(std::vector<Glyph>& glyphs) {
  constexpr std::size_t kShort = 4;
  for (std::size_t i = 2; i < glyphs.size(); ++i) {
    if (!glyphs[i].may_break || glyphs[i - 1].kind != Kind::space || glyphs[i - 2].kind != Kind::word) continue;
    std::size_t end = i;
    bool digits = true;
    while (end < glyphs.size() && (glyphs[end].kind == Kind::word || glyphs[end].code == '/') && end - i <= kShort) {
      digits = digits && is_digit(glyphs[end]);
      ++end;
    }
    if (end == i || end - i > kShort) continue;
    const char32_t last = glyphs[end - 1].code;
    const bool unit = !digits && is_digit(glyphs[i - 2]) && (last == 'B' || last == 's');
    if (unit || (digits && !is_digit(glyphs[i - 2]))) glyphs[i].may_break = false;
    if (unit) free_number(glyphs, i - 2);
  }
}

std::vector<Glyph> read(std::string_view text, TextStyle style, const Measure& measure) {
  std::vector<Glyph> glyphs;
  glyphs.reserve(text.size());
  bool bold = style.bold;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "**") == 0) {
      bold = !bold;
      i += 2;
      continue;
    }
    const std::size_t length = std::min(length_of(static_cast<unsigned char>(text[i])), text.size() - i);
    Glyph glyph{.bytes = text.substr(i, length), .bold = bold};
    glyph.code = code_of(glyph.bytes);
    glyph.kind = kind_of(glyph.code);
    if (glyph.kind != Kind::newline) glyph.width = measure.width(glyph.bytes, bold, style.size);
    if (!glyphs.empty()) {
      glyph.may_break = may_break_between(glyphs.back(), glyph);
      glyph.gap = gap_between(glyphs.back(), glyph, style.size);
    }
    glyphs.push_back(glyph);
    i += length;
  }
  keep_short_parts(glyphs);
  keep_numbers(glyphs);
  return glyphs;
}

using Iterator = std::vector<Glyph>::const_iterator;

// Without the spaces at its end, which may hang over.
float width_of(Iterator first, Iterator last, bool begins_line) {
  while (last != first && (last - 1)->kind == Kind::space) --last;
  float width = 0;
  for (Iterator i = first; i != last; ++i) width += i->width + (begins_line && i == first ? 0 : i->gap);
  return width;
}

Line line_of(Iterator first, Iterator last) {
  while (last != first && ((last - 1)->kind == Kind::space || (last - 1)->kind == Kind::newline)) --last;
  Line line;
  for (Iterator i = first; i != last; ++i) {
    const bool starts = i == first;
    if (!starts) line.width += i->gap;
    if (starts || i->gap > 0 || i->bold != line.runs.back().bold) line.runs.push_back({"", line.width, 0, i->bold});
    line.runs.back().text += i->bytes;
    line.runs.back().width += i->width;
    line.width += i->width;
  }
  return line;
}

// The end of the longest piece from `first` that fits, after a hyphen if there
// is one; at least one glyph.
Iterator split(Iterator first, Iterator last, float room) {
  Iterator end = first + 1;
  while (end != last && width_of(first, end + 1, true) <= room) ++end;
  for (Iterator joint = end; joint != first; --joint) {
    if (is_joint(*(joint - 1))) return joint;
  }
  return end;
}

Iterator unit_end(Iterator first, Iterator last) {
  Iterator end = first + 1;
  while (end != last && !end->may_break) ++end;
  return end;
}

}  // namespace

TextBlock wrap(std::string_view text, TextStyle style, float room, const Measure& measure) {
  if (room > 0) room += kRounding;
  const std::vector<Glyph> glyphs = read(text, style, measure);
  TextBlock block;
  const auto finish = [&](Iterator first, Iterator last) {
    block.lines.push_back(line_of(first, last));
    block.width = std::max(block.width, block.lines.back().width);
  };
  Iterator line = glyphs.begin();
  for (Iterator unit = line; unit != glyphs.end();) {
    Iterator end = unit_end(unit, glyphs.end());
    const bool forced = unit != line && (unit - 1)->kind == Kind::newline;
    const bool full = room > 0 && unit != line && width_of(line, end, true) > room;
    if (forced || full) {
      finish(line, unit);
      line = unit;
    }
    if (room > 0 && unit == line && width_of(line, end, true) > room) {
      block.fits = false;
      end = split(line, end, room);
      finish(line, end);
      line = end;
    }
    unit = end;
  }
  if (line != glyphs.end() || block.lines.empty()) finish(line, glyphs.end());
  return block;
}

const TextBlock& TextCache::wrapped(std::string_view text, TextStyle style, float room, const Measure& measure) {
  std::string key(sizeof(float) * 2 + 1, style.bold ? 'b' : 'r');
  std::memcpy(key.data(), &style.size, sizeof(float));
  std::memcpy(key.data() + sizeof(float), &room, sizeof(float));
  key += text;
  const auto found = blocks_.find(key);
  if (found != blocks_.end()) return found->second;
  if (blocks_.size() >= kCacheLimit) blocks_.clear();
  return blocks_.emplace(std::move(key), wrap(text, style, room, measure)).first->second;
}

}  // namespace commflow::ui

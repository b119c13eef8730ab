#pragma once
// Breaks mixed Chinese and Latin text into lines. Words stay whole, Han breaks
// between any two, punctuation never starts a line where it may not, and a thin
// space parts Han from Latin and digits. **two stars** set a part in bold.
// Widths come from a function, so that this is testable without any font.

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace commflow::ui {

// Measures text in the given weight at a size; knows no line breaks.
struct Measure {
  virtual float width(std::string_view text, bool bold, float size) const = 0;

 protected:
  ~Measure() = default;
};

// A piece of one line, drawn in one go.
struct Run {
  std::string text;
  float x = 0;  // from the line's start
  float width = 0;
  bool bold = false;
};

struct Line {
  std::vector<Run> runs;
  float width = 0;
};

struct TextBlock {
  std::vector<Line> lines;
  float width = 0;   // of the widest line
  bool fits = true;  // false if one unbreakable piece is wider than the room
};

struct TextStyle {
  float size = 16;
  bool bold = false;
};

// `room` <= 0: one line, as wide as it gets.
TextBlock wrap(std::string_view text, TextStyle style, float room, const Measure& measure);

// Wrapped texts by text, style and room; forgets everything when it grows large.
class TextCache {
 public:
  const TextBlock& wrapped(std::string_view text, TextStyle style, float room, const Measure& measure);
  void clear() { blocks_.clear(); }

 private:
  std::unordered_map<std::string, TextBlock> blocks_;
};

}  // namespace commflow::ui

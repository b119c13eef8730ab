#pragma once
// The page in words and controls: what a good alt text would be, structured.
// Pixels, the DOM mirror, the handout (without its controls) and the command line
// are made of it, so none can have what the page lacks. A control names a field or
// an action, so what it does is written nowhere but in reduce().

#include <cstdint>
#include <string>
#include <vector>

namespace commflow {

enum class ControlKind : std::uint8_t { button, toggle, choice, slider, link, text };

struct Control {
  std::string id;  // a field name (set) or an action (press)
  ControlKind kind = ControlKind::button;
  std::string label;
  std::string text;                // the value in words; text: what is typed, line by line
  int value = 0;                   // choice: index into choices; slider: the number; toggle: 0 or 1
  int min = 0, max = 0, step = 1;  // text: max is the number of lines that it shows at once
  std::vector<std::string> choices;
  std::vector<int> values;  // choice: the field's value for each entry (same length as choices)
  bool enabled = true;
  std::string why;       // when not enabled: the reason, in words
  bool pressed = false;  // the chosen one among buttons that act as tabs or chips
  std::string href;      // link only
  std::string icon;  // "play", "pause", "forward", "back", "next", "previous", "first", "last", "gear", "close" or ""
};

enum class BlockKind : std::uint8_t { heading, paragraph, note, list, table, figure, controls };

// Where a block goes; the renderer decides what that means at a given width.
enum class Region : std::uint8_t {
  bar,       // one line on top: name, language, theme
  chips,     // the steps
  title,     // step k / n, heading, badges
  figure,    // the picture
  player,    // transport controls and the scrubber
  live,      // the sentence of the current round
  counters,  // numbers beside or below the figure
  story,     // paragraphs
  aside,     // what opens on request: inspector, log, settings, formulas
  foot
};

struct Row {
  std::vector<std::string> cells;
  bool emphasis = false;
};

struct Block {
  std::string id;
  BlockKind kind = BlockKind::paragraph;
  Region region = Region::story;
  int level = 2;                     // heading: 1..3
  std::string text;                  // heading, paragraph, note
  std::vector<std::string> items;    // list
  std::vector<std::string> columns;  // table
  std::vector<Row> rows;             // table; numbers are right-aligned from the second column on
  std::string alt;                   // figure
  std::vector<Control> controls;
};

struct Page {
  std::string lang;   // "en", "zh"
  std::string title;  // of the document
  std::vector<Block> blocks;
  std::string live;  // changes once per round, never per frame
  bool playing = false;
  bool embed = false;
  bool article = false;  // sections below each other, each beginning with a heading of level 2; else one figure
};

// What a control did. value is the field's new value.
struct ControlEvent {
  std::string id;
  bool is_set = false;
  int value = 0;
  std::string text;  // of a text control
};

}  // namespace commflow

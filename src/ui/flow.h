#pragma once
// Rows of controls: how wide each is and where it goes. A part of the layout.

#include <vector>

#include "ui/layout.h"

namespace commflow::ui {

// A stack of blocks; the space between two is the larger of what both want.
struct Column {
  float x = 0, y = 0, w = 0;
  float after = 0;

  void gap(float before) {
    y += before > after ? before : after;
    after = 0;
  }
};

inline constexpr TextStyle kControlText{14, false};
inline constexpr TextStyle kChipText{13, false};
inline constexpr TextStyle kCaption{13, false};
inline constexpr float kPadding = 12;  // left and right inside a button
inline constexpr float kIcon = 20;
inline constexpr float kSwitch = 36;  // width of a toggle's switch
inline constexpr float kCaptionHeight = 20;

// The words a control shows: of a choice the chosen entry.
std::string_view value_text(const Control& control);

struct Flow {
  const Pen& pen;
  bool touch;
  const Block& block;
  Column& column;
  std::vector<Placed>& items;

  // Numbered steps: in one row, or in rows of six.
  void chips();
  // Icons, the scrubber and the rest in one row, or in two.
  void player();
  // Fields on a grid, buttons and links in between, as wide as they need.
  void form();

  // The name to the left, controls to the right, on one line if it fits.
  static void bar(const Pen& pen, bool touch, const Page& page, Column& column, std::vector<Placed>& items);

  float height() const { return touch ? 44.0f : 36.0f; }
  float text_height(const Control& control) const;  // of a text field
  float natural_width(const Control& control, Look look) const;

 private:
  void add(const Control& control, Look look, Box box);
  void row(const std::vector<const Control*>& controls, float x, float gap);
};

}  // namespace commflow::ui

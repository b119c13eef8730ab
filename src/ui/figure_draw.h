#pragma once
// Draws the shapes of a figure. Reads nothing but the display list: what a
// shape means has been decided by whoever made it.

#include "story/figure.h"
#include "ui/pen.h"

namespace commflow::ui {

// `origin`: where the figure's corner is on the page.
void draw_figure(Pen& pen, const Figure& figure, Point origin);

// A path in one of the strokes that are the second sign beside a hue.
void draw_stroke(const Pen& pen, const Point* points, int count, Stroke stroke, Rgba rgba, float width);

}  // namespace commflow::ui

#pragma once
// Short words for making shapes; nothing here knows what is drawn.

#include <string>
#include <vector>

#include "story/figure.h"

namespace commflow::draw {

// Figures never use a smaller size.
inline constexpr float kSmall = 13;
inline constexpr float kCellHeight = 20;

Shape rect(Box box, Ink fill, Ink line, float radius = 6);
Shape text(Box box, std::string words, float size = kSmall, Ink ink = Ink::ink, Anchor anchor = Anchor::left,
           Weight weight = Weight::regular);
Shape path(std::vector<Point> points, Ink ink, float width, Stroke stroke = Stroke::solid, bool head = false);
// A data cell: digits over the stripes of its origins; no origins = not data.
Shape cell(Box box, std::string digits, std::vector<Ink> origins);

// The frame of what belongs to the token that is followed.
Shape follow_mark(Box box);

Box inset(Box box, float by);
Box moved(Box box, float dx, float dy);
Point center(Box box);
// On the quadratic curve from a over b to c.
Point along(Point a, Point b, Point c, float t);
Box centered(Point at, float w, float h);

// So many points evenly on a circle within the room, the first on top, then clockwise; `margin` is kept free around it.
std::vector<Point> circle(int count, Box room, float margin);
// The straight way from one disc to another, both of that radius; `shift` to its right, so that there and back lie
// beside each other.
std::vector<Point> between(Point from, Point to, float radius, float shift);

}  // namespace commflow::draw

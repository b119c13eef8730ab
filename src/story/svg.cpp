#include "story/svg.h"

#include <algorithm>

#include "core/units.h"
#include "story/html.h"
#include "story/metrics.h"

namespace commflow {
namespace {

constexpr std::string_view kFonts =
    "system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans SC', 'Noto Sans CJK SC', "
    "sans-serif";

std::string decimal(float value) {
  return text_of_decimal(static_cast<double>(value), 2);
}

std::string hex(Rgba colour) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string out = "#";
  for (const unsigned part : {unsigned{colour.r}, unsigned{colour.g}, unsigned{colour.b}}) {
    out += digits[part >> 4];
    out += digits[part & 15];
  }
  return out;
}

// name="value" with a leading space.
std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}
std::string attribute(std::string_view name, float value) {
  return attribute(name, decimal(value));
}

struct Writer {
  Theme theme;
  std::string out;

  std::string paint(Ink ink) const { return ink == Ink::none ? "none" : hex(color(ink, theme)); }

  void rect_element(const Box& box, std::string_view fill, std::string_view stroke, float width, float radius,
                    float opacity) {
    out += "<rect" + attribute("x", box.x) + attribute("y", box.y) + attribute("width", std::max(0.0F, box.w)) +
           attribute("height", std::max(0.0F, box.h)) + attribute("rx", radius) + attribute("fill", fill);
    if (stroke != "none") out += attribute("stroke", stroke) + attribute("stroke-width", width);
    if (opacity < 1) out += attribute("opacity", opacity);
    out += "/>";
  }

  void text_element(const Shape& shape, const Box& box, std::string_view fill) {
    const float x = shape.anchor == Anchor::left ? box.x : shape.anchor == Anchor::right ? box.right() : box.center_x();
    const std::string_view anchor = shape.anchor == Anchor::left    ? "start"
                                    : shape.anchor == Anchor::right ? "end"
                                                                    : "middle";
    out += "<text" + attribute("x", x) + attribute("y", box.center_y() + shape.size * 0.36F) +
           attribute("font-size", shape.size) + attribute("fill", fill) + attribute("text-anchor", anchor);
    if (shape.weight == Weight::bold) out += attribute("font-weight", "700");
    if (shape.opacity < 1) out += attribute("opacity", shape.opacity);
    const float width = text_width(shape.text, shape.size, shape.weight);
    if (width > box.w * kTextSlack)
      out += attribute("textLength", box.w) + attribute("lengthAdjust", "spacingAndGlyphs");
    out += ">" + escaped(shape.text) + "</text>";
  }

  void rect(const Shape& shape) {
    rect_element(shape.box, paint(shape.fill), paint(shape.line), shape.line_width, shape.radius, shape.opacity);
    if (shape.hatch) rect_element(shape.box, "url(#hatch)", "none", 0, shape.radius, shape.opacity);
  }

  void cell(const Shape& shape) {
    const auto count = static_cast<float>(shape.stripes.size());
    float x = shape.box.x;
    Rgba under = color(Ink::surface, theme);
    for (const Ink ink : shape.stripes) {
      const float width = shape.box.w / count;
      rect_element({x, shape.box.y, width, shape.box.h}, paint(ink), "none", 0, count > 1 ? 0 : shape.radius,
                   shape.opacity);
      under = color(ink, theme);
      x += width;
    }
    if (shape.hatch) rect_element(shape.box, "url(#hatch)", "none", 0, shape.radius, shape.opacity);
    rect_element(shape.box, "none", paint(shape.line == Ink::none ? Ink::hairline : shape.line), shape.line_width,
                 shape.radius, shape.opacity);
    text_element(shape, shape.box,
                 shape.stripes.empty()  ? paint(Ink::muted)
                 : shape.opacity < 0.6F ? paint(Ink::ink)
                                        : hex(text_on(under)));
  }

  static std::string_view dashes(Stroke stroke) {
    switch (stroke) {
      case Stroke::dots: return "1 5";
      case Stroke::ring_dashes: return "6 4";
      case Stroke::long_dashes: return "12 5";
      case Stroke::thin_dashes: return "3 3";
      case Stroke::chevrons: return "8 3 2 3";
      case Stroke::comb: return "2 4";
      case Stroke::solid:
      case Stroke::double_line: break;
    }
    return {};
  }

  void path(const Shape& shape) {
    if (shape.points.size() < 2) return;
    std::string data;
    for (const Point& point : shape.points)
      data += (data.empty() ? "M" : " L") + decimal(point.x) + " " + decimal(point.y);
    const bool twice = shape.stroke == Stroke::double_line;
    const auto line = [&](std::string_view ink, float width) {
      out += "<path" + attribute("d", data) + attribute("fill", "none") + attribute("stroke", ink) +
             attribute("stroke-width", width);
      if (const auto pattern = dashes(shape.stroke); !pattern.empty())
        out += attribute("stroke-dasharray", pattern) + attribute("stroke-linecap", "round");
      if (shape.opacity < 1) out += attribute("opacity", shape.opacity);
      out += "/>";
    };
    line(paint(shape.line), twice ? shape.line_width * 3 : shape.line_width);
    if (twice) line(paint(Ink::page), shape.line_width);
    if (shape.head) arrow_head(shape);
  }

  void arrow_head(const Shape& shape) {
    const Point tip = shape.points.back(), from = shape.points[shape.points.size() - 2];
    const float dx = tip.x - from.x, dy = tip.y - from.y;
    const float length = std::max(1.0F, std::max(dx < 0 ? -dx : dx, dy < 0 ? -dy : dy));
    const float ux = dx / length * 9, uy = dy / length * 9;
    out += "<path" +
           attribute("d", "M" + decimal(tip.x) + " " + decimal(tip.y) + " L" + decimal(tip.x - ux - uy * 0.5F) + " " +
                              decimal(tip.y - uy + ux * 0.5F) + " L" + decimal(tip.x - ux + uy * 0.5F) + " " +
                              decimal(tip.y - uy - ux * 0.5F) + " Z") +
           attribute("fill", paint(shape.line)) + "/>";
  }

  void draw(const Shape& shape) {
    switch (shape.kind) {
      case ShapeKind::rect: return rect(shape);
      case ShapeKind::text: return text_element(shape, shape.box, paint(shape.fill));
      case ShapeKind::path: return path(shape);
      case ShapeKind::cell: return cell(shape);
    }
  }
};

}  // namespace

std::string svg_of(const Figure& figure, Theme theme, std::string_view title, std::string_view description) {
  Writer writer{theme, {}};
  writer.out = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"" +
               attribute("viewBox", "0 0 " + decimal(figure.width) + " " + decimal(figure.height)) +
               attribute("width", figure.width) + attribute("height", figure.height) +
               attribute("font-family", kFonts) + ">";
  writer.out += "<title>" + escaped(title) + "</title><desc>" + escaped(description) + "</desc>";
  writer.out +=
      "<defs><pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"" +
      writer.paint(Ink::idle) + "\" stroke-width=\"1.5\"/></pattern></defs>";
  writer.rect_element({0, 0, figure.width, figure.height}, writer.paint(Ink::page), "none", 0, 0, 1);
  for (const Shape& shape : figure.shapes) writer.draw(shape);
  return writer.out + "</svg>\n";
}

}  // namespace commflow

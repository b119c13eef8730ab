#include "story/palette.h"

#include <array>
#include <cmath>

namespace commflow {
namespace {

struct Pair {
  Ink ink;
  std::uint32_t light, dark;  // 0xRRGGBB
};

// Dimensions are after Okabe-Ito. The tints of origins differ in lightness by at
// least three steps of L* and stay apart (CIELAB distance 16 and more) as readers
// with protanopia, deuteranopia or tritanopia see them; neighbours in rank are
// far from each other in lightness.
constexpr std::array kTable{
    Pair{Ink::none, 0x000000, 0x000000},     Pair{Ink::page, 0xF6F7F9, 0x14181D},
    Pair{Ink::surface, 0xFFFFFF, 0x1C2229},  Pair{Ink::raised, 0xFFFFFF, 0x252C34},
    Pair{Ink::ink, 0x1B2128, 0xE8ECF0},      Pair{Ink::muted, 0x56606B, 0x9FABB7},
    Pair{Ink::hairline, 0xD3D8DE, 0x39424D}, Pair{Ink::accent, 0x2B3A4A, 0xD3DDE7},
    Pair{Ink::tp, 0x0072B2, 0x5AA9E0},       Pair{Ink::pp, 0xA64B86, 0xDE93C2},
    Pair{Ink::dp, 0x008761, 0x35C493},       Pair{Ink::ep, 0xB87400, 0xF2AE38},
    Pair{Ink::sp, 0x2E8FC4, 0x8CCFF5},       Pair{Ink::cp, 0xC94F00, 0xF5844A},
    Pair{Ink::tp_soft, 0xE4F0F7, 0x21323F},  Pair{Ink::pp_soft, 0xF6EAF2, 0x372C38},
    Pair{Ink::dp_soft, 0xE3F2EC, 0x1D3732},  Pair{Ink::ep_soft, 0xFAEFDD, 0x3A3226},
    Pair{Ink::idle, 0x7A838D, 0x84909C},     Pair{Ink::broken, 0x14181D, 0xF3F5F7},
    Pair{Ink::focus, 0x1A66D6, 0x7FB2FF},    Pair{Ink::origin0, 0x8EBAF8, 0x6FB4F5},
    Pair{Ink::origin1, 0xE9E27E, 0xE3D878},  Pair{Ink::origin2, 0xE08399, 0xDB758F},
    Pair{Ink::origin3, 0xBDF7E6, 0xB6F4E6},  Pair{Ink::origin4, 0xB283C2, 0xAD76B4},
    Pair{Ink::origin5, 0xFDB9A3, 0xF5AB96},  Pair{Ink::origin6, 0xA6B164, 0x9CA352},
    Pair{Ink::origin7, 0xC6D1F1, 0xBCC7EA},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].ink != static_cast<Ink>(i)) return false;
  }
  return true;
}
static_assert(in_order(), "one row per Ink, in its order");

constexpr Rgba rgba(std::uint32_t hex) {
  return {static_cast<std::uint8_t>(hex >> 16 & 255), static_cast<std::uint8_t>(hex >> 8 & 255),
          static_cast<std::uint8_t>(hex & 255), 255};
}

constexpr Rgba kDarkText = rgba(0x14181D);
constexpr Rgba kLightText = rgba(0xFFFFFF);
constexpr double kReadable = 4.5;

// Every digit on a tint asks for six of them, and a power takes long.
double linear(std::uint8_t channel) {
  static const std::array<double, 256> all = [] {
    std::array<double, 256> values{};
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double c = static_cast<double>(i) / 255.0;
      values[i] = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    }
    return values;
  }();
  return all[channel];
}

Rgba darker(Rgba c) {
  const auto step = [](std::uint8_t v) { return static_cast<std::uint8_t>(v * 96 / 100); };
  return {step(c.r), step(c.g), step(c.b), c.a};
}

}  // namespace

Rgba color(Ink ink, Theme theme) {
  if (ink == Ink::none) return {0, 0, 0, 0};
  const Pair& pair = kTable[static_cast<std::size_t>(ink)];
  return rgba(theme == Theme::light ? pair.light : pair.dark);
}

Rgba text_color(Ink ink, Theme theme) {
  if (ink == Ink::none) return color(Ink::ink, theme);
  Rgba result = color(ink, theme);
  if (theme == Theme::dark || ink == Ink::page || ink == Ink::surface || ink == Ink::raised) return result;
  const Rgba page = color(Ink::page, theme);
  while (contrast(result, page) < kReadable) result = darker(result);
  return result;
}

Rgba text_on(Rgba fill) {
  return contrast(kDarkText, fill) >= contrast(kLightText, fill) ? kDarkText : kLightText;
}

double luminance(Rgba c) {
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

double contrast(Rgba a, Rgba b) {
  const double la = luminance(a) + 0.05;
  const double lb = luminance(b) + 0.05;
  return la > lb ? la / lb : lb / la;
}

}  // namespace commflow

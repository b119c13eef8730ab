#include "story/metrics.h"

#include <algorithm>
#include <cstdint>

#include "story/font_widths.h"  // generated from the native font

namespace commflow {
namespace {

// Decodes one code point and moves on; rubbish counts as one byte.
std::uint32_t next_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 1 || length > text.size()) {
    text.remove_prefix(1);
    return first;
  }
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = (code << 6) | (byte(i) & 0x3FU);
  text.remove_prefix(length);
  return code;
}

int advance(std::uint32_t code) {
  if (code >= 0x20 && code < 0x20 + kFontAsciiWidths.size()) return kFontAsciiWidths[code - 0x20];
  const auto* found = std::lower_bound(kFontWidths.begin(), kFontWidths.end(), code,
                                       [](const FontWidth& entry, std::uint32_t c) { return entry.code < c; });
  if (found != kFontWidths.end() && found->code == code) return found->width;
  return 1000;
}

}  // namespace

float text_width(std::string_view text, float size, Weight weight) {
  int thousandths = 0;
  while (!text.empty()) thousandths += advance(next_code_point(text));
  const float bold = weight == Weight::bold ? 1.06F : 1.0F;
  return static_cast<float>(thousandths) / 1000.0F * size * kTextSlack * bold;
}

}  // namespace commflow

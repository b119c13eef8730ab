#!/usr/bin/env python3
"""Cuts Noto Sans SC to the characters in use, and writes its advance widths as a C++ table.

The subset is what the native program and the UI tests draw with. On the web the browser draws the glyphs by its own
fonts, and loads the subset (--web-font, packed as WOFF2) only where it has no Chinese one. The widths let figures
measure text without any font (story/metrics.h). All are made by the build and never kept in the tree.
Needs fontTools, and for WOFF2 brotli.

  subset_fonts.py --font FONT --text FOLDER... --out font.otf [--widths font_widths.h]
  subset_fonts.py --check font.otf --text FOLDER...      exit 1 and a list if a character has no glyph
"""
import argparse
import json
import pathlib
import sys

from fontTools import subset
from fontTools.ttLib import TTCollection, TTFont

FAMILY = "Noto Sans CJK SC"
EM = 1000
ASCII = range(0x20, 0x7F)
# What units, formulas, figures and Dear ImGui itself may show beside what the texts contain.
ALWAYS = (
    [*ASCII, *range(0xA0, 0x100)]
    + [ord(c) for c in "αβγδεθλμπρστφωΔΣΠΩ"]
    + [ord(c) for c in "–—‘’“”•…′″←↑→↓↔↕⇒⇔∈∑−√∞∩∪≈≠≤≥⌈⌉⌊⌋⊕⊗■□▲△▶▷▼▽◀◆◇○●✓✕✗"]
    + [ord(c) for c in "①②③④⑤⑥⑦⑧⑨⑩⑪⑫"]
    + [ord(c) for c in "，。、；：？！（）《》「」“”·～"]
)
FULL_WIDTH = [(0x2E80, 0xA4CF), (0xF900, 0xFAFF), (0xFE30, 0xFE4F), (0xFF01, 0xFF60), (0xFFE0, 0xFFE6)]


def characters(folders):
    """All code points of the JSON files below the folders; escaped ones (\\u4e2d) as what they stand for."""
    found = set()
    for folder in folders:
        for path in sorted(pathlib.Path(folder).rglob("*.json")):
            try:
                found.update(map(ord, json.dumps(json.loads(path.read_text(encoding="utf-8")), ensure_ascii=False)))
            except ValueError as error:
                sys.exit(f"{path}: is not JSON in UTF-8: {error}")
    return found


def open_font(path):
    if pathlib.Path(path).suffix.lower() not in (".ttc", ".otc"):
        return TTFont(path, lazy=True)
    faces = TTCollection(path, lazy=True).fonts
    for face in faces:
        if face["name"].getDebugName(1) == FAMILY:
            return face
    sys.exit(f"{path}: no face is called {FAMILY}")


def cut(font, codes):
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.name_IDs = [0, 1, 2, 13, 14]
    options.notdef_outline = True
    options.drop_tables += ["GSUB", "GPOS", "GDEF", "BASE", "VORG", "vhea", "vmtx"]
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=codes)
    cutter.subset(font)


def widths(font):
    """{code point: advance in 1/1000 em}"""
    scale = EM / font["head"].unitsPerEm
    return {code: round(font["hmtx"][glyph][0] * scale) for code, glyph in font.getBestCmap().items()}


def is_full_width(code):
    return any(first <= code <= last for first, last in FULL_WIDTH)


def header(width_of):
    ascii_row = ", ".join(str(width_of[code]) for code in ASCII)
    rest = {c: w for c, w in width_of.items() if c not in ASCII and not (is_full_width(c) and w == EM)}
    pairs = "".join(f"    {{0x{code:04X}, {width}}},\n" for code, width in sorted(rest.items()))
    ranges = "".join(f"    {{0x{first:04X}, 0x{last:04X}}},\n" for first, last in FULL_WIDTH)
    return f"""#pragma once
// Written by tools/subset_fonts.py; do not edit. Advance widths of the native font in 1/{EM} em.
// Look a code point up in this order: kFontAsciiWidths, kFontWidths, kFontFullWidthRanges.

#include <array>
#include <cstdint>

namespace commflow {{

struct FontWidth {{
  std::uint32_t code;
  std::uint16_t width;
}};

struct FontRange {{
  std::uint32_t first;
  std::uint32_t last;
}};

// From U+0020 to U+007E.
inline constexpr std::array<std::uint16_t, {len(ASCII)}> kFontAsciiWidths{{{ascii_row}}};

// Every other character in use that is not of full width, sorted by code point.
inline constexpr std::array<FontWidth, {len(rest)}> kFontWidths{{{{
{pairs}}}}};

// Han, kana and full-width forms, all this wide.
inline constexpr std::uint16_t kFontFullWidth = {EM};
inline constexpr std::array<FontRange, {len(FULL_WIDTH)}> kFontFullWidthRanges{{{{
{ranges}}}}};

}}  // namespace commflow
"""


def write_if_different(path, content):
    path = pathlib.Path(path)
    if path.exists() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def make(options):
    font = open_font(options.font)
    cut(font, characters(options.text) | set(ALWAYS))
    font["head"].modified = font["head"].created  # the same input gives the same file
    font.recalcTimestamp = False
    pathlib.Path(options.out).parent.mkdir(parents=True, exist_ok=True)
    font.save(options.out)
    if options.web_font:
        font.flavor = "woff2"
        font.save(options.web_font)
    if options.widths:
        write_if_different(options.widths, header(widths(TTFont(options.out))).encode())
    return 0


def check(options):
    missing = sorted(characters(options.text) - TTFont(options.check).getBestCmap().keys())
    for code in missing:
        print(f"U+{code:04X} {chr(code)} has no glyph in {options.check}", file=sys.stderr)
    return 1 if missing else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--font", help="Noto Sans CJK collection, or a Noto Sans SC font")
    parser.add_argument("--text", nargs="+", required=True, help="folders whose JSON files hold the texts")
    parser.add_argument("--out", help="font file to write")
    parser.add_argument("--web-font", help="the same as WOFF2, to write")
    parser.add_argument("--widths", help="C++ header to write")
    parser.add_argument("--check", metavar="FONT", help="only check that FONT has a glyph for every character")
    options = parser.parse_args()
    if options.check:
        return check(options)
    if not (options.font and options.out):
        parser.error("--font and --out are needed")
    return make(options)


if __name__ == "__main__":
    sys.exit(main())

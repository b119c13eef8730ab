#pragma once
// Everything that a page without scripts needs, as files: a still of each step and page in each language, theme and
// of two widths, and one page per language with everything. The build of the web page runs this as a program of its
// own.

#include <string>
#include <string_view>

#include "story/fields.h"
#include "story/library.h"
#include "story/palette.h"

namespace commflow {

// Widths of the stills: a column of text, and a phone.
inline constexpr int kStillWidth = 820;
inline constexpr int kNarrowStillWidth = 360;

// "stills/dispatch.zh.dark.svg", "stills/dispatch.zh.dark.narrow.svg"; other pages than the walk by their own name,
// "stills/concepts.en.light.svg", and figures after the first by their block, "stills/concepts-split.en.light.svg".
std::string still_name(const Library& library, const State& state, std::string_view block_id, Theme theme, bool narrow);

// Writes stills/*.svg and handout.LANG.html into `folder`, which must be there. "" or what went wrong.
std::string write_handout(const Library& library, const std::string& folder, int& files);

}  // namespace commflow

#pragma once
// A state as the fragment of an address and back: #v=1&page=walk&step=dispatch.
// Names come from the field table, defaults are left out, but for page, step and
// language. decode() accepts
// anything: unknown names are skipped, values clamped; what was wrong is noted.
// What a reader typed is readable, too: routing=0,3;7,1.

#include <string>
#include <string_view>
#include <vector>

#include "story/fields.h"

namespace commflow {

// Always begins with "#v=1". Only fields that belong in a link are written, and
// inputs whose text is not too long for one (kLongestInLink).
std::string encode(const State& state, const Library& library);

struct Decoded {
  State state;
  std::vector<std::string> notes;  // one per part that was not understood, for the console
};
// Fields that the text does not name have their defaults; those that never
// travel in links, and the language, are taken from `base`. A leading '#' or '?' is optional.
Decoded decode(std::string_view text, const State& base, const Library& library);

}  // namespace commflow

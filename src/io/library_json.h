#pragma once
// Everything that is loaded, as one JSON object per language: tools/pack.py makes
// data.LANG.json of it for the web, pack_folder() the same natively.
//   {"locale": {...}, "scenarios": {STEM: {...}}, "models": {...}, "hardware": {...},
//    "presets": {...}}

#include <string>

#include "io/json.h"
#include "story/library.h"

namespace commflow {

// Takes the texts of `lang` into the library, and if nothing else is wrong, all
// the rest. Returns what is wrong as a sentence; "" is success.
std::string read_data(const Json& data, Lang lang, Library& library);

}  // namespace commflow

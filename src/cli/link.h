#pragma once
// What commands about a link share: the loaded library and the state it names.

#include "cli/arguments.h"
#include "story/fields.h"
#include "story/library.h"

namespace commflow {

inline constexpr Option kStateOption{
    "--state", "#...", "the part of a link from # on, such as #v=1&step=dispatch; if not given, the start"};
inline constexpr Option kLangOption{"--lang", "L", "en or zh; if not given, as the link says"};
inline constexpr Option kDataOption{"--data", "DIR",
                                    "folder that holds locales/ and assets/; if not given, the program finds its own"};

// False after something was refused: no such folder, or a broken file.
bool load_library(Arguments& arguments, Library& library);

// What --state and --lang name; parts that mean nothing become notes.
State read_state(Arguments& arguments, const Library& library);

}  // namespace commflow

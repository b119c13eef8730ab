#pragma once
// The files under a folder as the one object that library_json reads: what
// tools/pack.py does for the web, at the start of the native program and again
// whenever a file was saved. Not part of the program on the web.

#include <string>
#include <string_view>

#include "io/json.h"

namespace commflow {

// root holds locales/ and assets/. An error names the file.
Parsed<Json> pack_folder(const std::string& root, std::string_view lang);

// Changes when a file that pack_folder() reads was saved, added or removed.
std::uint64_t folder_stamp(const std::string& root);

// The first of these that holds locales/; "" if none does.
std::string find_data(std::initializer_list<std::string> roots);

// The folder above the one that the program lies in, where a packaged program
// has its data; "" where the system does not tell.
std::string folder_of_program();

}  // namespace commflow

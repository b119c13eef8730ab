// What build-wasm.sh runs under Node to make the stills and the pages without scripts, since it builds nothing native.
// usage: commflow_handout.js ROOT OUT

#include <iostream>
#include <string>

#include "cli/handout.h"
#include "io/folder.h"
#include "io/library_json.h"
#include "story/fields.h"

int main(int argc, char** argv) {
  using namespace commflow;
  if (argc != 3) return 2;
  Library library;
  std::string error;
  for (int lang = 0; lang < kLangs && error.empty(); ++lang) {
    const auto data = pack_folder(argv[1], value_text(field(FieldId::lang), lang, library));
    error = data.value ? read_data(*data.value, static_cast<Lang>(lang), library) : data.error;
  }
  int files = 0;
  if (error.empty()) error = write_handout(library, argv[2], files);
  if (error.empty()) return 0;
  std::cerr << error << '\n';
  return 1;
}

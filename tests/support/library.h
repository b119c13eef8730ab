#pragma once
// The real models, hardware, scenario and texts of the repository, loaded once.

#include <gtest/gtest.h>

#include <cstdlib>

#include "io/folder.h"
#include "io/library_json.h"

namespace commflow::support {

inline Library load_library() {
  Library library;
  for (const Lang lang : {Lang::en, Lang::zh}) {
    const Parsed<Json> data = pack_folder(COMMFLOW_SOURCE_DIR, lang == Lang::zh ? "zh" : "en");
    const std::string error = data.value ? read_data(*data.value, lang, library) : data.error;
    EXPECT_EQ(error, "");
    if (!error.empty()) std::abort();  // no test of this program would mean anything
  }
  return library;
}

inline const Library& real_library() {
  static const Library library = load_library();
  return library;
}

}  // namespace commflow::support

#include "cli/link.h"

#include "io/folder.h"
#include "io/library_json.h"
#include "story/url.h"

namespace commflow {
namespace {
constexpr std::string_view kLangNames[] = {"en", "zh"};
}

bool load_library(Arguments& arguments, Library& library) {
  const std::string given(arguments.text_or("--data", ""));
  const std::string root =
      arguments.given("--data") ? find_data({given}) : find_data({folder_of_program(), COMMFLOW_SOURCE_DIR});
  if (root.empty()) arguments.refuse("--data", "a folder that holds locales/ and assets/");
  for (std::size_t i = 0; i < std::size(kLangNames) && arguments.problem().empty(); ++i) {
    const Parsed<Json> data = pack_folder(root, kLangNames[i]);
    const std::string error = data.value ? read_data(*data.value, static_cast<Lang>(i), library) : data.error;
    if (!error.empty()) arguments.fail(error);
  }
  return arguments.problem().empty();
}

State read_state(Arguments& arguments, const Library& library) {
  Decoded decoded = decode(arguments.text_or("--state", ""), initial_state(library), library);
  for (std::string& note : decoded.notes) arguments.note(std::move(note));
  if (arguments.given("--lang")) decoded.state.lang = static_cast<int>(arguments.one_of("--lang", kLangNames));
  return decoded.state;
}

}  // namespace commflow

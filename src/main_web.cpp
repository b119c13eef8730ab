// The start on the web: web/session.js calls commflow_start() when everything is there, so main() has nothing to do.

#include <string>

#include "platform/platform.h"
#include "start.h"
#include "story/fields.h"

namespace commflow {

std::optional<Parsed<Json>> data_of(Lang lang) {
  const std::string_view name = field(FieldId::lang).names[static_cast<std::size_t>(lang)];
  const std::string file = "data." + std::string(name) + ".json";
  const auto text = platform::read_asset(file);
  if (!text) return std::nullopt;
  return parse_json(*text, file);
}

bool data_changed() {
  return false;
}

// The mirror's text fields are real ones.
ui::TextEditor text_editor() {
  return nullptr;
}

}  // namespace commflow

int main() {
  return 0;
}

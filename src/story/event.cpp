#include "story/event.h"

#include <algorithm>
#include <array>

namespace commflow {
namespace {
constexpr std::array<std::string_view, kActions> kNames{"play",
                                                        "pause",
                                                        "toggle_play",
                                                        "forward",
                                                        "back",
                                                        "next",
                                                        "previous",
                                                        "first",
                                                        "last",
                                                        "rewind",
                                                        "use_suggestion",
                                                        "close_panel",

                                                        "copy_link",
                                                        "copy_picture",
                                                        "download_picture",
                                                        "copy_rounds",
                                                        "download_schedule",
                                                        "download_counts"};
}

std::string_view name_of(Action action) {
  return kNames[static_cast<std::size_t>(action)];
}

std::optional<Action> action_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Action>(found - kNames.begin());
}

}  // namespace commflow

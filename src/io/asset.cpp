#include "io/asset.h"

#include <algorithm>

namespace commflow {
namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

}  // namespace

std::string read_asset_id(const Node& node) {
  const std::string id = node.text();
  const bool plain = std::all_of(id.begin(), id.end(), [](char c) { return is_word(c) || c == '-' || c == '.'; });
  if (!plain || id.empty() || !is_word(id.front()))
    node.fail("an id of a-z, 0-9, '-' and '.', beginning with a letter or digit");
  return id;
}

}  // namespace commflow

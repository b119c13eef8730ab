#pragma once
// Pages of the real library, and what stands on them.

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include "story/derive.h"
#include "story/page.h"
#include "support/library.h"

namespace commflow::support {

// Of the whole test program; what it remembers makes no difference but to the time taken.
inline Deriver& deriver() {
  static Deriver deriver(real_library());
  return deriver;
}

// Null where the page has no such block. Points into the page: do not keep it longer.
inline const Block* find(const Page& page, std::string_view id) {
  const auto found = std::find_if(page.blocks.begin(), page.blocks.end(), [&](const Block& b) { return b.id == id; });
  return found == page.blocks.end() ? nullptr : &*found;
}

// A block that must be there; without it the test fails and goes on with an empty one.
const Block& block(Page&&, std::string_view) = delete;  // would hang in the air
inline const Block& block(const Page& page, std::string_view id) {
  static const Block none;
  const Block* found = find(page, id);
  EXPECT_NE(found, nullptr) << id;
  return found == nullptr ? none : *found;
}

}  // namespace commflow::support

#pragma once
// Where formulas and figures come from: names as the field writes them, and addresses.

#include <span>
#include <string_view>

#include "core/workload.h"

namespace commflow {

struct Reference {
  std::string_view id, name, address;
};
std::span<const Reference> references();

// The first one, should there be none of that id.
const Reference& reference_named(std::string_view id);

// Where the bytes of a quantity are derived.
const Reference& reference_for(QuantityId id);

}  // namespace commflow

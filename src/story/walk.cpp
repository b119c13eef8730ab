#include "story/walk.h"

#include <algorithm>

namespace commflow {
namespace {
constexpr std::array<std::string_view, kQuantityNames> kNames{
    "dense_weights", "embedding",  "sequence_gather", "sequence_reduce", "counts",       "dispatch",         "combine",
    "pp_boundary",   "mlp_gather", "mlp_reduce",      "tp_gradients",    "dp_gradients", "expert_gradients", "loss",
    "checkpoint"};
static_assert(static_cast<int>(QuantityName::checkpoint) == kQuantityNames - 1);
}  // namespace

std::string_view name_of(QuantityName name) { return kNames[static_cast<std::size_t>(name)]; }

std::optional<QuantityName> quantity_named(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<QuantityName>(found - kNames.begin());
}

}  // namespace commflow

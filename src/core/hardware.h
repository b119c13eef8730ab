#pragma once
// A GPU and its links as published, in bytes and bytes per second. Decimal units
// (1 GB = 10^9 bytes), links per direction; each figure names its source. Knows
// nothing of models or layouts.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/traffic.h"

namespace commflow {

struct Published {
  std::int64_t value = 0;
  std::string source;
  bool operator==(const Published&) const = default;
};

struct Gpu {
  std::string id;              // "h200", public and permanent
  std::string name;            // "H200 SXM"
  Published memory;            // bytes
  Published memory_bandwidth;  // bytes per second
  Published nvlink;            // bytes per second, one GPU, one direction
  // Where published: how many NVLinks, what NCCL takes as usable of one, and what a large exchange reached over all;
  // bytes per second, one direction.
  std::optional<Published> nvlink_links;
  std::optional<Published> nvlink_planned;
  std::optional<Published> nvlink_measured;
  Published nic;                              // bytes per second, one network card, one direction
  std::optional<Published> bf16_dense_flops;  // per second; only where published
  bool operator==(const Gpu&) const = default;
};

inline constexpr std::string_view kDefaultGpu = "h200";

}  // namespace commflow

#pragma once
// assets/hardware/*.json to a Gpu. The format is described by
// assets/hardware/hardware.schema.json: published figures in decimal units, each
// with its source.

#include "core/hardware.h"
#include "io/json.h"

namespace commflow {

Gpu read_gpu(const Node& node);
Parsed<Gpu> parse_gpu(std::string_view text, std::string_view file);

}  // namespace commflow

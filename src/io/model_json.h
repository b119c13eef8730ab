#pragma once
// assets/models/*.json to a Model. The format is described by
// assets/models/model.schema.json: a name, a source, and fields of the model's
// own config.json under their own names. What config.json leaves unsaid (norms
// of heads, biases, sinks) follows from its model_type.

#include "core/model.h"
#include "io/json.h"

namespace commflow {

Model read_model(const Node& node);
Parsed<Model> parse_model(std::string_view text, std::string_view file);

}  // namespace commflow

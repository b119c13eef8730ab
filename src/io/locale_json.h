#pragma once
// locales/*.json: one flat object, a text per key, the same keys in every
// language. The build checks them too (tools/gen_text.py); this reader must hold
// against files that were edited since.

#include "io/json.h"
#include "story/text.h"

namespace commflow {

// Fails on a key that is missing, is no text, is empty, or has other placeholders
// than the program fills. Keys that the program does not know are of no concern.
// is_part: a key may be missing, since no page of this program shows it (see tools/pack.py).
Catalog read_locale(const Node& node, bool is_part = false);

// "drawn_topk topk": the names of all {placeholders}, sorted, each once.
std::string placeholders_of(std::string_view text);

}  // namespace commflow

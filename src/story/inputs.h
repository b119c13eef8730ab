#pragma once
// What a reader types: rows of numbers that a State holds beside its fields,
// each with a name that is public and permanent. Empty rows mean the example
// that the seed makes. Address, messages and text controls are read off this table.

#include "story/fields.h"
#include "story/rows.h"

namespace commflow {

enum class InputId : std::uint8_t {
  values,  // of a collective: one row per GPU, one number per block
  routing  // of the experts page: one row per token, the ids of its experts, best first
};
inline constexpr int kInputs = 2;

struct Input {
  InputId id;
  std::string_view name;
  Rows State::*member;
  RowLimits limits;
};
std::span<const Input> inputs();
const Input& input(InputId id);
const Input* input_named(std::string_view name);

// Of a text in a field, in bytes: more than any table needs. A longer one is refused and not kept.
inline constexpr std::size_t kLongestTyped = 1 << 14;

// Links carry inputs whose text is not longer; a longer one stays on this page.
inline constexpr std::size_t kLongestInLink = 1024;

// What a text means for a state: rows within the limits, or why not. A routing table must give every GPU as many
// tokens and name experts that there are.
ReadRows read_input(const Input& input, std::string_view text, const State& state);

// A text that was typed and does not say what its input needs. It stays where it was typed until it is mended.
struct Refused {
  InputId input{};
  std::string text;
  Misread misread;
};

// With these rows, and fields that follow from them: a routing table says how many tokens a GPU has and how many
// experts a token goes to, and leaves no choice to a limit of nodes.
State with_input(State state, const Input& input, Rows rows);

// Drops what no longer fits its fields; a part of normalise().
void settle_inputs(State& state);

}  // namespace commflow

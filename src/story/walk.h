#pragma once
// A scenario as plain structs: which steps the walk has, what each runs of the
// tiny model, what it counts of the real one, and which texts tell it. Read
// from JSON by io; knows no file format.

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/tiny_model.h"
#include "core/workload.h"
#include "story/text.h"

namespace commflow {

// A key of the locale files, or a sentence given in the scenario itself.
struct LocalText {
  std::optional<Text> key;
  std::array<std::string, kLangs> given;
};

// What such a text may name in braces: experts of the drawn and of the chosen model, and numbers of steps of this walk
// (the first that routes, that combines, that adds the gradients of replicas). Filled in by parts::words_of().
inline constexpr std::string_view kTextPlaceholders[] = {"drawn_experts", "drawn_topk",   "experts",       "topk",
                                                         "route_step",    "combine_step", "gradients_step"};

struct StepTexts {
  LocalText title, label, what, why, analogy, compute, scope;
};

inline std::string_view name_of(QuantityId id) {
  return quantity_row(id).name;
}

struct WalkStep {
  std::string id;                        // in addresses: "dispatch"
  tiny::Step runs{};                     // the phases of the tiny model it plays
  std::vector<Dimension> dimensions;     // whose groups talk
  Collective primitive{};                // the card that lights up
  std::vector<QuantityId> counts;        // what it counts of the real model
  std::vector<QuantityId> dense_counts;  // for a model without experts; see counts_of() in glance.h
  StepTexts texts;
  std::optional<StepTexts> dense_texts;
  std::vector<LocalText> notes;
};

struct Walk {
  std::string id;
  std::string model;  // ids into the library
  std::string hardware;
  int tokens = 8192;
  int micro_batches = 8;
  int gpus_per_node = 2;
  int nics_per_node = 2;
  Layout layout;
  std::uint64_t seed = 1;
  tiny::AlgorithmChoice algorithms;
  std::vector<WalkStep> steps;
};

}  // namespace commflow

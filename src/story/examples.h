#pragma once
// Small collectives that the concepts page plays: the nine primitives, and one
// for each way to split the work. Every one is executed; what it computes with
// is computed, too.

#include <array>
#include <string_view>
#include <vector>

#include "core/algorithms.h"
#include "core/groups.h"
#include "core/tiny_model.h"
#include "story/timeline.h"

namespace commflow {

enum class ExampleId : int {
  broadcast,
  reduce,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  send_recv,
  scatter,
  gather,
  tp,
  sp,
  pp,
  dp,
  ep,
  cp
};
inline constexpr int kExamples = 15;
inline constexpr int kPrimitiveExamples = 9;
// In addresses, ids and keys of texts.
inline constexpr std::array<std::string_view, kExamples> kExampleNames{
    "broadcast",  "reduce",    "all_reduce", "all_gather", "reduce_scatter",
    "all_to_all", "send_recv", "scatter",    "gather",     "tp",
    "sp",         "pp",        "dp",         "ep",         "cp"};
inline std::string_view name_of(ExampleId id) {
  return kExampleNames[static_cast<std::size_t>(id)];
}

struct Example {
  ExampleId id{};
  Collective collective{};
  Algorithm algorithm{};
  Dimension dimension = Dimension::none;  // none for the primitives
  Rank root = 0;
  Operator op = Operator::sum;
  bool uneven = false;  // an all-to-all whose blocks are as many as each pair needs
  Schedule schedule;
  std::vector<Buffers> history;  // before every round and after the last
  int rounds() const { return static_cast<int>(schedule.rounds.size()); }
};

// In the order of ExampleId.
std::vector<Example> make_examples();

// One beat per round.
Timeline timeline_of(const Example& example);

// One product over two GPUs, cut both ways (Megatron-LM, arXiv 1909.08053).
struct SplitProduct {
  tiny::Matrix x, w;
  std::vector<tiny::Matrix> by_columns;  // what each GPU gets: finished columns of the result
  std::vector<tiny::Matrix> by_rows;     // what each GPU gets: all of the result, but only a part of each sum
  tiny::Matrix side_by_side;             // the columns, put beside each other
  tiny::Matrix added;                    // the parts, added by an all-reduce that is executed
};
SplitProduct make_split_product();

}  // namespace commflow

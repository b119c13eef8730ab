#include "story/inputs.h"

#include <algorithm>
#include <array>

#include "core/expert_settings.h"

namespace commflow {
namespace {

constexpr int kMostValue = 99;  // of either sign: two digits fit a cell
constexpr int kMostBlocks = 64;

constexpr std::array<Input, kInputs> kTable{{
    {InputId::values,
     "values",
     &State::values,
     {-kMostValue, kMostValue, kMaxExecutedRanks, kMostBlocks, false, false}},
    {InputId::routing,
     "routing",
     &State::routing,
     {0, experts::kMaxExecutedExperts - 1, kMaxExecutedRanks* kMostExpertTokens, experts::kMaxExecutedTopk, true,
      true}},
}};

int expert_ranks(const State& state) {
  return state.expert_nodes * state.expert_gpus;
}

bool keeps(std::span<const int> row, const RowLimits& limits) {
  if (row.empty() || static_cast<int>(row.size()) > limits.most_columns) return false;
  for (auto number = row.begin(); number != row.end(); ++number) {
    if (*number < limits.low || *number > limits.high) return false;
    if (limits.distinct && std::find(row.begin(), number, *number) != number) return false;
  }
  return true;
}

bool keeps(const Rows& rows, const RowLimits& limits) {
  if (rows.size() > limits.most_rows) return false;
  for (int index = 0; index < rows.size(); ++index) {
    if (!keeps(rows.row(index), limits)) return false;
    if (limits.same_length && rows.row(index).size() != rows.row(0).size()) return false;
  }
  return true;
}

// Within what the fields of the state allow.
RowLimits limits_of(const Input& input, const State& state) {
  RowLimits limits = input.limits;
  if (input.id != InputId::routing) return limits;
  limits.high = state.experts - 1;
  limits.most_rows = expert_ranks(state) * kMostExpertTokens;
  return limits;
}

bool fits(const Rows& routing, const State& state) {
  return routing.size() == expert_ranks(state) * state.expert_tokens &&
         static_cast<int>(routing.row(0).size()) == state.expert_topk;
}

}  // namespace

std::span<const Input> inputs() {
  return kTable;
}

const Input& input(InputId id) {
  return kTable[static_cast<std::size_t>(id)];
}

const Input* input_named(std::string_view name) {
  const auto found = std::find_if(kTable.begin(), kTable.end(), [&](const Input& each) { return each.name == name; });
  return found == kTable.end() ? nullptr : &*found;
}

ReadRows read_input(const Input& input, std::string_view text, const State& state) {
  ReadRows read = read_rows(text, limits_of(input, state));
  const int ranks = expert_ranks(state);
  if (input.id != InputId::routing || read.misread || read.rows.size() % ranks == 0) return read;
  return {{}, Misread{Misread::Kind::uneven_rows, 0, 0, {}, 0, 0, read.rows.size(), ranks}};
}

State with_input(State state, const Input& input, Rows rows) {
  if (input.id == InputId::routing && !rows.empty()) {
    state.expert_topk = static_cast<int>(rows.row(0).size());
    state.expert_tokens = rows.size() / expert_ranks(state);
    state.expert_limit = 0;
    state.preset = 0;
  }
  state.*input.member = std::move(rows);
  return state;
}

void settle_inputs(State& state) {
  for (const Input& each : kTable)
    if (!keeps(state.*each.member, limits_of(each, state))) state.*each.member = {};
  if (state.routing.empty()) return;
  if (fits(state.routing, state) && state.preset == 0)  // a real setting has its own way
    state.expert_limit = 0;
  else
    state.routing = {};
}

}  // namespace commflow

#include "story/fields.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/expert_settings.h"
#include "core/rendezvous.h"
#include "core/tiny_model.h"
#include "core/topology.h"
#include "story/collective_run.h"
#include "story/examples.h"
#include "story/inputs.h"
#include "story/library.h"

namespace commflow {
namespace {

using namespace std::string_view_literals;

constexpr std::array kPageNames{"walk"sv, "concepts"sv, "collectives"sv, "experts"sv};
constexpr std::array kOnOff{"off"sv, "on"sv};
constexpr std::array kPlaying{"no"sv, "step"sv, "round"sv};
constexpr std::array kSpeeds{"0.25"sv, "0.5"sv, "1"sv, "2"sv, "4"sv};
constexpr std::array kLangNames{"en"sv, "zh"sv};
constexpr std::array kThemes{"system"sv, "light"sv, "dark"sv};
constexpr std::array kMotions{"system"sv, "full"sv, "reduced"sv};
constexpr std::array kDispatchPrecisions{"bf16"sv, "fp8"sv};
constexpr std::array kCombinePrecisions{"bf16"sv, "fp32"sv};
constexpr std::array kOrders{"tp-pp-dp"sv, "tp-dp-pp"sv};
constexpr std::array kPanels{"none"sv, "settings"sv, "log"sv, "formula"sv, "about"sv, "typed"sv};
constexpr std::array kFaults{"none"sv, "slow_link"sv, "late_gpu"sv, "dead_gpu"sv};
constexpr std::array kMerges{"none"sv, "rank"sv, "node"sv};
constexpr std::array kPlacements{"in-order"sv, "balanced"sv};
constexpr std::array kPaths{"one-hop"sv, "two-hop"sv};
constexpr std::array kExpertFormats{"bf16"sv, "fp8"sv, "logfmt"sv};
constexpr std::span<const std::string_view> kNumber{};

constexpr int kLongestStep = 1 << 22;
constexpr int kMostTokens = tiny::kTokens * tiny::kMaxDp;  // that are drawn

// In the order of FieldId.
constexpr std::array<Field, kFields> kTable{{
    {FieldId::page, "page", &State::page, 0, kPages - 1, kPageNames, true, true},
    {FieldId::step, "step", &State::step, 0, 63, kNumber, true, true},
    {FieldId::at, "at", &State::at, 0, kLongestStep, kNumber, true},
    {FieldId::playing, "playing", &State::playing, 0, 2, kPlaying, false},
    {FieldId::speed, "speed", &State::speed, 0, 4, kSpeeds, true},
    {FieldId::lang, "lang", &State::lang, 0, kLangs - 1, kLangNames, true},
    {FieldId::theme, "theme", &State::theme, 0, 2, kThemes, false},
    {FieldId::motion, "motion", &State::motion, 0, 2, kMotions, false},
    {FieldId::embed, "embed", &State::embed, 0, 1, kOnOff, false},
    {FieldId::model, "model", &State::model, 0, 63, kNumber, true},
    {FieldId::hardware, "hardware", &State::hardware, 0, 63, kNumber, true},
    {FieldId::tokens, "tokens", &State::tokens, 16, 1 << 20, kNumber, true},
    {FieldId::micro_batches, "micro_batches", &State::micro_batches, 1, 512, kNumber, true},
    {FieldId::dispatch_precision, "dispatch_precision", &State::dispatch_precision, 0, 1, kDispatchPrecisions, true},
    {FieldId::combine_precision, "combine_precision", &State::combine_precision, 0, 1, kCombinePrecisions, true},
    {FieldId::gpus_per_node, "gpus_per_node", &State::gpus_per_node, 1, 8, kNumber, true},
    {FieldId::nics_per_node, "nics_per_node", &State::nics_per_node, 1, 8, kNumber, true},
    {FieldId::tp, "tp", &State::tp, 1, kMaxExecutedRanks, kNumber, true},
    {FieldId::pp, "pp", &State::pp, 1, kMaxExecutedRanks, kNumber, true},
    {FieldId::dp, "dp", &State::dp, 1, kMaxExecutedRanks, kNumber, true},
    {FieldId::ep, "ep", &State::ep, 1, kMaxExecutedRanks, kNumber, true},
    {FieldId::order, "order", &State::order, 0, 1, kOrders, true},
    {FieldId::gpu, "gpu", &State::gpu, -1, kMaxExecutedRanks - 1, kNumber, true},
    {FieldId::panel, "panel", &State::panel, 0, 5, kPanels, true},
    {FieldId::token, "token", &State::token, -1, kMostTokens - 1, kNumber, true},
    {FieldId::compute_percent, "compute_percent", &State::compute_percent, 1, 100, kNumber, true},
    {FieldId::link_percent, "link_percent", &State::link_percent, 1, 100, kNumber, true},
    {FieldId::latency_us, "latency_us", &State::latency_us, 0, 1000, kNumber, true},
    {FieldId::example, "example", &State::example, 0, kExamples - 1, kExampleNames, true, true},
    {FieldId::collective, "collective", &State::collective, 0, kCollectives - 1, kNumber, true, true},
    {FieldId::algorithm, "algorithm", &State::algorithm, 0, kAlgorithms - 1, kNumber, true, true},
    {FieldId::compare, "compare", &State::compare, -1, kAlgorithms - 1, kNumber, true, true},
    {FieldId::ranks, "ranks", &State::ranks, 2, kMaxExecutedRanks, kNumber, true, true},
    {FieldId::root, "root", &State::root, 0, kMaxExecutedRanks - 1, kNumber, true, true},
    {FieldId::op, "op", &State::op, 0, kOperators - 1, kNumber, true, true},
    {FieldId::size_bits, "size_bits", &State::size_bits, 0, kMostSizeBits, kNumber, true},
    {FieldId::chunks, "chunks", &State::chunks, 1, 16, kNumber, true, true},
    {FieldId::node_size, "node_size", &State::node_size, 1, 8, kNumber, true, true},
    {FieldId::topology, "topology", &State::topology, 0, kTopologyKinds - 1, kNumber, true},
    {FieldId::oversubscription, "oversubscription", &State::oversubscription, 1, 8, kNumber, true},
    {FieldId::port_gbps, "port_gbps", &State::port_gbps, 0, 2000, kNumber, true},
    {FieldId::fault, "fault", &State::fault, 0, 3, kFaults, true},
    {FieldId::fault_gpu, "fault_gpu", &State::fault_gpu, 0, kMaxExecutedRanks - 1, kNumber, true},
    {FieldId::uneven, "uneven", &State::uneven, 0, 1, kOnOff, true, true},
    {FieldId::topology_beside, "topology_beside", &State::topology_beside, -1, kTopologyKinds - 1, kNumber, true},
    {FieldId::call_pattern, "call_pattern", &State::call_pattern, 0, rendezvous::kPatterns - 1,
     rendezvous::kPatternNames, true},
    {FieldId::call_order, "call_order", &State::call_order, 0, rendezvous::kOrders - 1, rendezvous::kOrderNames, true},
    {FieldId::sms, "sms", &State::sms, 8, 512, kNumber, true},
    {FieldId::comm_sms, "comm_sms", &State::comm_sms, 0, 256, kNumber, true},
    {FieldId::compute_to_comm, "compute_to_comm", &State::compute_to_comm, 0, 1000, kNumber, true},
    {FieldId::memory_bound, "memory_bound", &State::memory_bound, 0, 100, kNumber, true},
    {FieldId::expert_nodes, "expert_nodes", &State::expert_nodes, 1, kMaxExecutedRanks, kNumber, true},
    {FieldId::expert_gpus, "expert_gpus", &State::expert_gpus, 1, 8, kNumber, true},
    {FieldId::experts, "experts", &State::experts, 1, experts::kMaxExecutedExperts, kNumber, true},
    {FieldId::expert_topk, "expert_topk", &State::expert_topk, 1, experts::kMaxExecutedTopk, kNumber, true},
    {FieldId::expert_tokens, "expert_tokens", &State::expert_tokens, 1, kMostExpertTokens, kNumber, true},
    {FieldId::expert_skew, "expert_skew", &State::expert_skew, 0, 8, kNumber, true},
    {FieldId::expert_seed, "expert_seed", &State::expert_seed, 1, 99, kNumber, true},
    {FieldId::expert_capacity, "expert_capacity", &State::expert_capacity, 0, 400, kNumber, true},
    {FieldId::expert_limit, "expert_limit", &State::expert_limit, 0, kMaxExecutedRanks, kNumber, true},
    {FieldId::expert_merge, "expert_merge", &State::expert_merge, 0, 2, kMerges, true},
    {FieldId::expert_path, "expert_path", &State::expert_path, 0, 1, kPaths, true},
    {FieldId::expert_replicas, "expert_replicas", &State::expert_replicas, 0, 2, kNumber, true},
    {FieldId::expert_out, "expert_out", &State::expert_out, 0, 2, kExpertFormats, true},
    {FieldId::expert_home, "expert_home", &State::expert_home, 0, 2, kExpertFormats, true},
    {FieldId::expert_token, "expert_token", &State::expert_token, -1, kMaxExecutedRanks* kMostExpertTokens - 1, kNumber,
     true},
    {FieldId::preset, "preset", &State::preset, 0, 63, kNumber, true},
    {FieldId::expert_placement, "expert_placement", &State::expert_placement, 0, 1, kPlacements, true},
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTable.size(); ++i)
    if (static_cast<std::size_t>(kTable[i].id) != i) return false;
  return true;
}
static_assert(in_order());

// Value names that come from loaded documents or the engine's tables, "" where there are none.
std::string_view loaded_name(FieldId id, int value, const Library& library) {
  const auto index = static_cast<std::size_t>(value);
  if (id == FieldId::step && index < library.walk.steps.size()) return library.walk.steps[index].id;
  if (id == FieldId::model && index < library.models.size()) return library.models[index].id;
  if (id == FieldId::preset && value == 0) return "none";
  if (id == FieldId::preset && index <= library.presets.size()) return library.presets[index - 1].id;
  if (id == FieldId::hardware && index < library.gpus.size()) return library.gpus[index].id;
  if (value < 0) return {};
  if (id == FieldId::collective && value < kCollectives) return name_of(static_cast<Collective>(value));
  if ((id == FieldId::algorithm || id == FieldId::compare) && value < kAlgorithms)
    return name_of(static_cast<Algorithm>(value));
  if (id == FieldId::op && value < kOperators) return name_of(static_cast<Operator>(value));
  if ((id == FieldId::topology || id == FieldId::topology_beside) && value < kTopologyKinds)
    return name_of(static_cast<TopologyKind>(value));
  return {};
}

int last_index(std::size_t size) {
  return std::max(0, static_cast<int>(size) - 1);
}

template <class List>
int index_of(const List& list, std::string_view id) {
  for (std::size_t i = 0; i < list.size(); ++i)
    if (list[i].id == id) return static_cast<int>(i);
  return 0;
}

// gpus_per_node is 1, 2, 4 or 8: nodes of other sizes are not built.
int power_of_two_below(int value) {
  int power = 1;
  while (power * 2 <= value) power *= 2;
  return power;
}

}  // namespace

std::span<const Field> fields() {
  return kTable;
}
const Field& field(FieldId id) {
  return kTable[static_cast<std::size_t>(id)];
}

const Field* field_named(std::string_view name) {
  const auto found = std::find_if(kTable.begin(), kTable.end(), [&](const Field& f) { return f.name == name; });
  return found == kTable.end() ? nullptr : &*found;
}

int max_of(const Field& field, const Library& library) {
  if (field.id == FieldId::step) return last_index(library.walk.steps.size());
  if (field.id == FieldId::model) return last_index(library.models.size());
  if (field.id == FieldId::hardware) return last_index(library.gpus.size());
  if (field.id == FieldId::preset) return static_cast<int>(library.presets.size());
  return field.max;
}

std::string value_text(const Field& field, int value, const Library& library) {
  if (const auto name = loaded_name(field.id, value, library); !name.empty()) return std::string(name);
  const int index = value - field.min;
  if (index >= 0 && index < static_cast<int>(field.names.size()))
    return std::string(field.names[static_cast<std::size_t>(index)]);
  return std::to_string(value);
}

std::optional<int> parse_value(const Field& field, std::string_view text, const Library& library) {
  for (int value = field.min; value <= max_of(field, library); ++value) {
    if (field.names.empty() && value >= 0 && loaded_name(field.id, value, library).empty()) break;
    if (value_text(field, value, library) == text) return value;
  }
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

State initial_state(const Library& library) {
  const Walk& walk = library.walk;
  State state;
  state.model = index_of(library.models, walk.model);
  state.hardware = index_of(library.gpus, walk.hardware);
  state.tokens = walk.tokens;
  state.micro_batches = walk.micro_batches;
  state.gpus_per_node = walk.gpus_per_node;
  state.nics_per_node = walk.nics_per_node;
  state.tp = walk.layout.tp;
  state.pp = walk.layout.pp;
  state.dp = walk.layout.dp;
  state.ep = walk.layout.ep;
  state.order = walk.layout.order == default_order() ? 0 : 1;
  return normalise(state, library);
}

State normalise(State state, const Library& library) {
  for (const Field& f : kTable) state.*f.member = std::clamp(state.*f.member, f.min, max_of(f, library));
  state.gpus_per_node = power_of_two_below(state.gpus_per_node);
  state.nics_per_node = std::min(state.nics_per_node, state.gpus_per_node);
  // Each GPU of a TP group holds the same whole number of tokens.
  const int fewest = field(FieldId::tokens).min;
  state.tokens -= state.tokens % state.tp;
  while (state.tokens < fewest) state.tokens += state.tp;
  if (state.gpu >= state.tp * state.pp * state.dp) state.gpu = -1;
  // An algorithm belongs to its operation.
  const auto offered = algorithms_of(static_cast<Collective>(state.collective));
  const auto offers = [&](int algorithm) {
    return std::find(offered.begin(), offered.end(), static_cast<Algorithm>(algorithm)) != offered.end();
  };
  if (!offers(state.algorithm)) state.algorithm = static_cast<int>(offered.front());
  if (!offers(state.compare)) state.compare = -1;
  state.root = std::min(state.root, state.ranks - 1);
  state.fault_gpu = std::min(state.fault_gpu, state.ranks - 1);
  state.node_size = power_of_two_below(state.node_size);
  state.comm_sms = std::min(state.comm_sms, state.sms - 1);
  if (state.token >= tiny::kTokens * state.dp) state.token = -1;
  if (state.expert_token >= state.expert_nodes * state.expert_gpus * state.expert_tokens) state.expert_token = -1;
  settle_inputs(state);
  return state;
}

}  // namespace commflow

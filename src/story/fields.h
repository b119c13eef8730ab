#pragma once
// Everything a reader can choose: a handful of named, bounded integers in one
// table (what is typed, rows of numbers, lies beside them: inputs.h). Address, JSON, host messages, element attributes,
// random test states and controls are read off this table. Names are public and permanent.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "story/rows.h"

namespace commflow {

struct Library;  // loaded models, hardware and the scenario: story/library.h

enum class FieldId : std::uint8_t {
  page,
  step,
  at,
  playing,
  speed,
  lang,
  theme,
  motion,
  embed,
  model,
  hardware,
  tokens,
  micro_batches,
  dispatch_precision,
  combine_precision,
  gpus_per_node,
  nics_per_node,
  tp,
  pp,
  dp,
  ep,
  order,
  gpu,
  panel,
  token,
  compute_percent,
  link_percent,
  latency_us,
  example,
  collective,
  algorithm,
  compare,
  ranks,
  root,
  op,
  size_bits,
  chunks,
  node_size,
  topology,
  oversubscription,
  port_gbps,
  fault,
  fault_gpu,
  uneven,
  topology_beside,
  call_pattern,
  call_order,
  sms,
  comm_sms,
  compute_to_comm,
  memory_bound,
  expert_nodes,
  expert_gpus,
  experts,
  expert_topk,
  expert_tokens,
  expert_skew,
  expert_seed,
  expert_capacity,
  expert_limit,
  expert_merge,
  expert_path,
  expert_replicas,
  expert_out,
  expert_home,
  expert_token,
  preset,
  expert_placement
};
inline constexpr int kFields = 68;

// Position is in quarter milliseconds, so that speeds 1/4 to 4 add up exactly.
struct State {
  int page = 0;
  int step = 0;  // index into the walk's steps
  int at = 0;    // quarter milliseconds inside the step
  int playing = 0;
  int speed = 2;   // index into 1/4, 1/2, 1, 2, 4
  int lang = 0;    // Lang
  int theme = 0;   // 0 system, 1 light, 2 dark
  int motion = 0;  // 0 system, 1 full, 2 reduced
  int embed = 0;
  int model = 0;      // index into Library::models
  int hardware = 0;   // index into Library::gpus
  int tokens = 8192;  // per replica and micro-batch
  int micro_batches = 8;
  int dispatch_precision = 0;  // 0 bf16, 1 fp8 with scales
  int combine_precision = 0;   // 0 bf16, 1 fp32
  int gpus_per_node = 2;
  int nics_per_node = 2;
  int tp = 2, pp = 2, dp = 2, ep = 4;
  int order = 0;   // 0 tp-pp-dp, 1 tp-dp-pp
  int gpu = -1;    // the GPU that is looked at, -1 none
  int panel = 0;   // what is open beside the figure
  int token = -1;  // the drawn token that is followed, replica * 8 + position; -1 none
  // What estimates of time take for granted, see core/step_time.h.
  int compute_percent = 40;
  int link_percent = 80;
  int latency_us = 4;
  int example = 0;  // ExampleId: which of the concepts page's collectives plays
  // The collectives page.
  int collective = 2;  // Collective: all-reduce
  int algorithm = 0;   // Algorithm: ring
  int compare = -1;    // Algorithm beside it, -1 none
  int ranks = 4;
  int root = 0;
  int op = 0;                // Operator
  int size_bits = 30;        // the message has 2^size_bits bytes
  int chunks = 4;            // of pipelined algorithms
  int node_size = 2;         // GPUs of a node, for hierarchical algorithms and two-level networks
  int topology = 3;          // TopologyKind: one switch
  int oversubscription = 1;  // of the spine of a two-level network
  int port_gbps = 0;         // GB/s of a GPU's port, one way; 0: the NVLink of the chosen GPU
  int fault = 0;             // Fault::Kind
  int fault_gpu = 0;
  int uneven = 0;            // all-to-all with blocks of different sizes
  int topology_beside = -1;  // TopologyKind beside it, -1 none
  int call_pattern = 0;      // rendezvous::Pattern, of sends and receives
  int call_order = 0;        // rendezvous::Order
  // What overlap takes for granted, see core/shared_gpu.h. 20 of 132: DeepSeek-V3 on H800 (arXiv 2412.19437).
  int sms = 132;
  int comm_sms = 20;
  int compute_to_comm = 100;  // percent: computing alone over communication alone
  int memory_bound = 30;      // percent of computing alone in which memory is the limit
  // The layer that the experts page runs, see core/expert_settings.h.
  int expert_nodes = 2;
  int expert_gpus = 2;  // per node
  int experts = 8;
  int expert_topk = 2;
  int expert_tokens = 4;  // per rank
  int expert_skew = 0;    // quarters of Zipf's exponent
  int expert_seed = 7;
  int expert_capacity = 0;   // capacity factor in hundredths, 0: no copy is dropped
  int expert_limit = 0;      // nodes that a token may reach, 0: all
  int expert_merge = 0;      // experts::Dedup
  int expert_path = 0;       // experts::Path
  int expert_placement = 0;  // experts::Placement
  int expert_replicas = 0;   // further copies of hot experts, per rank
  int expert_out = 1;        // ExpertFormat, to the experts
  int expert_home = 0;       // ExpertFormat, back
  int expert_token = -1;     // the token that is followed, through all ranks; -1 none
  int preset = 0;            // 0: counted is what is drawn, else index into Library::presets + 1
  // What a reader typed, see inputs.h; empty: the example of the seed.
  Rows values;
  Rows routing;
  bool operator==(const State&) const = default;
};

enum class PageId : int { walk, concepts, collectives, experts };
inline constexpr int kPages = 4;
// How a vector travels to an expert or back.
enum class ExpertFormat : int { bf16, fp8, logfmt };

inline constexpr int kMostExpertTokens = 32;  // per rank, that are drawn
inline constexpr double kSlowFactor = 4;      // of a slow link
inline constexpr double kLateMs = 10;         // of a late GPU

enum class Panel : int { none, settings, log, formula, about, typed };

struct Field {
  FieldId id;
  std::string_view name;
  int State::*member;
  int min;
  int max;                                  // where names come from loaded data: see max_of()
  std::span<const std::string_view> names;  // names of the values min, min + 1, ..., or empty
  bool in_address;                          // part of a link
  bool restarts = false;                    // what plays is another thing then, and begins anew
};

std::span<const Field> fields();
const Field& field(FieldId id);
const Field* field_named(std::string_view name);

// The bounds and value names that hold for the loaded documents.
int max_of(const Field& field, const Library& library);
// The name of a value: from the table or from the library, else decimal digits.
std::string value_text(const Field& field, int value, const Library& library);
// The reverse; decimal digits are accepted everywhere. nullopt for rubbish.
std::optional<int> parse_value(const Field& field, std::string_view text, const Library& library);

// The state a reader starts with: defaults of the scenario.
State initial_state(const Library& library);

// Clamps every field. Total and idempotent: no State is invalid afterwards.
// (A layout whose sizes do not fit together stays, and the page says why.)
State normalise(State state, const Library& library);

}  // namespace commflow

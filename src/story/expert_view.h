#pragma once
// The experts page's layer: what a State asks for, run once, and its stages as
// beats of a time line. Everything drawn or said about the layer is read off it.

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/expert_bytes.h"
#include "core/expert_layer.h"
#include "story/fields.h"
#include "story/timeline.h"

namespace commflow {

// In the order in which they come about; a beat's phase is its stage.
enum class ExpertStage : int { scores, choose, count, pack, exchange, dispatch, experts, combine, sum, finish };
inline constexpr int kExpertStages = 10;
// In keys of texts and ids.
inline constexpr std::array<std::string_view, kExpertStages> kExpertStageNames{
    "scores", "choose", "count", "pack", "exchange", "dispatch", "experts", "combine", "sum", "finish"};
inline std::string_view name_of(ExpertStage stage) {
  return kExpertStageNames[static_cast<std::size_t>(stage)];
}

struct ExpertView {
  experts::Settings settings;
  std::optional<experts::Problem> problem;
  bool drawn = false;      // small enough to be run; never with a problem
  experts::Counts counts;  // empty with a problem
  // What meters count: the chosen real setting, or what is drawn.
  experts::Settings counted;
  experts::Counts counted_counts;
  std::array<experts::ExchangeBytes, experts::kExchanges> counted_bytes;  // by Exchange
  std::vector<std::int64_t> counted_load;                                 // copies that each rank computes
  const experts::ExchangeBytes& bytes_of(experts::Exchange exchange) const {
    return counted_bytes[static_cast<std::size_t>(exchange)];
  }
  experts::LayerRun run;  // empty unless drawn
  // Before every round of each exchange and after the last.
  std::vector<Buffers> dispatch;
  std::vector<Buffers> combine;
  Timeline timeline;  // one silent beat unless drawn
};

// The fields that make_expert_view() reads, all others at their defaults.
State expert_key_of(const State& state);
// hidden is that of the chosen model.
experts::Settings expert_settings_of(const State& state, const Library& library);
// All fields as the chosen real setting wants them; state.preset is within its bounds.
State with_preset(State state, const Library& library);
MessageFormat message_format_of(int expert_format);
// `before`: the last one, whose count is kept where the new one would be the same or differ in the way of travelling
// only (hundreds of thousands of tokens take their time).
ExpertView make_expert_view(const State& state, const Library& library, const ExpertView& before = {});

// Where the position is: at which stage, and how far.
ExpertStage stage_of(const Moment& moment);
// Index of the last beat of a stage; the time line is of a drawn layer.
int last_beat_of(const Timeline& timeline, ExpertStage stage);

}  // namespace commflow

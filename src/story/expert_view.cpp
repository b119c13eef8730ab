#include "story/expert_view.h"

#include "story/library.h"

namespace commflow {
namespace {

// Up to so many ranks an exchange is played in pairs, round by round; then at once.
constexpr int kMostPairwiseRanks = 8;
constexpr int kSkewStep = 25;      // hundredths of Zipf's exponent
constexpr int kCapacityStep = 10;  // thousandths of the capacity factor

void add_rounds(Timeline& timeline, ExpertStage stage, const Schedule& schedule) {
  for (int round = 0; round < static_cast<int>(std::ssize(schedule.rounds)); ++round)
    timeline.beats.push_back({static_cast<int>(stage), round});
}

Timeline timeline_of(const experts::LayerRun& run) {
  Timeline timeline;
  for (int index = 0; index < kExpertStages; ++index) {
    const auto stage = static_cast<ExpertStage>(index);
    if (stage == ExpertStage::dispatch)
      add_rounds(timeline, stage, run.dispatch.schedule);
    else if (stage == ExpertStage::combine)
      add_rounds(timeline, stage, run.combine.schedule);
    else
      timeline.beats.push_back({index, -1});
  }
  return timeline;
}

// The sizes of the real setting with the reader's choices.
experts::Settings counted_settings(const State& state, experts::Settings settings, const Library& library) {
  if (state.preset == 0) return settings;
  const experts::Settings& full = library.presets[static_cast<std::size_t>(state.preset - 1)].full;
  settings.nodes = full.nodes;
  settings.gpus_per_node = full.gpus_per_node;
  settings.experts = full.experts;
  settings.topk = full.topk;
  settings.tokens = full.tokens;
  settings.table.clear();
  if (settings.topk_nodes > 0 && full.topk_nodes > 0) settings.topk_nodes = full.topk_nodes;
  return settings;
}

experts::Counts counts_of(const experts::Settings& settings, const ExpertView& before) {
  const bool counted = !before.problem && !before.counted_counts.taken.empty();
  if (!counted || !experts::counted_alike(settings, before.counted)) return experts::count_layer(settings);
  return experts::by_way_of(settings, before.counted_counts);
}

}  // namespace

State expert_key_of(const State& state) {
  State key;
  key.model = state.model;
  key.preset = state.preset;
  for (const FieldId id : {FieldId::expert_nodes, FieldId::expert_gpus, FieldId::experts, FieldId::expert_topk,
                           FieldId::expert_tokens, FieldId::expert_skew, FieldId::expert_seed, FieldId::expert_capacity,
                           FieldId::expert_limit, FieldId::expert_placement, FieldId::expert_merge,
                           FieldId::expert_path, FieldId::expert_replicas, FieldId::expert_out, FieldId::expert_home})
    key.*field(id).member = state.*field(id).member;
  key.routing = state.routing;
  return key;
}

MessageFormat message_format_of(int expert_format) {
  switch (static_cast<ExpertFormat>(expert_format)) {
    case ExpertFormat::bf16: return {16, 0, 0};
    case ExpertFormat::fp8: return {8, kFp8ScaleBlock, 0};
    case ExpertFormat::logfmt: return {10, kFp8ScaleBlock, 0};
  }
  return {};
}

experts::Settings expert_settings_of(const State& state, const Library& library) {
  experts::Settings settings;
  settings.nodes = state.expert_nodes;
  settings.gpus_per_node = state.expert_gpus;
  settings.experts = state.experts;
  settings.topk = state.expert_topk;
  settings.tokens = state.expert_tokens;
  settings.seed = static_cast<std::uint64_t>(state.expert_seed);
  settings.zipf_hundredths = state.expert_skew * kSkewStep;
  settings.topk_nodes = state.expert_limit;
  settings.table = state.routing.numbers;
  settings.capacity_thousandths = state.expert_capacity * kCapacityStep;
  settings.placement = static_cast<experts::Placement>(state.expert_placement);
  settings.replicas_per_rank = state.expert_replicas;
  settings.dedup = static_cast<experts::Dedup>(state.expert_merge);
  settings.path = static_cast<experts::Path>(state.expert_path);
  settings.algorithm = experts::ranks_of(settings) <= kMostPairwiseRanks ? Algorithm::pairwise : Algorithm::direct;
  if (!library.models.empty()) settings.hidden = library.models[static_cast<std::size_t>(state.model)].hidden;
  settings.out = message_format_of(state.expert_out);
  settings.home = message_format_of(state.expert_home);
  return settings;
}

State with_preset(State state, const Library& library) {
  if (state.preset == 0) return state;
  const ExpertPreset& preset = library.presets[static_cast<std::size_t>(state.preset - 1)];
  for (std::size_t i = 0; i < library.models.size(); ++i)
    if (library.models[i].id == preset.model) state.model = static_cast<int>(i);
  state.expert_nodes = preset.drawn.nodes;
  state.expert_gpus = preset.drawn.gpus_per_node;
  state.experts = preset.drawn.experts;
  state.expert_topk = preset.drawn.topk;
  state.expert_tokens = preset.drawn.tokens;
  state.expert_limit = preset.drawn.topk_nodes;
  state.expert_merge = preset.merge;
  state.expert_path = preset.path;
  state.expert_out = preset.out;
  state.expert_home = preset.home;
  state.routing = {};
  state.at = 0;
  return state;
}

ExpertView make_expert_view(const State& state, const Library& library, const ExpertView& before) {
  ExpertView view;
  view.settings = expert_settings_of(state, library);
  view.counted = counted_settings(state, view.settings, library);
  view.problem = experts::settings_problem(view.settings);
  if (!view.problem) view.problem = experts::settings_problem(view.counted);
  view.timeline.beats.push_back({});
  if (view.problem) return view;
  view.drawn = experts::executable(view.settings);
  if (view.drawn) view.run = experts::run_layer(view.settings);
  view.counts = view.drawn ? view.run.counts : experts::count_layer(view.settings);
  view.counted_counts = state.preset == 0 ? view.counts : counts_of(view.counted, before);
  for (int exchange = 0; exchange < experts::kExchanges; ++exchange)
    view.counted_bytes[static_cast<std::size_t>(exchange)] =
        experts::bytes_of(view.counted, view.counted_counts, static_cast<experts::Exchange>(exchange));
  view.counted_load = experts::column_sums(view.counted_counts.split);
  if (!view.drawn) return view;
  view.dispatch = history(view.run.dispatch.schedule, view.run.dispatch.initial, Operator::sum);
  view.combine = history(view.run.combine.schedule, view.run.combine.initial, Operator::sum);
  view.timeline = timeline_of(view.run);
  return view;
}

ExpertStage stage_of(const Moment& moment) {
  return static_cast<ExpertStage>(moment.at.phase < 0 ? 0 : moment.at.phase);
}

int last_beat_of(const Timeline& timeline, ExpertStage stage) {
  int last = 0;
  for (int beat = 0; beat < static_cast<int>(std::ssize(timeline.beats)); ++beat)
    if (timeline.beats[static_cast<std::size_t>(beat)].phase == static_cast<int>(stage)) last = beat;
  return last;
}

}  // namespace commflow

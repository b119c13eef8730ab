#include "story/derive.h"

#include "story/pages/page_rows.h"

namespace commflow {
namespace {

// The fields that derive() reads.
State key_of(const State& state) {
  State key;
  key.model = state.model;
  key.tokens = state.tokens;
  key.micro_batches = state.micro_batches;
  key.dispatch_precision = state.dispatch_precision;
  key.combine_precision = state.combine_precision;
  key.gpus_per_node = state.gpus_per_node;
  key.nics_per_node = state.nics_per_node;
  key.tp = state.tp;
  key.pp = state.pp;
  key.dp = state.dp;
  key.ep = state.ep;
  key.order = state.order;
  return key;
}

// A step of a model that is not run is one silent beat.
std::vector<Timeline> timelines(const tiny::Run& run, const Walk& walk) {
  std::vector<Timeline> steps;
  for (const WalkStep& step : walk.steps) steps.push_back(timeline_of(run, step.runs));
  if (steps.empty()) steps.push_back(Timeline{{Beat{}}});
  return steps;
}

// All but what single pages show.
void derive_walk(const State& state, const Library& library, Derived& derived) {
  derived.work = workload_of(state, library);
  derived.layout = derived.work.layout;
  derived.dense = !has_experts(derived.work.model);
  derived.problem = walk_problem(derived.work);
  const tiny::Setup setup{derived.layout, derived.dense, library.walk.seed, library.walk.algorithms};
  derived.executed = !derived.problem && tiny::can_execute(setup);
  derived.run = {};  // given back before the next one is made
  if (derived.executed) derived.run = tiny::run_sharded(setup);
  derived.steps = timelines(derived.run, library.walk);
}

Precision precision_of(int value, Precision other) {
  return value == 0 ? Precision::bf16 : other;
}

}  // namespace

Layout layout_of(const State& state) {
  Layout layout;
  layout.tp = state.tp;
  layout.pp = state.pp;
  layout.dp = state.dp;
  layout.ep = state.ep;
  layout.order = *parse_order(state.order == 0 ? "tp-pp-dp" : "tp-dp-pp");
  return layout;
}

Workload workload_of(const State& state, const Library& library) {
  Workload work;
  if (!library.models.empty()) work.model = library.models[static_cast<std::size_t>(state.model)];
  work.layout = layout_of(state);
  work.tokens = state.tokens;
  work.micro_batches = state.micro_batches;
  work.dispatch = precision_of(state.dispatch_precision, Precision::fp8);
  work.combine = precision_of(state.combine_precision, Precision::fp32);
  work.gpus_per_node = state.gpus_per_node;
  work.nics_per_node = state.nics_per_node;
  return work;
}

const Timeline& walk_timeline(const State& state, const Derived& derived) {
  return derived.steps[static_cast<std::size_t>(state.step)];
}

const Timeline& Derived::timeline(const State& state) const {
  const PageRow* row = page_row(state);
  return row == nullptr ? walk_timeline(state, *this) : row->timeline(state, *this);
}

const Derived& Deriver::derive(const State& state) {
  const State key = key_of(state);
  if (derived_.key != key) {
    derived_.key = key;
    derive_walk(state, *library_, derived_.value);
  }
  if (const PageRow* row = page_row(state); row != nullptr && row->derive != nullptr)
    row->derive(state, *library_, derived_.value, page_keys_[static_cast<std::size_t>(state.page)]);
  return derived_.value;
}

const Glance& Deriver::glance(const State& state) {
  State key = key_of(state);
  key.hardware = state.hardware;
  key.gpu = state.gpu;
  key.compute_percent = state.compute_percent;
  key.link_percent = state.link_percent;
  key.latency_us = state.latency_us;
  if (glance_.key != key) glance_ = {key, glance_of(state, derive(state).work, *library_)};
  return glance_.value;
}

const WalkRoom& Deriver::walk_room(const State& state, float width, Measure measure) {
  State key = key_of(state);
  key.step = state.step;
  key.lang = state.lang;
  key.gpu = state.gpu;
  key.token = state.token;
  if (room_.key != key || room_width_ != width) room_ = {key, measure(state, derive(state), *library_, width)};
  room_width_ = width;
  return room_.value;
}

}  // namespace commflow

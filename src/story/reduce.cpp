#include "story/reduce.h"

#include <algorithm>
#include <charconv>

namespace commflow {
namespace {

enum Playing : int { kStopped = 0, kToEnd = 1, kOneRound = 2 };

int length(const State& state, Deriver& deriver) {
  return deriver.derive(state).timeline(state).length();
}

int last_step(Deriver& deriver) {
  return max_of(field(FieldId::step), deriver.library());
}

bool has_steps(const State& state) {
  return state.page == static_cast<int>(PageId::walk);
}

State at_step(State state, int step, int position, Deriver& deriver) {
  state.step = std::clamp(step, 0, last_step(deriver));
  state.at = position;
  state.playing = kStopped;
  return state;
}

State play(State state, Deriver& deriver) {
  if (state.at >= length(state, deriver)) {
    const bool finished = state.step == last_step(deriver);
    state = at_step(state, !has_steps(state) ? state.step : finished ? 0 : state.step + 1, 0, deriver);
  }
  state.playing = kToEnd;
  return state;
}

// Finishes the round under way at once, or plays the next one.
State forward(State state, Deriver& deriver) {
  const int end = length(state, deriver);
  if (state.at >= end && !has_steps(state)) return state;
  if (state.at >= end) return at_step(state, state.step + 1, state.step == last_step(deriver) ? end : 0, deriver);
  if (state.playing == kOneRound) state.at = std::min(end, (state.at / kBeat + 1) * kBeat);
  state.playing = state.at < end ? kOneRound : kStopped;
  return state;
}

State back(State state, Deriver& deriver) {
  if (state.at > 0) return at_step(state, state.step, (state.at - 1) / kBeat * kBeat, deriver);
  if (state.step == 0 || !has_steps(state)) return state;
  state = at_step(state, state.step - 1, 0, deriver);
  state.at = length(state, deriver);
  return state;
}

State use_suggestion(State state, Deriver& deriver) {
  const auto problem = deriver.derive(state).problem;
  if (problem && problem->suggested_tokens) state.tokens = static_cast<int>(*problem->suggested_tokens);
  if (!problem || !problem->suggestion) return state;
  state.tp = problem->suggestion->tp;
  state.pp = problem->suggestion->pp;
  state.dp = problem->suggestion->dp;
  state.ep = problem->suggestion->ep;
  return state;
}

State fill(State state, const Fill& change) {
  state = with_input(state, input(change.input), change.rows);
  state.at = 0;
  state.playing = kStopped;
  return state;
}

// The table that is drawn, with one entry changed. Nothing moves in time: the reader sees what follows where they are.
State route(State state, const Route& change, Deriver& deriver) {
  const ExpertView& view = deriver.derive(state).experts;
  const auto& routing = view.run.routing;
  if (state.page != static_cast<int>(PageId::experts) || !view.drawn || change.token < 0 ||
      change.token >= routing.all_tokens() || change.expert < 0 || change.expert >= view.settings.experts)
    return state;
  Rows rows;
  for (int token = 0; token < routing.all_tokens(); ++token) {
    const int* first = &routing.experts[routing.at(token, 0)];
    std::vector<int> row(first, first + routing.topk);
    if (token == change.token) {
      const auto chosen = std::find(row.begin(), row.end(), change.expert);
      if (chosen == row.end())
        row.back() = change.expert;
      else
        std::rotate(chosen, chosen + 1, row.end());
    }
    rows.add(row);
  }
  return with_input(state, input(InputId::routing), std::move(rows));
}

bool changes_step(Action action) {
  return action == Action::next || action == Action::previous || action == Action::first || action == Action::last;
}

State press(State state, Action action, Deriver& deriver) {
  if (changes_step(action) && !has_steps(state)) return state;
  switch (action) {
    case Action::play: return play(state, deriver);
    case Action::pause: state.playing = kStopped; return state;
    case Action::toggle_play: return press(state, state.playing == kToEnd ? Action::pause : Action::play, deriver);
    case Action::forward: return forward(state, deriver);
    case Action::back: return back(state, deriver);
    case Action::next: return at_step(state, state.step + 1, 0, deriver);
    case Action::previous: return at_step(state, state.step - 1, 0, deriver);
    case Action::first: return at_step(state, 0, 0, deriver);
    case Action::last: return at_step(state, last_step(deriver), 0, deriver);
    case Action::rewind: return at_step(state, state.step, 0, deriver);
    case Action::use_suggestion: return use_suggestion(state, deriver);
    case Action::close_panel: state.panel = 0; return state;
    case Action::copy_link:
    case Action::copy_picture:
    case Action::download_picture:
    case Action::copy_rounds:
    case Action::download_schedule:
    case Action::download_counts: return state;
  }
  return state;
}

State set(State state, const Set& change) {
  const Field& f = field(change.field);
  state.*f.member = change.value;
  if (f.restarts) state.at = 0;
  if (f.restarts || f.id == FieldId::at) state.playing = kStopped;
  // An example is chosen by pressing its picture, which asks to see it.
  if (f.id == FieldId::example) state.playing = kToEnd;
  return state;
}

State settle(State state, Deriver& deriver) {
  state = normalise(state, deriver.library());
  state.at = std::min(state.at, length(state, deriver));
  if (state.at >= length(state, deriver)) state.playing = kStopped;
  return state;
}

}  // namespace

State reduce(State state, const Event& event, Deriver& deriver) {
  if (const Set* change = std::get_if<Set>(&event)) state = set(state, *change);
  if (state.preset > 0 && std::holds_alternative<Set>(event) && std::get<Set>(event).field == FieldId::preset)
    state = with_preset(normalise(state, deriver.library()), deriver.library());
  if (const Press* pressed = std::get_if<Press>(&event)) state = press(state, pressed->action, deriver);
  if (const Fill* filled = std::get_if<Fill>(&event)) state = fill(state, *filled);
  if (const Route* routed = std::get_if<Route>(&event)) state = route(state, *routed, deriver);
  if (const Open* opened = std::get_if<Open>(&event)) state = opened->state;
  return settle(state, deriver);
}

namespace {

std::optional<Event> clear_event(std::string_view name) {
  const Input* typed = input_named(name);
  if (typed == nullptr) return std::nullopt;
  return Fill{typed->id, {}};
}

// "3.5": token 3 to expert 5.
std::optional<Event> route_event(std::string_view text) {
  Route route;
  const char* end = text.data() + text.size();
  const auto token = std::from_chars(text.data(), end, route.token);
  if (token.ec != std::errc() || token.ptr == end || *token.ptr != '.') return std::nullopt;
  const auto expert = std::from_chars(token.ptr + 1, end, route.expert);
  if (expert.ec != std::errc() || expert.ptr != end) return std::nullopt;
  return route;
}

std::optional<Event> press_event(std::string_view id, const State& state, const Library& library) {
  if (const auto action = action_named(id)) return Press{*action};
  const std::size_t dot = id.find('.');
  const std::string_view kind = id.substr(0, dot);
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view name = id.substr(dot + 1);
  if (kind == "route") return route_event(name);
  if (kind == "clear") return clear_event(name);
  const Field* f = field_named(kind);
  if (f == nullptr) return std::nullopt;
  const auto value = parse_value(*f, name, library);
  if (!value) return std::nullopt;
  const bool again =
      (f->id == FieldId::gpu || f->id == FieldId::panel || f->id == FieldId::token || f->id == FieldId::expert_token) &&
      state.*f->member == *value;
  return Set{f->id, again ? f->min : *value};
}

}  // namespace

std::optional<Event> event_of(std::string_view id, bool is_set, int value, const State& state, const Library& library) {
  if (!is_set) return press_event(id, state, library);
  const Field* f = field_named(id);
  if (f == nullptr) return std::nullopt;
  return Set{f->id, value};
}

State tick(State state, int milliseconds, Deriver& deriver) {
  if (state.playing == kStopped || milliseconds <= 0) return state;
  const int end = length(state, deriver);
  const int stop = state.playing == kOneRound ? std::min(end, (state.at / kBeat + 1) * kBeat) : end;
  const std::int64_t moved = state.at + (static_cast<std::int64_t>(milliseconds) << state.speed);
  state.at = static_cast<int>(std::min<std::int64_t>(moved, stop));
  if (state.at == stop) state.playing = kStopped;
  return state;
}

}  // namespace commflow

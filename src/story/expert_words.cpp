#include "story/expert_words.h"

#include <algorithm>

#include "core/tiny_matrix.h"

namespace commflow {
namespace {

using experts::Copy;
using experts::LayerRun;

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string join(const Catalog& words, const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items)
    text += (text.empty() ? "" : std::string(words.get(Text::experts_comma))) + item;
  return text;
}

std::string expert(const Catalog& words, int id) {
  return words.get(Text::scene_expert_short, {{"expert", number(id)}});
}

std::string vector_text(std::span<const Value> values) {
  std::string text;
  for (const Value value : values) text += (text.empty() ? "" : ", ") + number(value);
  return "(" + text + ")";
}

std::span<const Value> row_of(const tiny::Matrix& matrix, int row) {
  return {&matrix.data[index_of(row * matrix.cols)], index_of(matrix.cols)};
}

std::span<const Copy> copies_of(const LayerRun& run, int token) {
  return {&run.plan.copies[run.routing.at(token, 0)], index_of(run.routing.topk)};
}

std::span<const Value> result_of(const LayerRun& run, const Copy& copy) {
  return row_of(run.results[index_of(copy.host)], copy.row);
}

// ---- one token ---------------------------------------------------------------

std::string scores_line(const LayerRun& run, const Catalog& words, int token) {
  std::vector<std::string> best;
  for (const Copy& copy : copies_of(run, token))
    best.push_back(expert(words, copy.expert) + " " +
                   number(run.routing.scores[index_of(token * run.settings.experts + copy.expert)]));
  return words.get(Text::experts_line_scores,
                   {{"token", number(token)}, {"experts", number(run.settings.experts)}, {"best", join(words, best)}});
}

std::string choose_line(const LayerRun& run, const Catalog& words, int token) {
  std::vector<std::string> chosen;
  for (const Copy& copy : copies_of(run, token))
    chosen.push_back(
        words.get(Text::experts_weighted, {{"expert", expert(words, copy.expert)}, {"weight", number(copy.weight)}}));
  return words.get(Text::experts_line_choose,
                   {{"token", number(token)}, {"chosen", join(words, chosen)}, {"total", number(kGateTotal)}});
}

std::string dropped_line(const LayerRun& run, const Catalog& words, int token) {
  std::vector<std::string> full;
  for (const Copy& copy : copies_of(run, token))
    if (copy.host < 0) full.push_back(expert(words, copy.expert));
  if (full.empty()) return {};
  return words.get(Text::experts_line_dropped, {{"token", number(token)}, {"experts", join(words, full)}});
}

std::string pack_line(const LayerRun& run, const Catalog& words, int token) {
  std::vector<std::string> slots;
  Rank home = 0;
  for (const experts::Departure& departure : run.plan.departures) {
    if (departure.token != token) continue;
    slots.push_back(number(departure.slot));
    home = departure.home;
  }
  if (slots.empty()) return {};
  return words.get(Text::experts_line_pack,
                   {{"token", number(token)}, {"slots", join(words, slots)}, {"gpu", number(home)}});
}

// The token that a slot of a movement holds at one end of a transfer.
struct Carried {
  int token = -1;
  std::vector<int> experts;  // that it is for, or comes from
  bool rail = false;         // between home and relay
};
void add_parcel(const LayerRun& run, const experts::Parcel& parcel, Carried& carried) {
  carried.token = run.plan.copies[index_of(parcel.copies.front())].token;
  for (const int copy : parcel.copies) carried.experts.push_back(run.plan.copies[index_of(copy)].expert);
}

// `there`: the end nearer to the experts.
Carried carried_by(const LayerRun& run, Place here, Place there) {
  Carried carried;
  for (const experts::Parcel& parcel : run.plan.parcels) {
    const auto& departure = run.plan.departures[index_of(parcel.departure)];
    const bool arrives = parcel.host == there.rank && parcel.arrival == there.slot;
    const bool leaves = departure.relay < 0 ? departure.home == here.rank && departure.slot == here.slot
                                            : departure.relay == here.rank && departure.relay_slot == here.slot;
    const bool over_rail = departure.relay == there.rank && departure.relay_slot == there.slot &&
                           departure.home == here.rank && departure.slot == here.slot;
    if ((arrives && leaves) || over_rail) add_parcel(run, parcel, carried);
    carried.rail = carried.rail || over_rail;
  }
  return carried;
}

std::string transfer_line(const LayerRun& run, const Catalog& words, bool out, const Transfer& transfer, int token) {
  const Carried carried =
      out ? carried_by(run, transfer.src, transfer.dst) : carried_by(run, transfer.dst, transfer.src);
  if (carried.token != token) return {};
  std::vector<std::string> names;
  for (const int id : carried.experts) names.push_back(expert(words, id));
  const std::string to = join(words, names), src = number(transfer.src.rank), dst = number(transfer.dst.rank);
  // A hop within a GPU is told only where it ends: at the expert, or at home.
  const bool ends = out ? !carried.rail : transfer.dst.rank == token / run.settings.tokens;
  if (transfer.local() && (!ends || (!out && carried.rail))) return {};
  if (transfer.local())
    return words.get(out ? Text::experts_line_stays : Text::experts_line_is_home,
                     {{"token", number(token)}, {"experts", to}, {"gpu", src}});
  return words.get(out ? Text::experts_line_out : Text::experts_line_home,
                   {{"token", number(token)}, {"experts", to}, {"src", src}, {"dst", dst}});
}

std::string exchange_line(const ExpertView& view, const Catalog& words, ExpertStage stage, int round, int token) {
  const bool out = stage == ExpertStage::dispatch;
  const Schedule& schedule = out ? view.run.dispatch.schedule : view.run.combine.schedule;
  std::string text;
  for (int index = 0; index < static_cast<int>(std::ssize(schedule.rounds)); ++index) {
    if (round >= 0 && index != round) continue;
    for (const Transfer& transfer : schedule.rounds[index_of(index)]) {
      const std::string line = transfer_line(view.run, words, out, transfer, token);
      if (!line.empty()) text += (text.empty() ? "" : std::string(words.get(Text::log_join))) + line;
    }
  }
  return text;
}

std::string compute_line(const LayerRun& run, const Catalog& words, int token) {
  std::vector<std::string> made;
  for (const Copy& copy : copies_of(run, token))
    if (copy.host >= 0)
      made.push_back(words.get(
          Text::experts_made, {{"expert", expert(words, copy.expert)}, {"result", vector_text(result_of(run, copy))}}));
  if (made.empty()) return {};
  return words.get(
      Text::experts_line_compute,
      {{"token", number(token)}, {"input", vector_text(row_of(run.data.tokens, token))}, {"made", join(words, made)}});
}

// The arithmetic of the first number.
std::string sum_line(const LayerRun& run, const Catalog& words, int token) {
  std::string terms;
  for (const Copy& copy : copies_of(run, token)) {
    if (copy.host < 0) continue;
    terms += (terms.empty() ? "" : " + ") +
             words.get(Text::experts_term,
                       {{"weight", number(copy.weight)}, {"value", number(result_of(run, copy).front())}});
  }
  if (terms.empty()) return {};
  return words.get(Text::experts_line_sum,
                   {{"token", number(token)},
                    {"terms", terms},
                    {"total", number(kGateTotal)},
                    {"result", number(tiny::rounded_ratio(run.weighted.at(token, 0), kGateTotal))}});
}

std::string finish_line(const LayerRun& run, const Catalog& words, int token) {
  const Value input = run.data.tokens.at(token, 0), output = run.output.at(token, 0);
  const Value routed = tiny::rounded_ratio(run.weighted.at(token, 0), kGateTotal);
  return words.get(Text::experts_line_finish, {{"token", number(token)},
                                               {"input", number(input)},
                                               {"shared", number(output - input - routed)},
                                               {"routed", number(routed)},
                                               {"output", number(output)}});
}

// ---- one rank ----------------------------------------------------------------

std::string split_text(const ExpertView& view, const Catalog& words, Rank rank) {
  std::vector<std::string> items;
  for (Rank to = 0; to < experts::ranks_of(view.settings); ++to)
    items.push_back(
        words.get(Text::experts_count_for, {{"rank", number(to)}, {"count", number(view.counts.split.at(rank, to))}}));
  return join(words, items);
}

std::string starts_text(const ExpertView& view, const Catalog& words, Rank rank) {
  std::vector<std::string> items;
  std::int64_t start = 0;
  for (Rank to = 0; to < experts::ranks_of(view.settings); ++to) {
    items.push_back(number(start));
    start += view.counts.split.at(rank, to);
  }
  return join(words, items);
}

// Copies of one expert on one rank.
std::string groups_text(const ExpertView& view, const Catalog& words, Rank rank) {
  std::vector<std::string> items;
  for (const experts::ExpertRows& group : view.run.plan.groups[index_of(rank)])
    items.push_back(
        words.get(Text::experts_group, {{"expert", expert(words, group.expert)}, {"count", number(group.count)}}));
  return join(words, items);
}

std::vector<std::string> token_lines(const ExpertView& view, const Catalog& words, ExpertStage stage, int round) {
  std::vector<std::string> lines;
  for (int token = 0; token < view.run.routing.all_tokens(); ++token) {
    std::string line = expert_token_line(view, words, stage, round, token);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// The token of the first message of a round; -1 if there is none.
int first_sent(const ExpertView& view, ExpertStage stage, int round) {
  const bool out = stage == ExpertStage::dispatch;
  const Schedule& schedule = out ? view.run.dispatch.schedule : view.run.combine.schedule;
  for (const Transfer& transfer : schedule.rounds[index_of(round)])
    if (!transfer.local())
      return (out ? carried_by(view.run, transfer.src, transfer.dst) : carried_by(view.run, transfer.dst, transfer.src))
          .token;
  return -1;
}

bool told_by_rank(ExpertStage stage) {
  return stage == ExpertStage::count || stage == ExpertStage::pack || stage == ExpertStage::exchange ||
         stage == ExpertStage::experts;
}

}  // namespace

int token_in_focus(const State& state, const ExpertView& view) {
  if (state.expert_token >= 0) return state.expert_token;
  for (const Copy& copy : view.run.plan.copies)
    if (copy.host >= 0 && copy.host != copy.home) return copy.token;
  return 0;
}

std::string expert_token_line(const ExpertView& view, const Catalog& words, ExpertStage stage, int round, int token) {
  switch (stage) {
    case ExpertStage::scores: return scores_line(view.run, words, token);
    case ExpertStage::choose: return choose_line(view.run, words, token);
    case ExpertStage::count: return dropped_line(view.run, words, token);
    case ExpertStage::pack: return pack_line(view.run, words, token);
    case ExpertStage::exchange: return {};
    case ExpertStage::dispatch:
    case ExpertStage::combine: return exchange_line(view, words, stage, round, token);
    case ExpertStage::experts: return compute_line(view.run, words, token);
    case ExpertStage::sum: return sum_line(view.run, words, token);
    case ExpertStage::finish: return finish_line(view.run, words, token);
  }
  return {};
}

std::string expert_rank_line(const ExpertView& view, const Catalog& words, ExpertStage stage, Rank rank) {
  const std::vector<std::int64_t> load = experts::column_sums(view.counts.split);
  switch (stage) {
    case ExpertStage::count:
      return words.get(Text::experts_line_count, {{"gpu", number(rank)}, {"counts", split_text(view, words, rank)}});
    case ExpertStage::pack:
      return words.get(Text::experts_line_starts, {{"gpu", number(rank)}, {"starts", starts_text(view, words, rank)}});
    case ExpertStage::exchange:
      return words.get(Text::experts_line_expects, {{"gpu", number(rank)}, {"count", number(load[index_of(rank)])}});
    case ExpertStage::experts:
      return words.get(
          Text::experts_line_groups,
          {{"gpu", number(rank)}, {"count", number(load[index_of(rank)])}, {"groups", groups_text(view, words, rank)}});
    default: return {};
  }
}

std::string expert_live(const State& state, const ExpertView& view, const Catalog& words) {
  if (state.at == 0)
    return words.get(Text::experts_line_ready, {{"tokens", number(view.settings.tokens)},
                                                {"all", number(experts::tokens_of_all(view.settings))}});
  const Moment moment = moment_at(view.timeline, state.at, false);
  const ExpertStage stage = stage_of(moment);
  int token = token_in_focus(state, view);
  if (state.expert_token < 0 && moment.at.round >= 0) token = first_sent(view, stage, moment.at.round);
  const std::string stop(words.get(Text::log_stop));
  if (told_by_rank(stage)) {
    std::string text = expert_rank_line(view, words, stage, token / view.settings.tokens);
    const std::string own = state.expert_token < 0 ? "" : expert_token_line(view, words, stage, -1, token);
    if (!own.empty()) text += std::string(words.get(Text::log_join)) + own;
    return text + stop;
  }
  const std::vector<std::string> lines = token_lines(view, words, stage, moment.at.round);
  std::string text = expert_token_line(view, words, stage, moment.at.round, token);
  if (text.empty() && state.expert_token >= 0 && moment.at.round >= 0)
    text = words.get(Text::experts_line_rests, {{"token", number(token)}});
  if (text.empty() && !lines.empty()) text = lines.front();
  if (text.empty()) text = std::string(words.get(Text::experts_line_nothing));
  text += stop;
  if (moment.at.round < 0) return text;
  const Schedule& schedule = stage == ExpertStage::dispatch ? view.run.dispatch.schedule : view.run.combine.schedule;
  return words.get(
      Text::log_round_of,
      {{"round", number(moment.at.round + 1)}, {"rounds", number(std::ssize(schedule.rounds))}, {"text", text}});
}

std::vector<std::string> expert_log(const State& state, const ExpertView& view, const Catalog& words) {
  if (state.at == 0) return {expert_live(state, view, words)};
  const Moment moment = moment_at(view.timeline, state.at, false);
  const ExpertStage stage = stage_of(moment);
  std::vector<std::string> lines;
  if (told_by_rank(stage))
    for (Rank rank = 0; rank < experts::ranks_of(view.settings); ++rank)
      lines.push_back(expert_rank_line(view, words, stage, rank));
  for (std::string& line : token_lines(view, words, stage, moment.at.round)) lines.push_back(std::move(line));
  if (lines.empty()) lines.emplace_back(words.get(Text::experts_line_nothing));
  return lines;
}

std::vector<std::string> expert_journey(const State& state, const ExpertView& view, const Catalog& words) {
  std::vector<std::string> lines;
  if (state.expert_token < 0 || !view.drawn) return lines;
  for (int stage = 0; stage < kExpertStages; ++stage) {
    std::string line = expert_token_line(view, words, static_cast<ExpertStage>(stage), -1, state.expert_token);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::string expert_problem_text(const ExpertView& view, const Catalog& words) {
  if (!view.problem) {
    if (view.drawn) return {};
    const int ranks = experts::ranks_of(view.settings);
    return words.get(ranks < 2 ? Text::experts_unfit_one_gpu : Text::experts_unfit_too_many,
                     {{"gpus", number(ranks)}, {"most", number(kMaxExecutedRanks)}});
  }
  const experts::Problem& problem = *view.problem;
  const auto say = [&](Text key) {
    return words.get(key,
                     {{"value", number(problem.value)}, {"low", number(problem.low)}, {"high", number(problem.high)}});
  };
  switch (problem.unfit) {
    case experts::Unfit::topk: return say(Text::experts_unfit_topk);
    case experts::Unfit::topk_nodes: return say(Text::experts_unfit_limit);
    case experts::Unfit::too_few_nodes: return say(Text::experts_unfit_few_nodes);
    case experts::Unfit::merging_needs_hop: return say(Text::experts_unfit_merge);
    case experts::Unfit::uneven_experts: return say(Text::experts_unfit_uneven);
    default: return say(Text::experts_unfit_range);
  }
}

}  // namespace commflow

#include "story/pages/ways.h"

#include <algorithm>

#include "core/sequence_split.h"
#include "core/units.h"
#include "story/event.h"
#include "story/figures/walk_links.h"
#include "story/pages/counters.h"

namespace commflow::parts {
namespace {

struct Way {
  ExampleId example;
  Dimension dimension;
  Text cut, when, analogy, before, after;
};
constexpr Way kWays[] = {
    {ExampleId::tp, Dimension::tp, Text::ways_tp_cut, Text::ways_tp_when, Text::ways_tp_analogy,
     Text::example_tp_before, Text::example_tp_after},
    {ExampleId::sp, Dimension::sp, Text::ways_sp_cut, Text::ways_sp_when, Text::ways_sp_analogy,
     Text::example_sp_before, Text::example_sp_after},
    {ExampleId::pp, Dimension::pp, Text::ways_pp_cut, Text::ways_pp_when, Text::ways_pp_analogy,
     Text::example_pp_before, Text::example_pp_after},
    {ExampleId::dp, Dimension::dp, Text::ways_dp_cut, Text::ways_dp_when, Text::ways_dp_analogy,
     Text::example_dp_before, Text::example_dp_after},
    {ExampleId::ep, Dimension::ep, Text::ways_ep_cut, Text::ways_ep_when, Text::ways_ep_analogy,
     Text::example_ep_before, Text::example_ep_after},
    {ExampleId::cp, Dimension::cp, Text::ways_cp_cut, Text::ways_cp_when, Text::ways_cp_analogy,
     Text::example_cp_before, Text::example_cp_after},
};

constexpr int kShownGroup = 4;  // where the layout has no such group

const Example& chosen(const Context& c) {
  return c.derived.examples[static_cast<std::size_t>(c.state.example)];
}

const Way* way_of(ExampleId id) {
  const auto found =
      std::find_if(std::begin(kWays), std::end(kWays), [&](const Way& way) { return way.example == id; });
  return found == std::end(kWays) ? nullptr : &*found;
}

std::string title_of(const Context& c, const Example& example) {
  if (const Way* way = way_of(example.id)) {
    const std::string dot(c.words.get(Text::scene_separator));
    return dimension_name(c, way->dimension, ".short") + dot + primitive_name(c, example.collective);
  }
  return primitive_name(c, example.collective);
}

// Which dimensions use a primitive most, as counted in core/workload.
std::vector<std::string> badges_of(const Context& c, const Example& example) {
  std::vector<std::string> badges;
  if (way_of(example.id) != nullptr) return badges;
  for (const QuantityRow& row : quantities()) {
    if (row.collective != example.collective) continue;
    const std::string name = dimension_name(c, row.dimension, ".short");
    if (std::find(badges.begin(), badges.end(), name) == badges.end()) badges.push_back(name);
  }
  return badges;
}

// What the chosen model sends in one quantity of the way.
std::string counted(const Context& c, QuantityId id) {
  const Quantity quantity = count_quantity(c.derived.work, id, 0);
  if (quantity.off_gpu == 0 || quantity.times_per_step == 0) return {};
  return c.words.get(Text::ways_count_per_step, {{"model", c.derived.work.model.name},
                                                 {"group", number(quantity.group)},
                                                 {"once", text_of_bytes(quantity.off_gpu)},
                                                 {"total", text_of_bytes(quantity.off_gpu * quantity.times_per_step)},
                                                 {"collective", quantity_name(c, id)}});
}

std::string not_used(const Context& c, Dimension dimension) {
  return c.words.get(Text::ways_not_used, {{"name", dimension_name(c, dimension, ".short")}});
}

// Ulysses against Megatron's sequence parallelism, in groups of the same size.
std::string ulysses_text(const Context& c) {
  const Workload& work = c.derived.work;
  const int group = work.layout.tp > 1 ? work.layout.tp : kShownGroup;
  Workload megatron = work;
  megatron.layout.tp = group;
  const Bytes each = count_quantity(megatron, QuantityId::sequence_gather, 0).off_gpu;
  constexpr int kPerLayer = 4;  // two all-gathers and two reduce-scatters
  return c.words.get(Text::ways_count_ulysses,
                     {{"group", number(group)},
                      {"megatron", text_of_bytes(kPerLayer * each)},
                      {"ulysses", text_of_bytes(ulysses_bytes(work.model, work.tokens, group))}});
}

std::string context_text(const Context& c) {
  const Workload& work = c.derived.work;
  return c.words.get(Text::ways_count_cp,
                     {{"model", work.model.name},
                      {"tokens", text_of_count(work.tokens)},
                      {"group", number(kShownGroup)},
                      {"once", text_of_bytes(ring_attention_bytes(work.model, work.tokens, kShownGroup))}});
}

// ZeRO-3 gathers the weights twice, forward and backward, and reduces the gradients once.
std::string zero_text(const Context& c) {
  const Bytes half = count_quantity(c.derived.work, QuantityId::zero_all_gather, 0).off_gpu;
  const Bytes whole = count_quantity(c.derived.work, QuantityId::dp_gradients, 0).off_gpu;
  return c.words.get(Text::ways_count_zero, {{"ddp", text_of_bytes(whole)}, {"zero3", text_of_bytes(3 * half)}});
}

std::vector<std::string> counts_of_way(const Context& c, const Way& way) {
  const Layout& layout = c.derived.layout;
  const auto one = [&](QuantityId id, Dimension dimension) {
    const std::string text = counted(c, id);
    return text.empty() ? not_used(c, dimension) : text;
  };
  switch (way.dimension) {
    case Dimension::tp: return {one(QuantityId::sequence_gather, way.dimension)};
    case Dimension::sp: return {ulysses_text(c)};
    case Dimension::pp: return {one(QuantityId::pp_boundary, way.dimension)};
    case Dimension::dp:
      if (layout.dp == 1) return {not_used(c, way.dimension)};
      return {one(QuantityId::dp_gradients, way.dimension), zero_text(c)};
    case Dimension::ep:
      if (c.derived.dense) return {words(c, Text::ways_none)};
      return {one(QuantityId::dispatch, way.dimension)};
    default: return {context_text(c)};
  }
}

std::string block_id(const Way& way) {
  return "example_" + std::string(name_of(way.example));
}

}  // namespace

void add_ways(const Context& c, Page& page) {
  page.blocks.push_back(
      heading("ways_title", Region::story, 2, c.words.get(Text::ways_title, {{"count", number(std::ssize(kWays))}})));
  page.blocks.push_back(paragraph("ways_intro", Region::story, words(c, Text::ways_intro)));
  page.blocks.push_back(note("play_hint", Region::story, words(c, Text::concepts_play_hint)));
  for (const Way& way : kWays) {
    const std::string id(name_of(way.example));
    page.blocks.push_back(heading(
        "way_" + id, Region::story, 2,
        dimension_name(c, way.dimension) + ": " + name_in(c, "dim", commflow::dimension_name(way.dimension), ".cuts")));
    page.blocks.push_back(paragraph("way_cut_" + id, Region::story, words(c, way.cut)));
    page.blocks.push_back(paragraph("way_when_" + id, Region::story, words(c, way.when)));
    page.blocks.push_back(note("way_analogy_" + id, Region::story, words(c, way.analogy)));
    const Example& example = c.derived.examples[static_cast<std::size_t>(way.example)];
    page.blocks.push_back(figure(
        block_id(way), Region::figure,
        c.words.get(Text::example_alt, {{"name", title_of(c, example)}, {"ranks", number(example.schedule.ranks)}})));
    if (c.state.example == static_cast<int>(way.example)) add_example_player(c, page);
    page.blocks.push_back(list("way_counts_" + id, Region::figure, counts_of_way(c, way)));
  }
}

Figure way_figure(std::string_view wanted, FigureSpace space, const Context& c, bool reduced_motion) {
  constexpr float kWidest = 420;
  Figure figure;
  figure.width = std::min(space.width, kWidest);
  for (const Way& way : kWays) {
    if (block_id(way) != wanted) continue;
    const Example& example = c.derived.examples[static_cast<std::size_t>(way.example)];
    const ExamplePicture picture = picture_of(c, example, reduced_motion);
    draw_example(figure, {0, 0, figure.width, 0}, picture);
    figure.height = example_height(picture);
  }
  return figure;
}

void add_example_player(const Context& c, Page& page) {
  const Timeline& timeline = c.derived.timeline(c.state);
  const int end = timeline.length();
  const bool playing = c.state.playing == 1;
  page.blocks.push_back(controls(
      "player", Region::player,
      {button(c, Action::back, Text::control_back, "back", c.state.at > 0),
       button(c, Action::toggle_play, playing ? Text::control_pause : Text::control_play, playing ? "pause" : "play"),
       button(c, Action::forward, Text::control_forward, "forward", c.state.at < end), seek(c), speed(c)}));
  page.blocks.push_back(paragraph("live", Region::live, page.live));
}

namespace {

constexpr int kMostTold = 8;  // transfers of a round in a sentence; the rounds' own list has all

std::string sentence_of(const Context& c, const Example& example, const std::string& name) {
  const Timeline& timeline = c.derived.timeline(c.state);
  if (c.state.at == 0) return c.words.get(Text::example_live_still, {{"name", name}});
  if (c.state.at >= timeline.length())
    return c.words.get(Text::example_live_done, {{"name", name}, {"rounds", number(example.rounds())}});
  const int round = moment_at(timeline, c.state.at, false).at.round;
  if (round >= example.rounds())  // another one beside it takes longer
    return c.words.get(Text::example_live_done, {{"name", name}, {"rounds", number(example.rounds())}});
  std::string transfers;
  int told = 0, more = 0;
  for (const Transfer& transfer : example.schedule.rounds[static_cast<std::size_t>(round)]) {
    if (transfer.local()) continue;
    if (++told > kMostTold) ++more;
    if (told > kMostTold) continue;
    transfers += (transfers.empty() ? std::string{} : words(c, Text::scene_and)) +
                 c.words.get(transfer.reduce ? Text::example_transfer_adds : Text::example_transfer,
                             {{"src", number(transfer.src.rank)}, {"dst", number(transfer.dst.rank)}});
  }
  if (more > 0) transfers += words(c, Text::scene_and) + c.words.get(Text::example_more, {{"count", number(more)}});
  return c.words.get(
      Text::example_live,
      {{"name", name}, {"round", number(round + 1)}, {"rounds", number(example.rounds())}, {"transfers", transfers}});
}

}  // namespace

std::string example_sentence(const Context& c) {
  return sentence_of(c, chosen(c), title_of(c, chosen(c)));
}

void add_example_alone(const Context& c, Page& page) {
  const Example& example = chosen(c);
  const bool is_primitive = c.state.example < kPrimitiveExamples;
  page.blocks.push_back(heading("title", Region::title, 1, title_of(c, example)));
  add_example_player(c, page);
  page.blocks.push_back(
      figure(is_primitive ? "cards" : "example_" + std::string(name_of(example.id)), Region::figure,
             is_primitive ? c.words.get(Text::example_cards_alt, {{"count", number(kPrimitiveExamples)}})
                          : c.words.get(Text::example_alt,
                                        {{"name", title_of(c, example)}, {"ranks", number(example.schedule.ranks)}})));
}

std::string collective_sentence(const Context& c) {
  const CollectiveRun& run = c.derived.collective;
  const std::string dot(c.words.get(Text::scene_separator));
  return sentence_of(c, run.first.example,
                     primitive_name(c, run.collective) + dot + name_in(c, "algorithm", name_of(run.first.algorithm)));
}

ExamplePicture picture_of(const Context& c, const Example& example, bool reduced_motion) {
  const bool is_chosen = c.state.example == static_cast<int>(example.id);
  const Way* way = way_of(example.id);
  ExamplePicture picture{example,
                         "example." + std::string(name_of(example.id)),
                         {},
                         is_chosen,
                         title_of(c, example),
                         words(c, way ? way->before : Text::example_before),
                         words(c, way ? way->after : Text::example_after),
                         badges_of(c, example)};
  if (is_chosen) picture.moment = moment_at(c.derived.timeline(c.state), c.state.at, reduced_motion);
  return picture;
}

}  // namespace commflow::parts

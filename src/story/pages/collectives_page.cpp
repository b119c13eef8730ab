#include "story/pages/collectives_page.h"

#include <algorithm>

#include "core/units.h"
#include "story/event.h"
#include "story/figures/calls_figure.h"
#include "story/figures/curve_figure.h"
#include "story/figures/example_figure.h"
#include "story/figures/map_figure.h"
#include "story/figures/overlap_figure.h"
#include "story/figures/topology_figure.h"
#include "story/figures/walk_links.h"
#include "story/pages/counters.h"
#include "story/pages/typed.h"
#include "story/pages/ways.h"

namespace commflow {
namespace {

using parts::Context;
using parts::number;

const CollectiveRun& run_of(const Context& c) {
  return c.derived.collective;
}

// ---- controls --------------------------------------------------------------

Control operation_choice(const Context& c) {
  return parts::options(c, FieldId::collective, Text::collectives_operation,
                        parts::options_of(0, kCollectives - 1,
                                          [&](int i) { return parts::primitive_name(c, static_cast<Collective>(i)); }));
}

Control algorithm_choice(const Context& c, FieldId id, Text label) {
  std::vector<parts::Option> offered;
  if (id == FieldId::compare) offered.push_back({-1, words(c, Text::collectives_nothing)});
  for (const Algorithm algorithm : algorithms_of(run_of(c).collective))
    offered.push_back({static_cast<int>(algorithm), name_in(c, "algorithm", name_of(algorithm))});
  return parts::options(c, id, label, std::move(offered));
}

Control operator_choice(const Context& c) {
  return parts::options(c, FieldId::op, Text::collectives_op, parts::options_of(0, kOperators - 1, [&](int i) {
                          return name_in(c, "op", name_of(static_cast<Operator>(i)));
                        }));
}

bool any_of_chosen(const CollectiveRun& run, bool (*asks)(Algorithm)) {
  return asks(run.first.algorithm) || (run.second && asks(run.second->algorithm));
}

// What every GPU starts with, as the first algorithm's blocks.
Rows values_of(const Example& example) {
  Rows rows;
  for (Rank rank = 0; rank < example.schedule.ranks; ++rank) {
    std::vector<int> row;
    for (int slot = 0; slot < example.schedule.slots; ++slot)
      if (const Place place{rank, Area::in, slot}; example.history.front().filled(place))
        row.push_back(static_cast<int>(example.history.front().values(place).front()));
    if (row.empty()) row.push_back(0);
    rows.add(row);
  }
  return rows;
}

void add_values(const Context& c, Page& page) {
  const CollectiveRun& run = run_of(c);
  if (!run.first.works()) return;
  const RowLimits& limits = input(InputId::values).limits;
  parts::add_typed(c, page, Region::title, InputId::values, Text::typed_values, values_of(run.first.example),
                   kMaxExecutedRanks);
  page.blocks.push_back(
      parts::note("values_note", Region::title,
                  c.words.get(Text::typed_values_note, {{"low", number(limits.low)}, {"high", number(limits.high)}})));
  if (run.op == Operator::prod && reduces(run.collective))
    page.blocks.push_back(parts::note("values_product", Region::title,
                                      c.words.get(Text::typed_product, {{"most", number(kMostFactor)}})));
}

void add_choices(const Context& c, Page& page) {
  const CollectiveRun& run = run_of(c);
  std::vector<Control> list{operation_choice(c), algorithm_choice(c, FieldId::algorithm, Text::collectives_algorithm),
                            algorithm_choice(c, FieldId::compare, Text::collectives_compare),
                            parts::numbers_between(c, FieldId::ranks, Text::collectives_ranks, 2, kMaxExecutedRanks),
                            parts::slider(c, FieldId::size_bits, Text::collectives_size, text_of_bytes(run.payload))};
  if (needs_root(run.collective))
    list.push_back(parts::numbers_between(c, FieldId::root, Text::collectives_root, 0, run.ranks - 1));
  if (reduces(run.collective)) list.push_back(operator_choice(c));
  if (any_of_chosen(run, uses_chunks))
    list.push_back(parts::numbers(c, FieldId::chunks, Text::collectives_chunks, {1, 2, 4, 8, 16}));
  if (carries_uneven(run.collective, run.first.algorithm))
    list.push_back(parts::choice(c, FieldId::uneven, Text::collectives_uneven,
                                 {Text::collectives_even, Text::collectives_uneven_blocks}));
  list.push_back(parts::panel_button(c, Panel::typed, Text::collectives_type_values, ""));
  page.blocks.push_back(parts::controls("collective_choices", Region::title, std::move(list)));
  if (c.state.panel == static_cast<int>(Panel::typed)) add_values(c, page);
}

// ---- what plays ------------------------------------------------------------

std::string why_text(const Context& c, const AlgorithmRun& made) {
  if (made.why_not.obstacle == Obstacle::uneven_nodes)
    return c.words.get(Text::collectives_why_nodes,
                       {{"node", number(made.why_not.gpus_per_node)}, {"ranks", number(made.why_not.ranks)}});
  return words(c, Text::collectives_why_pair);
}

ExamplePicture picture_of(const Context& c, const AlgorithmRun& made, bool reduced_motion) {
  ExamplePicture picture{
      made.example, "", {}, true, "", words(c, Text::example_before), words(c, Text::example_after), {}};
  picture.title = name_in(c, "algorithm", name_of(made.algorithm));
  picture.moment =
      moment_at(timeline_of(made.example), std::min(c.state.at, timeline_of(made.example).length()), reduced_motion);
  return picture;
}

void add_picture(const Context& c, Page& page, const char* id, const AlgorithmRun& made) {
  if (!made.works()) {
    page.blocks.push_back(parts::paragraph(std::string(id) + "_why", Region::figure, why_text(c, made)));
    return;
  }
  page.blocks.push_back(
      parts::figure(id, Region::figure,
                    c.words.get(Text::collectives_alt, {{"name", parts::primitive_name(c, run_of(c).collective)},
                                                        {"algorithm", name_in(c, "algorithm", name_of(made.algorithm))},
                                                        {"ranks", number(run_of(c).ranks)}})));
}

std::string uneven_text(const Context& c) {
  const Buffers& last = run_of(c).first.example.history.back();
  int all = 0, most = 0;
  for (Rank rank = 0; rank < last.ranks(); ++rank) {
    int received = 0;
    for (int slot = 0; slot < last.slots(); ++slot) received += last.filled({rank, Area::out, slot}) ? 1 : 0;
    all += received;
    most = std::max(most, received);
  }
  return c.words.get(Text::collectives_uneven_note,
                     {{"most", number(most)},
                      {"all", number(all)},
                      {"mean", text_of_significant(static_cast<double>(all) / last.ranks())}});
}

void add_operation(const Context& c, Page& page) {
  const CollectiveRun& run = run_of(c);
  page.blocks.push_back(parts::heading("operation_title", Region::story, 2, parts::primitive_name(c, run.collective)));
  page.blocks.push_back(parts::paragraph("operation_text", Region::story, parts::primitive_text(c, run.collective)));
  page.blocks.push_back(
      parts::note("operation_analogy", Region::story, name_in(c, "primitive", name_of(run.collective), ".analogy")));
  page.blocks.push_back(
      parts::paragraph("operation_used", Region::story,
                       c.words.get(Text::concepts_primitives_used,
                                   {{"used", name_in(c, "primitive", name_of(run.collective), ".used")}})));
  page.blocks.push_back(
      parts::heading("algorithm_title", Region::story, 3, name_in(c, "algorithm", name_of(run.first.algorithm))));
  page.blocks.push_back(parts::paragraph("algorithm_text", Region::story,
                                         name_in(c, "algorithm", name_of(run.first.algorithm), ".note")));
  if (run.second && run.second->algorithm != run.first.algorithm) {
    page.blocks.push_back(
        parts::heading("compared_title", Region::story, 3, name_in(c, "algorithm", name_of(run.second->algorithm))));
    page.blocks.push_back(parts::paragraph("compared_text", Region::story,
                                           name_in(c, "algorithm", name_of(run.second->algorithm), ".note")));
  }
  if (run.first.example.uneven) page.blocks.push_back(parts::note("uneven_note", Region::story, uneven_text(c)));
  if (run.first.works()) parts::add_example_player(c, page);
  add_picture(c, page, "picture", run.first);
  if (run.second) add_picture(c, page, "compared", *run.second);
}

// ---- over which wires ------------------------------------------------------

// The numbers of GPUs that a kind of topology can join, as far as they can be chosen.
std::string sizes_text(const Context& c, TopologyKind kind) {
  std::string text;
  for (int gpus = 2; gpus <= kMaxExecutedRanks; ++gpus)
    if (size_problem(kind, gpus) == SizeProblem::none)
      text += (text.empty() ? std::string{} : words(c, Text::scene_and)) + number(gpus);
  return text;
}

std::string topology_problem(const Context& c, TopologyKind kind, SizeProblem problem) {
  const auto say_sizes = [&](Text key) { return c.words.get(key, {{"sizes", sizes_text(c, kind)}}); };
  switch (problem) {
    case SizeProblem::not_a_power_of_two: return say_sizes(Text::topology_not_a_power);
    case SizeProblem::not_a_rectangle: return say_sizes(Text::topology_not_a_rectangle);
    case SizeProblem::nodes_do_not_divide:
      return c.words.get(Text::topology_uneven_nodes,
                         {{"node", number(c.state.node_size)}, {"ranks", number(run_of(c).ranks)}});
    case SizeProblem::none: break;
  }
  return {};
}

Control topology_choice(const Context& c, FieldId id, Text label) {
  auto offered = parts::options_of(
      0, kTopologyKinds - 1, [&](int i) { return name_in(c, "topology", name_of(static_cast<TopologyKind>(i))); });
  if (id == FieldId::topology_beside) offered.insert(offered.begin(), {-1, words(c, Text::collectives_nothing)});
  return parts::options(c, id, label, std::move(offered));
}

// Both names where there are two.
std::string wires_name(const Context& c) {
  const CollectiveRun& run = run_of(c);
  const std::string name = name_in(c, "topology", name_of(run.topology.kind));
  if (!run.beside || run.beside->problem != SizeProblem::none) return name;
  return name + words(c, Text::scene_and) + name_in(c, "topology", name_of(run.beside->kind));
}

// The same messages over the topology beside.
std::string beside_text(const Context& c, const Beside& beside) {
  const std::string problem = topology_problem(c, beside.kind, beside.problem);
  if (!problem.empty()) return problem;
  const std::string name = name_in(c, "topology", name_of(beside.kind));
  if (!beside.routed) return c.words.get(Text::topology_beside_no_route, {{"name", name}});
  const auto& load = beside.routed->load;
  return c.words.get(Text::topology_beside_counted,
                     {{"name", name},
                      {"time", text_of_time(beside.routed->time_us)},
                      {"bytes", text_of_bytes(load.empty() ? 0 : *std::max_element(load.begin(), load.end()))}});
}

void add_topology(const Context& c, Page& page) {
  const CollectiveRun& run = run_of(c);
  page.blocks.push_back(parts::heading("topology_title", Region::story, 2, words(c, Text::topology_title)));
  page.blocks.push_back(parts::paragraph("topology_text", Region::story, words(c, Text::topology_text)));
  std::vector<Control> list{
      topology_choice(c, FieldId::topology, Text::collectives_topology),
      topology_choice(c, FieldId::topology_beside, Text::topology_beside),
      parts::numbers(c, FieldId::node_size, Text::collectives_node_size, {1, 2, 4, 8}),
      parts::numbers(c, FieldId::latency_us, Text::control_latency_us, {0, 1, 2, 3, 4, 6, 10, 20}),
      parts::numbers(c, FieldId::port_gbps, Text::collectives_port, {0, 25, 50, 100, 200, 235, 300, 450, 900})};
  if (static_cast<TopologyKind>(c.state.topology) == TopologyKind::two_level)
    list.push_back(parts::numbers(c, FieldId::oversubscription, Text::collectives_oversubscription, {1, 2, 4, 8}));
  if (c.state.panel != static_cast<int>(Panel::settings))
    page.blocks.push_back(parts::controls("topology_choices", Region::story, std::move(list)));
  const std::string problem = topology_problem(c, static_cast<TopologyKind>(c.state.topology), run.topology_problem);
  if (!problem.empty()) {
    page.blocks.push_back(parts::paragraph("topology_why", Region::figure, problem));
    return;
  }
  const TopologyFacts& facts = run.topologies[static_cast<std::size_t>(run.topology.kind)];
  page.blocks.push_back(parts::paragraph(
      "topology_counted", Region::story,
      c.words.get(Text::topology_counted,
                  {{"links", number(facts.links)},
                   {"diameter", number(facts.diameter)},
                   {"bisection", facts.bisection ? number(*facts.bisection) : words(c, Text::needs_nothing)},
                   {"degree", number(facts.degree)}})));
  if (run.first.routed)
    page.blocks.push_back(parts::paragraph(
        "topology_time", Region::story,
        c.words.get(Text::topology_time,
                    {{"time", text_of_time(run.first.routed->time_us)}, {"port", text_of_time(run.first.port_us)}})));
  if (run.beside && run.first.works())
    page.blocks.push_back(parts::paragraph("topology_beside_counted", Region::story, beside_text(c, *run.beside)));
  page.blocks.push_back(parts::note("topology_legend", Region::story, words(c, Text::topology_legend)));
  if (run.first.works())
    page.blocks.push_back(
        parts::figure("wires", Region::figure,
                      c.words.get(Text::topology_alt, {{"name", wires_name(c)}, {"ranks", number(run.ranks)}})));
  parts::add_topologies(c, page);
}

// The round under way, -1 before the first and after the last.
int round_now(const Context& c) {
  const Example& example = run_of(c).first.example;
  if (c.state.at == 0 || c.state.at >= example.rounds() * kBeat) return -1;
  return moment_at(timeline_of(example), c.state.at, false).at.round;
}

}  // namespace

void add_collectives_page(const Context& c, Page& page) {
  page.article = !page.embed;
  page.title = words(c, Text::page_collectives) + " - " + words(c, Text::page_title);
  page.live = parts::collective_sentence(c);
  page.blocks.push_back(parts::heading("title", Region::title, 1, words(c, Text::collectives_title)));
  if (page.embed) return add_operation(c, page);  // what plays, without all that can be chosen and counted
  page.blocks.push_back(parts::paragraph("intro", Region::title, words(c, Text::collectives_intro)));
  add_choices(c, page);
  add_operation(c, page);
  parts::add_meters(c, page);
  add_topology(c, page);
  parts::add_curves(c, page);
  parts::add_calls(c, page);
  parts::add_overlap(c, page);
  parts::add_faults(c, page);
  page.blocks.push_back(parts::heading("map_title", Region::story, 2, words(c, Text::map_title)));
  page.blocks.push_back(parts::paragraph("map_text", Region::story, words(c, Text::map_text)));
  page.blocks.push_back(parts::figure("map", Region::figure, words(c, Text::map_alt)));
  parts::add_rounds(c, page);
  parts::add_sources(c, page, Region::story, 2);
  if (c.state.panel == static_cast<int>(Panel::settings)) parts::add_settings(c, page);
}

Figure collectives_figure(std::string_view block_id, FigureSpace space, const Context& c, bool reduced_motion) {
  const CollectiveRun& run = run_of(c);
  if (block_id == "wires") return topology_figure(run, round_now(c), c.words, space);
  if (block_id == "curves") return curve_figure(run, c.words, space);
  if (block_id == "calls") return calls_figure(run.calls, c.words, space);
  if (block_id == "overlap" && run.overlap) return overlap_figure(*run.overlap, c.words, space);
  if (block_id == "map") return map_figure(run, static_cast<TopologyKind>(c.state.topology), c.words, space);
  Figure figure;
  figure.width = space.width;
  const AlgorithmRun* made = block_id == "compared" && run.second ? &*run.second : &run.first;
  if (!made->works()) return figure;
  const ExamplePicture picture = picture_of(c, *made, reduced_motion);
  draw_example(figure, {0, 0, figure.width, 0}, picture);
  figure.height = example_height(picture);
  return figure;
}

}  // namespace commflow

// What opens beside the figure on request: the chosen GPU, the settings, the log
// of rounds, all formulas, and what this is.

#include <algorithm>
#include <set>

#include "core/partition.h"
#include "core/placement.h"
#include "core/units.h"
#include "story/figures/card.h"
#include "story/figures/walk_links.h"
#include "story/pages/counters.h"
#include "story/pages/share.h"
#include "story/sentences.h"

namespace commflow::parts {
namespace {

Block aside_heading(std::string id, std::string text) {
  return heading(std::move(id), Region::aside, 3, std::move(text));
}
Block aside_list(std::string id, std::vector<std::string> items) {
  return list(std::move(id), Region::aside, std::move(items));
}
Block aside_controls(std::string id, std::vector<Control> items) {
  return controls(std::move(id), Region::aside, std::move(items));
}

std::string ranks_text(const std::vector<Rank>& ranks) {
  std::string text;
  for (const Rank rank : ranks) text += (text.empty() ? "" : ", ") + number(rank);
  return text;
}

// ---- the chosen GPU --------------------------------------------------------

// Whom it exchanges anything with in this step.
std::set<Rank> peers_in_step(const Context& c, Rank rank) {
  std::set<Rank> peers;
  for (const tiny::Phase& phase : c.derived.run.phases) {
    if (phase.step != c.step().runs) continue;
    for (const auto& communication : phase.communications) {
      const int local = local_rank(communication, rank);
      if (local < 0) continue;
      for (const Round& round : communication.schedule.rounds)
        for (const Transfer& transfer : round) {
          if (transfer.local() || (transfer.src.rank != local && transfer.dst.rank != local)) continue;
          const int other = transfer.src.rank == local ? transfer.dst.rank : transfer.src.rank;
          peers.insert(communication.members[static_cast<std::size_t>(other)]);
        }
    }
  }
  return peers;
}

std::string link_text(const Context& c, Rank a, Rank b) {
  return words(c, node_of(a, c.state.gpus_per_node) == node_of(b, c.state.gpus_per_node) ? Text::link_nvlink
                                                                                         : Text::link_network);
}

std::vector<std::string> peer_lines(const Context& c, Rank rank) {
  const std::set<Rank> peers = peers_in_step(c, rank);
  std::vector<std::string> lines;
  for (const Rank peer : peers)
    lines.push_back(c.words.get(Text::gpu_link_line, {{"peer", number(peer)}, {"link", link_text(c, rank, peer)}}));
  if (lines.empty()) lines.push_back(words(c, Text::gpu_computes_only));
  std::vector<Rank> never;
  for (Rank other = 0; other < world_size(c.derived.layout); ++other)
    if (other != rank && peers.count(other) == 0) never.push_back(other);
  if (!never.empty())
    lines.push_back(c.words.get(Text::gpu_never_line, {{"rank", number(rank)}, {"members", ranks_text(never)}}));
  return lines;
}

std::vector<std::string> group_lines(const Context& c, Rank rank) {
  std::vector<std::string> lines;
  for (const Dimension dimension : {Dimension::tp, Dimension::pp, Dimension::dp, Dimension::ep}) {
    lines.push_back(
        c.words.get(Text::gpu_group_line, {{"dimension", dimension_name(c, dimension)},
                                           {"members", ranks_text(group_of(c.derived.layout, dimension, rank))}}));
  }
  return lines;
}

// Messages sent and received in the rounds of this step that are over.
std::pair<int, int> messages_so_far(const Context& c, Rank rank) {
  const Timeline& timeline = c.derived.timeline(c.state);
  int sent = 0, received = 0;
  const int done = c.state.at / kBeat;
  for (int beat = 0; beat < std::min(done, static_cast<int>(timeline.beats.size())); ++beat) {
    const Beat& at = timeline.beats[static_cast<std::size_t>(beat)];
    if (at.phase < 0 || at.round < 0) continue;
    for (const auto& communication : c.derived.run.phases[static_cast<std::size_t>(at.phase)].communications) {
      const int local = local_rank(communication, rank);
      if (local < 0 || at.round >= static_cast<int>(communication.schedule.rounds.size())) continue;
      for (const Transfer& transfer : communication.schedule.rounds[static_cast<std::size_t>(at.round)]) {
        sent += !transfer.local() && transfer.src.rank == local ? 1 : 0;
        received += !transfer.local() && transfer.dst.rank == local ? 1 : 0;
      }
    }
  }
  return {sent, received};
}

// Of the real model: the costs of the steps are those of the chosen GPU.
std::string bytes_so_far(const Context& c, Rank rank) {
  Bytes sent = 0;
  for (int step = 0; step < c.state.step; ++step)
    for (const DimensionCost& cost : c.glance.steps[static_cast<std::size_t>(step)].cost.dimensions) sent += cost.step;
  const Bytes all = c.glance.gpus[static_cast<std::size_t>(rank)].share().sent();
  return c.words.get(Text::gpu_bytes_so_far, {{"bytes", text_of_bytes(sent)}, {"total", text_of_bytes(all)}});
}

std::vector<std::string> holding_lines(const Context& c, Rank rank) {
  const Layout& layout = c.derived.layout;
  const Model& model = c.derived.work.model;
  const Coordinates at = coordinates_of(layout, rank);
  const LayerRange layers = layers_of_stage(model, layout.pp, at.pp);
  const Gpu& gpu = c.library.gpus[static_cast<std::size_t>(c.state.hardware)];
  std::vector<std::string> lines{
      c.words.get(Text::gpu_coordinates_line,
                  {{"tp", number(at.tp)}, {"pp", number(at.pp)}, {"dp", number(at.dp)}, {"ep", number(at.ep)}}),
      c.words.get(Text::scene_layers,
                  {{"first", number(layers.first + 1)}, {"last", number(layers.first + layers.count)}}) +
          "  " + c.words.get(Text::gpu_node, {{"node", number(node_of(rank, c.state.gpus_per_node))}})};
  if (!c.derived.dense) {
    const int each = model.experts / layout.ep;
    lines.push_back(
        c.words.get(Text::gpu_experts, {{"first", number(at.ep * each)}, {"last", number((at.ep + 1) * each - 1)}}));
  }
  lines.push_back(c.words.get(Text::gpu_memory,
                              {{"bytes", text_of_bytes(params_of_gpu(model, layout, at.pp).total() * kWeightBytes)},
                               {"memory", text_of_decimal(static_cast<double>(gpu.memory.value) / 1e9, 1) + " GB"}}));
  return lines;
}

void add_gpu(const Context& c, Page& page) {
  const Rank rank = c.state.gpu;
  page.blocks.push_back(aside_heading("gpu_title", c.words.get(Text::gpu_title, {{"rank", number(rank)}})));
  page.blocks.push_back(aside_list("gpu_holds", holding_lines(c, rank)));
  page.blocks.push_back(aside_heading("gpu_groups_title", words(c, Text::gpu_groups)));
  page.blocks.push_back(aside_list("gpu_groups", group_lines(c, rank)));
  if (!c.derived.executed) return;
  page.blocks.push_back(aside_heading("gpu_peers_title", words(c, Text::gpu_peers)));
  page.blocks.push_back(aside_list("gpu_peers", peer_lines(c, rank)));
  const auto [sent, received] = messages_so_far(c, rank);
  page.blocks.push_back(aside_heading("gpu_traffic_title", words(c, Text::gpu_traffic)));
  page.blocks.push_back(aside_list(
      "gpu_traffic", {c.words.get(Text::gpu_sent_so_far, {{"count", number(sent)}}),
                      c.words.get(Text::gpu_received_so_far, {{"count", number(received)}}), bytes_so_far(c, rank)}));
}

// ---- panels ----------------------------------------------------------------

constexpr std::size_t kMostLogLines = 400;

void add_log(const Context& c, Page& page) {
  page.blocks.push_back(aside_heading("log_title", words(c, Text::log_title)));
  std::vector<std::string> lines;
  const auto beats = c.derived.timeline(c.state).beats.size();
  for (std::size_t beat = 0; beat < beats && lines.size() < kMostLogLines; ++beat) {
    const std::string place =
        number(static_cast<std::int64_t>(beat) + 1) + "/" + number(static_cast<std::int64_t>(beats)) + "  ";
    for (const std::string& line : beat_log(c.state, c.derived, c.library, static_cast<int>(beat)))
      lines.push_back(place + line);
  }
  page.blocks.push_back(aside_list("log", std::move(lines)));
}

void add_formulas(const Context& c, Page& page) {
  page.blocks.push_back(aside_heading("formulas_title", words(c, Text::control_formula)));
  for (const QuantityId id : counted_quantities(c)) {
    std::vector<std::string> lines{quantity_name(c, id)};
    for (int stage = 0; stage < c.derived.layout.pp; ++stage) {
      if (count_quantity(c.derived.work, id, stage).logical == 0) continue;
      for (std::string& line : formula_lines(c, id, stage))
        lines.push_back(c.words.get(Text::scene_stage, {{"stage", number(stage + 1)}}) + ": " + std::move(line));
    }
    page.blocks.push_back(aside_list("formulas_" + std::string(quantity_row(id).name), std::move(lines)));
    page.blocks.push_back(
        aside_controls("formula_source_" + std::string(quantity_row(id).name),
                       {source_link(c, reference_for(id), "f_" + std::string(quantity_row(id).name))}));
  }
}

std::vector<std::string> source_notes(const Context& c) {
  return {words(c, Text::source_nccl_tests),  words(c, Text::source_megatron), words(c, Text::source_sequence_parallel),
          words(c, Text::source_deepseek_v3), words(c, Text::source_deepep),   words(c, Text::source_switch)};
}

void add_about(const Context& c, Page& page) {
  page.blocks.push_back(aside_heading("about_title", words(c, Text::about_title)));
  page.blocks.push_back(aside_list("about", {words(c, Text::about_what), words(c, Text::about_executed)}));
  add_sources(c, page, Region::aside, 3);
  page.blocks.push_back(aside_controls("report", {report_link(c)}));
}

}  // namespace

void add_settings(const Context& c, Page& page) {
  page.blocks.push_back(aside_heading("settings_title", words(c, Text::page_settings)));
  page.blocks.push_back(aside_controls(
      "settings_model",
      {named(c, FieldId::model, Text::control_model),
       numbers(c, FieldId::tokens, Text::control_tokens, {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072}),
       numbers(c, FieldId::micro_batches, Text::control_micro_batches, {1, 2, 4, 8, 16, 32, 64}),
       choice(c, FieldId::dispatch_precision, Text::control_dispatch_precision,
              {Text::control_precision_bf16, Text::control_precision_fp8}),
       choice(c, FieldId::combine_precision, Text::control_combine_precision,
              {Text::control_precision_bf16, Text::control_precision_fp32})}));
  page.blocks.push_back(aside_controls(
      "settings_layout",
      {numbers(c, FieldId::tp, Text::control_tp, {1, 2, 4, 8, 16}),
       numbers(c, FieldId::pp, Text::control_pp, {1, 2, 3, 4, 8, 16}),
       numbers(c, FieldId::dp, Text::control_dp, {1, 2, 3, 4, 8, 16}),
       numbers(c, FieldId::ep, Text::control_ep, {1, 2, 4, 8, 16}),
       choice(c, FieldId::order, Text::control_order, {Text::control_order_tp_pp_dp, Text::control_order_tp_dp_pp})}));
  page.blocks.push_back(aside_controls(
      "settings_hardware",
      {named(c, FieldId::hardware, Text::control_hardware),
       numbers(c, FieldId::gpus_per_node, Text::control_gpus_per_node, {1, 2, 4, 8}),
       numbers(c, FieldId::nics_per_node, Text::control_nics_per_node, {1, 2, 4, 8}),
       numbers(c, FieldId::compute_percent, Text::control_compute_percent, {20, 30, 40, 50, 60, 80, 100}),
       numbers(c, FieldId::link_percent, Text::control_link_percent, {25, 50, 70, 80, 90, 100}),
       numbers(c, FieldId::latency_us, Text::control_latency_us, {0, 1, 2, 3, 4, 6, 10, 20}),
       choice(c, FieldId::motion, Text::control_motion,
              {Text::control_motion_system, Text::control_motion_full, Text::control_motion_reduced})}));
  page.blocks.push_back(share_controls(c));
}

void add_sources(const Context& c, Page& page, Region region, int level) {
  page.blocks.push_back(heading("sources_title", region, level, words(c, Text::about_sources)));
  page.blocks.push_back(list("sources", region, source_notes(c)));
}

void add_aside(const Context& c, Page& page) {
  page.blocks.push_back(aside_controls("panels", {panel_button(c, Panel::log, Text::control_log, ""),
                                                  panel_button(c, Panel::formula, Text::control_formula, ""),
                                                  panel_button(c, Panel::about, Text::control_sources, "")}));
  if (c.state.gpu >= 0 && !c.derived.problem) add_gpu(c, page);
  switch (static_cast<Panel>(c.state.panel)) {
    case Panel::none:
    case Panel::typed: break;  // of other pages
    case Panel::settings: add_settings(c, page); break;
    case Panel::log:
      if (!c.derived.problem) add_log(c, page);
      break;
    case Panel::formula:
      if (!c.derived.problem) add_formulas(c, page);
      break;
    case Panel::about: add_about(c, page); break;
  }
}

}  // namespace commflow::parts

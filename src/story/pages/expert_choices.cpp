// What a reader can choose about the expert layer.
#include <algorithm>

#include "core/units.h"
#include "story/pages/experts_page.h"

namespace commflow::parts {
namespace {

std::string skew_text(const Context& c) {
  if (c.state.expert_skew == 0) return words(c, Text::experts_even);
  return c.words.get(Text::experts_zipf, {{"exponent", text_of_decimal(c.state.expert_skew / 4.0, 2)}});
}

Control capacity(const Context& c) {
  return numbers(c, FieldId::expert_capacity, Text::experts_control_capacity, {0, 75, 100, 125, 150, 200},
                 [](const Context& in, int percent) {
                   return percent == 0 ? words(in, Text::experts_dropless) : text_of_decimal(percent / 100.0, 2);
                 });
}

Control limit(const Context& c) {
  return numbers(c, FieldId::expert_limit, Text::experts_control_limit, {0, 1, 2, 3, 4},
                 [](const Context& in, int nodes) {
                   return nodes == 0 ? words(in, Text::experts_no_limit)
                                     : in.words.get(Text::experts_at_most, {{"nodes", number(nodes)}});
                 });
}

Control replicas(const Context& c) {
  return numbers(c, FieldId::expert_replicas, Text::experts_control_replicas, {0, 1, 2},
                 [](const Context& in, int count) {
                   return count == 0 ? words(in, Text::experts_none)
                                     : in.words.get(Text::experts_per_gpu, {{"count", number(count)}});
                 });
}

Control format(const Context& c, FieldId id, Text label) {
  return choice(c, id, label, {Text::control_precision_bf16, Text::control_precision_fp8, Text::experts_logfmt});
}

Control preset(const Context& c) {
  std::vector<Option> offered{{0, words(c, Text::experts_preset_none)}};
  for (const ExpertPreset& each : c.library.presets)
    offered.push_back({static_cast<int>(offered.size()), each.name[static_cast<std::size_t>(c.state.lang)]});
  return options(c, FieldId::preset, Text::experts_preset, std::move(offered));
}

// Texts of the choices that are made, where they need explaining.
std::vector<std::string> notes_of_choices(const Context& c) {
  std::vector<std::string> notes;
  const auto add = [&](bool condition, Text key) {
    if (condition) notes.push_back(words(c, key));
  };
  add(c.state.expert_capacity > 0, Text::experts_note_capacity);
  add(c.state.expert_capacity == 0, Text::experts_note_dropless);
  add(c.state.expert_skew > 0, Text::experts_note_skew);
  add(c.state.expert_limit > 0, Text::experts_note_limit);
  add(c.state.expert_merge > 0, Text::experts_note_merge);
  add(c.state.expert_path > 0, Text::experts_note_path);
  add(c.state.expert_placement > 0, Text::experts_note_placement);
  add(c.state.expert_replicas > 0, Text::experts_note_replicas);
  add(c.state.expert_home > 0, Text::experts_note_home);
  add(c.state.expert_nodes == 1, Text::experts_note_one_node);
  return notes;
}

// What a routing table of the reader's settles is not to be chosen any more.
std::vector<Control> unless_typed(const Context& c, std::vector<Control> list) {
  if (c.state.routing.empty()) return list;
  for (Control& control : list) {
    control.enabled = false;
    control.why = words(c, Text::routing_fixed);
  }
  return list;
}

}  // namespace

void add_expert_choices(const Context& c, Page& page) {
  page.blocks.push_back(heading("choices_title", Region::story, 3, words(c, Text::experts_choices)));
  page.blocks.push_back(controls("choices_preset", Region::story, unless_typed(c, {preset(c)})));
  page.blocks.push_back(controls(
      "choices_shape", Region::story,
      unless_typed(c, {numbers(c, FieldId::expert_nodes, Text::experts_control_nodes, {1, 2, 4, 8}),
                       numbers(c, FieldId::expert_gpus, Text::control_gpus_per_node, {1, 2, 4, 8}),
                       numbers(c, FieldId::experts, Text::experts_control_experts, {4, 8, 16, 32, 64}),
                       numbers(c, FieldId::expert_topk, Text::experts_control_topk, {1, 2, 3, 4, 6, 8}),
                       slider(c, FieldId::expert_tokens, Text::experts_control_tokens, number(c.state.expert_tokens)),
                       slider(c, FieldId::expert_skew, Text::experts_control_skew, skew_text(c)),
                       slider(c, FieldId::expert_seed, Text::experts_control_seed, number(c.state.expert_seed))})));
  page.blocks.push_back(controls(
      "choices_way", Region::story,
      {capacity(c), unless_typed(c, {limit(c)}).front(),
       choice(c, FieldId::expert_placement, Text::experts_control_placement,
              {Text::experts_in_order, Text::experts_balanced}),
       replicas(c),
       choice(c, FieldId::expert_merge, Text::experts_control_merge,
              {Text::experts_none, Text::experts_merge_rank, Text::experts_merge_node}),
       choice(c, FieldId::expert_path, Text::experts_control_path, {Text::experts_one_hop, Text::experts_two_hop}),
       format(c, FieldId::expert_out, Text::experts_control_out),
       format(c, FieldId::expert_home, Text::experts_control_home)}));
  // The settings have the same two.
  if (c.state.panel != static_cast<int>(Panel::settings))
    page.blocks.push_back(
        controls("choices_real", Region::story,
                 {named(c, FieldId::model, Text::control_model), named(c, FieldId::hardware, Text::control_hardware)}));
  page.blocks.push_back(list("choices_notes", Region::story, notes_of_choices(c)));
}

}  // namespace commflow::parts

#include "story/pages/parts.h"

#include <algorithm>
#include <map>

#include "core/ordering.h"
#include "core/partition.h"
#include "core/placement.h"
#include "core/units.h"
#include "story/figures/card.h"
#include "story/figures/walk_links.h"

namespace commflow::parts {
namespace {

Control from_field(const Context& c, FieldId id, Text label) {
  const Field& f = field(id);
  Control control;
  control.id = std::string(f.name);
  control.label = std::string(c.words.get(label));
  control.value = c.state.*f.member;
  control.min = f.min;
  control.max = max_of(f, c.library);
  return control;
}

std::string layout_text(const Context& c, const Layout& layout) {
  return c.words.get(
      Text::layout_line,
      {{"tp", number(layout.tp)}, {"pp", number(layout.pp)}, {"dp", number(layout.dp)}, {"ep", number(layout.ep)}});
}

void add_if(std::vector<std::string>& notes, bool condition, std::string text) {
  if (condition) notes.push_back(std::move(text));
}

// Notes that the layout makes true.
void add_layout_notes(const Context& c, std::vector<std::string>& notes) {
  const auto uses = [&](Dimension dimension) {
    const auto& dimensions = c.step().dimensions;
    return std::find(dimensions.begin(), dimensions.end(), dimension) != dimensions.end();
  };
  const Layout& layout = c.derived.layout;
  const auto say = [&](Text key) { return std::string(c.words.get(key)); };
  add_if(notes, layout.tp == 1 && uses(Dimension::tp), say(Text::note_no_tp));
  add_if(notes, layout.pp == 1 && uses(Dimension::pp), say(Text::note_no_pp));
  add_if(notes, layout.dp == 1 && uses(Dimension::dp), say(Text::note_no_dp));
  add_if(notes, layout.ep == 1 && uses(Dimension::ep) && !c.derived.dense, say(Text::note_no_ep));
  add_if(notes, !c.derived.executed && !c.derived.problem, beyond_text(c.words));
}

void add_model_notes(const Context& c, std::vector<std::string>& notes) {
  const Model& model = c.derived.work.model;
  const tiny::Step step = c.step().runs;
  const bool experts = step == tiny::Step::route || step == tiny::Step::dispatch || step == tiny::Step::combine;
  add_if(notes, experts && c.derived.dense,
         c.words.get(Text::note_dense, {{"model", model.name},
                                        {"route_step", step_number(c, tiny::Step::route)},
                                        {"combine_step", step_number(c, tiny::Step::combine)}}));
  add_if(notes, step == tiny::Step::route && !c.derived.dense && model.first_dense_layers > 0,
         c.words.get(Text::note_dense_first, {{"count", number(model.first_dense_layers)},
                                              {"route_step", step_number(c, tiny::Step::route)},
                                              {"combine_step", step_number(c, tiny::Step::combine)}}));
  add_if(notes, step == tiny::Step::route && model.shared_experts > 0,
         std::string(c.words.get(Text::note_shared_expert)));
  add_if(notes, step == tiny::Step::route && model.expert_groups > 1,
         c.words.get(Text::note_node_limited,
                     {{"chosen", number(model.topk_groups)}, {"groups", number(model.expert_groups)}}));
  if (step != tiny::Step::prepare) return;
  add_if(
      notes, model.layers % c.derived.layout.pp != 0,
      c.words.get(Text::note_uneven_layers, {{"layers", number(model.layers)}, {"pp", number(c.derived.layout.pp)}}));
  if (c.derived.dense || c.derived.problem) return;
  const int copies = expert_dp_size(c.derived.layout);
  notes.push_back(copies == 1 ? std::string(c.words.get(Text::note_experts_single))
                              : c.words.get(Text::note_experts_copies, {{"copies", number(copies)}}));
}

void add_prepare_notes(const Context& c, std::vector<std::string>& notes) {
  notes.push_back(
      c.words.get(c.derived.dense ? Text::note_tiny_dense : Text::note_tiny, {{"tokens", number(tiny::kTokens)},
                                                                              {"hidden", number(tiny::kHidden)},
                                                                              {"experts", number(tiny::kExperts)},
                                                                              {"topk", number(tiny::kTopk)}}));
  const bool whole = c.state.gpus_per_node == 8;
  notes.push_back(
      c.words.get(whole ? Text::note_node_real : Text::note_node_size, {{"gpus", number(c.state.gpus_per_node)}}));
  notes.push_back(std::string(c.words.get(c.state.order == 0 ? Text::note_numbering : Text::note_numbering_megatron)));
}

Block block_of(BlockKind kind, std::string id, Region region) {
  Block block;
  block.id = std::move(id);
  block.kind = kind;
  block.region = region;
  return block;
}

Control page_button(const Context& c, PageId id, Text label) {
  Control control;
  control.id = "page." + value_text(field(FieldId::page), static_cast<int>(id), c.library);
  control.label = std::string(c.words.get(label));
  control.pressed = c.state.page == static_cast<int>(id);
  return control;
}

}  // namespace

std::string number(std::int64_t value) {
  return std::to_string(value);
}

std::string about(double us) {
  return us > 0 ? "~" + text_of_time(us) : "0";
}

std::string words(const Context& c, Text key) {
  return std::string(c.words.get(key));
}

std::string name_in(const Context& c, std::string_view group, std::string_view name, std::string_view part) {
  const auto key = text_named(std::string(group) + "." + underscored(name) + std::string(part));
  return key ? words(c, *key) : std::string(name);
}

std::string dimension_name(const Context& c, Dimension dimension, std::string_view part) {
  return name_in(c, "dim", commflow::dimension_name(dimension), part);
}

const Gpu& gpu_of(const Context& c) {
  return c.library.gpus[static_cast<std::size_t>(c.state.hardware)];
}

Control source_link(const Context& c, const Reference& source, std::string_view place) {
  Control control;
  control.id = "source_" + std::string(place) + "_" + std::string(source.id);
  control.kind = ControlKind::link;
  control.label = c.words.get(Text::control_source, {{"name", std::string(source.name)}});
  control.href = std::string(source.address);
  return control;
}

Block paragraph(std::string id, Region region, std::string text) {
  Block block = block_of(BlockKind::paragraph, std::move(id), region);
  block.text = std::move(text);
  return block;
}

Block note(std::string id, Region region, std::string text) {
  Block block = block_of(BlockKind::note, std::move(id), region);
  block.text = std::move(text);
  return block;
}

Block heading(std::string id, Region region, int level, std::string text) {
  Block block = block_of(BlockKind::heading, std::move(id), region);
  block.level = level;
  block.text = std::move(text);
  return block;
}

Block list(std::string id, Region region, std::vector<std::string> items) {
  Block block = block_of(BlockKind::list, std::move(id), region);
  block.items = std::move(items);
  return block;
}

Block controls(std::string id, Region region, std::vector<Control> items) {
  Block block = block_of(BlockKind::controls, std::move(id), region);
  block.controls = std::move(items);
  return block;
}

Block table(std::string id, Region region, std::vector<std::string> columns, std::string caption) {
  Block block = block_of(BlockKind::table, std::move(id), region);
  block.columns = std::move(columns);
  block.text = std::move(caption);
  return block;
}

Block figure(std::string id, Region region, std::string alt) {
  Block block = block_of(BlockKind::figure, std::move(id), region);
  block.alt = std::move(alt);
  return block;
}

void add_bar(const Context& c, Page& page) {
  page.blocks.push_back(heading("brand", Region::bar, 1, std::string(c.words.get(Text::page_title))));
  page.blocks.push_back(
      controls("pages", Region::bar,
               {page_button(c, PageId::walk, Text::page_walk), page_button(c, PageId::experts, Text::page_experts),
                page_button(c, PageId::collectives, Text::page_collectives),
                page_button(c, PageId::concepts, Text::page_concepts)}));
  page.blocks.push_back(
      controls("bar", Region::bar,
               {choice(c, FieldId::lang, Text::control_lang, {Text::control_lang_en, Text::control_lang_zh}),
                choice(c, FieldId::theme, Text::control_theme,
                       {Text::control_theme_system, Text::control_theme_light, Text::control_theme_dark}),
                panel_button(c, Panel::settings, Text::control_more, "gear")}));
}

std::string step_number(const Context& c, tiny::Step runs) {
  const auto& steps = c.library.walk.steps;
  const auto found = std::find_if(steps.begin(), steps.end(), [&](const WalkStep& step) { return step.runs == runs; });
  return found == steps.end() ? "-" : number(found - steps.begin() + 1);
}

std::string words_of(const Context& c, const LocalText& text) {
  const std::string_view pattern =
      text.key ? c.words.get(*text.key) : std::string_view(text.given[static_cast<std::size_t>(c.state.lang)]);
  const Model& model = c.derived.work.model;
  return fill(pattern, {{"drawn_experts", number(tiny::kExperts)},
                        {"drawn_topk", number(tiny::kTopk)},
                        {"experts", number(model.experts)},
                        {"topk", number(model.topk)},
                        {"route_step", step_number(c, tiny::Step::route)},
                        {"combine_step", step_number(c, tiny::Step::combine)},
                        {"gradients_step", step_number(c, tiny::Step::gradients)}});
}

Control options(const Context& c, FieldId id, Text label, std::vector<Option> offered) {
  Control control = from_field(c, id, label);
  control.kind = ControlKind::choice;
  const auto is_chosen = [now = control.value](const Option& option) { return option.value == now; };
  if (std::none_of(offered.begin(), offered.end(), is_chosen))
    offered.push_back({control.value, number(control.value)});
  control.value = static_cast<int>(std::find_if(offered.begin(), offered.end(), is_chosen) - offered.begin());
  for (Option& option : offered) {
    control.values.push_back(option.value);
    control.choices.push_back(std::move(option.text));
  }
  control.text = control.choices[static_cast<std::size_t>(control.value)];
  return control;
}

Control choice(const Context& c, FieldId id, Text label, std::initializer_list<Text> texts) {
  std::vector<Option> offered;
  int value = field(id).min;
  for (const Text text : texts) offered.push_back({value++, words(c, text)});
  return options(c, id, label, std::move(offered));
}

Control numbers(const Context& c, FieldId id, Text label, std::vector<int> values,
                std::string (*text_of)(const Context& c, int value)) {
  const int now = c.state.*field(id).member;
  if (std::find(values.begin(), values.end(), now) == values.end()) {
    values.push_back(now);
    sort_stably(values);
  }
  std::vector<Option> offered;
  for (const int value : values) offered.push_back({value, text_of == nullptr ? number(value) : text_of(c, value)});
  return options(c, id, label, std::move(offered));
}

Control numbers_between(const Context& c, FieldId id, Text label, int first, int last) {
  return options(c, id, label, options_of(first, last, number));
}

Control slider(const Context& c, FieldId id, Text label, std::string text) {
  Control control = from_field(c, id, label);
  control.kind = ControlKind::slider;
  control.text = std::move(text);
  return control;
}

Control seek(const Context& c) {
  const Timeline& timeline = c.derived.timeline(c.state);
  const int beats = static_cast<int>(timeline.beats.size());
  const int now = std::min(beats, (c.state.at + kBeat - 1) / kBeat);
  Control scrubber = slider(c, FieldId::at, Text::control_seek,
                            c.words.get(Text::control_seek_value, {{"round", number(now)}, {"rounds", number(beats)}}));
  scrubber.max = timeline.length();
  scrubber.step = kBeat;
  return scrubber;
}

Control named(const Context& c, FieldId id, Text label) {
  return options(c, id, label, options_of(0, max_of(field(id), c.library), [&](int value) {
                   const auto index = static_cast<std::size_t>(value);
                   return id == FieldId::model ? c.library.models[index].name : c.library.gpus[index].name;
                 }));
}

Control speed(const Context& c) {
  const Field& f = field(FieldId::speed);
  return options(c, f.id, Text::control_speed, options_of(f.min, f.max, [&](int value) {
                   return c.words.get(Text::control_speed_value, {{"value", value_text(f, value, c.library)}});
                 }));
}

Control follow_choice(const Context& c, FieldId id, const std::vector<Rank>& homes) {
  std::vector<Option> offered{{-1, words(c, Text::follow_none)}};
  for (const Rank home : homes) {
    const int token = static_cast<int>(offered.size()) - 1;
    offered.push_back({token, c.words.get(Text::follow_token, {{"token", number(token)}, {"gpu", number(home)}})});
  }
  return options(c, id, Text::follow_choose, std::move(offered));
}

Control button(const Context& c, Action action, Text label, std::string icon, bool enabled) {
  Control control;
  control.id = std::string(name_of(action));
  control.label = words(c, label);
  control.icon = std::move(icon);
  control.enabled = enabled;
  return control;
}

Control panel_button(const Context& c, Panel panel, Text label, std::string icon) {
  Control control;
  control.id = "panel." + value_text(field(FieldId::panel), static_cast<int>(panel), c.library);
  control.label = std::string(c.words.get(label));
  control.icon = std::move(icon);
  control.pressed = c.state.panel == static_cast<int>(panel);
  return control;
}

std::string primitive_name(const Context& c, Collective collective) {
  return name_in(c, "primitive", name_of(collective));
}

std::string primitive_text(const Context& c, Collective collective) {
  return name_in(c, "primitive", name_of(collective), ".definition");
}

std::string problem_text(const Context& c) {
  const WalkProblem& problem = *c.derived.problem;
  const std::string value = number(problem.value), limit = number(problem.limit);
  switch (problem.misfit) {
    case Misfit::too_many_gpus: return c.words.get(Text::layout_why_too_many, {{"product", value}, {"limit", limit}});
    case Misfit::ep_in_stage: return c.words.get(Text::layout_why_ep_divides, {{"ep", value}, {"product", limit}});
    case Misfit::experts:
      if (problem.limit == 0) return c.words.get(Text::layout_why_no_experts, {{"model", c.derived.work.model.name}});
      return c.words.get(Text::layout_why_experts, {{"experts", limit}, {"ep", value}});
    case Misfit::heads: return c.words.get(Text::layout_why_heads, {{"heads", limit}, {"tp", value}});
    case Misfit::kv_heads: return c.words.get(Text::layout_why_kv_heads, {{"heads", limit}, {"tp", value}});
    case Misfit::layers: return c.words.get(Text::layout_why_layers, {{"layers", limit}, {"pp", value}});
    case Misfit::tokens: return c.words.get(Text::layout_why_tokens, {{"tokens", limit}, {"tp", value}});
    case Misfit::size_below_one:
    case Misfit::context_or_expert_tp: break;
  }
  return std::string(c.words.get(Text::error_title));
}

std::string suggestion_text(const Context& c) {
  const WalkProblem& problem = *c.derived.problem;
  std::string works;
  if (problem.suggestion) works = layout_text(c, *problem.suggestion);
  if (problem.suggested_tokens)
    works = number(*problem.suggested_tokens) + " " + std::string(c.words.get(Text::scene_tokens));
  return works.empty() ? works : c.words.get(Text::layout_why_suggestion, {{"suggestion", works}});
}

std::string drawn_counted(const Context& c) {
  const Model& model = c.derived.work.model;
  if (c.derived.dense)
    return c.words.get(Text::scene_drawn_dense,
                       {{"drawn_hidden", number(tiny::kHidden)}, {"hidden", number(model.hidden)}});
  return c.words.get(Text::scene_drawn_counted, {{"drawn_experts", number(tiny::kExperts)},
                                                 {"drawn_topk", number(tiny::kTopk)},
                                                 {"experts", number(model.experts)},
                                                 {"topk", number(model.topk)}});
}

std::vector<std::string> notes_of(const Context& c) {
  std::vector<std::string> notes;
  add_layout_notes(c, notes);
  add_model_notes(c, notes);
  if (c.step().runs == tiny::Step::prepare) add_prepare_notes(c, notes);
  // The scenario's own remarks are about experts where a dense model has none.
  if (c.derived.dense && c.step().dense_texts) return notes;
  for (const LocalText& note : c.step().notes) {
    std::string text = words_of(c, note);
    // A note whose numbers depend on the layout is one of those above.
    if (text.find('{') == std::string::npos && std::find(notes.begin(), notes.end(), text) == notes.end())
      notes.push_back(std::move(text));
  }
  return notes;
}

CopyCount count_copies(const Context& c) {
  CopyCount count;
  if (!c.derived.executed || c.derived.dense) return count;
  const Scene scene{c.state, c.derived, c.library, {}, false, {}, {}, {}};
  const auto copies = copies_of(scene, 0, 0);
  std::map<Rank, int> received;
  for (const tiny::Copy& copy : copies) {
    ++count.all;
    if (copy.home != copy.host) ++count.leaving;
    count.fullest = std::max(count.fullest, ++received[copy.host]);
  }
  count.group = c.derived.layout.ep;
  return count;
}

}  // namespace commflow::parts

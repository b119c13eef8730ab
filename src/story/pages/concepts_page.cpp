#include "story/pages/concepts_page.h"

#include <algorithm>

#include "core/descent.h"
#include "core/memory.h"
#include "core/sequence_split.h"
#include "core/units.h"
#include "story/event.h"
#include "story/figures/concept_figures.h"
#include "story/figures/example_figure.h"
#include "story/figures/walk_links.h"
#include "story/pages/counters.h"
#include "story/pages/ways.h"

namespace commflow {
namespace {

using parts::Context;
using parts::figure;
using parts::heading;
using parts::list;
using parts::note;
using parts::number;
using parts::paragraph;

void add_heading(const Context& c, Page& page, std::string id, Text key) {
  page.blocks.push_back(heading(std::move(id), Region::story, 2, words(c, key)));
}
void add_text(Page& page, std::string id, std::string text) {
  page.blocks.push_back(paragraph(std::move(id), Region::story, std::move(text)));
}

// ---- why many GPUs ---------------------------------------------------------

std::string memory_text(const Context& c) {
  const Model& model = c.derived.work.model;
  const ModelState state = model_state(total_params(model));
  return c.words.get(Text::concepts_why_memory,
                     {{"model", model.name},
                      {"params", text_of_count(total_params(model))},
                      {"each", number(kWeightBytes + kGradientBytes + kOptimizerBytes)},
                      {"weight", number(kWeightBytes)},
                      {"gradient", number(kGradientBytes)},
                      {"optimizer", number(kOptimizerBytes)},
                      {"bytes", text_of_bytes(state.total())},
                      {"gpu", gpu_of(c).name},
                      {"memory", text_of_significant(static_cast<double>(gpu_of(c).memory.value) / 1e9) + " GB"},
                      {"gpus", number(fewest_gpus(state, gpu_of(c).memory.value))}});
}

constexpr double kTrillion = 1e12;
constexpr int kForwardFlops = 2;  // per parameter: a multiplication and an addition
constexpr int kBackwardFlops = kForwardFlops * kBackwardOverForward;
constexpr double kSecondsPerYear = 365.25 * 24 * 3600;

std::string years_text(const Context& c) {
  if (!gpu_of(c).bf16_dense_flops) return {};
  const double rate = static_cast<double>(gpu_of(c).bf16_dense_flops->value) * c.state.compute_percent / 100;
  const double active = static_cast<double>(active_params_without_embedding(c.derived.work.model));
  const double years = (kForwardFlops + kBackwardFlops) * active * kTrillion / rate / kSecondsPerYear;
  return c.words.get(Text::concepts_why_time, {{"gpu", gpu_of(c).name},
                                               {"operations", number(kForwardFlops + kBackwardFlops)},
                                               {"forward", number(kForwardFlops)},
                                               {"backward", number(kBackwardFlops)},
                                               {"percent", number(c.state.compute_percent)},
                                               {"years", "~" + text_of_significant(years)}});
}

void add_why(const Context& c, Page& page) {
  add_heading(c, page, "why_title", Text::concepts_why_title);
  add_text(page, "why_memory", memory_text(c));
  const std::string years = years_text(c);
  if (!years.empty()) add_text(page, "why_time", years);
  add_text(page, "why_so", words(c, Text::concepts_why_so));
  page.blocks.push_back(figure("memory", Region::figure, words(c, Text::concepts_why_memory_alt)));
}

// ---- what training and a layer are -----------------------------------------

Block descent_table(const Context& c) {
  Block table = parts::table("descent", Region::figure,
                             {words(c, Text::concepts_training_round), words(c, Text::concepts_training_weight),
                              words(c, Text::concepts_training_answer), words(c, Text::concepts_training_loss),
                              words(c, Text::concepts_training_gradient), words(c, Text::concepts_training_updated)});
  constexpr int kSteps = 5, kDecimals = 4;
  int round = 0;
  for (const DescentStep& step : descend({}, kSteps))
    table.rows.push_back({{number(++round), text_of_decimal(step.weight, kDecimals),
                           text_of_decimal(step.prediction, kDecimals), text_of_decimal(step.loss, kDecimals),
                           text_of_decimal(step.gradient, kDecimals), text_of_decimal(step.updated, kDecimals)},
                          false});
  return table;
}

void add_training(const Context& c, Page& page) {
  add_heading(c, page, "training_title", Text::concepts_training_title);
  add_text(page, "training_text", words(c, Text::concepts_training_text));
  const Descent start;
  add_text(page, "training_one",
           c.words.get(Text::concepts_training_one, {{"input", text_of_decimal(start.input, 2)},
                                                     {"label", text_of_decimal(start.label, 2)},
                                                     {"rate", "1/" + text_of_decimal(1 / start.rate, 2)},
                                                     {"model", c.derived.work.model.name},
                                                     {"params", text_of_count(total_params(c.derived.work.model))}}));
  page.blocks.push_back(descent_table(c));
}

Block layer_table(const Context& c) {
  const Model& model = c.derived.work.model;
  Workload whole = c.derived.work;
  whole.layout = Layout{};
  whole.layout.tp = whole.layout.pp = whole.layout.dp = whole.layout.ep = 1;
  const ForwardFlops flops = forward_flops(whole, 0);
  const std::int64_t out = attention_output_params(model);
  Block table = parts::table("layer", Region::figure,
                             {words(c, Text::concepts_layer_product), words(c, Text::concepts_layer_params),
                              words(c, Text::concepts_layer_share)});
  const auto row = [&](std::string name, std::int64_t params, double part) {
    if (part <= 0) return;
    table.rows.push_back({{std::move(name), params > 0 ? text_of_count(params) : "0",
                           text_of_significant(100 * part / flops.total()) + " %"},
                          false});
  };
  const Text experts = model.shared_experts > 0 ? Text::concepts_layer_experts_shared : Text::concepts_layer_experts;
  row(words(c, Text::concepts_layer_attention_in), attention_params_per_layer(model) - out, flops.attention_in);
  row(words(c, Text::concepts_layer_scores), 0, flops.attention_scores);
  row(words(c, Text::concepts_layer_attention_out), out, flops.attention_out);
  row(words(c, Text::concepts_layer_router), has_experts(model) ? router_params(model) : 0, flops.router);
  row(c.words.get(experts, {{"topk", number(model.topk)}, {"experts", number(model.experts)}}),
      model.experts * expert_params(model) + shared_expert_params(model), flops.experts);
  row(words(c, Text::concepts_layer_mlp), dense_mlp_params(model), flops.mlp);
  row(words(c, Text::concepts_layer_head), embedding_params(model), flops.head);
  return table;
}

void add_layer(const Context& c, Page& page) {
  const Model& model = c.derived.work.model;
  add_heading(c, page, "layer_title", Text::concepts_layer_title);
  add_text(page, "layer_text",
           c.words.get(Text::concepts_layer_text, {{"model", model.name}, {"layers", number(model.layers)}}));
  page.blocks.push_back(
      note("layer_note", Region::story,
           c.words.get(Text::concepts_layer_note, {{"tokens", text_of_count(c.derived.work.tokens)}})));
  page.blocks.push_back(layer_table(c));
  add_heading(c, page, "split_title", Text::concepts_split_title);
  add_text(page, "split_columns", words(c, Text::concepts_split_columns));
  add_text(page, "split_rows", words(c, Text::concepts_split_rows));
  add_text(page, "split_both", words(c, Text::concepts_split_both));
  page.blocks.push_back(figure("split", Region::figure, words(c, Text::concepts_split_alt)));
}

// ---- the setting, the primitives, the words ---------------------------------

void add_setting(const Context& c, Page& page) {
  if (c.derived.problem) return;
  const Layout& layout = c.derived.layout;
  add_heading(c, page, "setting_title", Text::concepts_setting_title);
  add_text(page, "setting_text",
           c.words.get(Text::concepts_setting_text, {{"gpus", number(world_size(layout))},
                                                     {"tp", number(layout.tp)},
                                                     {"pp", number(layout.pp)},
                                                     {"dp", number(layout.dp)},
                                                     {"ep", number(layout.ep)},
                                                     {"node", number(c.state.gpus_per_node)}}));
  add_text(page, "setting_groups", words(c, Text::concepts_setting_groups));
  page.blocks.push_back(figure("setting", Region::figure, words(c, Text::concepts_setting_alt)));
}

void add_primitives(const Context& c, Page& page) {
  const std::string count = number(kPrimitiveExamples);
  page.blocks.push_back(
      heading("primitives_title", Region::story, 2, c.words.get(Text::concepts_primitives_title, {{"count", count}})));
  add_text(page, "primitives_text", c.words.get(Text::concepts_primitives_text, {{"count", count}}));
  const auto chosen = static_cast<ExampleId>(c.state.example);
  if (c.state.example < kPrimitiveExamples) {
    const auto say = [&](const char* part) { return name_in(c, "primitive", name_of(chosen), part); };
    page.blocks.push_back(heading("primitive_name", Region::story, 3, say(".name")));
    add_text(page, "primitive_definition", say(".definition"));
    page.blocks.push_back(note("primitive_analogy", Region::story, say(".analogy")));
    add_text(page, "primitive_used", c.words.get(Text::concepts_primitives_used, {{"used", say(".used")}}));
  }
  page.blocks.push_back(note("primitives_cost", Region::story, words(c, Text::concepts_primitives_cost)));
  page.blocks.push_back(figure("cards", Region::figure, c.words.get(Text::example_cards_alt, {{"count", count}})));
  if (c.state.example < kPrimitiveExamples) parts::add_example_player(c, page);
}

void add_words(const Context& c, Page& page) {
  add_heading(c, page, "libraries_title", Text::concepts_libraries_title);
  add_text(page, "libraries_text", words(c, Text::concepts_libraries_text));
  add_heading(c, page, "glossary_title", Text::glossary_title);
  std::vector<std::string> items;
  for (const Text key : {Text::glossary_rank, Text::glossary_group, Text::glossary_collective, Text::glossary_algorithm,
                         Text::glossary_topology, Text::glossary_node, Text::glossary_token, Text::glossary_activation,
                         Text::glossary_gradient, Text::glossary_optimizer, Text::glossary_micro_batch,
                         Text::glossary_stage, Text::glossary_replica, Text::glossary_expert, Text::glossary_router,
                         Text::glossary_dispatch, Text::glossary_algbw, Text::glossary_bisection})
    items.push_back(words(c, key));
  page.blocks.push_back(list("glossary", Region::story, std::move(items)));
}

Figure cards_figure(const Context& c, FigureSpace space, bool reduced_motion) {
  constexpr float kGap = 12, kLeast = 250;
  Figure cards;
  cards.width = space.width;
  const int columns = std::max(1, static_cast<int>((space.width + kGap) / (kLeast + kGap)));
  const float width = (space.width - kGap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  float y = 0, tallest = 0;
  for (int i = 0; i < kPrimitiveExamples; ++i) {
    const Example& example = c.derived.examples[static_cast<std::size_t>(i)];
    if (i > 0 && i % columns == 0) {
      y += tallest + kGap;
      tallest = 0;
    }
    const float x = static_cast<float>(i % columns) * (width + kGap);
    const ExamplePicture picture = parts::picture_of(c, example, reduced_motion);
    draw_example(cards, {x, y, width, 0}, picture);
    tallest = std::max(tallest, example_height(picture));
  }
  cards.height = y + tallest;
  return cards;
}

}  // namespace

void add_concepts_page(const Context& c, Page& page) {
  page.article = !page.embed;
  page.title = words(c, Text::page_concepts) + " - " + words(c, Text::page_title);
  page.live = parts::example_sentence(c);
  if (page.embed) return parts::add_example_alone(c, page);
  page.blocks.push_back(heading("title", Region::title, 1, words(c, Text::concepts_title)));
  page.blocks.push_back(paragraph("intro", Region::title, words(c, Text::concepts_intro)));
  // The settings have the same two and more.
  const bool settings = c.state.panel == static_cast<int>(Panel::settings);
  if (!settings)
    page.blocks.push_back(parts::controls("concepts_for", Region::title,
                                          {parts::named(c, FieldId::model, Text::control_model),
                                           parts::named(c, FieldId::hardware, Text::control_hardware)}));
  add_why(c, page);
  add_training(c, page);
  add_layer(c, page);
  parts::add_ways(c, page);
  add_setting(c, page);
  add_primitives(c, page);
  parts::add_network_needs(c, page);
  parts::add_link_readings(c, page);
  add_words(c, page);
  parts::add_sources(c, page, Region::story, 2);
  if (settings) parts::add_settings(c, page);
}

Figure concepts_figure(std::string_view block_id, FigureSpace space, const Context& c, bool reduced_motion) {
  if (block_id == "memory") return memory_figure(c.state, c.derived, c.library, space);
  if (block_id == "split") return split_figure(make_split_product(), c.words, space);
  if (block_id == "setting") return setting_figure(c.state, c.derived, c.library, space);
  if (block_id == "cards") return cards_figure(c, space, reduced_motion);
  return parts::way_figure(block_id, space, c, reduced_motion);
}

}  // namespace commflow

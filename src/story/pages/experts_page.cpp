#include "story/pages/experts_page.h"

#include "story/expert_words.h"
#include "story/figures/experts_figure.h"
#include "story/figures/routing_figure.h"
#include "story/pages/counters.h"
#include "story/pages/ways.h"

namespace commflow {
namespace {

using parts::Context;
using parts::heading;
using parts::list;
using parts::note;
using parts::number;
using parts::paragraph;

std::string stage_text(const Context& c, ExpertStage stage, std::string_view part) {
  return name_in(c, "experts.stage", name_of(stage), part);
}

const ExpertView& view_of(const Context& c) {
  return c.derived.experts;
}

ExpertStage stage_now(const Context& c) {
  return stage_of(moment_at(view_of(c).timeline, c.state.at, false));
}

// A chip leads to the end of its stage, where all of it can be seen at rest.
void add_stages(const Context& c, Page& page) {
  std::vector<Control> chips;
  for (int index = 0; index < kExpertStages; ++index) {
    const auto stage = static_cast<ExpertStage>(index);
    Control chip;
    chip.id = "at." + number((last_beat_of(view_of(c).timeline, stage) + 1) * kBeat);
    chip.label = stage_text(c, stage, ".short");
    chip.text = number(index + 1);
    chip.pressed = stage_now(c) == stage;
    chips.push_back(std::move(chip));
  }
  page.blocks.push_back(parts::controls("stages", Region::chips, std::move(chips)));
}

void add_follow(const Context& c, Page& page) {
  const ExpertView& view = view_of(c);
  std::vector<Rank> homes;
  for (int token = 0; token < view.run.routing.all_tokens(); ++token) homes.push_back(token / view.settings.tokens);
  page.blocks.push_back(parts::controls("follow", Region::figure,
                                        {parts::follow_choice(c, FieldId::expert_token, homes),
                                         parts::panel_button(c, Panel::log, Text::control_log, "")}));
  std::vector<std::string> journey = expert_journey(c.state, view, c.words);
  if (!journey.empty()) {
    page.blocks.push_back(heading("follow_title", Region::figure, 3, words(c, Text::follow_title)));
    page.blocks.push_back(list("journey", Region::figure, std::move(journey)));
  }
  if (c.state.panel != static_cast<int>(Panel::log)) return;
  page.blocks.push_back(heading("log_title", Region::figure, 3, words(c, Text::experts_log_title)));
  page.blocks.push_back(list("log", Region::figure, expert_log(c.state, view, c.words)));
}

std::string alt_text(const Context& c) {
  const experts::Settings& settings = view_of(c).settings;
  return c.words.get(Text::experts_alt, {{"gpus", number(experts::ranks_of(settings))},
                                         {"tokens", number(settings.tokens)},
                                         {"experts", number(settings.experts)},
                                         {"topk", number(settings.topk)}});
}

void add_layer(const Context& c, Page& page) {
  const ExpertStage stage = stage_now(c);
  page.blocks.push_back(
      heading("stage_title", Region::story, 2,
              number(static_cast<int>(stage) + 1) + words(c, Text::scene_separator) + stage_text(c, stage, ".title")));
  parts::add_example_player(c, page);
  page.blocks.push_back(parts::figure("expert_layer", Region::figure, alt_text(c)));
  page.blocks.push_back(paragraph(
      "stage_what", Region::story,
      fill(stage_text(c, stage, ".what"), {{"width", number(experts::kTokenWidth)}, {"gates", number(kGateTotal)}})));
  page.blocks.push_back(note("stage_why", Region::story, stage_text(c, stage, ".why")));
  if (!page.embed) add_follow(c, page);
}

void add_intro(const Context& c, Page& page) {
  const experts::Settings& settings = view_of(c).settings;
  page.blocks.push_back(
      paragraph("intro", Region::title,
                c.words.get(Text::experts_intro, {{"gpus", number(experts::ranks_of(settings))},
                                                  {"nodes", number(settings.nodes)},
                                                  {"tokens", number(experts::tokens_of_all(settings))},
                                                  {"experts", number(settings.experts)},
                                                  {"topk", number(settings.topk)}})));
}

void add_problem(const Context& c, Page& page) {
  page.blocks.push_back(heading("problem_title", Region::story, 2, words(c, Text::experts_unfit_title)));
  page.blocks.push_back(
      paragraph("problem", page.embed ? Region::title : Region::story, expert_problem_text(view_of(c), c.words)));
}

}  // namespace

void add_experts_page(const Context& c, Page& page) {
  const ExpertView& view = view_of(c);
  page.article = !page.embed;
  page.title = words(c, Text::page_experts) + " - " + words(c, Text::page_title);
  page.live = view.drawn ? expert_live(c.state, view, c.words) : expert_problem_text(view, c.words);
  if (view.drawn) add_stages(c, page);
  page.blocks.push_back(heading("title", Region::title, 1, words(c, Text::experts_title)));
  if (!page.embed) add_intro(c, page);
  view.drawn ? add_layer(c, page) : add_problem(c, page);
  if (page.embed) return;
  parts::add_expert_choices(c, page);
  if (view.drawn) parts::add_expert_routing(c, page);
  if (!view.problem) {
    parts::add_expert_meters(c, page);
    parts::add_expert_context(c, page);
  }
  parts::add_sources(c, page, Region::story, 2);
  if (c.state.panel == static_cast<int>(Panel::settings)) parts::add_settings(c, page);
}

Figure experts_page_figure(std::string_view block_id, FigureSpace space, const Context& c, bool reduced_motion) {
  if (block_id == "expert_layer") return experts_figure(c.state, view_of(c), c.words, space, reduced_motion);
  if (block_id == "routing_squares") return routing_figure(c.state, view_of(c), c.words, space);
  return parts::expert_context_figure(block_id, space, c);
}

}  // namespace commflow

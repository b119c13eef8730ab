// The walk: one training step in twelve steps, as a page.

#include <algorithm>
#include <utility>

#include "core/placement.h"
#include "core/units.h"
#include "story/event.h"
#include "story/figures/glance_chart.h"
#include "story/figures/walk_links.h"
#include "story/figures/walk_scene.h"
#include "story/follow.h"
#include "story/pages/counters.h"
#include "story/pages/glance_part.h"
#include "story/pages/walk_page.h"
#include "story/sentences.h"

namespace commflow {
namespace {

using parts::button;
using parts::Context;
using parts::controls;
using parts::heading;
using parts::paragraph;

const StepTexts& texts_of(const Context& c) {
  const WalkStep& step = c.step();
  return c.derived.dense && step.dense_texts ? *step.dense_texts : step.texts;
}

void add_steps(const Context& c, Page& page) {
  std::vector<Control> chips;
  const auto& steps = c.library.walk.steps;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const StepTexts& texts = c.derived.dense && steps[i].dense_texts ? *steps[i].dense_texts : steps[i].texts;
    Control chip;
    chip.id = "step." + steps[i].id;
    chip.label = parts::words_of(c, texts.label);
    chip.text = std::to_string(i + 1);
    chip.pressed = static_cast<int>(i) == c.state.step;
    chips.push_back(std::move(chip));
  }
  page.blocks.push_back(controls("steps", Region::chips, std::move(chips)));
}

// ---- player ----------------------------------------------------------------

void add_player(const Context& c, Page& page) {
  const int last = max_of(field(FieldId::step), c.library);
  const bool playing = c.state.playing == 1;
  const int end = c.derived.timeline(c.state).length();
  std::vector<Control> items{
      button(c, Action::previous, Text::control_previous_step, "previous", c.state.step > 0),
      button(c, Action::back, Text::control_back, "back", c.state.step > 0 || c.state.at > 0),
      button(c, Action::toggle_play, playing ? Text::control_pause : Text::control_play, playing ? "pause" : "play"),
      button(c, Action::forward, Text::control_forward, "forward", c.state.step < last || c.state.at < end),
      button(c, Action::next, Text::control_next_step, "next", c.state.step < last),
      parts::seek(c),
      parts::speed(c)};
  page.blocks.push_back(controls("player", Region::player, std::move(items)));
  page.blocks.push_back(paragraph("live", Region::live, page.live));
}

// ---- title and figure ------------------------------------------------------

std::string group_line(const Context& c) {
  std::string line;
  for (const Dimension dimension : c.step().dimensions) {
    if (!line.empty()) line += ", ";
    line += parts::dimension_name(c, dimension);
  }
  return line;
}

void add_title(const Context& c, Page& page) {
  const StepTexts& texts = texts_of(c);
  const std::string dot(c.words.get(Text::scene_separator));
  const std::string position = c.words.get(Text::page_step_of, {{"k", std::to_string(c.state.step + 1)},
                                                                {"n", std::to_string(c.library.walk.steps.size())}});
  if (c.state.step == 0)
    page.blocks.push_back(paragraph("subtitle", Region::title, std::string(c.words.get(Text::page_subtitle))));
  page.blocks.push_back(
      paragraph("position", Region::title, position + dot + group_line(c) + dot + parts::words_of(c, texts.scope)));
  page.blocks.push_back(heading("title", Region::title, 2, parts::words_of(c, texts.title)));
}

std::string alt_text(const Context& c) {
  const WalkStep& step = c.step();
  const bool dense = c.derived.dense && step.dense_texts.has_value();
  std::string id(tiny::name_of(step.runs));
  if (dense)
    id = step.runs == tiny::Step::route ? "dense_up" : step.runs == tiny::Step::dispatch ? "dense_mlp" : "dense_down";
  const auto key = text_named("scene.alt." + id);
  const Layout& layout = c.derived.layout;
  const parts::CopyCount copies = parts::count_copies(c);
  const std::string loss = c.derived.run.result ? std::to_string(c.derived.run.result->loss) : "";
  return c.words.get(key ? *key : Text::page_figure, {{"gpus", std::to_string(world_size(layout))},
                                                      {"tp", std::to_string(layout.tp)},
                                                      {"pp", std::to_string(layout.pp)},
                                                      {"dp", std::to_string(layout.dp)},
                                                      {"ep", std::to_string(layout.ep)},
                                                      {"topk", std::to_string(tiny::kTopk)},
                                                      {"leaving", std::to_string(copies.leaving)},
                                                      {"copies", std::to_string(copies.all)},
                                                      {"loss", loss}});
}

// The token that is followed: a choice among those drawn, and its way in words.
void add_follow(const Context& c, Page& page) {
  if (page.embed || !c.derived.executed) return;
  std::vector<Rank> homes;
  for (int token = 0; token < tiny::kTokens * c.derived.layout.dp; ++token)
    homes.push_back(home_of_token(c.derived.layout, token, 0));
  page.blocks.push_back(controls("follow", Region::figure, {parts::follow_choice(c, FieldId::token, homes)}));
  auto lines = journey_of_token(c.state, c.derived, c.library);
  if (lines.empty()) return;
  page.blocks.push_back(heading("follow_title", Region::figure, 3, std::string(c.words.get(Text::follow_title))));
  page.blocks.push_back(
      parts::note("follow_hint", Region::figure,
                  c.words.get(Text::follow_hint, {{"route_step", parts::step_number(c, tiny::Step::route)},
                                                  {"combine_step", parts::step_number(c, tiny::Step::combine)}})));
  page.blocks.push_back(parts::list("journey", Region::figure, std::move(lines)));
}

void add_problem(const Context& c, Page& page) {
  page.blocks.push_back(paragraph("live", Region::live, page.live));
  Control fix = button(c, Action::use_suggestion, Text::control_open);
  fix.label = parts::suggestion_text(c);
  if (!fix.label.empty()) page.blocks.push_back(controls("problem_fix", Region::figure, {std::move(fix)}));
}

// The collective of the step; a dense model's own where it replaces the experts.
std::optional<Collective> primitive_of(const Context& c) {
  const WalkStep& step = c.step();
  if (!c.derived.dense || !step.dense_texts) return step.primitive;
  if (step.dense_counts.empty()) return std::nullopt;
  return quantity_row(step.dense_counts.front()).collective;
}

// ---- texts -----------------------------------------------------------------

void add_story(const Context& c, Page& page) {
  const StepTexts& texts = texts_of(c);
  page.blocks.push_back(paragraph("what", Region::story, parts::words_of(c, texts.what)));
  page.blocks.push_back(paragraph("why", Region::story, parts::words_of(c, texts.why)));
  page.blocks.push_back(parts::note("analogy", Region::story, parts::words_of(c, texts.analogy)));
  page.blocks.push_back(heading("compute_title", Region::story, 3, std::string(c.words.get(Text::page_compute))));
  page.blocks.push_back(paragraph("compute", Region::story, parts::words_of(c, texts.compute)));
  const auto primitive = primitive_of(c);
  if (!primitive) return;
  page.blocks.push_back(heading("card_title", Region::story, 3, parts::primitive_name(c, *primitive)));
  page.blocks.push_back(paragraph("card", Region::story, parts::primitive_text(c, *primitive)));
}

void add_notes(const Context& c, Page& page) {
  auto notes = parts::notes_of(c);
  if (notes.empty()) return;
  page.blocks.push_back(heading("notes_title", Region::aside, 3, std::string(c.words.get(Text::control_notes))));
  page.blocks.push_back(parts::list("notes", Region::aside, std::move(notes)));
}

}  // namespace

void add_walk_page(const Context& c, Page& page) {
  if (c.library.walk.steps.empty()) return;
  page.live = c.derived.problem ? parts::problem_text(c) : live_sentence(c.state, c.derived, c.library);
  page.title = parts::words_of(c, texts_of(c).title) + " - " + std::string(c.words.get(Text::page_title));
  add_steps(c, page);
  add_title(c, page);
  if (c.derived.problem) {
    add_problem(c, page);
  } else {
    add_player(c, page);
    page.blocks.push_back(parts::figure("scene", Region::figure, alt_text(c)));
    add_follow(c, page);
    parts::add_counters(c, page);
    parts::add_glance(c, page);
  }
  add_story(c, page);
  parts::add_aside(c, page);
  add_notes(c, page);
  page.blocks.push_back(paragraph("drawn_counted", Region::foot, parts::drawn_counted(c)));
}

Figure walk_figure(std::string_view block_id, FigureSpace space, const Context& c, bool reduced_motion) {
  Figure figure;
  figure.width = space.width;
  if (c.derived.problem || c.library.walk.steps.empty()) return figure;
  if (block_id == "glance") return glance_chart(c.state, c.derived, c.glance, c.library, space);
  if (block_id != "scene") return figure;
  Scene scene{c.state,        c.derived, c.library, moment_at(c.derived.timeline(c.state), c.state.at, reduced_motion),
              reduced_motion, space,     figure,    {}};
  draw_walk(scene, c.deriver.walk_room(c.state, space.width, measure_walk));
  return std::move(scene.figure);
}

}  // namespace commflow

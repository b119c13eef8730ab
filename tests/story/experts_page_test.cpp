// The experts page: its figure against the layer on one rank, its controls against the fields.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/expert_bytes.h"
#include "core/tiny_matrix.h"
#include "core/units.h"
#include "story/expert_costs.h"
#include "story/expert_words.h"
#include "story/metrics.h"
#include "story/pages/pages.h"
#include "story/reduce.h"
#include "story/svg.h"
#include "support/pages.h"
#include "support/states.h"

namespace commflow {
namespace {

using support::block;
using support::deriver;
using support::real_library;

State experts_state(int lang = 0) {
  State state = initial_state(real_library());
  state.page = static_cast<int>(PageId::experts);
  state.lang = lang;
  return state;
}

// Layers that differ in what is done about their traffic.
std::vector<State> variants() {
  std::vector<State> all(6, experts_state());
  all[1].expert_capacity = 100;
  all[1].expert_skew = 6;
  all[2].expert_merge = 1;
  all[2].expert_topk = 4;
  all[3].expert_merge = 2;
  all[3].expert_path = 1;
  all[3].expert_topk = 4;
  all[3].expert_limit = 1;
  all[4].expert_skew = 8;
  all[4].expert_replicas = 2;
  all[5].expert_nodes = 4;
  all[5].expert_gpus = 4;
  all[5].experts = 32;
  all[5].expert_tokens = 2;
  return all;
}

const ExpertView& view_of(const State& state) {
  return deriver().derive(state).experts;
}

State at_end_of(State state, ExpertStage stage) {
  state.at = (last_beat_of(view_of(state).timeline, stage) + 1) * kBeat;
  return state;
}

Figure figure_of(const State& state, float width = 720) {
  return make_figure("expert_layer", {width}, state, deriver(), false);
}

std::string number(std::int64_t value) {
  return std::to_string(value);
}

const Shape* find(const Figure& figure, const std::string& id) {
  const auto found =
      std::find_if(figure.shapes.begin(), figure.shapes.end(), [&](const Shape& s) { return s.id == id; });
  return found == figure.shapes.end() ? nullptr : &*found;
}

std::string cell_of(const Block& table, std::size_t row, std::size_t column) {
  return table.rows.at(row).cells.at(column);
}

// ---- what the figure shows -----------------------------------------------------

TEST(ExpertsFigure, BarsFollowTheScores) {
  const State state = at_end_of(experts_state(), ExpertStage::scores);
  const auto& routing = view_of(state).run.routing;
  const Figure figure = figure_of(state);
  for (int token = 0; token < routing.all_tokens(); ++token)
    for (int a = 0; a < state.experts; ++a)
      for (int b = 0; b < state.experts; ++b) {
        const Shape* first = find(figure, "score." + number(token) + "." + number(a));
        const Shape* second = find(figure, "score." + number(token) + "." + number(b));
        ASSERT_TRUE(first && second);
        const auto score = [&](int e) { return routing.scores[static_cast<std::size_t>(token * state.experts + e)]; };
        EXPECT_EQ(score(a) < score(b), first->box.h < second->box.h - 1e-4F) << token << " " << a << " " << b;
      }
}

TEST(ExpertsFigure, CountsAreThoseOfTheRouting) {
  for (const State& variant : variants()) {
    const State state = at_end_of(variant, ExpertStage::exchange);
    const ExpertView& view = view_of(state);
    std::map<std::pair<int, int>, int> split;  // counted once more, copy by copy
    const int all = experts::ranks_of(view.settings);
    const auto kept = experts::kept_copies(view.settings, view.run.routing);
    for (int token = 0; token < view.run.routing.all_tokens(); ++token)
      for (int choice = 0; choice < state.expert_topk; ++choice) {
        const std::size_t at = view.run.routing.at(token, choice);
        if (kept[at] != 0) ++split[{token / state.expert_tokens, view.run.plan.copies[at].host}];
      }
    const Figure figure = figure_of(state);
    for (int from = 0; from < all; ++from)
      for (int to = 0; to < all; ++to) {
        const Shape* field = find(figure, "split." + number(from) + "." + number(to));
        ASSERT_TRUE(field);
        EXPECT_EQ(field->text, number(split[{from, to}]));
      }
  }
}

// Every kept copy lies at an expert's GPU when the dispatch is over, tinted by its home.
TEST(ExpertsFigure, CopiesArriveAtTheirExperts) {
  for (const State& variant : variants()) {
    const State state = at_end_of(variant, ExpertStage::dispatch);
    const ExpertView& view = view_of(state);
    const Figure figure = figure_of(state);
    std::map<std::string, int> drawn;
    const auto card_bottom = [&](int rank) { return find(figure, "rank." + number(rank))->box.bottom(); };
    for (int rank = 0; rank < experts::ranks_of(view.settings); ++rank) {
      float top = card_bottom(rank);
      for (const Shape& shape : figure.shapes)
        if (shape.id.rfind("expert." + number(rank) + ".", 0) == 0) top = std::min(top, shape.box.y);
      for (const Shape& shape : figure.shapes)
        if (shape.id.rfind("cell." + number(rank) + ".", 0) == 0 && shape.box.y >= top - 1) {
          ++drawn[shape.id];
          EXPECT_EQ(shape.stripes, std::vector<Ink>{origin_ink(std::stoi(shape.text) / state.expert_tokens)});
        }
    }
    std::map<std::string, int> wanted;
    for (const experts::Copy& copy : view.run.plan.copies)
      if (copy.host >= 0) ++wanted["cell." + number(copy.host) + "." + number(copy.token)];
    EXPECT_EQ(drawn, wanted);
  }
}

// The numbers at the end are those of the layer on one rank.
TEST(ExpertsFigure, EndsWithTheOutputOfOneRank) {
  for (const State& variant : variants()) {
    const State state = at_end_of(variant, ExpertStage::finish);
    const ExpertView& view = view_of(state);
    const auto alone = experts::run_on_one_rank(view.settings, view.run.routing, view.run.data);
    std::multiset<std::string> drawn;
    for (const Shape& shape : figure_of(state).shapes)
      if (shape.kind == ShapeKind::text && shape.text.rfind("y (", 0) == 0) drawn.insert(shape.text);
    std::multiset<std::string> wanted;
    for (int token = 0; token < alone.rows; ++token)
      wanted.insert("y (" + number(alone.at(token, 0)) + ", " + number(alone.at(token, 1)) + ")");
    EXPECT_EQ(drawn, wanted);
  }
}

TEST(ExpertsFigure, DroppedCopiesAreCrossed) {
  const State state = at_end_of(variants()[1], ExpertStage::count);
  const ExpertView& view = view_of(state);
  ASSERT_GT(view.counts.dropped, 0);
  int crossed = 0;
  for (const Shape& shape : figure_of(state).shapes) crossed += shape.id.rfind("dropped.", 0) == 0 ? 1 : 0;
  EXPECT_EQ(crossed, view.counts.dropped);
}

TEST(ExpertsFigure, WhatMovesIsBetweenItsEnds) {
  State state = experts_state();
  const Timeline& timeline = view_of(state).timeline;
  for (int beat = 0; beat < static_cast<int>(timeline.beats.size()); ++beat)
    for (int part = 1; part < 4; ++part) {
      state.at = beat * kBeat + kMotion * part / 4;
      const Figure figure = figure_of(state);
      for (const Shape& shape : figure.shapes) {
        if (shape.kind == ShapeKind::path) continue;
        EXPECT_GE(shape.box.x, -0.5F);
        EXPECT_GE(shape.box.y, -3.5F);
        EXPECT_LE(shape.box.right(), figure.width + 0.5F);
        EXPECT_LE(shape.box.bottom(), figure.height + 0.5F);
      }
    }
}

// ---- follow --------------------------------------------------------------------

TEST(ExpertsFigure, TheFollowedTokenIsMarkedAtEveryMoment) {
  for (State state : variants()) {
    state.expert_token = 5;
    const int end = view_of(state).timeline.length();
    for (state.at = 0; state.at <= end; state.at += kBeat / 2)
      EXPECT_TRUE(find(figure_of(state), "follow")) << state.at;
  }
}

TEST(ExpertsPage, ATokenIsFollowedByPressingIt) {
  State state = experts_state();
  EXPECT_EQ(find(figure_of(state), "follow"), nullptr);
  const Figure figure = figure_of(state);
  EXPECT_EQ(figure.targets.size(), 16U);
  for (const Target& target : figure.targets) {
    const auto event = event_of(target.id, false, 0, state, real_library());
    ASSERT_TRUE(event) << target.id;
    const State followed = reduce(state, *event, deriver());
    EXPECT_EQ("expert_token." + number(followed.expert_token), target.id);
    const Page page = make_page(followed, deriver());
    EXPECT_GE(block(page, "journey").items.size(), 8U);
    for (const std::string& line : block(page, "journey").items)
      EXPECT_NE(line.find("oken " + number(followed.expert_token)), std::string::npos) << line;
    const auto again = event_of(target.id, false, 0, followed, real_library());
    EXPECT_EQ(reduce(followed, *again, deriver()).expert_token, -1);
  }
}

// With two hops every copy is told once out and once home, whatever stays within a GPU on the way.
TEST(ExpertsPage, TheWayOfATokenIsToldOnce) {
  const State state = variants()[3];
  const ExpertView& view = view_of(state);
  const Catalog& words = real_library().catalogs[0];
  for (int token = 0; token < view.run.routing.all_tokens(); ++token) {
    const std::string out = expert_token_line(view, words, ExpertStage::dispatch, -1, token);
    const std::string home = expert_token_line(view, words, ExpertStage::combine, -1, token);
    const std::string own = "GPU " + number(token / state.expert_tokens);
    for (const std::string& text : {out, home}) {
      std::set<std::string> parts;
      std::size_t begin = 0;
      while (begin < text.size()) {
        const std::size_t end = std::min(text.find("; ", begin), text.size());
        EXPECT_TRUE(parts.insert(text.substr(begin, end - begin)).second) << text;
        begin = end + 2;
      }
    }
    const std::size_t at_home = home.find("already at home on ");
    if (at_home != std::string::npos) {
      EXPECT_EQ(home.compare(at_home + 19, own.size(), own), 0) << home;
    }
    EXPECT_NE(home.find(own), std::string::npos) << home;
  }
}

// ---- places --------------------------------------------------------------------

bool overlap(Box a, Box b) {
  return a.x < b.right() - 0.5F && b.x < a.right() - 0.5F && a.y < b.bottom() - 0.5F && b.y < a.bottom() - 0.5F;
}

// Cells, chips and texts at rest lie beside each other.
void expect_apart(const Figure& figure, const std::string& where) {
  std::vector<const Shape*> solid;
  for (const Shape& shape : figure.shapes) {
    const bool chip = shape.id.rfind("chip.", 0) == 0 || shape.id.rfind("expert.", 0) == 0;
    if (shape.kind == ShapeKind::cell || chip) solid.push_back(&shape);
  }
  for (std::size_t i = 0; i < solid.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      ASSERT_FALSE(overlap(solid[i]->box, solid[j]->box)) << solid[i]->id << " lies on " << solid[j]->id << where;
}

TEST(ExpertsFigure, FitsAtEveryWidthInBothLanguages) {
  for (State state : variants())
    for (state.lang = 0; state.lang < 2; ++state.lang)
      for (const float width : {288.0F, 358.0F, 720.0F, 1000.0F})
        for (int stage = 0; stage < kExpertStages; ++stage) {
          const State now = at_end_of(state, static_cast<ExpertStage>(stage));
          const Figure figure = figure_of(now, width);
          const std::string where = " stage " + number(stage) + " width " + number(static_cast<int>(width));
          EXPECT_LE(figure.width, width);
          for (const Shape& shape : figure.shapes) {
            if (shape.kind == ShapeKind::path) continue;
            EXPECT_GE(shape.box.x, -0.5F) << shape.text << where;
            EXPECT_GE(shape.box.y, -0.5F) << shape.text << where;
            EXPECT_LE(shape.box.right(), figure.width + 0.5F) << shape.text << where;
            EXPECT_LE(shape.box.bottom(), figure.height + 0.5F) << shape.text << where;
            EXPECT_GE(shape.size, 13) << shape.text;
          }
          expect_apart(figure, where);
        }
}

// ---- controls ------------------------------------------------------------------

void expect_changes_only(const State& before, const Control& control, int value) {
  const State after = reduce(before, *event_of(control.id, true, value, before, real_library()), deriver());
  for (const Field& f : fields()) {
    const bool position = f.id == FieldId::at || f.id == FieldId::playing;
    if (f.name == control.id) {
      EXPECT_EQ(after.*f.member, value) << control.id;
    } else if (!position && f.id != FieldId::expert_token) {
      EXPECT_EQ(after.*f.member, before.*f.member) << control.id << " changes " << f.name;
    }
  }
}

TEST(ExpertsPage, EveryChoiceChangesItsField) {
  const State state = experts_state();
  const Page page = make_page(state, deriver());
  std::set<std::string> seen;
  for (const Block& each : page.blocks)
    for (const Control& control : each.controls) {
      if (control.id.rfind("expert", 0) != 0) continue;
      seen.insert(control.id);
      for (const int value : control.values) expect_changes_only(state, control, value);
      if (control.kind != ControlKind::slider) continue;
      expect_changes_only(state, control, control.min);
      expect_changes_only(state, control, control.max);
    }
  for (const Field& f : fields())
    if (f.name.rfind("expert", 0) == 0) {
      EXPECT_TRUE(seen.count(std::string(f.name))) << f.name << " cannot be chosen";
    }
}

TEST(ExpertsPage, StagesArePlayedAndChosen) {
  State state = experts_state();
  const Page page = make_page(state, deriver());
  const Block& stages = block(page, "stages");
  ASSERT_EQ(stages.controls.size(), static_cast<std::size_t>(kExpertStages));
  for (int index = 0; index < kExpertStages; ++index) {
    const auto event = event_of(stages.controls[static_cast<std::size_t>(index)].id, false, 0, state, real_library());
    ASSERT_TRUE(event);
    const State there = reduce(state, *event, deriver());
    const Page shown = make_page(there, deriver());
    for (int other = 0; other < kExpertStages; ++other)
      EXPECT_EQ(block(shown, "stages").controls[static_cast<std::size_t>(other)].pressed, other == index);
  }
  state = reduce(state, Press{Action::play}, deriver());
  std::set<std::string> sentences;
  for (int beat = 0; beat < 20; ++beat) {
    sentences.insert(make_page(state, deriver()).live);
    state = tick(state, 950, deriver());
  }
  EXPECT_EQ(state.at, view_of(state).timeline.length());
  EXPECT_EQ(state.playing, 0);
  EXPECT_EQ(sentences.size(), view_of(state).timeline.beats.size() + 1);
}

// What cannot be is said, and every other control still works.
TEST(ExpertsPage, SaysWhatDoesNotFit) {
  const auto with = [](auto change) {
    State state = experts_state();
    change(state);
    return state;
  };
  const State unfit[] = {with([](State& s) { s.experts = 6; }),
                         with([](State& s) { s.expert_topk = 8, s.experts = 4; }),
                         with([](State& s) { s.expert_limit = 3; }),
                         with([](State& s) { s.expert_limit = 1, s.expert_topk = 6; }),
                         with([](State& s) { s.expert_merge = 2; }),
                         with([](State& s) { s.expert_nodes = s.expert_gpus = 1; }),
                         with([](State& s) { s.expert_nodes = 8, s.expert_gpus = 8, s.experts = 64; })};
  std::set<std::string> reasons;
  for (State state : unfit)
    for (state.lang = 0; state.lang < 2; ++state.lang) {
      const Page page = make_page(state, deriver());
      EXPECT_EQ(block(page, "problem").text, page.live);
      EXPECT_EQ(page.live.find_first_of("{}"), std::string::npos) << page.live;
      EXPECT_FALSE(block(page, "choices_shape").controls.empty());
      reasons.insert(page.live);
    }
  EXPECT_EQ(reasons.size(), 2 * std::size(unfit));
}

// ---- meters --------------------------------------------------------------------

TEST(ExpertsPage, MetersCountWhatTheSchedulesMove) {
  for (const State& state : variants()) {
    const ExpertView& view = view_of(state);
    const Page page = make_page(state, deriver());
    const Bytes message = message_bytes(view.settings.hidden, view.settings.out);
    Bytes network = 0, nvlink = 0;
    for (const Round& round : view.run.dispatch.schedule.rounds)
      for (const Transfer& transfer : round) {
        if (transfer.local()) continue;
        const bool far = transfer.src.rank / state.expert_gpus != transfer.dst.rank / state.expert_gpus;
        (far ? network : nvlink) += message;
      }
    const Block& table = block(page, "volumes");
    EXPECT_EQ(cell_of(table, 0, 1), text_of_bytes(message));
    EXPECT_EQ(cell_of(table, 1, 1),
              text_of_bytes(message * state.expert_topk * state.expert_tokens * experts::ranks_of(view.settings)));
    EXPECT_EQ(cell_of(table, 4, 1), text_of_bytes(network + nvlink));
    EXPECT_EQ(cell_of(table, 5, 1), text_of_bytes(nvlink));
    EXPECT_EQ(cell_of(table, 6, 1), text_of_bytes(network));
  }
}

TEST(ExpertsPage, BackwardMirrorsForward) {
  for (const State& state : variants()) {
    const Page page = make_page(state, deriver());
    const Block& table = block(page, "exchanges");
    ASSERT_EQ(table.rows.size(), 4U);
    for (const std::size_t link : {2U, 3U}) {
      EXPECT_EQ(cell_of(table, 0, link), cell_of(table, 2, link));
      EXPECT_EQ(cell_of(table, 1, link), cell_of(table, 3, link));
    }
  }
}

// ---- real settings ---------------------------------------------------------------

State chosen_preset(std::string_view id) {
  const State state = experts_state();
  const auto value = parse_value(field(FieldId::preset), id, real_library());
  EXPECT_TRUE(value) << id;
  return reduce(state, Set{FieldId::preset, value.value_or(0)}, deriver());
}

TEST(ExpertPresets, EachIsCountedAtFullSizeAndDrawnSmaller) {
  for (const ExpertPreset& preset : real_library().presets) {
    const State state = chosen_preset(preset.id);
    const ExpertView& view = view_of(state);
    EXPECT_FALSE(view.problem) << preset.id;
    EXPECT_TRUE(view.drawn) << preset.id;
    EXPECT_EQ(view.settings.nodes, preset.drawn.nodes);
    EXPECT_EQ(view.counted.nodes, preset.full.nodes);
    EXPECT_EQ(view.counted.tokens, preset.full.tokens);
    EXPECT_EQ(real_library().models[static_cast<std::size_t>(state.model)].id, preset.model);
    const auto copies = experts::tokens_of_all(preset.full) * preset.full.topk;
    std::int64_t split = 0;
    for (const std::int64_t vectors : view.counted_counts.split.vectors) split += vectors;
    EXPECT_EQ(split, copies) << preset.id;
  }
}

// What is kept of the last count never shows: a reader who came by any way sees what one sees who opens the link.
TEST(ExpertPresets, ACountIsTheSameByWhicheverWayOneComes) {
  Rng random(8);
  Deriver travelled(real_library());
  State state = chosen_preset("deepseek-v3-decode-ep144");
  const FieldId choices[] = {FieldId::expert_path,     FieldId::expert_merge,  FieldId::expert_out,
                             FieldId::expert_capacity, FieldId::expert_skew,   FieldId::expert_replicas,
                             FieldId::model,           FieldId::expert_tokens, FieldId::tp};
  for (int i = 0; i < 40; ++i) {
    const Field& choice = field(choices[random.next() % std::size(choices)]);
    state =
        reduce(state, Set{choice.id, support::between(random, choice.min, max_of(choice, real_library()))}, travelled);
    Deriver fresh(real_library());
    const ExpertView& ours = travelled.derive(state).experts;
    const ExpertView& theirs = fresh.derive(state).experts;
    EXPECT_EQ(ours.counted_counts.taken, theirs.counted_counts.taken);
    EXPECT_EQ(ours.counted_counts.dropped, theirs.counted_counts.dropped);
    EXPECT_EQ(ours.counted_counts.split, theirs.counted_counts.split);
    EXPECT_EQ(ours.counted_counts.legs, theirs.counted_counts.legs);
    EXPECT_EQ(ours.counted_counts.reach, theirs.counted_counts.reach);
  }
}

// 128 MiB per GPU in one direction, as often quoted, for exactly these sizes.
TEST(ExpertPresets, LogicalBytesAreThePublishedOnes) {
  for (const char* id : {"qwen3-30b-a3b", "mixtral-8x7b"}) {
    const ExpertView& view = view_of(chosen_preset(id));
    const Bytes message = message_bytes(view.counted.hidden, view.counted.out);
    EXPECT_EQ(experts::logical_bytes(view.counted, message) / experts::ranks_of(view.counted), Bytes{1} << 27) << id;
  }
  const ExpertView& training = view_of(chosen_preset("deepseek-v3-training"));
  EXPECT_EQ(message_bytes(training.counted.hidden, training.counted.home), 14336);
  for (std::size_t nodes = 5; nodes < training.counted_counts.reach.tokens_by_nodes.size(); ++nodes)
    EXPECT_EQ(training.counted_counts.reach.tokens_by_nodes[nodes], 0) << "at most four nodes per token";
}

// As in arXiv 2505.09343, section 2.3.2, with the bytes that are counted here.
TEST(ExpertPresets, DecodingIsLimitedByItsExchanges) {
  const State state = chosen_preset("deepseek-v3-decode-ep144");
  const ExpertView& view = view_of(state);
  const auto limit = expert_decode_limit(state, view, real_library());
  ASSERT_TRUE(limit);
  const double out = static_cast<double>(message_bytes(7168, view.counted.out)), home = 14336;
  const double vectors = static_cast<double>(view.counted_counts.reach.off_node_copies) / 144;
  const double nic = static_cast<double>(real_library().gpus[static_cast<std::size_t>(state.hardware)].nic.value);
  EXPECT_NEAR(limit->exchange_us, vectors * (out + home) / nic * 1e6, 0.01);
  EXPECT_NEAR(limit->tokens_per_second, 1e6 / (58 * 2 * limit->exchange_us), 0.01) << "58 of 61 layers have experts";
  EXPECT_FALSE(expert_decode_limit(chosen_preset("deepseek-v3-training"),
                                   view_of(chosen_preset("deepseek-v3-training")), real_library()));
  EXPECT_FALSE(expert_decode_limit(experts_state(), view_of(experts_state()), real_library()));
}

// What the overlap saves is never more than it can be.
TEST(ExpertPresets, OverlapLiesBetweenItsBounds) {
  for (const State& state : variants()) {
    const auto overlap = expert_overlap(state, view_of(state), real_library());
    ASSERT_TRUE(overlap);
    EXPECT_LE(overlap->together.total, 2 * overlap->alone.total);
    EXPECT_GE(overlap->together.total, overlap->together.compute);
    EXPECT_GE(overlap->together.total, overlap->together.communication);
    EXPECT_EQ(overlap->together.compute, 2 * overlap->alone.compute);
  }
}

TEST(ExpertPresets, TheOtherChartsFit) {
  for (const State& state : {experts_state(0), experts_state(1), chosen_preset("deepseek-v3-decode-ep320")})
    for (const char* id : {"expert_ways", "expert_overlap"})
      for (const float width : {288.0F, 358.0F, 720.0F, 1000.0F}) {
        const Figure figure = make_figure(id, {width}, state, deriver(), false);
        EXPECT_GT(figure.height, 0);
        EXPECT_LE(figure.width, width);
        for (const Shape& shape : figure.shapes) {
          if (shape.kind == ShapeKind::path) {
            for (const Point point : shape.points) {
              EXPECT_GE(point.x, 0);
              EXPECT_LE(point.x, figure.width);
              EXPECT_LE(point.y, figure.height);
            }
            continue;
          }
          EXPECT_GE(shape.box.x, -0.5F) << id << shape.text;
          EXPECT_LE(shape.box.right(), figure.width + 0.5F) << id << shape.text;
          EXPECT_LE(shape.box.bottom(), figure.height + 0.5F) << id << shape.text;
          if (!shape.text.empty()) {
            EXPECT_LE(text_width(shape.text, shape.size), shape.box.w + 2) << id << " " << shape.text << " " << width;
          }
        }
      }
}

}  // namespace
}  // namespace commflow

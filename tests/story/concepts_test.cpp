// The concepts page: every figure against the engine, every table against its source data.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "core/descent.h"
#include "core/memory.h"
#include "core/partition.h"
#include "core/sequence_split.h"
#include "core/tiny_matrix.h"
#include "core/units.h"
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

State concepts(int lang = 0) {
  State state = initial_state(real_library());
  state.page = static_cast<int>(PageId::concepts);
  state.lang = lang;
  return state;
}

std::vector<std::string> figures(const Page& page) {
  std::vector<std::string> ids;
  for (const Block& each : page.blocks)
    if (each.kind == BlockKind::figure) ids.push_back(each.id);
  return ids;
}

TEST(Examples, EveryPrimitiveMeetsItsDefinition) {
  for (const Example& example : make_examples()) {
    if (example.dimension == Dimension::ep) continue;
    EXPECT_TRUE(
        fulfils(example.collective, example.root, example.history.front(), example.history.back(), Operator::sum))
        << name_of(example.id);
    EXPECT_EQ(example.history.size(), example.schedule.rounds.size() + 1);
    EXPECT_FALSE(validate(example.schedule, example.history.front())) << name_of(example.id);
  }
}

TEST(Examples, ThereIsOneForEachCollective) {
  std::set<Collective> seen;
  for (const Example& example : make_examples())
    if (example.dimension == Dimension::none) seen.insert(example.collective);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kCollectives));
}

// Every token at exactly one expert, with its own value.
TEST(Examples, ExpertsGetEveryTokenOnce) {
  const Example example = make_examples()[static_cast<std::size_t>(ExampleId::ep)];
  const auto values_in = [](const Buffers& buffers, Area area) {
    std::multiset<std::pair<Rank, Value>> found;
    for (Rank rank = 0; rank < buffers.ranks(); ++rank)
      for (int slot = 0; slot < buffers.slots(); ++slot) {
        const Place place{rank, area, slot};
        if (!buffers.filled(place)) continue;
        EXPECT_EQ(buffers.from(place).ranks().size(), 1U);
        found.insert({buffers.from(place).ranks().front(), buffers.values(place).front()});
      }
    return found;
  };
  EXPECT_EQ(values_in(example.history.front(), Area::in), values_in(example.history.back(), Area::out));
  EXPECT_EQ(values_in(example.history.back(), Area::out).size(), 12U);
}

TEST(SplitProduct, BothCutsGiveTheProduct) {
  const SplitProduct split = make_split_product();
  const tiny::Matrix whole = product(split.x, split.w);
  EXPECT_EQ(split.side_by_side, whole);
  EXPECT_EQ(split.added, whole);
  for (const tiny::Matrix& part : split.by_rows) EXPECT_NE(part, whole) << "only a part of each sum";
}

TEST(Descent, ComesNearerByHalfEachTime) {
  const auto steps = descend({}, 5);
  double weight = 1;
  for (const DescentStep& step : steps) {
    EXPECT_EQ(step.weight, weight);
    EXPECT_EQ(step.loss, (2 * weight - 6) * (2 * weight - 6));
    weight = 3 - (3 - weight) / 2;
    EXPECT_EQ(step.updated, weight);
  }
}

TEST(Memory, SixteenBytesPerParameterAndShardsAddUp) {
  for (const Model& model : real_library().models) {
    const ModelState whole = model_state(total_params(model));
    EXPECT_EQ(whole.total(), 16 * total_params(model)) << model.id;
    Layout alone;
    alone.tp = alone.pp = alone.dp = alone.ep = 1;
    EXPECT_EQ(largest_model_state(model, alone, false), whole) << model.id;
    EXPECT_EQ(largest_model_state(model, alone, true), whole) << "one replica has nobody to share with";
  }
}

TEST(Memory, ZeroSharesTheOptimizerOnly) {
  const Model& model = real_library().models[static_cast<std::size_t>(initial_state(real_library()).model)];
  Layout layout;
  layout.tp = 2;
  layout.pp = 1;
  layout.dp = 4;
  layout.ep = 8;
  const ModelState full = largest_model_state(model, layout, false), sharded = largest_model_state(model, layout, true);
  EXPECT_EQ(full.weights, sharded.weights);
  EXPECT_EQ(full.gradients, sharded.gradients);
  const GpuParams params = params_of_gpu(model, layout, 0);
  // Experts exist once at EP 8 of 8 GPUs, so only the rest is shared.
  EXPECT_NEAR(static_cast<double>(full.optimizer - sharded.optimizer),
              12.0 * static_cast<double>(params.total() - params.experts) * 3 / 4, 12);
}

TEST(SequenceSplit, FollowsThePapers) {
  Model plain;
  plain.hidden = 4096;
  plain.heads = plain.kv_heads = 32;
  plain.head_dim = 128;
  // Ring attention, MHA: 2 N h (c - 1) / c numbers; Ulysses: 4 N h (P - 1) / P^2.
  EXPECT_EQ(ring_attention_bytes(plain, 8192, 4), 2 * std::int64_t{8192} * 4096 * 3 / 4 * 2);
  EXPECT_EQ(ulysses_bytes(plain, 8192, 8), 4 * std::int64_t{8192} * 4096 * 7 / 64 * 2);
  Model grouped = plain;
  grouped.kv_heads = 8;
  EXPECT_EQ(ring_attention_bytes(grouped, 8192, 4) * 4, ring_attention_bytes(plain, 8192, 4))
      << "a quarter of the heads";
  EXPECT_EQ(ring_attention_bytes(plain, 8192, 1), 0);
  Model latent = plain;
  latent.kv_lora_rank = 512;
  latent.qk_nope_head_dim = 128;
  latent.qk_rope_head_dim = 64;
  latent.v_head_dim = 128;
  // Queries and keys of 192 numbers, values and outputs of 128 per head; the latent vector only goes round a ring.
  EXPECT_EQ(ulysses_bytes(latent, 8192, 8), std::int64_t{1024} * 32 * (192 + 192 + 128 + 128) * 2 * 7 / 8);
  EXPECT_EQ(ring_attention_bytes(latent, 8192, 4), std::int64_t{8192} * (512 + 64) * 2 * 3 / 4);
}

TEST(Concepts, EveryExampleCanBeChosenAndPlayed) {
  const State start = concepts();
  for (int i = 0; i < kExamples; ++i) {
    const std::string id = "example." + std::string(kExampleNames[static_cast<std::size_t>(i)]);
    const auto event = event_of(id, false, 0, start, real_library());
    ASSERT_TRUE(event) << id;
    State state = reduce(start, *event, deriver());
    EXPECT_EQ(state.example, i);
    EXPECT_EQ(state.at, 0);
    EXPECT_EQ(state.playing, 1) << "pressing a picture asks to see it";
    const Page page = make_page(state, deriver());
    EXPECT_EQ(block(page, "player").region, Region::player);
    const int end = deriver().derive(state).timeline(state).length();
    EXPECT_EQ(end, kBeat * make_examples()[static_cast<std::size_t>(i)].rounds());
    state = tick(state, end, deriver());
    EXPECT_EQ(state.at, end);
    EXPECT_EQ(state.playing, 0);
    EXPECT_NE(make_page(state, deriver()).live, page.live);
    state = reduce(state, Press{Action::forward}, deriver());
    EXPECT_EQ(state.at, end) << "there is no next step here";
    state = reduce(state, Press{Action::toggle_play}, deriver());
    EXPECT_EQ(state.at, 0) << "again";
  }
}

TEST(Concepts, TheWalkStepIsKeptWhileReading) {
  State state = initial_state(real_library());
  state.step = 5;
  state = reduce(state, *event_of("page.concepts", false, 0, state, real_library()), deriver());
  for (const Action action : {Action::next, Action::previous, Action::first, Action::last, Action::back})
    state = reduce(state, Press{action}, deriver());
  EXPECT_EQ(state.step, 5);
  state = reduce(state, *event_of("page.walk", false, 0, state, real_library()), deriver());
  EXPECT_EQ(state.step, 5);
}

// What is drawn is what was executed: at the end every result stands in the picture, and its sum shows its origins.
TEST(Concepts, FiguresShowTheExecutedBuffers) {
  for (int i = 0; i < kExamples; ++i) {
    State state = concepts();
    state.example = i;
    const Example& example = deriver().derive(state).examples[static_cast<std::size_t>(i)];
    state.at = example.rounds() * kBeat;
    const std::string id =
        i < kPrimitiveExamples ? "cards" : "example_" + std::string(kExampleNames[static_cast<std::size_t>(i)]);
    const Figure figure = make_figure(id, {700}, state, deriver(), false);
    std::multiset<std::pair<std::string, std::size_t>> drawn;
    for (const Shape& shape : figure.shapes)
      if (shape.kind == ShapeKind::cell) drawn.insert({shape.text, shape.stripes.size()});
    const Buffers& last = example.history.back();
    for (Rank rank = 0; rank < last.ranks(); ++rank)
      for (int slot = 0; slot < last.slots(); ++slot) {
        const Place place{rank, Area::out, slot};
        if (!last.filled(place)) continue;
        const auto found = drawn.find({std::to_string(last.values(place).front()), last.from(place).ranks().size()});
        ASSERT_NE(found, drawn.end()) << id << " rank " << rank << " slot " << slot;
        drawn.erase(found);
      }
  }
}

TEST(Concepts, FiguresFitAtEveryWidthInBothLanguages) {
  for (const int lang : {0, 1})
    for (const float width : {288.0F, 358.0F, 720.0F, 1000.0F}) {
      State state = concepts(lang);
      const Page page = make_page(state, deriver());
      EXPECT_EQ(figures(page).size(), 10U);
      for (const std::string& id : figures(page))
        for (state.at = 0; state.at <= kBeat; state.at += kBeat / 4) {
          const Figure figure = make_figure(id, {width}, state, deriver(), false);
          EXPECT_GT(figure.height, 0) << id;
          EXPECT_LE(figure.width, width) << id;
          for (const Shape& shape : figure.shapes) {
            if (shape.kind == ShapeKind::path) continue;
            EXPECT_GE(shape.box.x, -6) << id << " " << shape.text;
            EXPECT_LE(shape.box.right(), figure.width + 6) << id << " " << shape.text << " at " << width;
            EXPECT_LE(shape.box.bottom(), figure.height + 6) << id << " " << shape.text;
          }
          const std::string svg = svg_of(figure, Theme::light, "t", "d");
          for (const Shape& shape : figure.shapes)
            if (!shape.text.empty() && shape.text.find_first_of("<>&\"'") == std::string::npos) {
              EXPECT_NE(svg.find(shape.text), std::string::npos) << id << " " << shape.text;
            }
        }
    }
}

TEST(Concepts, EveryCellOfTheNetworkTableIsComputed) {
  const State state = concepts();
  const Page page = make_page(state, deriver());
  const Block& table = block(page, "needs");
  ASSERT_EQ(table.rows.size(), 6U);
  const Derived& derived = deriver().derive(state);
  const StepTraffic traffic = traffic_of_step(derived.work, 0, true, false);
  const TrainingStepCost& cost = deriver().glance(state).gpus.front();
  const Gpu& gpu = real_library().gpus[static_cast<std::size_t>(state.hardware)];
  const std::map<int, Dimension> rows{{0, Dimension::tp}, {1, Dimension::pp}, {2, Dimension::dp}, {3, Dimension::ep}};
  for (const auto& [row, dimension] : rows) {
    LinkShare share = traffic[static_cast<std::size_t>(dimension)];
    const std::string& cell = table.rows[static_cast<std::size_t>(row)].cells[2];
    for (const auto& [bytes, given] : {std::pair{share.nvlink, gpu.nvlink.value}, {share.network, gpu.nic.value}}) {
      if (bytes == 0) continue;
      const std::string needed = text_of_rate(static_cast<double>(bytes) / (cost.compute_us / 1e6));
      EXPECT_NE(cell.find("~" + needed), std::string::npos) << cell << " lacks " << needed;
      EXPECT_NE(cell.find(text_of_rate(static_cast<double>(given))), std::string::npos) << cell;
    }
  }
  EXPECT_EQ(table.rows[4].cells[2], table.rows[0].cells[2]) << "sequence parallelism sends what TP sends";
}

TEST(Concepts, ConclusionsFollowFromTheNumbers) {
  State state = concepts();
  const auto order = [&] {
    const Page page = make_page(state, deriver());
    return block(page, "needs_conclusions").items;
  };
  const auto usual = order();
  EXPECT_NE(usual[0].find("EP"), std::string::npos);
  EXPECT_LT(usual[0].find("EP"), usual[0].find("DP")) << "most first";
  state.micro_batches = 512;
  const auto many = order();
  EXPECT_NE(many[1], usual[1]) << "with many micro-batches PP sends more than DP";
  EXPECT_LT(many[0].find("PP"), many[0].find("DP"));
}

// As the makers quote them: NVLink of all links in both directions, and the network in bits.
TEST(Concepts, UnitsAreThoseOfTheChosenGpu) {
  const std::map<std::string, std::array<const char*, 4>> quoted{
      {"a100-80gb", {"600 GB/s", "300 GB/s", "200 Gb/s", "25 GB/s"}},
      {"h100", {"900 GB/s", "450 GB/s", "400 Gb/s", "50 GB/s"}},
      {"h800", {"400 GB/s", "200 GB/s", "400 Gb/s", "50 GB/s"}},
      {"b200", {"1,800 GB/s", "900 GB/s", "400 Gb/s", "50 GB/s"}}};
  std::size_t seen = 0;
  for (std::size_t gpu = 0; gpu < real_library().gpus.size(); ++gpu) {
    const auto figures = quoted.find(real_library().gpus[gpu].id);
    if (figures == quoted.end()) continue;
    ++seen;
    State state = concepts();
    state.hardware = static_cast<int>(gpu);
    const Page page = make_page(state, deriver());
    const auto& lines = block(page, "needs_conclusions").items;
    for (const char* figure : figures->second)
      EXPECT_TRUE(std::any_of(lines.begin(), lines.end(),
                              [&](const std::string& line) {
                                return line.find(real_library().gpus[gpu].name) != std::string::npos &&
                                       line.find(figure) != std::string::npos;
                              }))
          << figures->first << " " << figure;
  }
  EXPECT_EQ(seen, quoted.size());
}

TEST(Concepts, WithoutAPublishedRateNothingIsClaimedAboutComputing) {
  const Library& library = real_library();
  int without = 0;
  for (std::size_t gpu = 0; gpu < library.gpus.size(); ++gpu) {
    State state = concepts();
    state.hardware = static_cast<int>(gpu);
    const Page page = make_page(state, deriver());
    const auto& lines = block(page, "needs_conclusions").items;
    const std::string within(library.catalogs[0].get(Text::needs_conclusion_within));
    if (library.gpus[gpu].bf16_dense_flops) continue;
    ++without;
    EXPECT_EQ(std::count(lines.begin(), lines.end(), within), 0) << library.gpus[gpu].id;
  }
  EXPECT_GE(without, 1) << "the rate of the H800 is not published";
}

TEST(Concepts, LayerSharesAddUpToAll) {
  for (int model = 0; model < static_cast<int>(real_library().models.size()); ++model) {
    State state = concepts();
    state.model = model;
    const Page page = make_page(state, deriver());
    const Block& table = block(page, "layer");
    double sum = 0;
    for (const Row& row : table.rows) sum += std::stod(row.cells[2]);
    EXPECT_NEAR(sum, 100, 0.5) << real_library().models[static_cast<std::size_t>(model)].id;
  }
}

// Twice one direction, one direction, and what is left of it; a dash where nothing is published.
TEST(ConceptsPage, ReadsTheLinkOfTheChosenGpuInFourWays) {
  State state = initial_state(real_library());
  state.page = static_cast<int>(PageId::concepts);
  int unknown = 0;
  for (state.hardware = 0; state.hardware < std::ssize(real_library().gpus); ++state.hardware) {
    const Gpu& gpu = real_library().gpus[static_cast<std::size_t>(state.hardware)];
    const Page page = make_page(state, deriver());
    const Block& readings = block(page, "readings");
    ASSERT_EQ(readings.rows.size(), 4U) << gpu.id;
    const auto one_way = static_cast<double>(gpu.nvlink.value);
    EXPECT_EQ(readings.rows[0].cells[1], text_of_rate(2 * one_way));
    EXPECT_EQ(readings.rows[0].cells[2], "200 %");
    EXPECT_EQ(readings.rows[1].cells[1], text_of_rate(one_way));
    EXPECT_EQ(readings.rows[2].cells[1],
              text_of_rate(static_cast<double>(gpu.nvlink_links->value * gpu.nvlink_planned->value)));
    if (gpu.nvlink_measured) {
      EXPECT_EQ(readings.rows[3].cells[1], text_of_rate(static_cast<double>(gpu.nvlink_measured->value)));
      EXPECT_EQ(readings.rows[3].cells[3], gpu.nvlink_measured->source);
    }
    unknown += gpu.nvlink_measured ? 0 : 1;
    // The learners' question: 160, 200 and 400 are the same links.
    if (gpu.id == "h800") {
      EXPECT_EQ(readings.rows[0].cells[1], "400 GB/s");
      EXPECT_EQ(readings.rows[1].cells[1], "200 GB/s");
      EXPECT_EQ(readings.rows[3].cells[1], "160 GB/s");
      EXPECT_EQ(readings.rows[3].cells[2], "80 %");
    }
  }
  EXPECT_GT(unknown, 0) << "some GPU has no measurement, and its page says so";
}

}  // namespace
}  // namespace commflow

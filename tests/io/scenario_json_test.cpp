#include "io/scenario_json.h"

#include <gtest/gtest.h>

#include <set>

#include "core/hardware.h"
#include "io/asset.h"
#include "io/files.h"
#include "story/fields.h"
#include "support/schema.h"

namespace commflow {
namespace {

using testing_files::edited;
using testing_files::read_file;

constexpr const char* kFile = "assets/scenarios/training-step.json";

Parsed<Walk> parse_scenario(const std::string& text) {
  return parse_asset(text, "walk.json", read_scenario);
}

const support::Schema& schema() {
  static const support::Schema schema(Json::parse(read_file("assets/scenarios/scenario.schema.json")));
  return schema;
}

Walk shipped() {
  const Parsed<Walk> walk = parse_scenario(read_file(kFile));
  EXPECT_EQ(walk.error, "");
  return walk.value.value_or(Walk{});
}

const WalkStep& step(const Walk& walk, const std::string& id) {
  for (const WalkStep& step : walk.steps)
    if (step.id == id) return step;
  ADD_FAILURE() << id;
  return walk.steps.front();
}

TEST(Scenario, TheShippedOneFollowsItsSchema) {
  EXPECT_EQ(schema().problem(Json::parse(read_file(kFile))), std::nullopt);
}

TEST(Scenario, HasTheTwelveStepsInOrder) {
  const Walk walk = shipped();
  ASSERT_EQ(walk.steps.size(), static_cast<std::size_t>(tiny::kSteps));
  for (int i = 0; i < tiny::kSteps; ++i) {
    const WalkStep& step = walk.steps[static_cast<std::size_t>(i)];
    EXPECT_EQ(step.runs, static_cast<tiny::Step>(i));
    EXPECT_EQ(step.id, tiny::name_of(step.runs));
    EXPECT_FALSE(step.counts.empty()) << step.id;
  }
}

TEST(Scenario, HasTheDefaultsOfTheWalk) {
  const Walk walk = shipped();
  EXPECT_EQ(walk.model, kDefaultModel);
  EXPECT_EQ(walk.hardware, kDefaultGpu);
  EXPECT_EQ(walk.tokens, 8192);
  EXPECT_EQ(walk.micro_batches, 8);
  EXPECT_EQ(walk.gpus_per_node, 2);
  EXPECT_EQ(walk.nics_per_node, 2);
  EXPECT_EQ(walk.seed, 1U);
  EXPECT_EQ(world_size(walk.layout), 8);
  EXPECT_EQ(walk.layout.ep, 4);
  EXPECT_EQ(walk.algorithms, tiny::AlgorithmChoice{});
}

TEST(Scenario, SaysWhoTalksInEachStep) {
  const Walk walk = shipped();
  const auto dims = [&](const char* id) { return step(walk, id).dimensions; };
  EXPECT_EQ(dims("prepare"), (std::vector{Dimension::dp}));
  EXPECT_EQ(dims("gather"), (std::vector{Dimension::tp}));
  EXPECT_EQ(dims("dispatch"), (std::vector{Dimension::ep}));
  EXPECT_EQ(dims("forward"), (std::vector{Dimension::pp}));
  EXPECT_EQ(dims("backward"), (std::vector{Dimension::pp, Dimension::tp, Dimension::ep}));
  EXPECT_EQ(step(walk, "dispatch").primitive, Collective::all_to_all);
  EXPECT_EQ(step(walk, "gradients").primitive, Collective::all_reduce);
}

TEST(Scenario, CountsInEachStepBelongToItsDimensions) {
  for (const WalkStep& step : shipped().steps) {
    std::set<Dimension> talking(step.dimensions.begin(), step.dimensions.end());
    talking.insert(Dimension::expert_dp);  // never drawn as a group of its own
    for (const QuantityId id : step.counts)
      EXPECT_TRUE(talking.count(quantity_row(id).dimension)) << step.id << " " << name_of(id);
  }
}

TEST(Scenario, DenseModelsHaveTheirOwnTextsInStepsFiveToSeven) {
  const Walk walk = shipped();
  for (const WalkStep& step : walk.steps) {
    const bool replaced = step.id == "route" || step.id == "dispatch" || step.id == "combine";
    EXPECT_EQ(step.dense_texts.has_value(), replaced) << step.id;
  }
  EXPECT_EQ(step(walk, "route").dense_texts->title.key, Text::step_dense_up_title);
  EXPECT_EQ(step(walk, "dispatch").dense_texts->what.key, Text::step_dense_mlp_what);
  EXPECT_EQ(step(walk, "combine").dense_texts->label.key, Text::step_dense_down_short);
}

TEST(Scenario, TextsMayBeGivenInBothLanguages) {
  const std::string given =
      R"({"title": {"en": "Now", "zh": "现在"}, "short": "step.route.short", "what": "step.route.what",
    "why": "step.route.why", "analogy": "step.route.analogy", "compute": {"en": "{topk} of {experts}", "zh": "{experts} 取 {topk}"},
    "scope": "step.route.scope"})";
  const std::string text = edited(read_file(kFile), "\"step.route\"", given);
  const Parsed<Walk> walk = parse_scenario(text);
  ASSERT_TRUE(walk.value) << walk.error;
  EXPECT_EQ(schema().problem(Json::parse(text)), std::nullopt);
  const StepTexts& texts = step(*walk.value, "route").texts;
  EXPECT_FALSE(texts.title.key);
  EXPECT_EQ(texts.title.given[0], "Now");
  EXPECT_EQ(texts.title.given[1], "现在");
  EXPECT_EQ(texts.label.key, Text::step_route_short);
}

TEST(Scenario, WhatMayBeLeftOutHasDefaults) {
  std::string text = edited(read_file(kFile), "\"seed\": 1,", "");
  text = edited(text, ", \"order\": \"tp-pp-dp\"", "");
  text = edited(text, "\"broadcast\": \"binomial\",", "");
  const Parsed<Walk> walk = parse_scenario(text);
  ASSERT_TRUE(walk.value) << walk.error;
  EXPECT_EQ(walk.value->seed, 1U);
  EXPECT_EQ(walk.value->algorithms, tiny::AlgorithmChoice{});
}

// A part of the shipped scenario is replaced; the error must name the file, the place, what was found and expected.
struct Broken {
  const char* part;
  const char* replacement;
  const char* place;
  const char* found;
  const char* expected;
  bool schema_sees_it = true;
};

const Broken kBroken[] = {
    {"\"tokens\": 8192", "\"tokens\": \"many\"", "tokens", "\"many\"", "a whole number from 16 to 1048576"},
    {"\"tokens\": 8192", "\"tokens\": 15", "tokens", "15", "a whole number from 16 to 1048576"},
    {"\"tokens\": 8192", "\"tokens\": 8192.5", "tokens", "8192.5", "a whole number"},
    {"\"tokens\": 8192", "\"tokens\": 99999999999999999999", "tokens", "100000000000000000000", "a whole number"},
    {"\"tokens\": 8192", "\"tokens\": 18446744073709551615", "tokens", "18446744073709551615", "a whole number"},
    {"\"tokens\": 8192", "\"tokens\": null", "tokens", "nothing", "a whole number"},
    {"\"tokens\": 8192,", "", "tokens", "nothing", "\"tokens\" must be given"},
    {"\"micro_batches\": 8", "\"micro_batches\": 0", "micro_batches", "0", "from 1 to 512"},
    {"\"gpus_per_node\": 2", "\"gpus_per_node\": 3", "gpus_per_node", "3", "1, 2, 4 or 8"},
    {"\"nics_per_node\": 2", "\"nics_per_node\": 4", "nics_per_node", "4", "from 1 to 2", false},
    {"\"seed\": 1", "\"seed\": -1", "seed", "-1", "from 0 to 9007199254740992"},
    {"\"id\": \"training-step\"", "\"id\": \"Training step\"", "id", "\"Training step\"", "an id of a-z"},
    {"\"model\": \"qwen3-30b-a3b\"", "\"model\": 30", "model", "30", "a text that is not empty"},
    {"{ \"tp\": 2, \"pp\": 2, \"dp\": 2, \"ep\": 4, \"order\": \"tp-pp-dp\" }", "[2, 2, 2, 4]", "layout", "a list of 4",
     "an object"},
    {"\"tp\": 2", "\"tp\": 17", "layout.tp", "17", "from 1 to 16"},
    {"\"tp\": 2", "\"Tp\": 2", "layout.Tp", "2",
     "no such key here; known are \"tp\", \"pp\", \"dp\", \"ep\" or \"order\""},
    {"\"tp\": 2, ", "", "layout.tp", "nothing", "\"tp\" must be given"},
    {"\"ep\": 4", "\"ep\": 3", "layout", "an object", "sizes that fit together", false},
    {"\"tp-pp-dp\"", "\"pp-tp-dp\"", "layout.order", "\"pp-tp-dp\"", "\"tp-pp-dp\" or \"tp-dp-pp\""},
    {"\"all-gather\": \"ring\"", "\"all-gather\": \"binomial\"", "algorithms.all-gather", "\"binomial\"",
     "\"ring\", \"direct\" or \"halving-doubling\""},
    {"\"all-gather\": \"ring\"", "\"all_gather\": \"ring\"", "algorithms.all_gather", "\"ring\"", "no such key here"},
    {"\"algorithms\": {", "\"colour\": \"red\", \"algorithms\": {", "colour", "\"red\"", "no such key here; known are"},
    {"\"id\": \"feed\"", "\"id\": \"prepare\"", "steps[1].id", "\"prepare\"", "no other step has", false},
    {"\"id\": \"feed\"", "\"id\": \"2nd\"", "steps[1].id", "\"2nd\"", "begins with a letter"},
    {"\"runs\": \"gather\"", "\"runs\": \"collect\"", "steps[2].runs", "\"collect\"", "\"prepare\", \"feed\""},
    {"\"dimensions\": [\"ep\"]", "\"dimensions\": [\"xp\"]", "steps[4].dimensions[0]", "\"xp\"",
     "\"tp\", \"pp\", \"dp\" or \"ep\""},
    {"\"dimensions\": [\"ep\"]", "\"dimensions\": []", "steps[4].dimensions", "a list of 0", "a list of 1 to 4"},
    {"\"dimensions\": [\"dp\", \"tp\"]", "\"dimensions\": [\"dp\", \"dp\"]", "steps[1].dimensions[1]", "\"dp\"",
     "each at most once"},
    {"\"primitive\": \"scatter\"", "\"primitive\": \"scater\"", "steps[1].primitive", "\"scater\"",
     "\"broadcast\", \"reduce\""},
    {"\"counts\": [\"sequence_gather\"]", "\"counts\": [\"sequences\"]", "steps[2].counts[0]", "\"sequences\"",
     "\"dense_weights\""},
    {"\"counts\": [\"sequence_gather\"]", "\"counts\": \"sequence_gather\"", "steps[2].counts", "\"sequence_gather\"",
     "a list of 0 to 35"},
    {"\"texts\": \"step.gather\"", "\"texts\": \"step.gathering\"", "steps[2].texts", "\"step.gathering\"",
     "a key of locales/en.json", false},
    {"\"texts\": \"step.gather\"", "\"texts\": {\"title\": \"step.gather.title\"}", "steps[2].texts.short", "nothing",
     "\"short\" must be given"},
    {"\"texts\": \"step.gather\"", "\"texts\": 3", "steps[2].texts", "3", "a text that is not empty"},
    {"\"dense\": { \"texts\"", "\"dense\": { \"text\": 1, \"texts\"", "steps[4].dense.text", "1", "no such key here"},
    {"\"counts\": [\"mlp_gather\"]", "\"counts\": []", "steps[4].dense.counts", "a list of 0", "a list of 1 to 35"},
    {"\"notes\": [\"note.feed\"]", "\"notes\": \"note.feed\"", "steps[1].notes", "\"note.feed\"", "a list of 0 to 16"},
    {"\"note.feed\"", "\"note.fed\"", "steps[1].notes[0]", "\"note.fed\"", "a key of locales/en.json", false},
    {"\"note.feed\"", "{\"en\": \"Only English\"}", "steps[1].notes[0].zh", "nothing", "\"zh\" must be given"},
    {"\"note.feed\"", "{\"en\": \"A\", \"zh\": \"\"}", "steps[1].notes[0].zh", "\"\"", "a text that is not empty"},
    {"\"note.feed\"", "{\"en\": \"A\", \"zh\": \"B\", \"fr\": \"C\"}", "steps[1].notes[0].fr", "\"C\"",
     "no such key here"},
    {"\"note.feed\"", "{\"en\": \"{gpus} GPUs\", \"zh\": \"B\"}", "steps[1].notes[0].en", "\"{gpus} GPUs\"",
     "no placeholders but", false},
};

class BrokenScenario : public testing::TestWithParam<Broken> {};

TEST_P(BrokenScenario, SaysWhereAndWhatWasExpected) {
  const Broken& broken = GetParam();
  const std::string text = edited(read_file(kFile), broken.part, broken.replacement);
  const Parsed<Walk> walk = parse_scenario(text);
  EXPECT_FALSE(walk.value);
  const std::string start = std::string("walk.json: at ") + broken.place + ": found " + broken.found + ", expected ";
  EXPECT_EQ(walk.error.substr(0, start.size()), start) << walk.error;
  EXPECT_NE(walk.error.find(broken.expected, start.size()), std::string::npos) << walk.error;
  EXPECT_EQ(schema().problem(Json::parse(text)).has_value(), broken.schema_sees_it);
}
void PrintTo(const Broken& broken, std::ostream* out) {
  *out << broken.replacement;
}
INSTANTIATE_TEST_SUITE_P(All, BrokenScenario, testing::ValuesIn(kBroken));

TEST(Scenario, NeedsSteps) {
  const std::string text = read_file(kFile);
  const std::string before = text.substr(0, text.find("\"steps\""));
  for (const char* steps : {"12", "[]", "{}", "null"}) {
    const Parsed<Walk> walk = parse_scenario(before + "\"steps\": " + steps + "}");
    EXPECT_EQ(walk.error.find("walk.json: at steps: found "), 0U) << walk.error;
    EXPECT_NE(walk.error.find("expected a list of 1 to 64"), std::string::npos) << walk.error;
  }
}

TEST(Scenario, ThatIsNoJsonSaysTheLine) {
  const std::string text = edited(read_file(kFile), "\"tokens\": 8192,", "\"tokens\": 8192");
  EXPECT_EQ(parse_scenario(text).error.substr(0, 36), "walk.json: parse error at line 7, co");
  EXPECT_EQ(parse_scenario("").value.has_value(), false);
  EXPECT_NE(parse_scenario("{\"id\": 1, \"id\": 2}").error.find("\"id\" stands twice"), std::string::npos);
  EXPECT_NE(parse_scenario("[]").error.find("walk.json: at the whole file: found a list of 0, expected an object"),
            std::string::npos);
}

// Every piece of the shipped text cut short, and every byte of it spoilt: an answer, never a crash.
TEST(Scenario, RubbishIsAnswered) {
  const std::string text = read_file(kFile);
  for (std::size_t size = 0; size + 3 < text.size(); size += 7)
    EXPECT_FALSE(parse_scenario(text.substr(0, size)).value);
  for (std::size_t at = 0; at < text.size(); at += 3) {
    std::string spoilt = text;
    spoilt[at] = static_cast<char>(spoilt[at] ^ 0x15);
    const Parsed<Walk> walk = parse_scenario(spoilt);
    EXPECT_NE(walk.value.has_value(), !walk.error.empty());
  }
}

// What the schema lists is what the program knows.
template <class Enum>
std::set<std::string> names(int count) {
  std::set<std::string> names;
  for (int i = 0; i < count; ++i) names.insert(std::string(name_of(static_cast<Enum>(i))));
  return names;
}

TEST(ScenarioSchema, ListsWhatTheProgramKnows) {
  const Json json = Json::parse(read_file("assets/scenarios/scenario.schema.json"));
  const auto listed = [&](const char* pointer) {
    return json.at(Json::json_pointer(pointer)).get<std::set<std::string>>();
  };
  EXPECT_EQ(listed("/$defs/step/properties/runs/enum"), names<tiny::Step>(tiny::kSteps));
  EXPECT_EQ(listed("/$defs/step/properties/primitive/enum"), names<Collective>(kCollectives));
  EXPECT_EQ(listed("/$defs/counts/items/enum"), names<QuantityId>(kQuantities));
  for (const auto& [name, rule] : json["$defs"]["algorithms"]["properties"].items()) {
    std::set<std::string> known;
    for (const AlgorithmRow& row : algorithms())
      if (name_of(row.collective) == name && tiny::offers(row.collective, row.id))
        known.insert(std::string(name_of(row.id)));
    EXPECT_EQ(rule.at("enum").get<std::set<std::string>>(), known) << name;
  }
}

TEST(ScenarioSchema, HasTheBoundsOfTheFields) {
  const Json json = Json::parse(read_file("assets/scenarios/scenario.schema.json"));
  for (const char* name : {"tokens", "micro_batches", "nics_per_node"}) {
    EXPECT_EQ(json["properties"][name]["minimum"], field_named(name)->min);
    EXPECT_EQ(json["properties"][name]["maximum"], field_named(name)->max);
  }
  for (const char* name : {"tp", "pp", "dp", "ep"}) {
    EXPECT_EQ(json["$defs"]["size"]["minimum"], field_named(name)->min);
    EXPECT_EQ(json["$defs"]["size"]["maximum"], field_named(name)->max);
  }
}

}  // namespace
}  // namespace commflow

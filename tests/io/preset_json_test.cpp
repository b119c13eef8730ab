#include "io/preset_json.h"

#include <gtest/gtest.h>

#include "io/files.h"
#include "story/fields.h"
#include "support/library.h"

namespace commflow {
namespace {

Json training() {
  return Json::parse(testing_files::read_file("assets/presets/deepseek-v3-training.json"));
}

std::string error_of(const Json& json) {
  const Parsed<ExpertPreset> parsed = parse_preset(json.dump(), "p.json");
  EXPECT_EQ(parsed.value.has_value(), parsed.error.empty());
  return parsed.error;
}

TEST(Presets, TheRealOnesAreRead) {
  EXPECT_EQ(support::real_library().presets.size(), 6U);
  const Parsed<ExpertPreset> parsed = parse_preset(training().dump(), "p.json");
  ASSERT_TRUE(parsed.value) << parsed.error;
  EXPECT_EQ(parsed.value->model, "deepseek-v3");
  EXPECT_EQ(experts::ranks_of(parsed.value->full), 64);
  EXPECT_EQ(parsed.value->full.topk_nodes, 4);
  EXPECT_EQ(parsed.value->full.dedup, experts::Dedup::per_node);
  EXPECT_EQ(parsed.value->full.path, experts::Path::two_hop);
  EXPECT_EQ(parsed.value->out, static_cast<int>(ExpertFormat::fp8));
  EXPECT_TRUE(experts::executable(parsed.value->drawn));
}

// Each error names the file, the place, what was found and what was expected.
TEST(Presets, ErrorsNameFileAndPath) {
  const auto spoilt = [](auto change) {
    Json json = training();
    change(json);
    return error_of(json);
  };
  const auto expect_words = [](const std::string& error, std::initializer_list<const char*> words) {
    EXPECT_EQ(error.rfind("p.json: ", 0), 0U) << error;
    for (const char* word : words) EXPECT_NE(error.find(word), std::string::npos) << error << " lacks " << word;
  };
  expect_words(spoilt([](Json& j) { j["nodes"] = 0; }), {"nodes", "0"});
  expect_words(spoilt([](Json& j) { j["experts"] = 250; }), {"250", "64"});
  expect_words(spoilt([](Json& j) { j["merge"] = "all"; }), {"merge", "all", "none", "rank", "node"});
  expect_words(spoilt([](Json& j) { j["path"] = "one-hop"; }), {"two hops"});
  expect_words(spoilt([](Json& j) { j.erase("drawn"); }), {"drawn"});
  expect_words(spoilt([](Json& j) { j["drawn"]["experts"] = 128; }), {"drawn.experts", "128", "64"});
  expect_words(spoilt([](Json& j) { j["drawn"]["nodes"] = 16; }), {"drawn", "16 GPUs"});
  expect_words(spoilt([](Json& j) { j["drawn"]["tokens"] = 4096; }), {"drawn.tokens", "4096"});
  expect_words(spoilt([](Json& j) { j["name"].erase("zh"); }), {"name", "zh"});
  expect_words(spoilt([](Json& j) { j["nonsense"] = 1; }), {"nonsense"});
}

}  // namespace
}  // namespace commflow

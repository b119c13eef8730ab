#include "io/library_json.h"

#include <gtest/gtest.h>

#include "io/folder.h"
#include "io/locale_json.h"
#include "story/fields.h"
#include "support/library.h"

namespace commflow {
namespace {

using support::real_library;

// What data.en.json is, to be spoilt by a test.
Json data() {
  return *pack_folder(COMMFLOW_SOURCE_DIR, "en").value;
}

std::string error_of(const Json& spoilt) {
  Library library = real_library();
  const std::string error = read_data(spoilt, Lang::en, library);
  EXPECT_EQ(library.walk.steps.size(), real_library().walk.steps.size());  // an error changes nothing
  EXPECT_EQ(library.models.size(), real_library().models.size());
  return error;
}

TEST(Library, HoldsTheRealFiles) {
  const Library& library = real_library();
  EXPECT_EQ(library.walk.id, "training-step");
  EXPECT_EQ(library.models.size(), 8U);
  EXPECT_GE(library.gpus.size(), 5U);
  EXPECT_TRUE(
      std::is_sorted(library.models.begin(), library.models.end(), [](auto& a, auto& b) { return a.id < b.id; }));
  EXPECT_EQ(library.catalogs[0].get(Text::step_dispatch_short), "Dispatch");
  EXPECT_NE(library.catalogs[1].get(Text::step_dispatch_title), library.catalogs[0].get(Text::step_dispatch_title));
}

TEST(Library, TheFirstStateIsTheScenarios) {
  const Library& library = real_library();
  const State state = initial_state(library);
  EXPECT_EQ(library.models[static_cast<std::size_t>(state.model)].id, "qwen3-30b-a3b");
  EXPECT_EQ(library.gpus[static_cast<std::size_t>(state.hardware)].id, "h200");
  EXPECT_EQ(state.tokens, 8192);
}

TEST(Library, AMissingPartIsNamed) {
  for (const char* part : {"locale", "scenarios", "models", "hardware", "presets"}) {
    Json spoilt = data();
    spoilt.erase(part);
    EXPECT_EQ(error_of(spoilt), "data.en.json: at " + std::string(part) + ": found nothing, expected a value: \"" +
                                    part + "\" must be given");
  }
  EXPECT_NE(error_of(Json::array()).find("data.en.json: at the whole file"), std::string::npos);
  EXPECT_NE(error_of(nullptr), "");
}

TEST(Library, AnEmptyFolderIsNamed) {
  for (const char* part : {"models", "hardware"}) {
    Json spoilt = data();
    spoilt[part] = Json::object();
    EXPECT_NE(error_of(spoilt).find("at least one file in assets/" + std::string(part)), std::string::npos)
        << error_of(spoilt);
  }
}

TEST(Library, AnErrorNamesItsFile) {
  Json spoilt = data();
  spoilt["scenarios"]["training-step"]["steps"][3]["counts"][0] = "nonsense";
  EXPECT_EQ(error_of(spoilt).find("assets/scenarios/training-step.json: at steps[3].counts[0]: found \"nonsense\""), 0U)
      << error_of(spoilt);
  spoilt = data();
  spoilt["models"]["mixtral-8x7b"]["config"]["hidden_size"] = 0;
  EXPECT_EQ(error_of(spoilt).find("assets/models/mixtral-8x7b.json: at config.hidden_size: found 0"), 0U)
      << error_of(spoilt);
  spoilt = data();
  spoilt["hardware"]["h100"]["id"] = "h101";
  EXPECT_EQ(error_of(spoilt),
            "assets/hardware/h100.json: at id: found \"h101\", expected \"h100\", the name of the file");
}

TEST(Library, AScenarioNamesAModelThatIsThere) {
  Json spoilt = data();
  spoilt["scenarios"]["training-step"]["model"] = "gpt-9";
  EXPECT_EQ(error_of(spoilt).find("assets/scenarios/training-step.json: at model: found \"gpt-9\", expected \""), 0U)
      << error_of(spoilt);
  spoilt = data();
  spoilt["scenarios"]["training-step"]["hardware"] = "abacus";
  EXPECT_NE(error_of(spoilt).find("at hardware: found \"abacus\""), std::string::npos);
  spoilt["scenarios"] = Json::object();
  EXPECT_NE(error_of(spoilt), "");
}

TEST(Locale, AKeyThatIsMissingIsNamed) {
  Json spoilt = data();
  spoilt["locale"].erase("step.route.title");
  EXPECT_EQ(
      error_of(spoilt),
      "locales/en.json: at step.route.title: found nothing, expected a value: \"step.route.title\" must be given");
}

TEST(Locale, ATextIsATextWithItsPlaceholders) {
  const std::pair<Json, const char*> kCases[] = {
      {7, "a text that is not empty"},
      {"", "a text that is not empty"},
      {nullptr, "a text that is not empty"},
      {Json::array({"Step"}), "a text that is not empty"},
      {"Step {k}", "exactly the placeholders k n"},
      {"Step {k} / {n} of {m}", "exactly the placeholders k n"},
  };
  for (const auto& [value, expected] : kCases) {
    Json spoilt = data();
    spoilt["locale"]["page.step_of"] = value;
    EXPECT_EQ(error_of(spoilt).find("locales/en.json: at page.step_of: found "), 0U) << error_of(spoilt);
    EXPECT_NE(error_of(spoilt).find(expected), std::string::npos) << error_of(spoilt);
  }
}

TEST(Locale, AKeyOfALaterVersionIsOfNoConcern) {
  Json later = data();
  later["locale"]["step.hover.title"] = "Hover";
  EXPECT_EQ(error_of(later), "");
}

TEST(Locale, BothLanguagesHaveTheSameKeysAndPlaceholders) {
  const Json en = pack_folder(COMMFLOW_SOURCE_DIR, "en").value->at("locale");
  const Json zh = pack_folder(COMMFLOW_SOURCE_DIR, "zh").value->at("locale");
  ASSERT_EQ(en.size(), zh.size());
  ASSERT_EQ(en.size(), std::size(text_names));
  for (const auto& [key, text] : en.items()) {
    ASSERT_TRUE(zh.contains(key)) << key;
    EXPECT_EQ(placeholders_of(text.get<std::string>()), placeholders_of(zh[key].get<std::string>())) << key;
  }
}

TEST(Folder, ErrorsNameTheFile) {
  EXPECT_NE(pack_folder(COMMFLOW_SOURCE_DIR, "xx").error.find("locales/xx.json: cannot be read"), std::string::npos);
  EXPECT_NE(pack_folder("/nowhere", "en").error, "");
  EXPECT_EQ(find_data({"", "/nowhere", COMMFLOW_SOURCE_DIR}), COMMFLOW_SOURCE_DIR);
  EXPECT_EQ(find_data({"/nowhere"}), "");
  EXPECT_EQ(folder_stamp(COMMFLOW_SOURCE_DIR), folder_stamp(COMMFLOW_SOURCE_DIR));
}

}  // namespace
}  // namespace commflow

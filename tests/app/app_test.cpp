#include "app.h"

#include <gtest/gtest.h>

#include "io/folder.h"
#include "support/library.h"

namespace commflow {
namespace {

Parsed<Json> data(const char* lang) {
  return pack_folder(COMMFLOW_SOURCE_DIR, lang);
}

// Frames of an app that has English, as the platform would run them.
struct Bench {
  App app;
  double now = 1000;
  std::vector<News> news;

  Bench() {
    app.load(Lang::en, data("en"));
    frame();
  }
  void frame(double ms = 16) {
    now += ms;
    app.advance(now);
    app.page();
    app.figure("scene", {800});
    app.shown({{"scene", {0, 0, 800, 400}}}, 800, 1200);
    news = app.take_news();
  }
  void hear(const std::string& message) {
    app.hear(message);
    frame();
  }
  std::vector<Json> told(const std::string& topic) const {
    std::vector<Json> found;
    for (const News& item : news)
      if (item.topic == topic) found.push_back(parse_json(item.json, topic).value.value());
    return found;
  }
};

// Quarter milliseconds.
int position_in(const std::string& hash) {
  const std::size_t at = hash.find("&at=");
  return at == std::string::npos ? 0 : std::stoi(hash.substr(at + 4));
}

// What is wrong stays to be seen until something else takes its place.
TEST(App, WhatCannotBeTakenStaysOnThePageUntilItIsMended) {
  Bench bench;
  bench.hear(R"({"type":"open","state":"#page=collectives&panel=typed"})");
  const auto is_told = [&] {
    const auto& blocks = bench.app.page().blocks;
    return std::any_of(blocks.begin(), blocks.end(), [](const Block& b) { return b.id == "values_wrong"; });
  };
  const std::string good = R"({"type":"set","id":"values","value":"1;2"})",
                    bad = R"({"type":"set","id":"values","value":"1;z"})";
  bench.hear(bad);
  ASSERT_EQ(bench.told("note").size(), 1U);
  EXPECT_EQ(bench.told("note")[0]["text"],
            "message: values: line 1, column 1: found \"z\", expected a whole number from -99 to 99");
  EXPECT_TRUE(is_told());
  bench.hear(R"({"type":"set","id":"ranks","value":8})");
  EXPECT_TRUE(is_told());
  bench.hear(good);
  EXPECT_FALSE(is_told());
  bench.hear(bad);
  bench.hear(R"({"type":"press","id":"clear.values"})");
  EXPECT_FALSE(is_told());
  bench.hear(bad);
  bench.hear(R"({"type":"press","id":"page.walk"})");
  bench.hear(R"({"type":"press","id":"page.collectives"})");
  EXPECT_FALSE(is_told());
  bench.hear(R"({"type":"set","id":"values","value":8})");
  EXPECT_NE(bench.told("state").back()["hash"].get<std::string>().find("values=8"), std::string::npos)
      << "a single number is as good as its text";
  bench.hear(R"({"type":"set","id":"values","value":")" + std::string(100000, '9') + "\"}");
  EXPECT_TRUE(is_told());
  EXPECT_LT(bench.told("page").back().dump().size(), 100000U) << "what is far too long is not kept";
  bench.app.take(std::vector<ControlEvent>{{"values", true, 0, "7;x"}});
  bench.frame();
  EXPECT_TRUE(is_told());
  bench.hear(R"({"type":"set","id":"values","value":true})");
  EXPECT_EQ(bench.told("note").size(), 1U);
}

TEST(App, TellsFieldsPageAndStateAtTheStart) {
  const Bench bench;
  ASSERT_EQ(bench.told("ready").size(), 1U);
  EXPECT_EQ(bench.told("ready")[0]["fields"].size(), static_cast<std::size_t>(kFields));
  ASSERT_EQ(bench.told("page").size(), 1U);
  EXPECT_EQ(bench.told("page")[0]["lang"], "en");
  ASSERT_EQ(bench.told("state").size(), 1U);
  EXPECT_EQ(bench.told("state")[0],
            Json::parse(R"({"hash": "#v=1&page=walk&step=prepare&lang=en", "source": "system", "settled": true,
                                                    "page_changed": false, "step": "prepare"})"));
}

TEST(App, SaysNothingWhenNothingChanges) {
  Bench bench;
  for (int i = 0; i < 5; ++i) {
    bench.frame();
    EXPECT_TRUE(bench.news.empty());
    EXPECT_FALSE(bench.app.is_busy());
  }
}

TEST(App, ADeepLinkOpensAndIsNotANewPlaceForTheBackButton) {
  Bench bench;
  bench.hear(R"({"type": "open", "state": "#v=1&step=dispatch&ep=2", "source": "url"})");
  ASSERT_EQ(bench.told("state").size(), 1U);
  EXPECT_EQ(bench.told("state")[0]["step"], "dispatch");
  EXPECT_EQ(bench.told("state")[0]["source"], "url");
  EXPECT_EQ(bench.told("page").size(), 1U);
}

TEST(App, AnotherStepIsAnotherPlaceAChoiceIsNot) {
  Bench bench;
  bench.hear(R"({"type": "press", "id": "step.combine", "source": "user"})");
  EXPECT_EQ(bench.told("state")[0]["page_changed"], true);
  bench.frame(1000);
  bench.hear(R"({"type": "set", "id": "ep", "value": 2, "source": "user"})");
  ASSERT_EQ(bench.told("state").size(), 1U);
  EXPECT_EQ(bench.told("state")[0]["page_changed"], false);
}

TEST(App, PlayingMovesThePictureNotTheAddress) {
  Bench bench;
  bench.hear(R"({"type": "open", "state": "#v=1&step=dispatch"})");
  bench.hear(R"({"type": "press", "id": "play", "source": "user"})");
  EXPECT_TRUE(bench.app.is_busy());
  int pages = 0, frames = 0;
  for (; bench.app.is_busy() && frames < 10000; ++frames) {
    bench.frame();
    pages += static_cast<int>(bench.told("page").size());
    EXPECT_TRUE(!bench.app.is_busy() || bench.told("state").empty());
  }
  EXPECT_GT(frames, 100);
  EXPECT_LT(frames, 10000);
  EXPECT_LT(pages, frames / 10);  // one per round
  ASSERT_EQ(bench.told("state").size(), 1U);
  EXPECT_EQ(bench.told("state")[0]["settled"], true);
  EXPECT_NE(bench.told("state")[0]["hash"].get<std::string>().find("&at="), std::string::npos);
}

TEST(App, TimeBeforePlayingDoesNotCount) {
  Bench bench;
  bench.frame(100000);
  bench.hear(R"({"type": "press", "id": "play"})");
  bench.frame(0);
  bench.hear(R"({"type": "press", "id": "pause"})");
  // No news: it is where it was told to be, at the start.
  for (const Json& state : bench.told("state")) EXPECT_LT(position_in(state["hash"]), 4 * 40);
  bench.hear(R"({"type": "press", "id": "play"})");
  bench.frame(100);
  bench.hear(R"({"type": "press", "id": "pause"})");
  bench.frame(300);  // news of the state keep their distance
  bench.hear(R"({"type": "press", "id": "back"})");
  EXPECT_FALSE(bench.app.is_busy());
}

TEST(App, FractionsOfAMillisecondAddUp) {
  Bench even, odd;
  for (Bench* bench : {&even, &odd}) bench->app.hear(R"({"type": "press", "id": "play"})");
  even.frame(0);
  odd.frame(0);
  for (int i = 0; i < 50; ++i) even.frame(16);  // less than one round
  for (int i = 0; i < 1600; ++i) odd.frame(0.5);
  even.hear(R"({"type": "press", "id": "pause"})");
  odd.hear(R"({"type": "press", "id": "pause"})");
  ASSERT_EQ(even.told("state").size(), 1U);
  ASSERT_EQ(odd.told("state").size(), 1U);
  EXPECT_EQ(even.told("state")[0]["hash"], odd.told("state")[0]["hash"]);
}

TEST(App, ADragTellsTheAddressNowAndThenAndAtItsEnd) {
  Bench bench;
  bench.hear(R"({"type": "press", "id": "step.dispatch", "source": "user"})");
  int told = 0;
  std::string last;
  for (int i = 1; i <= 60; ++i) {
    bench.hear(R"({"type": "set", "id": "at", "value": )" + std::to_string(i * 100) + R"(, "source": "user"})");
    for (const Json& state : bench.told("state")) last = state["hash"], ++told;
  }
  EXPECT_LE(told, 5);
  for (int i = 0; i < 60 && bench.app.is_busy(); ++i) {
    bench.frame();
    for (const Json& state : bench.told("state")) last = state["hash"];
  }
  EXPECT_FALSE(bench.app.is_busy());
  EXPECT_NE(last.find("&at=6000"), std::string::npos) << last;
}

TEST(App, ALanguageThatIsNotThereIsAskedForAndTheOldOneStays) {
  Bench bench;
  bench.hear(R"({"type": "set", "id": "lang", "value": "zh", "source": "user"})");
  ASSERT_EQ(bench.told("asset").size(), 1U);
  EXPECT_EQ(bench.told("asset")[0]["name"], "data.zh.json");
  EXPECT_EQ(bench.app.wanted_language(), Lang::zh);
  EXPECT_EQ(bench.app.page().lang, "en");
  bench.hear(R"({"type": "press", "id": "step.dispatch", "source": "user"})");
  EXPECT_EQ(bench.app.wanted_language(), Lang::zh);
  bench.app.load(Lang::zh, data("zh"));
  bench.frame(1000);
  EXPECT_EQ(bench.app.wanted_language(), std::nullopt);
  ASSERT_EQ(bench.told("page").size(), 1U);
  EXPECT_EQ(bench.told("page")[0]["lang"], "zh");
  EXPECT_EQ(bench.told("state")[0]["step"], "dispatch");  // the state is kept
}

TEST(App, TheEnvironmentSaysThemeMotionAndLanguage) {
  Bench bench;
  bench.hear(R"({"type": "environment", "theme": "dark", "motion": "reduced"})");
  EXPECT_TRUE(bench.app.is_dark());
  EXPECT_TRUE(bench.app.reduces_motion());
  EXPECT_EQ(bench.told("page")[0]["theme"], "dark");
  bench.hear(R"({"type": "set", "id": "theme", "value": "light"})");
  bench.hear(R"({"type": "set", "id": "motion", "value": "full"})");
  EXPECT_FALSE(bench.app.is_dark());
  EXPECT_FALSE(bench.app.reduces_motion());
  bench.hear(R"({"type": "environment", "lang": "zh"})");
  EXPECT_EQ(bench.app.wanted_language(), Lang::zh);
}

TEST(App, RubbishIsNotedAndChangesNothing) {
  Bench bench;
  for (const char* rubbish :
       {"", "{", "[]", R"({"type": "set", "id": "ep", "value": 99})", R"({"type": "press", "id": "boom"})"}) {
    bench.hear(rubbish);
    EXPECT_EQ(bench.told("note").size(), 1U) << rubbish;
    EXPECT_EQ(bench.news.size(), 1U) << rubbish;
  }
}

TEST(App, PressesOfTheWindowTakeEffect) {
  Bench bench;
  bench.app.take({{"step.dispatch", false, 0}, {"ep", true, 2}, {"boom", false, 0}, {"gpu.3", false, 0}});
  bench.frame();
  const std::string hash = bench.told("state")[0]["hash"];
  EXPECT_EQ(hash, "#v=1&page=walk&step=dispatch&lang=en&ep=2&gpu=3");
  EXPECT_EQ(bench.told("state")[0]["source"], "user");
}

TEST(App, ThePageNamesTheTargetsOfItsFigure) {
  Bench bench;
  const Json page = bench.told("page")[0];
  std::size_t targets = 0;
  for (const Json& block : page["blocks"])
    if (block["kind"] == "figure") targets += block["targets"].size();
  EXPECT_EQ(targets, 8U);
}

TEST(App, WithoutDataItStillHasAPage) {
  App app;
  app.hear(R"({"type": "press", "id": "play"})");
  app.advance(1);
  EXPECT_FALSE(app.page().title.empty());
  app.load(Lang::en, {std::nullopt, "data.en.json: parse error at line 1"});
  app.advance(2);
  EXPECT_NE(app.page().blocks.back().text.find("parse error"), std::string::npos);
  EXPECT_EQ(app.figure("scene", {800}).shapes.size(), 0U);
  app.shown({}, 800, 600);
  bool has_error = false;
  for (const News& news : app.take_news()) has_error |= news.topic == "error";
  EXPECT_TRUE(has_error);
  app.load(Lang::zh, data("zh"));  // the other language is whole
  app.advance(3);
  EXPECT_EQ(app.page().lang, "zh");
  EXPECT_GT(app.page().blocks.size(), 5U);
}

TEST(App, ABrokenScenarioIsShownInTheReadersLanguage) {
  Parsed<Json> broken = data("zh");
  (*broken.value)["scenarios"]["training-step"]["tokens"] = 3;
  App app;
  app.load(Lang::zh, broken);
  EXPECT_EQ(app.page().lang, "zh");
  EXPECT_EQ(app.page().title, support::real_library().catalogs[1].get(Text::error_title));
  EXPECT_NE(app.page().blocks.back().text.find("assets/scenarios/training-step.json: at tokens: found 3"),
            std::string::npos);
}

// Somebody saves a file with a mistake in it while the program runs, then a good one.
TEST(App, ABadReloadKeepsWhatWasThere) {
  Bench bench;
  bench.hear(R"({"type": "press", "id": "step.dispatch"})");
  Parsed<Json> edited = data("en");
  (*edited.value)["locale"]["step.dispatch.title"] = 5;
  bench.app.load(Lang::en, edited);
  bench.frame();
  ASSERT_EQ(bench.told("error").size(), 1U);
  EXPECT_NE(bench.told("error")[0]["text"].get<std::string>().find("locales/en.json: at step.dispatch.title"),
            std::string::npos);
  EXPECT_FALSE(bench.app.page().blocks.empty());
  (*edited.value)["locale"]["step.dispatch.title"] = "Off they go";
  bench.app.load(Lang::en, edited);
  bench.frame();
  EXPECT_NE(bench.app.page().title.find("Off they go"), std::string::npos);
}

TEST(App, HandsOutALinkAndPicturesOfTheMoment) {
  Bench bench;
  bench.hear(R"({"type": "open", "state": "#step=dispatch"})");
  bench.hear(R"({"type": "press", "id": "copy_link", "source": "user"})");
  ASSERT_EQ(bench.told("link").size(), 1U);
  EXPECT_EQ(bench.told("link")[0]["hash"], "#v=1&page=walk&step=dispatch&lang=en");
  EXPECT_TRUE(bench.told("state").empty()) << "nothing has changed";
  for (const char* use : {"copy", "download"}) {
    bench.hear(R"({"type": "press", "id": ")" + std::string(use) + R"(_picture"})");
    ASSERT_EQ(bench.told("picture").size(), 1U);
    const Json picture = bench.told("picture")[0];
    EXPECT_EQ(picture["use"], use);
    EXPECT_EQ(picture["name"], "commflow-dispatch-en.svg");
    EXPECT_EQ(picture["width"], 800) << "as wide as it was drawn";
    EXPECT_EQ(picture["svg"].get_ref<const std::string&>().substr(0, 5), "<svg ");
  }
}

TEST(App, TellsStillsOfEveryFigureWhenAsked) {
  Bench bench;
  for (const char* page : {"walk", "concepts"}) {
    bench.hear(R"({"type": "open", "state": "#page=)" + std::string(page) + "\"}");
    std::size_t figures = 0;
    for (const Block& block : bench.app.page().blocks) figures += block.kind == BlockKind::figure ? 1 : 0;
    bench.app.tell_stills(500, Theme::dark);
    bench.news = bench.app.take_news();
    ASSERT_EQ(bench.told("stills").size(), 1U);
    const Json stills = bench.told("stills")[0]["stills"];
    EXPECT_EQ(stills.size(), figures);
    for (const Json& still : stills) EXPECT_LE(still["width"].get<double>(), 500);
  }
}

}  // namespace
}  // namespace commflow

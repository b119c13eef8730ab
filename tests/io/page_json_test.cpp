#include "io/page_json.h"

#include <gtest/gtest.h>

#include "io/json.h"
#include "io/json_writer.h"

namespace commflow {
namespace {

Control control(std::string id, ControlKind kind) {
  Control control;
  control.id = std::move(id);
  control.kind = kind;
  control.label = "label of " + control.id;
  return control;
}

Page sample() {
  Page page;
  page.lang = "zh";
  page.title = "第 6 步 \"Dispatch\"";
  page.live = "line\none\\two\x01";
  page.playing = true;
  Block heading{"title", BlockKind::heading, Region::title, 3, "标题"};
  Block list{"notes", BlockKind::list, Region::story};
  list.items = {"a", "b"};
  Block table{"counters", BlockKind::table, Region::counters};
  table.columns = {"GPU", "sent"};
  table.rows = {{{"0", "96 MiB"}, false}, {{"all", "768 MiB"}, true}};
  Block figure{"scene", BlockKind::figure, Region::figure};
  figure.alt = "eight GPUs";
  Block bar{"bar", BlockKind::controls, Region::bar};
  Control slider = control("at", ControlKind::slider);
  slider.min = -1;
  slider.max = 9;
  slider.value = 4;
  slider.step = 2;
  Control choice = control("model", ControlKind::choice);
  choice.choices = {"A", "B"};
  choice.values = {3, 5};
  choice.value = 1;
  Control button = control("next", ControlKind::button);
  button.enabled = false;
  button.why = "last step";
  Control toggle = control("embed", ControlKind::toggle);
  toggle.value = 1;
  Control link = control("source", ControlKind::link);
  link.href = "https://example.org/?a=1&b=2";
  bar.controls = {slider, choice, button, toggle, link};
  page.blocks = {heading, list, table, figure, bar};
  return page;
}

Json written(const ShownPage& shown) {
  const Parsed<Json> json = parse_json(write_page(shown), "page");
  EXPECT_EQ(json.error, "");
  return json.value.value_or(Json());
}

TEST(PageJson, SaysEverythingThatTheMirrorReads) {
  const Page page = sample();
  const std::vector<FigureTargets> figures{{"scene", {{"gpu.3", "GPU 3", {}, true}}},
                                           {"other", {{"x", "y", {}, false}}}};
  const std::vector<Placed> places{
      {"at", {1.25F, 2, 30, 40.04F}}, {"scene", {0, -0.5F, 300, 200}}, {"gpu.3", {5, 6, 7, 8}}};
  const Json json = written({page, figures, places, 800, 1234.5F, "dark"});
  EXPECT_EQ(json["lang"], "zh");
  EXPECT_EQ(json["title"], page.title);
  EXPECT_EQ(json["live"], page.live);
  EXPECT_EQ(json["playing"], true);
  EXPECT_EQ(json["embed"], false);
  EXPECT_EQ(json["theme"], "dark");
  EXPECT_EQ(json["width"], 800);
  EXPECT_EQ(json["height"], 1234.5);
  const Json& blocks = json["blocks"];
  ASSERT_EQ(blocks.size(), 5U);
  EXPECT_EQ(blocks[0],
            Json::parse(R"({"id": "title", "kind": "heading", "region": "title", "text": "标题", "level": 3})"));
  EXPECT_EQ(blocks[1]["items"], Json::parse(R"(["a", "b"])"));
  EXPECT_EQ(blocks[2]["columns"], Json::parse(R"(["GPU", "sent"])"));
  EXPECT_EQ(blocks[2]["rows"], Json::parse(R"([["0", "96 MiB"], ["all", "768 MiB"]])"));
  EXPECT_EQ(blocks[3]["alt"], "eight GPUs");
  EXPECT_EQ(blocks[3]["rect"], Json::parse("[0, -0.5, 300, 200]"));
  EXPECT_EQ(blocks[3]["targets"],
            Json::parse(R"([{"id": "gpu.3", "label": "GPU 3", "pressed": true, "rect": [5, 6, 7, 8]}])"));
}

TEST(PageJson, SaysWhatEachControlIs) {
  const Page page = sample();
  const Json items = written({page, {}, {{"at", {1.25F, 2, 30, 40.04F}}}, 800, 600, "light"})["blocks"][4]["items"];
  ASSERT_EQ(items.size(), 5U);
  EXPECT_EQ(
      items[0],
      Json::parse(R"({"id": "at", "kind": "slider", "label": "label of at", "text": "", "value": 4, "min": -1, "max": 9,
                                      "step": 2, "enabled": true, "rect": [1.3, 2, 30, 40]})"));
  EXPECT_EQ(items[1]["values"], Json::parse("[3, 5]"));
  EXPECT_EQ(items[1]["choices"], Json::parse(R"(["A", "B"])"));
  EXPECT_EQ(items[1]["value"], 1);
  EXPECT_FALSE(items[1].contains("rect"));
  EXPECT_EQ(items[2]["enabled"], false);
  EXPECT_EQ(items[2]["why"], "last step");
  EXPECT_EQ(items[3]["pressed"], true);
  EXPECT_EQ(items[4]["href"], "https://example.org/?a=1&b=2");
}

TEST(JsonWriter, WritesWhatAParserReads) {
  std::string every_byte;
  for (int c = 0; c < 128; ++c) every_byte += static_cast<char>(c);
  JsonWriter out;
  out.open('[').text(every_byte).whole(-9223372036854775807LL).flag(true).tenths(-0.04F).tenths(-12.35F).tenths(1e9F);
  out.open('{')
      .close('}')
      .open('[')
      .close(']')
      .open('{')
      .text("a", "b")
      .whole("c", 1)
      .flag("d", false)
      .close('}')
      .close(']');
  const Parsed<Json> json = parse_json(out.str(), "out");
  ASSERT_TRUE(json.value) << json.error << "\n" << out.str();
  EXPECT_EQ((*json.value)[0], every_byte);
  EXPECT_EQ((*json.value)[1], -9223372036854775807LL);
  EXPECT_EQ((*json.value)[3], 0);
  EXPECT_NEAR((*json.value)[4].get<double>(), -12.35, 0.0501);
  EXPECT_EQ((*json.value)[5], 1e9);
  EXPECT_EQ((*json.value)[8], Json::parse(R"({"a": "b", "c": 1, "d": false})"));
}

}  // namespace
}  // namespace commflow

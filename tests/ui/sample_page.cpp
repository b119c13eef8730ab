#include "ui/sample_page.h"

#include <algorithm>
#include <cmath>

namespace commflow::ui {
namespace {

struct Words {
  bool zh;
  std::string operator()(const char* en, const char* chinese) const { return zh ? chinese : en; }
};

Control button(std::string id, std::string label, std::string icon = "", bool pressed = false) {
  Control control;
  control.id = std::move(id);
  control.label = std::move(label);
  control.icon = std::move(icon);
  control.pressed = pressed;
  return control;
}

Control choice(std::string id, std::string label, std::vector<std::string> choices, int value) {
  Control control{.id = std::move(id), .kind = ControlKind::choice, .label = std::move(label), .value = value};
  control.choices = std::move(choices);
  for (std::size_t i = 0; i < control.choices.size(); ++i) control.values.push_back(static_cast<int>(i) * 10);
  return control;
}

Control slider(std::string id, std::string label, std::string text, int value, int max, int step) {
  Control control{.id = std::move(id), .kind = ControlKind::slider, .label = std::move(label), .text = std::move(text)};
  control.value = value;
  control.max = max;
  control.step = step;
  return control;
}

Block text(std::string id, BlockKind kind, Region region, std::string words, int level = 2) {
  return {.id = std::move(id), .kind = kind, .region = region, .level = level, .text = std::move(words)};
}

Block controls(std::string id, Region region, std::vector<Control> list) {
  Block block{.id = std::move(id), .kind = BlockKind::controls, .region = region};
  block.controls = std::move(list);
  return block;
}

void add_bar(Page& page, Words say) {
  page.blocks.push_back(text("name", BlockKind::heading, Region::bar, "CommFlow", 3));
  page.blocks.push_back(controls("bar", Region::bar,
                                 {choice("lang", say("Language", "语言"), {"English", "中文"}, say.zh ? 1 : 0),
                                  choice("theme", say("Theme", "外观"), {say("Light", "浅色"), say("Dark", "深色")}, 0),
                                  button("settings", say("Settings", "设置"), "gear")}));
}

void add_chips(Page& page, Words say) {
  const char* en[] = {"Weights", "Input",   "Gather seq", "Add up",   "Route",     "Dispatch",
                      "Combine", "Hand on", "Loss",       "Backward", "Gradients", "Update"};
  const char* zh[] = {"权重", "输入", "汇集", "求和", "路由", "分发", "合并", "传递", "损失", "反向", "梯度", "更新"};
  std::vector<Control> chips;
  for (int i = 0; i < 12; ++i) chips.push_back(button("step." + std::to_string(i), say(en[i], zh[i]), "", i == 5));
  page.blocks.push_back(controls("steps", Region::chips, chips));
}

void add_title(Page& page, Words say) {
  page.blocks.push_back(text("step", BlockKind::paragraph, Region::title, say("Step 6 / 12", "第 6 / 12 步")));
  page.blocks.push_back(text("title", BlockKind::heading, Region::title,
                             say("Tokens travel to their experts", "token 前往各自的专家"), 1));
  Block badges{.id = "badges", .kind = BlockKind::list, .region = Region::title};
  badges.items = {"EP", "All-to-All", say("per MoE layer and micro-batch", "每层、每个微批次")};
  page.blocks.push_back(badges);
}

void add_player(Page& page, Words say) {
  page.blocks.push_back({.id = "scene", .kind = BlockKind::figure, .region = Region::figure, .alt = "sample"});
  std::vector<Control> player{button("previous_step", say("Previous step", "上一步"), "previous"),
                              button("back", say("One round back", "后退一轮"), "back"),
                              button("play", say("Play", "播放"), "play"),
                              button("forward", say("One round forward", "前进一轮"), "forward"),
                              button("next_step", say("Next step", "下一步"), "next"),
                              slider("position", say("Position", "位置"), say("Round 2 of 3", "第 2 / 3 轮"), 1, 3, 1),
                              choice("speed", say("Speed", "速度"), {"¼×", "½×", "1×", "2×", "4×"}, 2)};
  page.blocks.push_back(controls("player", Region::player, player));
  page.live = say("Round 2 of 3: token 5 goes from GPU 1 to expert 4 on GPU 4, and 6 more of the same kind.",
                  "第 2 / 3 轮：token 5 从 GPU 1 发往 GPU 4 上的专家 4，另有 6 条同类消息。");
}

void add_story(Page& page, Words say) {
  page.blocks.push_back(text(
      "what", BlockKind::paragraph, Region::story,
      say("The vector of each token is copied to the GPUs that hold its chosen experts. This is the **dispatch**: an "
          "All-to-All in the EP group whose messages differ in size. A copy whose expert lives on the same GPU stays "
          "there and costs no message.",
          "每个 token 的向量要复制到它所选专家所在的 GPU 上，这就是**分发 dispatch**：EP 组内的一次全交换 "
          "All-to-All，而且各条消息大小不一。如果专家就在本 GPU 上，这份拷贝留在原地，不产生消息。")));
  page.blocks.push_back(text(
      "why", BlockKind::paragraph, Region::story,
      say("It is uneven because the tokens choose: a GPU with popular experts receives more, and the others must wait "
          "for it.",
          "之所以不均匀，是因为去向由 token 决定：热门专家所在的 GPU 收得多，别的 GPU 只好等它。")));
  page.blocks.push_back(text("note", BlockKind::note, Region::story,
                             say("Counted without merging: a token that chooses two experts on one GPU counts twice.",
                                 "未合并计数：一个 token 若选中同一 GPU 上的两个专家，算两次。")));
}

void add_counters(Page& page, Words say) {
  Block table{.id = "counters", .kind = BlockKind::table, .region = Region::counters};
  table.columns = {say("Bytes and links", "字节与链路"), say("expected", "期望"), say("counted", "实际计数")};
  table.rows = {{{say("sent, per GPU", "每 GPU 发送"), "128 MiB", "131 MiB"}},
                {{say("leaves the GPU", "离开本 GPU"), "96 MiB", "102.4 MiB"}},
                {{say("time", "时间"), "~2.0 ms", "~2.1 ms"}, true}};
  page.blocks.push_back(table);
}

void add_aside(Page& page, Words say) {
  page.blocks.push_back(text("log.title", BlockKind::heading, Region::aside, say("Log of the rounds", "各轮记录"), 3));
  Block list{.id = "log", .kind = BlockKind::list, .region = Region::aside};
  list.items = {say("Token 3 goes from GPU 0 to expert 6 on GPU 5", "token 3 从 GPU 0 发往 GPU 5 上的专家 6"),
                say("Token 4 goes to expert 0 and stays on GPU 0", "token 4 发往专家 0，留在 GPU 0 上")};
  page.blocks.push_back(list);
  page.blocks.push_back(text("settings.title", BlockKind::heading, Region::aside, say("Settings", "设置"), 3));
  Control idle = button("export", say("Copy link", "复制链接"), "link");
  Control locked = choice("cp", "CP", {"1", "2"}, 0);
  locked.enabled = false;
  locked.why = say("Step 6 does not use it.", "这一步不用它。");
  Control toggle{.id = "zero", .kind = ControlKind::toggle, .label = "ZeRO", .value = 1};
  Control link{
      .id = "sources", .kind = ControlKind::link, .label = say("Sources", "来源"), .href = "https://example.org"};
  page.blocks.push_back(
      controls("settings.form", Region::aside,
               {choice("model", say("Model", "模型"), {"Qwen3-30B-A3B", "Mixtral-8x7B", "DeepSeek-V3"}, 0),
                choice("tp", "TP", {"1", "2", "4"}, 1), locked,
                slider("tokens", say("Tokens", "token 数"), "4096", 4096, 16384, 256), toggle, idle, link,
                button("log.open", say("Log", "记录"), "", true)}));
  Block table{.id = "groups", .kind = BlockKind::table, .region = Region::aside};
  table.columns = {say("Group", "组"), say("Members", "成员"), say("Link", "链路"), "MiB"};
  table.rows = {{{"EP", "GPU 0, 1, 4, 5",
                  say("NVLink inside the pair, network between nodes", "组内 NVLink，节点间走网络"), "96"}},
                {{"DP", "GPU 0, 4", say("network", "网络"), "0"}}};
  page.blocks.push_back(table);
  page.blocks.push_back(
      text("foot", BlockKind::paragraph, Region::foot,
           say("Drawn: 8 experts, top-2; counted: 128, top-8.", "图中：8 个专家，top-2；计数：128 个，top-8。")));
}

struct Maker {
  Figure figure;
  Words say;

  Shape& add(ShapeKind kind, Box box) {
    Shape shape;
    shape.kind = kind;
    shape.box = box;
    figure.shapes.push_back(shape);
    return figure.shapes.back();
  }
  void rect(Box box, Ink fill, Ink line, Stroke stroke = Stroke::solid, float width = 1) {
    Shape& shape = add(ShapeKind::rect, box);
    shape.fill = fill;
    shape.line = line;
    shape.radius = 6;
    shape.stroke = stroke;
    shape.line_width = width;
  }
  void words(Box box, std::string text, Ink ink = Ink::ink, Anchor anchor = Anchor::left,
             Weight weight = Weight::regular) {
    Shape& shape = add(ShapeKind::text, box);
    shape.text = std::move(text);
    shape.fill = ink;
    shape.anchor = anchor;
    shape.weight = weight;
  }
  void cell(Box box, std::string digits, std::vector<Ink> origins, bool hatch = false) {
    Shape& shape = add(ShapeKind::cell, box);
    shape.text = std::move(digits);
    shape.stripes = std::move(origins);
    shape.hatch = hatch;
  }
  void path(std::vector<Point> points, Ink ink, float width, Stroke stroke, bool head) {
    Shape& shape = add(ShapeKind::path, {});
    shape.points = std::move(points);
    shape.line = ink;
    shape.line_width = width;
    shape.stroke = stroke;
    shape.head = head;
  }

  void gpu(Box box, int rank) {
    rect(box, Ink::surface, Ink::hairline);
    words({box.x + 12, box.y + 8, 60, 20}, "GPU " + std::to_string(rank), Ink::ink, Anchor::left, Weight::bold);
    if (box.w > 140)
      words({box.x + 76, box.y + 8, box.w - 88, 20}, say("sends tokens", "发出 token"), Ink::muted, Anchor::right);
    constexpr int kColumns = 4;
    const float gap = 4;
    const float w = (box.w - 24 - gap * (kColumns - 1)) / kColumns;
    for (int i = 0; i < 8; ++i) {
      const Box slot{box.x + 12 + static_cast<float>(i % kColumns) * (w + gap),
                     box.y + 38 + static_cast<float>(i / kColumns) * 26, w, 22};
      const int digits = 12 * rank + i * 7;
      if (i < 5) cell(slot, std::to_string(digits), {origin_ink((rank + i) % 8)}, rank + i > 7);
      if (i == 5) cell(slot, std::to_string(digits), {origin_ink(rank), origin_ink(rank + 1), origin_ink(rank + 2)});
      if (i > 5) cell(slot, "", {});
    }
    Shape& waiting = add(ShapeKind::rect, {box.x + 12, box.y + 92, box.w - 24, 20});
    waiting.hatch = true;
    waiting.line = Ink::idle;
    waiting.radius = 3;
    words({box.x + 16, box.y + 92, box.w - 32, 20}, say("waits", "等待"), Ink::ink, Anchor::center);
    figure.targets.push_back({"gpu." + std::to_string(rank), "GPU " + std::to_string(rank), box, rank == 1});
  }

  void legend(float y, float width) {
    const struct {
      Ink ink;
      Stroke stroke;
      const char* name;
    } rows[] = {{Ink::tp, Stroke::double_line, "TP"}, {Ink::pp, Stroke::chevrons, "PP"},
                {Ink::dp, Stroke::ring_dashes, "DP"}, {Ink::ep, Stroke::dots, "EP"},
                {Ink::sp, Stroke::comb, "SP"},        {Ink::cp, Stroke::long_dashes, "CP"}};
    const float step = width / 6;
    for (int i = 0; i < 6; ++i) {
      const float x = step * static_cast<float>(i);
      path({{x + 2, y + 10}, {x + step - 32, y + 10}}, rows[i].ink, 2, rows[i].stroke, false);
      words({x + step - 26, y, 24, 20}, rows[i].name, rows[i].ink, Anchor::left, Weight::bold);
    }
  }
};

std::vector<Point> curve(Point a, Point b, Point c) {
  std::vector<Point> points;
  for (int i = 0; i <= 16; ++i) {
    const float t = static_cast<float>(i) / 16;
    const float s = 1 - t;
    points.push_back({s * s * a.x + 2 * s * t * b.x + t * t * c.x, s * s * a.y + 2 * s * t * b.y + t * t * c.y});
  }
  return points;
}

}  // namespace

Page sample_page(std::string_view lang) {
  const Words say{lang == "zh"};
  Page page;
  page.lang = std::string(lang);
  page.title = "CommFlow";
  add_bar(page, say);
  add_chips(page, say);
  add_title(page, say);
  add_player(page, say);
  add_story(page, say);
  add_counters(page, say);
  add_aside(page, say);
  return page;
}

Figure sample_figure(std::string_view lang, FigureSpace space) {
  Maker make{{}, {lang == "zh"}};
  const float gap = space.narrow() ? 32 : 96;
  const float w = (space.width - gap) / 2;
  const float h = 124;
  const float down = h + 64;
  make.figure.width = space.width;
  make.figure.height = 2 * h + 64 + 40;
  make.rect({w / 2, 4, space.width - w, h + down - 8}, Ink::ep_soft, Ink::ep, Stroke::dots, 2);
  for (int i = 0; i < 4; ++i) {
    const float x = i % 2 == 0 ? 0 : w + gap;
    make.gpu({x, i < 2 ? 0 : down, w, h}, i);
  }
  make.path({{w, 60}, {w + gap, 60}}, Ink::tp, 2, Stroke::double_line, true);
  make.path(curve({w / 2, h}, {w / 2 + 40, h + 32}, {w + gap + 30, down}), Ink::ep, 3, Stroke::solid, true);
  make.path({{w + gap + w / 2, h}, {w + gap + w / 2, down}}, Ink::pp, 2, Stroke::chevrons, true);
  make.cell({w - 20, h + 20, 40, 24}, "42", {origin_ink(0)});
  make.legend(make.figure.height - 24, space.width);
  return make.figure;
}

}  // namespace commflow::ui

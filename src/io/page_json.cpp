#include "io/page_json.h"

#include <array>
#include <map>

#include "io/json_writer.h"
#include "story/inputs.h"

namespace commflow {
namespace {

constexpr std::array<std::string_view, 7> kBlockKinds{"heading", "paragraph", "note",    "list",
                                                      "table",   "figure",    "controls"};
constexpr std::array<std::string_view, 10> kRegions{"bar",  "chips",    "title", "figure", "player",
                                                    "live", "counters", "story", "aside",  "foot"};
constexpr std::array<std::string_view, 6> kControlKinds{"button", "toggle", "choice", "slider", "link", "text"};
static_assert(static_cast<std::size_t>(BlockKind::controls) + 1 == kBlockKinds.size());
static_assert(static_cast<std::size_t>(Region::foot) + 1 == kRegions.size());
static_assert(static_cast<std::size_t>(ControlKind::text) + 1 == kControlKinds.size());

template <class Enum, std::size_t size>
std::string_view name_in(const std::array<std::string_view, size>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

class PageWriter {
 public:
  explicit PageWriter(const ShownPage& shown) : shown_(shown) {
    for (const Placed& placed : shown.places) places_.emplace(placed.id, placed.box);
  }

  std::string write() {
    const Page& page = shown_.page;
    out_.open('{').text("lang", page.lang).text("title", page.title).text("theme", shown_.theme);
    out_.key("width").tenths(shown_.width).key("height").tenths(shown_.height);
    out_.flag("playing", page.playing).flag("embed", page.embed).text("live", page.live);
    out_.key("blocks").open('[');
    for (const Block& block : page.blocks) write_block(block);
    out_.close(']').close('}');
    return out_.str();
  }

 private:
  void write_rect(const std::string& id) {
    const auto found = places_.find(id);
    if (found == places_.end()) return;
    const Box& box = found->second;
    out_.key("rect").open('[').tenths(box.x).tenths(box.y).tenths(box.w).tenths(box.h).close(']');
  }

  void write_texts(std::string_view name, const std::vector<std::string>& texts) {
    out_.key(name).open('[');
    for (const std::string& text : texts) out_.text(text);
    out_.close(']');
  }

  void write_block(const Block& block) {
    out_.open('{').text("id", block.id).text("kind", name_in(kBlockKinds, block.kind));
    out_.text("region", name_in(kRegions, block.region));
    if (!block.text.empty()) out_.text("text", block.text);
    if (block.kind == BlockKind::heading) out_.whole("level", block.level);
    if (block.kind == BlockKind::list) write_texts("items", block.items);
    if (block.kind == BlockKind::table) write_table(block);
    if (block.kind == BlockKind::figure) write_figure(block);
    if (block.kind == BlockKind::controls) write_controls(block.controls);
    write_rect(block.id);
    out_.close('}');
  }

  void write_table(const Block& block) {
    write_texts("columns", block.columns);
    out_.key("rows").open('[');
    for (const Row& row : block.rows) {
      out_.open('[');
      for (const std::string& cell : row.cells) out_.text(cell);
      out_.close(']');
    }
    out_.close(']');
  }

  void write_figure(const Block& block) {
    out_.text("alt", block.alt).key("targets").open('[');
    for (const FigureTargets& figure : shown_.figures) {
      if (figure.block_id != block.id) continue;
      for (const Target& target : figure.targets) write_target(target);
    }
    out_.close(']');
  }

  void write_target(const Target& target) {
    out_.open('{').text("id", target.id).text("label", target.label).flag("pressed", target.pressed);
    write_rect(target.id);
    out_.close('}');
  }

  void write_controls(const std::vector<Control>& controls) {
    out_.key("items").open('[');
    for (const Control& control : controls) write_control(control);
    out_.close(']');
  }

  void write_control(const Control& control) {
    out_.open('{').text("id", control.id).text("kind", name_in(kControlKinds, control.kind));
    out_.text("label", control.label).text("text", control.text);
    write_value(control);
    out_.flag("enabled", control.enabled);
    if (!control.why.empty()) out_.text("why", control.why);
    write_rect(control.id);
    out_.close('}');
  }

  void write_value(const Control& control) {
    switch (control.kind) {
      case ControlKind::button: out_.flag("pressed", control.pressed); break;
      case ControlKind::toggle: out_.flag("pressed", control.value != 0).whole("value", control.value); break;
      case ControlKind::choice: write_choices(control); break;
      case ControlKind::slider:
        out_.whole("value", control.value).whole("min", control.min).whole("max", control.max);
        out_.whole("step", control.step);
        break;
      case ControlKind::link: out_.text("href", control.href); break;
      case ControlKind::text: out_.whole("lines", control.max).whole("longest", kLongestTyped); break;
    }
  }

  void write_choices(const Control& control) {
    out_.whole("value", control.value);
    write_texts("choices", control.choices);
    out_.key("values").open('[');
    for (const int value : control.values) out_.whole(value);
    out_.close(']');
  }

  const ShownPage& shown_;
  std::map<std::string_view, Box> places_;
  JsonWriter out_;
};

}  // namespace

std::string write_page(const ShownPage& shown) {
  return PageWriter(shown).write();
}

}  // namespace commflow

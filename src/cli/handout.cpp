#include "cli/handout.h"

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "story/html.h"
#include "story/pages/pages.h"
#include "story/stills.h"
#include "story/url.h"

namespace commflow {
namespace {

constexpr Theme kThemes[] = {Theme::light, Theme::dark};

std::string_view name_of(Theme theme) {
  return theme == Theme::dark ? "dark" : "light";
}

std::string name_of_lang(const Library& library, int lang) {
  return value_text(field(FieldId::lang), lang, library);
}

// What a link calls the page: the step of a walk, the name of any other page.
std::string name_of_page(const Library& library, const State& state) {
  const FieldId id = state.page == static_cast<int>(PageId::walk) ? FieldId::step : FieldId::page;
  return value_text(field(id), state.*field(id).member, library);
}

// A figure in files of their own, dark where the reader's system is.
std::string picture_element(const std::string& light, const std::string& dark, const Still& still,
                            std::string_view alt) {
  const std::string size = " width=\"" + std::to_string(static_cast<int>(still.width)) + "\" height=\"" +
                           std::to_string(static_cast<int>(still.height)) + "\"";
  return "<picture><source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"" + dark + "\"><img src=\"" +
         light + "\"" + size + " loading=\"lazy\" alt=\"" + escaped(alt) + "\"></picture>";
}

class Writer {
 public:
  Writer(const Library& library, std::string folder)
      : library_(library), deriver_(library), folder_(std::move(folder)) {}

  std::string write() {
    std::error_code failed;
    std::filesystem::create_directories(folder_ + "/stills", failed);
    for (int lang = 0; lang < kLangs && error_.empty(); ++lang) write_language(lang);
    return error_;
  }

  int files() const { return files_; }

 private:
  void put(const std::string& name, const std::string& content) {
    const std::string path = folder_ + "/" + name;
    std::ofstream file(path, std::ios::binary);
    if (!(file << content) && error_.empty()) error_ = path + ": this file cannot be written";
    ++files_;
  }

  // The first figure of a page is its poster, and has its name.
  std::string file_of(const State& state, const Still& still, bool is_first, Theme theme, bool narrow) const {
    return still_name(library_, state, is_first ? "" : still.block_id, theme, narrow);
  }

  void put_stills(const Page& page, const State& state, Theme theme) {
    for (const bool narrow : {false, true}) {
      const auto width = static_cast<float>(narrow ? kNarrowStillWidth : kStillWidth);
      bool is_first = true;
      for (const Still& still : stills_of(page, state, deriver_, width, theme)) {
        if (is_first || !narrow) put(file_of(state, still, is_first, theme, narrow), still.svg);
        is_first = false;
      }
    }
  }

  // Every step of the walk, then every other page.
  std::vector<State> states_of(int lang) {
    std::vector<State> states;
    State state = initial_state(library_);
    state.lang = lang;
    for (; state.step < static_cast<int>(library_.walk.steps.size()); ++state.step)
      states.push_back(at_telling_moment(state, deriver_));
    state.step = 0;
    for (state.page = 1; state.page <= max_of(field(FieldId::page), library_); ++state.page) states.push_back(state);
    return states;
  }

  std::string section(const State& state, Page page) {
    std::erase_if(page.blocks, [](const Block& block) { return block.id == "subtitle"; });  // the head has it
    for (const Theme theme : kThemes) put_stills(page, state, theme);
    const auto stills = stills_of(page, state, deriver_, kStillWidth, Theme::light);
    const auto picture_of = [&](const Block& block) -> std::string {
      for (const Still& still : stills) {
        if (still.block_id != block.id) continue;
        const bool is_first = &still == &stills.front();
        return "<a href=\"./" + escaped(encode(state, library_)) + "\">" +
               picture_element(file_of(state, still, is_first, Theme::light, false),
                               file_of(state, still, is_first, Theme::dark, false), still, block.alt) +
               "</a>";
      }
      return {};
    };
    return section_of(page, name_of_page(library_, state), picture_of);
  }

  std::string head(int lang) const {
    const Catalog& words = library_.catalogs[static_cast<std::size_t>(lang)];
    const std::string title = escaped(words.get(Text::page_title)), subtitle = escaped(words.get(Text::page_subtitle));
    return "<!doctype html>\n<html lang=\"" + name_of_lang(library_, lang) +
           "\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, "
           "initial-scale=1\">\n<title>" +
           title + "</title>\n<meta name=\"description\" content=\"" + subtitle +
           "\">\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"handout.css\">\n</head>\n<body>\n"
           "<header><h1>" +
           title + "</h1>\n<p>" + subtitle + "</p></header>\n";
  }

  // The other languages, and what there is.
  std::string contents(int lang, const std::string& entries) const {
    const Catalog& words = library_.catalogs[static_cast<std::size_t>(lang)];
    std::string out = "<nav>\n";
    for (int other = 0; other < kLangs; ++other) {
      if (other == lang) continue;
      const std::string name = name_of_lang(library_, other);
      out += "<p><a href=\"handout." + name + ".html\" lang=\"" + name + "\" hreflang=\"" + name + "\">" +
             escaped(words.get(other == 0 ? Text::control_lang_en : Text::control_lang_zh)) + "</a></p>\n";
    }
    return out + "<ol>" + entries + "</ol>\n</nav>\n";
  }

  void write_language(int lang) {
    std::string sections, entries;
    for (const State& state : states_of(lang)) {
      const Page page = make_page(state, deriver_);
      entries +=
          "<li><a href=\"#" + escaped(name_of_page(library_, state)) + "\">" + escaped(title_of(page)) + "</a></li>";
      sections += section(state, page);
    }
    put("handout." + name_of_lang(library_, lang) + ".html",
        head(lang) + contents(lang, entries) + "<main>\n" + sections + "</main>\n</body>\n</html>\n");
  }

  static std::string title_of(const Page& page) {
    for (const Block& block : page.blocks)
      if (block.kind == BlockKind::heading && block.region != Region::bar) return block.text;
    return page.title;
  }

  const Library& library_;
  Deriver deriver_;
  std::string folder_;
  std::string error_;
  int files_ = 0;
};

}  // namespace

std::string still_name(const Library& library, const State& state, std::string_view block_id, Theme theme,
                       bool narrow) {
  return "stills/" + name_of_page(library, state) + (block_id.empty() ? "" : "-" + std::string(block_id)) + "." +
         name_of_lang(library, state.lang) + "." + std::string(name_of(theme)) + (narrow ? ".narrow" : "") + ".svg";
}

std::string write_handout(const Library& library, const std::string& folder, int& files) {
  Writer writer(library, folder);
  const std::string error = writer.write();
  files = writer.files();
  return error;
}

}  // namespace commflow

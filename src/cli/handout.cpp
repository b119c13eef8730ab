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

// The figure of a page in the file of its own, dark where the reader's system is.
std::string picture_element(const Library& library, const State& state, const Still& still, std::string_view alt) {
  const std::string size = " width=\"" + std::to_string(static_cast<int>(still.width)) + "\" height=\"" +
                           std::to_string(static_cast<int>(still.height)) + "\"";
  return "<picture><source media=\"screen and (prefers-color-scheme: dark)\" srcset=\"" +
         still_name(library, state, Theme::dark, false) + "\"><img src=\"" +
         still_name(library, state, Theme::light, false) + "\"" + size + " loading=\"lazy\" alt=\"" + escaped(alt) +
         "\"></picture>";
}

std::string figure_alt(const Page& page) {
  for (const Block& block : page.blocks)
    if (block.kind == BlockKind::figure) return block.alt;
  return {};
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

  void put_stills(const Page& page, const State& state, Theme theme) {
    for (const bool narrow : {false, true})
      for (const Still& still :
           stills_of(page, state, deriver_, static_cast<float>(narrow ? kNarrowStillWidth : kStillWidth), theme))
        put(still_name(library_, state, theme, narrow), still.svg);
  }

  State state_of(int step, int lang) {
    State state = initial_state(library_);
    state.step = step;
    state.lang = lang;
    return at_telling_moment(state, deriver_);
  }

  std::string step_section(const State& state) {
    Page page = make_page(state, deriver_);
    std::erase_if(page.blocks, [](const Block& block) { return block.id == "subtitle"; });  // the head has it
    for (const Theme theme : kThemes) put_stills(page, state, theme);
    const auto stills = stills_of(page, state, deriver_, kStillWidth, Theme::light);
    const std::string link = "<a href=\"./" + escaped(encode(state, library_)) + "\">";
    const std::string picture =
        stills.empty() ? "" : link + picture_element(library_, state, stills.front(), figure_alt(page)) + "</a>";
    return section_of(page, library_.walk.steps[static_cast<std::size_t>(state.step)].id, picture);
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

  // The other languages, and the steps.
  std::string contents(int lang) const {
    std::string out = "<nav>\n";
    for (int other = 0; other < kLangs; ++other)
      if (other != lang)
        out += "<p><a href=\"handout." + name_of_lang(library_, other) + ".html\" lang=\"" +
               name_of_lang(library_, other) + "\" hreflang=\"" + name_of_lang(library_, other) + "\">" +
               escaped(library_.catalogs[static_cast<std::size_t>(lang)].get(other == 0 ? Text::control_lang_en
                                                                                        : Text::control_lang_zh)) +
               "</a></p>\n";
    out += "<ol>";
    for (const WalkStep& step : library_.walk.steps)
      out += "<li><a href=\"#" + escaped(step.id) + "\">" +
             escaped(titles_[static_cast<std::size_t>(&step - library_.walk.steps.data())]) + "</a></li>";
    return out + "</ol>\n</nav>\n";
  }

  void write_language(int lang) {
    std::string sections;
    titles_.clear();
    for (int step = 0; step < static_cast<int>(library_.walk.steps.size()); ++step) {
      const State state = state_of(step, lang);
      titles_.push_back(title_of(make_page(state, deriver_)));
      sections += step_section(state);
    }
    put("handout." + name_of_lang(library_, lang) + ".html",
        head(lang) + contents(lang) + "<main>\n" + sections + "</main>\n</body>\n</html>\n");
  }

  static std::string title_of(const Page& page) {
    for (const Block& block : page.blocks)
      if (block.id == "title") return block.text;
    return page.title;
  }

  const Library& library_;
  Deriver deriver_;
  std::string folder_;
  std::string error_;
  std::vector<std::string> titles_;  // of the steps, in the language being written
  int files_ = 0;
};

}  // namespace

std::string still_name(const Library& library, const State& state, Theme theme, bool narrow) {
  return "stills/" + library.walk.steps[static_cast<std::size_t>(state.step)].id + "." +
         name_of_lang(library, state.lang) + "." + std::string(name_of(theme)) + (narrow ? ".narrow" : "") + ".svg";
}

std::string write_handout(const Library& library, const std::string& folder, int& files) {
  Writer writer(library, folder);
  const std::string error = writer.write();
  files = writer.files();
  return error;
}

}  // namespace commflow

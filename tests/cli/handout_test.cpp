#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command_line.h"

namespace commflow {
namespace {

using testing_cli::answer_to;

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

struct Folder {
  fs::path path = fs::temp_directory_path() / "commflow-handout-test";
  Folder() {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~Folder() { fs::remove_all(path); }
};

TEST(HandoutCommand, WritesEveryPictureThatItsPagesShow) {
  const Folder folder;
  const auto answer = answer_to("handout --out " + folder.path.string());
  ASSERT_EQ(answer.code, 0) << answer.err;
  for (const char* lang : {"en", "zh"}) {
    const std::string page = content_of(folder.path / ("handout." + std::string(lang) + ".html"));
    EXPECT_NE(page.find("<html lang=\"" + std::string(lang)), std::string::npos);
    int pictures = 0;
    for (const std::string start : {"src=\"", "srcset=\""})
      for (std::size_t at = page.find(start); at != std::string::npos; at = page.find(start, at + 1)) {
        const std::string name = page.substr(at + start.size(), page.find('"', at + start.size()) - at - start.size());
        EXPECT_TRUE(fs::exists(folder.path / name)) << name;
        ++pictures;
      }
    EXPECT_GE(pictures, 24) << "twelve steps, light and dark";
  }
  EXPECT_TRUE(fs::exists(folder.path / "stills/dispatch.zh.dark.narrow.svg"));
}

TEST(HandoutCommand, SaysWhatItNeeds) {
  EXPECT_EQ(answer_to("handout").code, 2);
  const auto answer = answer_to("handout --out /no/such/folder");
  EXPECT_EQ(answer.code, 2);
  EXPECT_NE(answer.err.find("expected a folder"), std::string::npos) << answer.err;
}

}  // namespace
}  // namespace commflow

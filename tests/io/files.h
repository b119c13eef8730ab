#pragma once
// Files of the repository, for tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace commflow::testing_files {

inline std::string read_file(const std::filesystem::path& path) {
  const std::filesystem::path file = std::filesystem::path(COMMFLOW_SOURCE_DIR) / path;
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream.good()) << file;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The JSON files of a folder but its schema, sorted.
inline std::vector<std::filesystem::path> assets_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(COMMFLOW_SOURCE_DIR) / folder)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".schema.json")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// The text with one part replaced, which must be there.
inline std::string edited(std::string text, std::string_view part, std::string_view replacement) {
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  if (at != std::string::npos) text.replace(at, part.size(), replacement);
  return text;
}

}  // namespace commflow::testing_files

#include "io/folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>

namespace commflow {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"scenarios", "models", "hardware", "presets"};

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

Parsed<Json> read_json(const fs::path& path) {
  const auto text = read_file(path);
  if (!text) return {std::nullopt, path.string() + ": cannot be read"};
  return parse_json(*text, path.string());
}

bool is_data(const fs::path& path) {
  const std::string name = path.filename().string();
  const std::string_view schema = ".schema.json";
  const bool is_schema = name.size() >= schema.size() && name.substr(name.size() - schema.size()) == schema;
  return path.extension() == ".json" && !is_schema;
}

// Files in the order of their names; none where there is no such folder.
std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end; file.increment(error))
    if (is_data(file->path())) files.push_back(file->path());
  std::sort(files.begin(), files.end());
  return files;
}

Parsed<Json> pack_files(const fs::path& folder) {
  Json packed = Json::object_t();
  for (const fs::path& path : files_in(folder)) {
    Parsed<Json> file = read_json(path);
    if (!file.value) return file;
    (*packed.get_ptr<Json::object_t*>())[path.stem().string()] = std::move(*file.value);
  }
  return {std::move(packed), {}};
}

}  // namespace

Parsed<Json> pack_folder(const std::string& root, std::string_view lang) {
  Json data = Json::object_t();
  auto& members = *data.get_ptr<Json::object_t*>();
  Parsed<Json> locale = read_json(fs::path(root) / "locales" / (std::string(lang) + ".json"));
  if (!locale.value) return locale;
  members["locale"] = std::move(*locale.value);
  for (const std::string_view folder : kFolders) {
    Parsed<Json> files = pack_files(fs::path(root) / "assets" / folder);
    if (!files.value) return files;
    members[std::string(folder)] = std::move(*files.value);
  }
  return {std::move(data), {}};
}

std::uint64_t folder_stamp(const std::string& root) {
  std::uint64_t stamp = 0;
  const auto add = [&](const fs::path& folder) {
    for (const fs::path& file : files_in(folder)) {
      std::error_code error;
      const auto saved = fs::last_write_time(file, error).time_since_epoch().count();
      stamp = stamp * 31 + static_cast<std::uint64_t>(saved);
    }
  };
  add(fs::path(root) / "locales");
  for (const std::string_view folder : kFolders) add(fs::path(root) / "assets" / folder);
  return stamp;
}

std::string find_data(std::initializer_list<std::string> roots) {
  for (const std::string& root : roots) {
    std::error_code error;
    if (!root.empty() && fs::is_directory(fs::path(root) / "locales", error)) return root;
  }
  return {};
}

std::string folder_of_program() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string() : program.parent_path().parent_path().string();
}

}  // namespace commflow

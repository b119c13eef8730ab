#include "io/library_json.h"

#include "io/hardware_json.h"
#include "io/locale_json.h"
#include "io/model_json.h"
#include "io/preset_json.h"
#include "io/scenario_json.h"
#include "story/fields.h"

namespace commflow {
namespace {

constexpr std::string_view kScenario = "training-step";

std::string path_of(std::string_view folder, std::string_view stem) {
  return "assets/" + std::string(folder) + "/" + std::string(stem) + ".json";
}

// The files of one folder, in the order of their names, which are the ids.
template <class T>
std::vector<T> read_folder(const Node& files, std::string_view folder, T (*read_one)(const Node&)) {
  std::vector<T> values;
  for (const std::string& stem : files.keys()) {
    const Node file = files.get(stem).as_file(path_of(folder, stem));
    values.push_back(read_one(file));
    if (values.back().id != stem) file.get("id").fail("\"" + stem + "\", the name of the file");
  }
  if (values.empty()) files.fail("at least one file in assets/" + std::string(folder));
  return values;
}

template <class T>
void expect_known(const Node& id, const std::vector<T>& values) {
  std::vector<std::string_view> ids;
  for (const T& value : values) ids.push_back(value.id);
  id.one_of(ids);
}

Walk choose_walk(std::vector<Walk> walks, const Node& scenarios, const Library& library) {
  for (Walk& walk : walks) {
    if (walk.id != kScenario) continue;
    const Node file = scenarios.get(kScenario).as_file(path_of("scenarios", kScenario));
    expect_known(file.get("model"), library.models);
    expect_known(file.get("hardware"), library.gpus);
    return std::move(walk);
  }
  scenarios.fail("the scenario " + std::string(kScenario));
  return {};
}

}  // namespace

std::string read_data(const Json& data, Lang lang, Library& library) {
  const std::string name(field(FieldId::lang).names[static_cast<std::size_t>(lang)]);
  Problem problem{"data." + name + ".json", {}};
  const Node node(data, problem);
  const Node locale = node.get("locale");
  const Node scenarios = node.get("scenarios");
  const Node models = node.get("models");
  const Node hardware = node.get("hardware");
  const Node presets = node.get("presets");
  const bool is_part = node.find("part").has_value();
  Catalog texts = read_locale(locale.as_file("locales/" + name + ".json"), is_part);
  if (problem.none()) library.catalogs[static_cast<std::size_t>(lang)] = std::move(texts);
  Library read = library;
  read.models = read_folder(models, "models", read_model);
  read.gpus = read_folder(hardware, "hardware", read_gpu);
  read.presets = read_folder(presets, "presets", read_preset);
  for (const std::string& stem : presets.keys())
    expect_known(presets.get(stem).as_file(path_of("presets", stem)).get("model"), read.models);
  read.walk = choose_walk(read_folder(scenarios, "scenarios", read_scenario), scenarios, read);
  if (problem.none()) library = std::move(read);
  return problem.error;
}

}  // namespace commflow

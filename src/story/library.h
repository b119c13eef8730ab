#pragma once
// What was loaded: real models, hardware, the scenario, the texts. Read-only
// for everything in story.

#include <array>
#include <vector>

#include "core/expert_settings.h"
#include "core/hardware.h"
#include "core/model.h"
#include "story/text.h"
#include "story/walk.h"

namespace commflow {

// A real expert-parallel layer, and one of the same kind that is small enough to be drawn.
struct ExpertPreset {
  std::string id;
  std::array<std::string, kLangs> name;
  std::array<std::string, kLangs> note;
  std::string source;
  std::string model;        // id
  experts::Settings full;   // at full size; seed, hidden and formats are the reader's
  experts::Settings drawn;  // sizes only
  int merge = 0, path = 0;  // values of the fields
  int out = 0, home = 0;
};

struct Library {
  std::vector<Model> models;          // sorted by id
  std::vector<Gpu> gpus;              // sorted by id
  std::vector<ExpertPreset> presets;  // sorted by id
  Walk walk;
  std::array<Catalog, kLangs> catalogs;
};

}  // namespace commflow

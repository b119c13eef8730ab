#pragma once
// What was loaded: real models, hardware, the scenario, the texts. Read-only
// for everything in story.

#include <array>
#include <vector>

#include "core/hardware.h"
#include "core/model.h"
#include "story/text.h"
#include "story/walk.h"

namespace commflow {

struct Library {
  std::vector<Model> models;  // sorted by id
  std::vector<Gpu> gpus;      // sorted by id
  Walk walk;
  std::array<Catalog, kLangs> catalogs;
};

}  // namespace commflow

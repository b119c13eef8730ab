#include <gtest/gtest.h>

#include "io/files.h"
#include "io/json.h"
#include "support/schema.h"

namespace commflow {
namespace {

using testing_files::assets_in;
using testing_files::read_file;

struct Kind {
  const char* folder;
  const char* schema;
};

class AssetSchema : public testing::TestWithParam<Kind> {};

TEST_P(AssetSchema, HoldsForEveryFileOfItsFolder) {
  const std::string folder = GetParam().folder;
  const support::Schema schema(Json::parse(read_file(folder + "/" + GetParam().schema)));
  for (const auto& path : assets_in(folder))
    EXPECT_EQ(schema.problem(Json::parse(read_file(path))), std::nullopt) << path;
  EXPECT_NE(schema.problem(Json::object()), std::nullopt);
  EXPECT_NE(schema.problem(Json::array()), std::nullopt);
}
INSTANTIATE_TEST_SUITE_P(All, AssetSchema,
                         testing::Values(Kind{"assets/models", "model.schema.json"},
                                         Kind{"assets/hardware", "hardware.schema.json"},
                                         Kind{"assets/scenarios", "scenario.schema.json"},
                                         Kind{"assets/presets", "preset.schema.json"}));

}  // namespace
}  // namespace commflow

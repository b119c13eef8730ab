// Published layouts of real training runs.

#include <gtest/gtest.h>

#include "core/groups.h"
#include "io/files.h"
#include "io/json.h"

namespace commflow {
namespace {

TEST(LayoutCases, PublishedWorldSizes) {
  const Parsed<Json> cases = parse_json(testing_files::read_file("tests/data/layouts.json"), "layouts.json");
  ASSERT_TRUE(cases.value) << cases.error;
  EXPECT_EQ(cases.value->size(), 3U);
  for (const Json& row : *cases.value) {
    Layout layout;
    layout.tp = row["tp"].get<int>();
    layout.pp = row["pp"].get<int>();
    layout.cp = row["cp"].get<int>();
    layout.dp = (row.contains("dp") ? row["dp"] : row["dp_derived"]).get<int>();
    layout.ep = 1;
    EXPECT_EQ(layout_problem(layout), std::nullopt);
    EXPECT_EQ(world_size(layout), row["gpus"].get<int>()) << row["model"];
  }
}

}  // namespace
}  // namespace commflow

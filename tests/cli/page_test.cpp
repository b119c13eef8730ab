#include <gtest/gtest.h>

#include <map>

#include "cli/command_line.h"

namespace commflow {
namespace {

using testing_cli::answer_to;
using testing_cli::json_of;

TEST(PageCommand, PrintsTheStartWithoutArguments) {
  const auto answer = answer_to("page");
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(answer.err, "");
  EXPECT_NE(answer.out.find("[step.dispatch] Dispatch"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("#v=1&page=walk&step=prepare&lang=en"), std::string::npos);
  EXPECT_EQ(answer.out.find('{'), std::string::npos);
}

TEST(PageCommand, ShowsTheStateOfALink) {
  const Json page = json_of("page --state #v=1&step=dispatch&lang=zh");
  EXPECT_EQ(page["lang"], "zh");
  EXPECT_EQ(page["state"], "#v=1&page=walk&step=dispatch&lang=zh");
  std::map<std::string, std::size_t> targets;
  for (const Json& block : page["blocks"])
    if (block["kind"] == "figure") targets[block["id"]] = block["targets"].size();
  EXPECT_EQ(targets["scene"], 8U + 16U) << "GPUs and tokens";
  EXPECT_EQ(targets["glance"], 12U) << "steps";
}

TEST(PageCommand, ALanguageMayBeAskedFor) {
  EXPECT_EQ(json_of("page --lang zh")["lang"], "zh");
  EXPECT_EQ(json_of("page --state #lang=zh --lang en")["lang"], "en");
}

// The bytes that a token's journey costs at the start: 128 MiB logical, of which 3/4 leave the GPU.
TEST(PageCommand, DispatchCountsTheRealModel) {
  const std::string page = answer_to("page --state #step=dispatch").out;
  EXPECT_NE(page.find("128 MiB"), std::string::npos) << page;
  EXPECT_NE(page.find("96 MiB"), std::string::npos) << page;
}

TEST(PageCommand, SaysWhatItDidNotUnderstandButAnswers) {
  const auto answer = answer_to("page --state #step=lunch&colour=red");
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.err.find("commflow page: step='lunch': expected"), std::string::npos) << answer.err;
  EXPECT_NE(answer.err.find("colour"), std::string::npos);
  EXPECT_FALSE(answer.out.empty());
}

TEST(PageCommand, RefusesWhatItCannotDo) {
  for (const char* line : {"page --lang fr", "page --data /nowhere", "page --colour red", "page --state"}) {
    const auto answer = answer_to(line);
    EXPECT_EQ(answer.code, 2) << line;
    EXPECT_NE(answer.err.find("expected"), std::string::npos) << answer.err;
    EXPECT_EQ(answer.out, "") << line;
  }
}

}  // namespace
}  // namespace commflow

#include <gtest/gtest.h>

#include <sstream>

#include "cli/cli.h"
#include "io/json.h"

namespace commflow {
namespace {

using Groups = std::vector<std::vector<int>>;

struct Answer {
  int code = 0;
  std::string out, err;
};

Answer answer_to(std::vector<std::string_view> args) {
  args.insert(args.begin(), "groups");
  std::ostringstream out, err;
  Answer answer;
  answer.code = run_command_line(args, out, err);
  answer.out = out.str();
  answer.err = err.str();
  return answer;
}

Json json_of(std::vector<std::string_view> args) {
  args.push_back("--json");
  const Answer answer = answer_to(args);
  EXPECT_EQ(answer.code, 0) << answer.err;
  return parse_json(answer.out, "answer").value.value_or(Json{});
}

Groups groups(const Json& report, const char* dimension) {
  return report["groups"][dimension].get<Groups>();
}

TEST(CliGroups, TheWalk) {
  const Json report =
      json_of({"--tp", "2", "--pp", "2", "--dp", "2", "--ep", "4", "--cp", "1", "--etp", "1", "--order", "tp-pp-dp"});
  EXPECT_EQ(report["world_size"], 8);
  EXPECT_EQ(groups(report, "tp"), (Groups{{0, 1}, {2, 3}, {4, 5}, {6, 7}}));
  EXPECT_EQ(groups(report, "pp"), (Groups{{0, 2}, {1, 3}, {4, 6}, {5, 7}}));
  EXPECT_EQ(groups(report, "dp"), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groups(report, "ep"), (Groups{{0, 1, 4, 5}, {2, 3, 6, 7}}));
  EXPECT_EQ(groups(report, "cp").size(), 8U);
  EXPECT_EQ(groups(report, "expert_dp").size(), 8U);
  EXPECT_EQ(report["ranks"].size(), 8U);
  EXPECT_EQ(report["ranks"][6]["rank"], 6);
  EXPECT_EQ(report["ranks"][6]["tp"], 0);
  EXPECT_EQ(report["ranks"][6]["pp"], 1);
  EXPECT_EQ(report["ranks"][6]["dp"], 1);
  EXPECT_EQ(report["ranks"][6]["ep"], 2);
}

TEST(CliGroups, MegatronOrder) {
  const Json report = json_of({"--tp=2", "--pp=2", "--dp=2", "--ep=4", "--order=tp-dp-pp"});
  EXPECT_EQ(groups(report, "pp"), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(groups(report, "ep"), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
}

TEST(CliGroups, SizesNotGivenAreOne) {
  EXPECT_EQ(json_of({})["world_size"], 1);
  EXPECT_EQ(json_of({"--dp", "3"})["world_size"], 3);
}

TEST(CliGroups, Text) {
  const Answer answer = answer_to({"--tp", "2", "--pp", "2", "--dp", "2", "--ep", "4"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.out.find("rank"), std::string::npos);
  EXPECT_NE(answer.out.find("{0 1 4 5} {2 3 6 7}"), std::string::npos) << answer.out;
}

TEST(CliGroups, WrongArgumentsSayWhatWasExpected) {
  const auto error = [](std::vector<std::string_view> args) {
    const Answer answer = answer_to(std::move(args));
    EXPECT_EQ(answer.code, 2);
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  EXPECT_NE(error({"--tp", "2", "--dp", "2", "--ep", "3"}).find("ep can be: 1, 2, 4"), std::string::npos);
  EXPECT_NE(error({"--tp", "0"}).find("--tp is \"0\""), std::string::npos);
  EXPECT_NE(error({"--order", "tp-pp"}).find("--order is \"tp-pp\"; expected tp, pp and dp"), std::string::npos);
  EXPECT_NE(error({"--tp", "1048576", "--dp", "1048576"}).find("too large"), std::string::npos);
}

}  // namespace
}  // namespace commflow

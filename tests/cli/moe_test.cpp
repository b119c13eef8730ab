#include <gtest/gtest.h>

#include <sstream>

#include "cli/cli.h"
#include "io/files.h"
#include "io/json.h"

namespace commflow {
namespace {

struct Answer {
  int code = 0;
  std::string out, err;
  Json json() const {
    Parsed<Json> parsed = parse_json(out, "answer");
    EXPECT_EQ(parsed.error, "");
    return parsed.value.value_or(Json{});
  }
};

// Arguments separated by blanks.
Answer answer_to(const std::string& line) {
  std::istringstream words(line);
  std::vector<std::string> texts;
  for (std::string word; words >> word;) texts.push_back(word);
  const std::vector<std::string_view> args(texts.begin(), texts.end());
  std::ostringstream out, err;
  Answer answer;
  answer.code = run_command_line(args, out, err);
  answer.out = out.str();
  answer.err = err.str();
  return answer;
}

Json moe_json(const std::string& arguments) {
  const Answer answer = answer_to("moe --json " + arguments);
  EXPECT_EQ(answer.code, 0) << answer.err;
  return answer.json();
}

Json cases() {
  const Parsed<Json> parsed = parse_json(testing_files::read_file("tests/data/moe.json"), "moe.json");
  EXPECT_EQ(parsed.error, "");
  return parsed.value.value_or(Json{});
}

std::string option(const std::string& name, const Json& value) {
  return " --" + name + " " + value.dump();
}

std::string shape_of(const Json& row) {
  return option("tokens", row["tokens"]) + option("hidden", row["hidden"]) + option("topk", row["topk"]) +
         option("experts", row["experts"]) + option("ranks", row["ranks"]);
}

TEST(CliMoe, DispatchCases) {
  const Json rows = cases()["moe_dispatch"];
  EXPECT_EQ(rows.size(), 6U);
  for (const Json& row : rows) {
    const Json out = moe_json(shape_of(row) + option("dispatch-bytes", row["dtype_bytes"]) + " --combine-bytes 2");
    EXPECT_EQ(out["dispatch_bytes"], row["bytes"]) << row;
    EXPECT_EQ(out["dispatch_off_rank_bytes"], row["offrank_bytes_uniform_no_dedup"]["num"]) << row;
    EXPECT_EQ(out["expected_tokens_per_expert"], row["expected_pairs_per_expert"]["num"]) << row;
  }
}

TEST(CliMoe, DistinctRanksCases) {
  const Json rows = cases()["expected_distinct_ranks_exact"];
  EXPECT_EQ(rows.size(), 3U);
  for (const Json& row : rows) {
    const Json out = moe_json("--tokens 1 --hidden 1" + option("topk", row["topk"]) +
                              option("experts", row["experts"]) + option("ranks", row["ranks"]));
    EXPECT_NEAR(out["expected_distinct_ranks"].get<double>(), row["expected"].get<double>(), 5e-7);
  }
}

TEST(CliMoe, DeepEpMessages) {
  for (const Json& row : cases()["deepep_message_bytes"]) {
    const std::string shape = "--tokens 1 --topk 1 --experts 8 --ranks 8" + option("hidden", row["hidden"]);
    const std::string scales = " --scale-block 128";
    const Json out = moe_json(shape + " --dispatch-bytes 1 --combine-bytes 2 --header-bytes 16" + scales);
    EXPECT_EQ(out["dispatch_message_bytes"], row["fp8_dispatch_bytes"]);
    EXPECT_EQ(out["combine_message_bytes"], row["bf16_combine_bytes"])
        << "no scales in bf16, no header on the way home";
    EXPECT_EQ(moe_json(shape + " --combine-bytes 1.25" + scales)["combine_message_bytes"],
              row["logfmt10_combine_bytes"]);
  }
}

TEST(CliMoe, DeepEpLowLatencyVolume) {
  const Json row = cases()["deepep_low_latency"][0];
  const Json out = moe_json(option("tokens", row["tokens"]) + option("hidden", row["hidden"]) +
                            option("topk", row["topk"]) + option("ranks", row["ep"]) +
                            " --experts 256 --dispatch-bytes 1 --combine-bytes 2 --scale-block 128 --header-bytes 16");
  EXPECT_EQ(out["dispatch_bytes"], row["dispatch_bytes"]);
  EXPECT_EQ(out["combine_bytes"], row["combine_bytes"]);
}

TEST(CliMoe, AnExpectedValueMayBeAFraction) {
  const Json out = moe_json("--tokens 1 --hidden 1 --topk 1 --experts 3 --ranks 3");
  EXPECT_EQ(out["dispatch_bytes"], 2);
  EXPECT_NEAR(out["dispatch_off_rank_bytes"].get<double>(), 4.0 / 3, 1e-12);
  EXPECT_EQ(moe_json("--tokens 1 --hidden 1 --topk 1 --experts 4 --ranks 1")["dispatch_off_rank_bytes"], 0);
}

TEST(CliMoe, TextHasTheSameNumbers) {
  const Answer answer = answer_to("moe --tokens 4096 --hidden 2048 --topk 8 --experts 128 --ranks 4");
  EXPECT_EQ(answer.code, 0);
  EXPECT_NE(answer.out.find("134217728"), std::string::npos) << answer.out;
  EXPECT_NE(answer.out.find("100663296"), std::string::npos) << answer.out;
}

TEST(CliMoe, WrongArgumentsSayWhatWasExpected) {
  const std::string good = "--tokens 1 --hidden 8 --topk 2 --experts 8 --ranks 4";
  const auto error = [](const std::string& arguments) {
    const Answer answer = answer_to("moe " + arguments);
    EXPECT_EQ(answer.code, 2);
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  EXPECT_EQ(answer_to("moe " + good).code, 0);
  EXPECT_NE(error("--tokens 1").find("--hidden is missing"), std::string::npos);
  EXPECT_NE(error("--tokens 1 --hidden 8 --topk 9 --experts 8 --ranks 4")
                .find("--topk is \"9\"; expected a whole number from 1 to 8"),
            std::string::npos);
  EXPECT_NE(error("--tokens 1 --hidden 8 --topk 2 --experts 8 --ranks 3")
                .find("--ranks is \"3\"; expected a divisor of --experts 8"),
            std::string::npos);
  EXPECT_NE(error(good + " --dispatch-bytes 1.1").find("expected a multiple of one eighth"), std::string::npos);
  EXPECT_NE(error(good + " --scale-block -1").find("--scale-block"), std::string::npos);
}

}  // namespace
}  // namespace commflow

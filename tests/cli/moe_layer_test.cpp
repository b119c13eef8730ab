#include <gtest/gtest.h>

#include <numeric>

#include "cli/command_line.h"

namespace commflow {
namespace {

using testing_cli::answer_to;
using testing_cli::json_of;

const std::string kSmall = "moe --tokens 6 --hidden 128 --topk 2 --experts 16 --nodes 2 --gpus-per-node 4";
const std::string kLarge = "moe --tokens 4096 --hidden 7168 --topk 8 --experts 256 --nodes 8 --gpus-per-node 8";

std::int64_t total(const Json& list) {
  return std::accumulate(list.begin(), list.end(), std::int64_t{0},
                         [](std::int64_t sum, const Json& one) { return sum + one.get<std::int64_t>(); });
}

TEST(CliMoeLayer, PlainKeysStayAsTheyAre) {
  const std::string plain = "moe --tokens 6 --hidden 128 --topk 2 --experts 16 --ranks 8";
  const Json before = json_of(plain);
  EXPECT_FALSE(before.contains("split"));
  const Json after = json_of(kSmall);
  for (const auto& [key, value] : before.items()) EXPECT_EQ(after[key], value) << key;
  EXPECT_EQ(json_of(plain + " --nodes 2")["gpus_per_node"], 4);
  EXPECT_EQ(json_of(plain + " --seed 3")["nodes"], 1);
}

TEST(CliMoeLayer, SplitAddsUp) {
  const Json out = json_of(kSmall + " --zipf 1.2 --capacity-factor 1");
  EXPECT_EQ(out["capacity"], 6);
  ASSERT_EQ(out["split"].size(), 8U);
  std::int64_t kept = 0;
  for (std::size_t home = 0; home < 8; ++home) {
    kept += total(out["split"][home]);
    EXPECT_EQ(total(out["split"][home]) - out["split"][home][home].get<std::int64_t>(),
              out["sent"][home].get<std::int64_t>());
  }
  EXPECT_EQ(kept + out["dropped"].get<std::int64_t>(), 6 * 2 * 8);
  EXPECT_GT(out["dropped"], 0);
  EXPECT_EQ(total(out["computed"]), kept);
  EXPECT_EQ(total(out["tokens_per_expert"]), kept);
  EXPECT_EQ(total(out["sent_bytes"]), out["off_rank_bytes"]);
  EXPECT_EQ(out["off_node_bytes"].get<std::int64_t>() + out["nvlink_bytes"].get<std::int64_t>(), out["off_rank_bytes"]);
  EXPECT_EQ(total(out["received"]) * 256, out["off_rank_bytes"]);
}

TEST(CliMoeLayer, SameSeedSameAnswerAnotherSeedAnother) {
  EXPECT_EQ(json_of(kSmall + " --seed 5"), json_of(kSmall + " --seed 5"));
  EXPECT_NE(json_of(kSmall + " --seed 5")["split"], json_of(kSmall + " --seed 6")["split"]);
}

TEST(CliMoeLayer, RealSizeWithTheNodeLimitAndMerging) {
  const Json free = json_of(kLarge);
  EXPECT_NEAR(free["distinct_nodes"].get<double>(), 5.294652, 0.01);
  EXPECT_EQ(free["capacity"], nullptr);
  EXPECT_EQ(free["dropped"], 0);
  EXPECT_LT(free["max_over_mean"], 1.05);
  const Json rank = json_of(kLarge + " --dedup rank");
  const Json node = json_of(kLarge + " --dedup node");
  EXPECT_EQ(node["path"], "two-hop");
  EXPECT_LT(rank["off_node_bytes"], free["off_node_bytes"]);
  EXPECT_LT(node["off_node_bytes"], rank["off_node_bytes"]);
  EXPECT_GT(json_of(kLarge + " --zipf 1")["max_over_mean"], 2);
  EXPECT_LE(json_of(kLarge + " --topk-nodes 2")["distinct_nodes"], 2);
}

TEST(CliMoeLayer, TableFromStandardInput) {
  const std::string line = "moe --tokens 1 --hidden 8 --topk 2 --experts 4 --nodes 1 --gpus-per-node 2 --table -";
  const Json out = json_of(line, "0,1\n0,3\n");
  EXPECT_EQ(out["split"], Json::parse("[[2, 0], [1, 1]]"));
  EXPECT_EQ(out["max_over_mean"], 1.5);
  EXPECT_FALSE(out.contains("seed"));
  EXPECT_NE(answer_to(line, "0,1\n0,4\n").err.find("standard input: line 2, column 2: found \"4\""), std::string::npos);
  EXPECT_NE(answer_to(line, "0,1\n").err.find("1 lines of 2 experts; expected 2 lines"), std::string::npos);
  EXPECT_EQ(answer_to(line + " --zipf 1", "0,1\n0,3\n").code, 2);
}

TEST(CliMoeLayer, ReplicasAreNamed) {
  const Json out = json_of(kSmall + " --zipf 2 --replicas 1");
  ASSERT_FALSE(out["replicas"].empty());
  const Json& first = out["replicas"][0];
  EXPECT_EQ(first["ranks"][0], first["expert"].get<int>() / 2);
  EXPECT_LT(out["max_over_mean"], json_of(kSmall + " --zipf 2")["max_over_mean"]);
}

TEST(CliMoeLayer, ExpectedValuesBesideTheCountedOnes) {
  for (const char* dedup : {"none", "rank", "node"}) {
    const Json out = json_of(kLarge + " --dedup " + dedup);
    const auto expected = out["expected_off_node_bytes"].get<double>();
    EXPECT_NEAR(out["off_node_bytes"].get<double>(), expected, 0.003 * expected) << dedup;
    EXPECT_NEAR(out["distinct_ranks"].get<double>(), out["expected_distinct_ranks"].get<double>(), 0.01);
    EXPECT_NEAR(out["distinct_nodes"].get<double>(), out["expected_distinct_nodes"].get<double>(), 0.01);
  }
  EXPECT_EQ(json_of(kSmall + " --zipf 1")["expected_off_node_bytes"], nullptr);
}

TEST(CliMoeLayer, ExchangesOfATrainingStep) {
  const Json out = json_of(kSmall + " --dispatch-bytes 1 --dedup node");
  const Json& list = out["exchanges"];
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0]["off_node_bytes"], out["off_node_bytes"]);
  EXPECT_EQ(list[1]["off_node_bytes"], out["combine_off_node_bytes"]);
  EXPECT_EQ(list[1]["off_node_bytes"].get<int>(), 2 * list[0]["off_node_bytes"].get<int>());
  EXPECT_EQ(list[2]["exchange"], "combine_backward");
  EXPECT_EQ(list[2]["nvlink_bytes"], list[0]["nvlink_bytes"]);
  EXPECT_EQ(list[3]["sent_bytes_max"], list[1]["sent_bytes_max"]);
}

TEST(CliMoeLayer, AlternativesForTheSameLayer) {
  const Json out = json_of(kLarge);
  const Json& list = out["alternatives"];
  ASSERT_EQ(list.size(), 4U);
  EXPECT_EQ(list[0]["bytes_per_rank"].get<double>(),
            out["dispatch_off_rank_bytes"].get<double>() + out["combine_off_rank_bytes"].get<double>());
  EXPECT_EQ(list[2]["bytes_per_rank"], 2.0 * 63 * 4096 * 14336);
  EXPECT_EQ(list[2]["rounds"], 12);
  EXPECT_EQ(list[3]["even"], true);
}

TEST(CliMoeLayer, WrongCombinationsSayWhatWasExpected) {
  const auto error = [](const std::string& line) {
    const testing_cli::Answer answer = answer_to(line);
    EXPECT_EQ(answer.code, 2) << line;
    EXPECT_EQ(answer.out, "");
    return answer.err;
  };
  const auto expect = [&](const std::string& arguments, const std::string& sentence) {
    const std::string err = error(kSmall + arguments);
    EXPECT_NE(err.find(sentence), std::string::npos) << arguments << ": " << err;
  };
  expect(" --ranks 4", "--ranks is \"4\"; expected nodes times GPUs per node, 2 * 4 = 8");
  expect(" --topk-nodes 3", "expected a whole number from 1 to 2");
  expect(" --dedup node --path one-hop", "two hops");
  expect(" --dedup gpu", "expected none, rank or node");
  expect(" --zipf 9", "--zipf is \"9\"");
  expect(" --zipf 1.001", "expected a multiple of 1/100");
  expect(" --capacity-factor 0", "expected a number above 0");
  expect(" --replicas 99", "--replicas");
  EXPECT_NE(error("moe --tokens 1 --hidden 8 --topk 2 --experts 8 --nodes 2").find("--gpus-per-node is missing"),
            std::string::npos);
  EXPECT_NE(error("moe --tokens 1 --hidden 8 --topk 2 --experts 8 --nodes 2 --gpus-per-node 3").find("divisor"),
            std::string::npos);
  EXPECT_NE(error("moe --tokens 1 --hidden 8 --topk 2 --experts 8 --nodes 3 --ranks 4").find("3 * 1 = 3"),
            std::string::npos);
  EXPECT_NE(error("moe --tokens 900000000 --hidden 8 --topk 2 --experts 8 --ranks 4 --zipf 1").find("tokens per rank"),
            std::string::npos);
  EXPECT_NE(error("moe --tokens 8 --hidden 8 --topk 9 --experts 16 --nodes 2 --gpus-per-node 4 --topk-nodes 1")
                .find("expected at least 2 nodes"),
            std::string::npos);
}

TEST(CliMoeLayer, TextLeavesListsPerExpertOut) {
  const std::string text = answer_to(kSmall).out;
  EXPECT_NE(text.find("max_over_mean"), std::string::npos);
  EXPECT_EQ(text.find("tokens_per_expert "), text.find("expected_tokens_per_expert") + 9);
  EXPECT_NE(text.find("dispatch_backward"), std::string::npos);
  EXPECT_NE(text.find("tensor_parallel"), std::string::npos);
}

}  // namespace
}  // namespace commflow

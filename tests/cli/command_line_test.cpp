// What every command does alike: help, tables, and the sentence for a wrong argument.

#include <algorithm>

#include "cli/command_line.h"

namespace commflow {
namespace {

using testing_cli::Answer;
using testing_cli::answer_to;

const std::string kRing = " --collective all-reduce --algorithm ring --ranks 4";

struct Wrong {
  std::string line;
  std::string input;
  std::vector<std::string> said;  // what the sentence must name: the argument, what was given, what was expected
};

std::vector<Wrong> wrong_lines() {
  const std::string gather = "run --collective all-gather --algorithm ring --ranks 3 --input -";
  const std::string reduce = "run --collective reduce --algorithm linear --ranks 2 --input -";
  return {
      {"", "", {"expected", "schedule", "time"}},
      {"fly", "", {"\"fly\"", "schedule", "run", "count", "time"}},
      {"count", "", {"--collective", "missing", "broadcast", "send-recv"}},
      {"count --collective allreduce", "", {"--collective", "\"allreduce\"", "all-reduce"}},
      {"count --collective all-reduce --ranks 4 --bytes 8", "", {"--algorithm", "missing", "ring"}},
      {"count --collective all-reduce --algorithm pairwise --ranks 4 --bytes 8",
       "",
       {"--algorithm", "\"pairwise\"", "ring, direct, halving-doubling, one-shot", "hierarchical or in-switch"}},
      {"count --collective broadcast --algorithm ring --ranks 4 --bytes 8",
       "",
       {"\"ring\"", "linear, binomial, chain, scatter-allgather or scatter-allgather-doubling"}},
      {"count --collective all-reduce --algorithm hierarchical --ranks 8 --gpus-per-node 3 --bytes 8",
       "",
       {"--gpus-per-node", "\"3\"", "divides the 8 ranks"}},
      {"count --collective broadcast --algorithm chain --ranks 8 --chunks 0 --bytes 8",
       "",
       {"--chunks", "\"0\"", "1 to 256"}},
      {"tree", "", {"--ranks", "missing", "1 to 100000"}},
      {"count" + kRing, "", {"--bytes", "missing"}},
      {"count" + kRing + " --bytes -1", "", {"--bytes", "\"-1\"", "from 1"}},
      {"count" + kRing + " --bytes 1e6", "", {"--bytes", "\"1e6\"", "whole number"}},
      {"count" + kRing + " --bytes 99999999999999999999", "", {"--bytes", "whole number"}},
      {"count --collective all-reduce --algorithm ring --ranks 100001 --bytes 8",
       "",
       {"--ranks", "100001", "1 to 100000"}},
      {"count --collective all-reduce --algorithm ring --ranks 0 --bytes 8", "", {"--ranks", "\"0\"", "1 to 100000"}},
      {"count --collective all-reduce --algorithm ring --ranks 1025 --bytes 1125899906842624",
       "",
       {"--bytes", "17592186044416"}},
      {"count" + kRing + " --bytes 8 --root 4", "", {"--root", "\"4\"", "0 to 3"}},
      {"count" + kRing + " --bytes 8 --alpha-us 3", "", {"--alpha-us", "--bytes"}},
      {"count" + kRing + " --bytes", "", {"--bytes", "value"}},
      {"count" + kRing + " --bytes 8 --bytes 9", "", {"--bytes", "twice"}},
      {"count" + kRing + " --bytes 8 stray", "", {"\"stray\"", "--ranks"}},
      {"count" + kRing + " --bytes 8 --json=yes", "", {"--json", "yes"}},
      {"time" + kRing + " --bytes 8 --gbps 3", "", {"--alpha-us", "missing"}},
      {"time" + kRing + " --bytes 8 --alpha-us -1 --gbps 3", "", {"--alpha-us", "\"-1\"", "from 0"}},
      {"time" + kRing + " --bytes 8 --alpha-us 1 --gbps inf", "", {"--gbps", "\"inf\"", "a number"}},
      {"time" + kRing + " --bytes 8 --alpha-us 1 --gbps 0", "", {"--gbps", "\"0\"", "a number"}},
      {"schedule --collective all-reduce --algorithm ring --ranks 257", "", {"--ranks", "257", "1 to 256"}},
      {"run --collective all-reduce --algorithm ring --ranks 17", "", {"--ranks", "17", "1 to 16"}},
      {"run" + kRing + " --op minus", "", {"--op", "\"minus\"", "sum, prod, min, max or avg"}},
      {"run" + kRing + " --input /no/such/file", "", {"--input", "/no/such/file", "a file"}},
      {gather, "[[1], [2]]", {"--input", "list of 2", "list of 3"}},
      {gather, "[[1], [2], [3, 4]]", {"[2]", "list of 2", "1"}},
      {gather, "[[1], [2], [3]", {"--input", "line 1"}},
      {gather, "[[1], [2], null]", {"[2]", "nothing", "a list"}},
      {gather, "[[1], [2], [2.5]]", {"[2][0]", "2.5", "whole number"}},
      {gather, "[[1], [2], [9223372036854775808]]", {"[2][0]", "9223372036854775808", "9223372036854775807"}},
      {gather, "[[1], [2], [\"a\"]]", {"[2][0]", "\"a\"", "same kind"}},
      {gather, "[\"a\", \"b\", \"1\"]", {"[2]", "\"1\"", "letters"}},
      {gather, "[[], [], []]", {"[0]", "list of 0"}},
      {gather, "{}", {"an object", "a list of 3"}},
      {reduce, "[\"a\", \"b\"]", {"[0]", "\"a\"", "whole numbers"}},
      {reduce, "[[9223372036854775807], [1]]", {"--input", "sum", "64 bits"}},
      {"run --collective all-to-all --algorithm direct --ranks 2 --input -",
       "[[1,2,3],[4,5,6]]",
       {"[0]", "list of 3", "2 ranks divide"}},
      {"run --collective broadcast --algorithm linear --ranks 2 --input -", "[[1],[2]]", {"[1]", "null", "rank 1"}},
  };
}

TEST(WrongArguments, EndWithCodeTwoAndOneSentence) {
  for (const auto& [line, input, said] : wrong_lines()) {
    const Answer answer = answer_to(line, input);
    EXPECT_EQ(answer.code, 2) << line;
    EXPECT_EQ(answer.out, "") << line;
    for (const std::string& part : said)
      EXPECT_NE(answer.err.find(part), std::string::npos) << line << '\n' << answer.err;
    EXPECT_EQ(std::count(answer.err.begin(), answer.err.end(), '\n'), 1) << answer.err;
  }
}

TEST(Help, ListsTheCommandsAndTheirArguments) {
  const Answer overview = answer_to("--help");
  EXPECT_EQ(overview.code, 0);
  for (const std::string command : {"schedule", "run", "count", "time"}) {
    EXPECT_NE(overview.out.find(command), std::string::npos);
    const Answer help = answer_to(command + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    for (const std::string option : {"--collective", "--algorithm", "--ranks", "--root", "--json", "--help"}) {
      EXPECT_NE(help.out.find(option), std::string::npos) << command << ' ' << option;
    }
  }
}

TEST(Arguments, MayBeJoinedByAnEqualsSign) {
  const Answer joined = answer_to("count --collective=all-reduce --algorithm=ring --ranks=4 --bytes=64 --json");
  EXPECT_EQ(joined.code, 0) << joined.err;
  EXPECT_EQ(joined.out, answer_to("count" + kRing + " --bytes 64 --json").out);
}

TEST(Tables, SayTheSameAsTheJson) {
  const std::string count = answer_to("count" + kRing + " --bytes 64").out;
  EXPECT_NE(count.find("critical_path_bytes  96\n"), std::string::npos) << count;
  EXPECT_NE(count.find("ranks 0-3: 96"), std::string::npos) << count;
  const std::string run = answer_to("run --collective reduce --algorithm linear --ranks 2 --root 1").out;
  EXPECT_NE(run.find("   1    200  ->     300\n"), std::string::npos) << run;
  const std::string schedule = answer_to("schedule --collective send-recv --algorithm direct --ranks 2").out;
  EXPECT_NE(schedule.find("    1     0  in[0]  ->   1  out[0]  copy\n"), std::string::npos) << schedule;
}

}  // namespace
}  // namespace commflow

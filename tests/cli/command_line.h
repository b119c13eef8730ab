#pragma once
// Runs one command line inside the test, with an optional standard input.

#include <gtest/gtest.h>

#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/cli.h"
#include "io/json.h"

namespace commflow::testing_cli {

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

// `line`: arguments separated by blanks.
inline Answer answer_to(const std::string& line, const std::string& standard_input = "") {
  std::istringstream words(line);
  std::vector<std::string> texts;
  for (std::string word; words >> word;) texts.push_back(word);
  const std::vector<std::string_view> args(texts.begin(), texts.end());

  std::istringstream input(standard_input);
  std::streambuf* const before = std::cin.rdbuf(input.rdbuf());
  std::ostringstream out, err;
  Answer answer;
  answer.code = run_command_line(args, out, err);
  std::cin.rdbuf(before);
  std::cin.clear();
  answer.out = out.str();
  answer.err = err.str();
  return answer;
}

inline Json json_of(const std::string& line, const std::string& standard_input = "") {
  const Answer answer = answer_to(line + " --json", standard_input);
  EXPECT_EQ(answer.code, 0) << line << '\n' << answer.err;
  const Parsed<Json> parsed = parse_json(answer.out, "answer");
  EXPECT_EQ(parsed.error, "") << line;
  return parsed.value.value_or(Json::object());
}

}  // namespace commflow::testing_cli

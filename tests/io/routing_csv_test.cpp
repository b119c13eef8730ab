#include "io/routing_csv.h"

#include <gtest/gtest.h>

namespace commflow {
namespace {

std::string error_of(std::string_view text) {
  return parse_routing_csv(text, "r.csv", 8).error;
}

TEST(RoutingCsv, ReadsALinePerToken) {
  const Parsed<RoutingTable> table = parse_routing_csv("# rank 0\n0,3\n 7 , 1\t# second\r\n\n2,5", "r.csv", 8);
  ASSERT_EQ(table.error, "");
  EXPECT_EQ(table.value->topk, 2);
  EXPECT_EQ(table.value->tokens, 3);
  EXPECT_EQ(table.value->experts, (std::vector<int>{0, 3, 7, 1, 2, 5}));
}

TEST(RoutingCsv, ErrorsNameLineAndColumn) {
  EXPECT_EQ(error_of("0,1\n2,8\n"), "r.csv: line 2, column 2: found \"8\", expected an expert from 0 to 7");
  EXPECT_EQ(error_of("0,1\n\nx,2\n"), "r.csv: line 3, column 1: found \"x\", expected an expert from 0 to 7");
  EXPECT_EQ(error_of("0,-1\n"), "r.csv: line 1, column 2: found \"-1\", expected an expert from 0 to 7");
  EXPECT_EQ(error_of("0,1,\n"), "r.csv: line 1, column 3: found \"\", expected an expert from 0 to 7");
  EXPECT_EQ(error_of("4,4\n"), "r.csv: line 1, column 2: found expert 4 for the second time, expected different ones");
  EXPECT_EQ(error_of("0,1\n2\n"), "r.csv: line 2, column 1: found 1 ids, expected 2 as in the first line");
  EXPECT_EQ(error_of("0,1\n2,3,4\n"), "r.csv: line 2, column 3: found 3 ids, expected 2 as in the first line");
  EXPECT_EQ(error_of("# nothing\n"), "r.csv has no line with ids; expected one for each token");
  EXPECT_EQ(error_of("99999999999\n"),
            "r.csv: line 1, column 1: found \"99999999999\", expected an expert from 0 to 7");
}

}  // namespace
}  // namespace commflow

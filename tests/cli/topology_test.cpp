// topology and route against the tables of the facts (tests/data/collectives.json).

#include <map>

#include "cli/command_line.h"
#include "core/topology.h"
#include "io/files.h"

namespace commflow {
namespace {

using testing_cli::answer_to;
using testing_cli::json_of;

Json cases(const char* section) {
  const Parsed<Json> parsed = parse_json(testing_files::read_file("tests/data/collectives.json"), "collectives.json");
  EXPECT_EQ(parsed.error, "");
  return (*parsed.value)[section];
}

TEST(TopologyCommand, CountsAsTheTable) {
  const std::map<std::string, std::string> names{{"full_mesh", "full-mesh"},
                                                 {"star_switch", "switch"},
                                                 {"complete_binary_tree", "binary-tree"},
                                                 {"torus2d", "torus"},
                                                 {"mesh2d", "mesh"}};
  int compared = 0;
  for (const Json& row : cases("topology")) {
    const auto name = row["topology"].get<std::string>();
    const auto found = names.find(name);
    const Json report =
        json_of("topology --kind " + (found == names.end() ? name : found->second) + " --size " + row["p"].dump());
    EXPECT_EQ(report["links"], row["links"]) << row.dump();
    EXPECT_EQ(report["diameter"], row["diameter_links"]) << row.dump();
    EXPECT_EQ(report["bisection"], row["bisection_links"]) << row.dump();
    EXPECT_EQ(report["max_degree"], row["max_degree"]) << row.dump();
    ++compared;
  }
  EXPECT_EQ(compared, 11);
  EXPECT_EQ(json_of("topology --kind switch --size 8")["switch_ports"], 8);
  EXPECT_EQ(json_of("topology --kind ring --size 8")["switch_ports"], 0);
}

TEST(TopologyCommand, GoesToAThousandGpus) {
  for (int i = 0; i < kTopologyKinds; ++i) {
    const std::string kind(name_of(static_cast<TopologyKind>(i)));
    EXPECT_GT(json_of("topology --kind " + kind + " --size 1024")["bisection"].get<int>(), 0) << kind;
  }
  EXPECT_TRUE(json_of("topology --kind two-level --size 24 --gpus-per-node 8")["bisection"].is_null());
}

TEST(TopologyCommand, ShowsTheWayBetweenTwoGpus) {
  const Json way = json_of("topology --kind torus --size 16 --from 0 --to 15");
  EXPECT_EQ(way["hops"], 2);
  EXPECT_EQ(way["paths"], Json::parse("[[0, 3, 15]]"));
  EXPECT_EQ(json_of("topology --kind nvswitch --size 8 --switches 2 --from 1 --to 6")["paths"],
            Json::parse("[[1, 8, 6], [1, 9, 6]]"));
  EXPECT_NE(answer_to("topology --kind line --size 3 --from 2 --to 0").out.find("path          2 1 0"),
            std::string::npos);
}

TEST(TopologyCommand, RefusesSizesThatAKindCannotHave) {
  const std::map<std::string, std::string> refused{
      {"topology --kind hypercube --size 6", "a power of two"},
      {"topology --kind torus --size 7", "two sides"},
      {"topology --kind mesh --size 13", "two sides"},
      {"topology --kind two-level --size 8 --gpus-per-node 3", "divides the 8 GPUs"},
      {"topology --kind two-level --size 8 --gpus-per-node 4 --nics-per-node 3", "divides the 4 GPUs"},
      {"topology --kind star --size 8", "two-level"},
      {"topology --kind ring --size 0", "from 1 to 1024"},
      {"topology --kind ring --size 8 --from 1", "--to is missing"},
      {"route --topology hypercube --size 6 --collective all-reduce --algorithm ring --bytes 8", "a power of two"},
      {"route --topology ring --size 6 --collective all-reduce --algorithm in-switch --bytes 8", "switch or nvswitch"},
      {"route --topology ring --size 6 --collective all-reduce --algorithm ring --bytes 8 --slow-link 0-2", "joined"},
  };
  for (const auto& [line, said] : refused) {
    const testing_cli::Answer answer = answer_to(line);
    EXPECT_EQ(answer.code, 2) << line;
    EXPECT_NE(answer.err.find(said), std::string::npos) << answer.err;
  }
}

Json link_of(const Json& report, int from, int to) {
  for (const Json& link : report["load"]) {
    if (link["from"] == from && link["to"] == to) return link;
  }
  return {};
}

TEST(RouteCommand, NamesLoadBottleneckAndTime) {
  const std::string line =
      "route --topology ring --size 4 --collective all-reduce --algorithm ring --bytes 4000 --gbps 1 --alpha-us 2";
  const Json report = json_of(line);
  EXPECT_EQ(report["load"].size(), 8U);
  EXPECT_EQ(link_of(report, 0, 1)["bytes"], 6000);
  EXPECT_EQ(link_of(report, 1, 0)["bytes"], 0);
  EXPECT_EQ(report["bottleneck"]["from"], 0);
  EXPECT_EQ(report["bottleneck"]["to"], 1);
  EXPECT_DOUBLE_EQ(report["time_us"].get<double>(), 6 * (2 + 1));
  const Json slow = json_of(line + " --slow-link 2-3 --slow-factor 5");
  EXPECT_EQ(slow["bottleneck"]["from"], 2);
  EXPECT_DOUBLE_EQ(slow["time_us"].get<double>(), 6 * (2 + 5));
  EXPECT_NE(answer_to(line).out.find("bottleneck: 0 -> 1"), std::string::npos);
}

// Seven links of 64 GB/s each way: 448 together, but one pair has 64 (MI300X).
TEST(RouteCommand, GivesAPairOneLinkOfAFullMesh) {
  const Json gpu = cases("full_mesh_gpu")[0];
  const double link_gbps = gpu["gbps_per_link_per_direction"].get<double>();
  const std::string mesh = " --topology full-mesh --size 8 --gbps " + gpu["gbps_per_link_per_direction"].dump();
  EXPECT_EQ(json_of("topology --kind full-mesh --size 8")["max_degree"], gpu["links"]);
  const double bytes = 8e6;
  const Json pair = json_of("route" + mesh + " --collective send-recv --algorithm direct --bytes 8000000");
  EXPECT_NEAR(bytes / pair["time_us"].get<double>() / 1e3, link_gbps, 1e-9);
  const Json all = json_of("route" + mesh + " --collective all-reduce --algorithm direct --bytes 8000000");
  const double busbw = bytes / all["time_us"].get<double>() / 1e3 * 2 * 7 / 8;
  EXPECT_NEAR(busbw, gpu["gbps_total_per_direction"].get<double>(), 1e-9);
}

TEST(FaultsCommand, SaysWhoWaitsForWhom) {
  const std::string line =
      "faults --collective all-reduce --algorithm ring --ranks 4 --bytes 4000 --alpha-us 1 --gbps 1";
  const Json healthy = json_of(line);
  EXPECT_EQ(healthy["time_us"], healthy["healthy_us"]);
  EXPECT_DOUBLE_EQ(healthy["time_us"].get<double>(), 6 * (1 + 1));
  const Json late = json_of(line + " --late 1 --late-us 5");
  EXPECT_EQ(late["rounds"][0]["waits"],
            Json::parse(R"([{"rank": 0, "on": 1, "us": 5.0}, {"rank": 2, "on": 1, "us": 5.0}])"));
  EXPECT_DOUBLE_EQ(late["time_us"].get<double>(), 6 * (1 + 1) + 5);
  const Json dead = json_of(line + " --dead 1 --from-round 6");
  EXPECT_EQ(dead["blocked"], Json::parse("[0, 1, 2]"));
  EXPECT_TRUE(dead["time_us"].is_null());
  EXPECT_TRUE(dead["rounds"][5]["waits"][0]["us"].is_null());
  EXPECT_TRUE(dead["rounds"][4]["waits"].empty());
  EXPECT_DOUBLE_EQ(json_of(line + " --slow-link 2-3 --slow-factor 4")["time_us"].get<double>(), 6 * (1 + 4));
  EXPECT_NE(answer_to(line + " --dead 1").out.find("    1     0          1  for ever"), std::string::npos);
}

TEST(FaultsCommand, RefusesWhatCannotBe) {
  const std::string line =
      "faults --collective all-reduce --algorithm ring --ranks 4 --bytes 4000 --alpha-us 1 --gbps 1";
  const std::map<std::string, std::string> refused{{" --dead 4", "0 to 3"},
                                                   {" --slow-link 1-1", "two different ranks"},
                                                   {" --dead 1 --late 2", "at most one"},
                                                   {" --slow-link 0-1 --slow-factor 0", "from 1"}};
  for (const auto& [wrong, said] : refused) {
    const testing_cli::Answer answer = answer_to(line + wrong);
    EXPECT_EQ(answer.code, 2) << wrong;
    EXPECT_NE(answer.err.find(said), std::string::npos) << answer.err;
  }
}

}  // namespace
}  // namespace commflow

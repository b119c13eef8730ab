// schedule, run, count and time against published and derived cases
// (tests/data/collectives.json), and against a second way to replay a schedule.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "cli/command_line.h"
#include "core/algorithms.h"
#include "core/index.h"
#include "core/traffic.h"
#include "io/files.h"

namespace commflow {
namespace {

using testing_cli::answer_to;
using testing_cli::json_of;

const Json& cases(const char* section) {
  static const Parsed<Json> parsed =
      parse_json(testing_files::read_file("tests/data/collectives.json"), "collectives.json");
  EXPECT_EQ(parsed.error, "");
  const Json& rows = (*parsed.value)[section];
  EXPECT_GE(rows.size(), 1U) << section;
  return rows;
}

Collective collective_of(const Json& row) {
  static const std::map<std::string, Collective> kNames{{"AllReduce", Collective::all_reduce},
                                                        {"AllGather", Collective::all_gather},
                                                        {"ReduceScatter", Collective::reduce_scatter},
                                                        {"AlltoAll", Collective::all_to_all},
                                                        {"Broadcast", Collective::broadcast},
                                                        {"Reduce", Collective::reduce},
                                                        {"Gather", Collective::gather},
                                                        {"Scatter", Collective::scatter},
                                                        {"SendRecv", Collective::send_recv}};
  return kNames.at(row["primitive"].get<std::string>());
}

std::vector<Algorithm> algorithms_for(Collective collective) {
  std::vector<Algorithm> found;
  for (const AlgorithmRow& row : algorithms()) {
    if (row.collective == collective) found.push_back(row.id);
  }
  return found;
}

std::string arguments_of(Collective collective, Algorithm algorithm, int ranks, Rank root = 0) {
  return " --collective " + std::string(name_of(collective)) + " --algorithm " + std::string(name_of(algorithm)) +
         " --ranks " + std::to_string(ranks) + " --root " + std::to_string(root);
}

// ---- run ----

TEST(Run, DoesWhatTheGuideShows) {
  EXPECT_EQ(cases("semantics").size(), 20U);
  for (const Json& row : cases("semantics")) {
    const Collective collective = collective_of(row);
    const std::string op = row.contains("op") && row["op"].is_string() ? row["op"].get<std::string>() : "sum";
    for (const Algorithm algorithm : algorithms_for(collective)) {
      const std::string line =
          "run" + arguments_of(collective, algorithm, row["n"].get<int>(), row.value("root", 0)) + " --op " + op;
      const Json report = json_of(line + " --input -", row["inputs_per_rank"].dump());
      EXPECT_EQ(report["outputs"], row["outputs_per_rank"]) << line;
      EXPECT_EQ(report["inputs"], row["inputs_per_rank"]) << line;
    }
  }
}

std::vector<Value> codes(const Json& values) {
  std::vector<Value> list;
  if (values.is_string()) {
    for (const char letter : values.get<std::string>()) list.push_back(letter);
  } else if (values.is_array()) {
    list = values.get<std::vector<Value>>();
  }
  return list;
}

// The engine's oracle against the same pictures, without an algorithm between.
TEST(ExpectedOutputOfTheGuide, IsThatOfTheOracle) {
  for (const Json& row : cases("semantics")) {
    const Collective collective = collective_of(row);
    const int ranks = row["n"].get<int>();
    const Rank root = row.value("root", 0);
    const bool averages = row.value("op", Json()) == "avg";
    const Operator op =
        operator_named(row.value("op", Json()).is_string() ? row["op"].get<std::string>() : "sum").value();
    std::vector<std::vector<Value>> inputs;
    for (const Json& values : row["inputs_per_rank"]) inputs.push_back(codes(values));
    const int blocks = has_block_per_rank(collective) ? ranks : 1;
    const auto first = input_blocks(collective, ranks, blocks, root, root);
    const int width = static_cast<int>(inputs[index_of(root)].size() / first.size());
    const Buffers initial = initial_buffers(collective, root, std::vector<int>(index_of(blocks), width), inputs);
    const auto expected = expected_output(collective, root, initial, op);
    for (Rank rank = 0; rank < ranks; ++rank) {
      std::vector<Value> values = expected[index_of(rank)].values;
      if (averages) {
        for (Value& value : values) value = finish(op, value, ranks).numerator;  // the cases divide evenly
      }
      EXPECT_EQ(values, codes(row["outputs_per_rank"][index_of(rank)])) << row.dump();
    }
  }
}

TEST(Run, AveragesExactly) {
  const Json report = json_of("run --collective all-reduce --algorithm ring --ranks 4 --op avg --input -",
                              "[[1, -3], [2, -3], [3, -3], [4, -2]]");
  EXPECT_EQ(report["outputs"][3], Json::parse("[2.5, -2.75]"));
}

TEST(Run, TakesAnyLengthAndCutsItAtTheFloors) {
  for (const Algorithm algorithm : algorithms_for(Collective::all_reduce)) {
    for (int length = 1; length <= 11; ++length) {
      Json input;
      Json sums;
      for (int i = 0; i < length; ++i) sums.push_back(5 * i + 10 * 10);
      for (int rank = 0; rank < 5; ++rank) {
        Json values;
        for (int i = 0; i < length; ++i) values.push_back(i + 10 * rank);
        input.push_back(values);
      }
      const Json report =
          json_of("run" + arguments_of(Collective::all_reduce, algorithm, 5) + " --input -", input.dump());
      EXPECT_EQ(report["outputs"], Json::array({sums, sums, sums, sums, sums}));
    }
  }
}

TEST(Run, GivesLettersBackAsTheyCame) {
  const std::string line = "run --collective gather --algorithm binomial --ranks 3 --root 2 --input -";
  EXPECT_EQ(json_of(line, R"(["ab", "cd", "ef"])")["outputs"], Json::parse(R"([null, null, "abcdef"])"));
  EXPECT_EQ(json_of(line, R"([["a"], ["b"], ["c"]])")["outputs"], Json::parse(R"([null, null, ["a", "b", "c"]])"));
}

TEST(Run, ReadsAFile) {
  const auto path = std::filesystem::temp_directory_path() / "commflow-run-input.json";
  std::ofstream(path) << "[[5], null]";
  const Json report = json_of("run --collective send-recv --algorithm direct --ranks 2 --input " + path.string());
  EXPECT_EQ(report["outputs"], Json::parse("[null, [5]]"));
  std::filesystem::remove(path);
}

// ---- schedule, replayed by its --help alone ----

using Spot = std::tuple<int, std::string, int>;
using Held = std::map<Spot, std::multiset<int>>;  // which ranks' inputs are in it

Spot spot_of(const Json& place) {
  return {place["rank"].get<int>(), place["area"].get<std::string>(), place["slot"].get<int>()};
}

Held replayed(const Json& schedule) {
  Held held;
  for (std::size_t rank = 0; rank < schedule["inputs"].size(); ++rank) {
    for (const Json& place : schedule["inputs"][rank]) held[spot_of(place)] = {static_cast<int>(rank)};
  }
  for (const Json& round : schedule["rounds"]) {
    const Held before = held;
    for (const Json& transfer : round) {
      const auto src = before.find(spot_of(transfer["src"]));
      if (src == before.end()) ADD_FAILURE() << "reads an empty place: " << transfer.dump();
      if (src == before.end()) continue;
      std::multiset<int>& dst = held[spot_of(transfer["dst"])];
      if (transfer["op"] == "copy") dst.clear();
      dst.insert(src->second.begin(), src->second.end());
    }
  }
  return held;
}

std::multiset<int> everybody(int ranks) {
  std::multiset<int> all;
  for (int rank = 0; rank < ranks; ++rank) all.insert(rank);
  return all;
}

TEST(ScheduleCommand, CanBeReplayedElsewhere) {
  for (const AlgorithmRow& row : algorithms()) {
    for (int ranks = 1; ranks <= 9; ++ranks) {
      const Rank root = ranks / 2;
      const Json schedule = json_of("schedule" + arguments_of(row.collective, row.id, ranks, root));
      EXPECT_EQ(schedule["ranks"], ranks);
      EXPECT_EQ(schedule["root"], root);
      EXPECT_EQ(schedule["outputs"].size(), index_of(ranks));
      const Held held = replayed(schedule);
      std::size_t results = 0;
      for (const Json& places : schedule["outputs"]) {
        for (const Json& place : places) {
          ++results;
          const bool names_source = row.collective == Collective::all_gather || row.collective == Collective::gather ||
                                    row.collective == Collective::all_to_all;
          const int source = names_source ? place["slot"].get<int>() : root;
          const auto expected = reduces(row.collective) ? everybody(ranks) : std::multiset<int>{source};
          EXPECT_EQ(held.at(spot_of(place)), expected) << name_of(row.collective) << ' ' << name_of(row.id);
        }
      }
      EXPECT_GE(results, 1U);
    }
  }
}

TEST(ScheduleCommand, TracesTheRingAsNcclDoes) {
  for (const Json& row : cases("ring_allreduce_trace")) {
    const int ranks = row["n"].get<int>();
    const Json schedule = json_of("schedule" + arguments_of(Collective::all_reduce, Algorithm::ring, ranks));
    ASSERT_EQ(schedule["rounds"].size(), row["steps"].get<std::size_t>());
    for (std::size_t k = 0; k < schedule["rounds"].size(); ++k) {
      std::vector<int> sent(index_of(ranks), -1);
      for (const Json& transfer : schedule["rounds"][k]) {
        const Json& src = transfer["src"];
        if (src["rank"] != transfer["dst"]["rank"]) sent[src["rank"].get<std::size_t>()] = src["slot"].get<int>();
      }
      EXPECT_EQ(Json(sent), row["chunk_sent_by_rank_at_step"][k]) << "round " << k;
    }
  }
}

// ---- count and time ----

TEST(CountCommand, HasTheBusbwFactorsOfNcclTests) {
  for (const Json& row : cases("busbw_factor")) {
    const Collective collective = collective_of(row);
    const int ranks = row["n"].get<int>();
    const Json& factor = row["factor"];
    EXPECT_EQ(busbw_factor(collective, ranks), (Fraction{factor["num"].get<int>(), factor["den"].get<int>()}));
    for (const Algorithm algorithm : algorithms_for(collective)) {
      const Json report = json_of("count" + arguments_of(collective, algorithm, ranks) + " --bytes 4096");
      EXPECT_DOUBLE_EQ(report["busbw_factor"].get<double>(), factor["value"].get<double>());
    }
  }
}

TEST(BusbwFactor, TurnsMeasuredAlgbwIntoMeasuredBusbw) {
  for (const Json& row : cases("algbw_to_busbw_rows")) {
    const Fraction factor = busbw_factor(collective_of(row), row["n"].get<int>());
    const double busbw = row["algbw_gbps"].get<double>() * static_cast<double>(factor.numerator) /
                         static_cast<double>(factor.denominator);
    EXPECT_NEAR(busbw, row["busbw_gbps"].get<double>(), row["tol_abs"].get<double>()) << row.dump();
  }
}

// The name a case gives to one of our algorithms; most are ours but for the dashes.
std::string algorithm_named_in(const Json& row) {
  static const std::map<std::string, std::string> kNames{{"direct_two_step", "direct"},
                                                         {"binomial_reduce_bcast", "binomial"},
                                                         {"pipelined_chain", "chain"},
                                                         {"scatter_ring_allgather", "scatter-allgather"},
                                                         {"scatter_rd_allgather", "scatter-allgather-doubling"}};
  auto name = row["algorithm"].get<std::string>();
  const auto found = kNames.find(name);
  if (found != kNames.end()) return found->second;
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

TEST(TimeCommand, CostsWhatTheFormulasSay) {
  int compared = 0;
  for (const Json& row : cases("collective_cost")) {
    const auto algorithm = algorithm_named(algorithm_named_in(row));
    ASSERT_TRUE(algorithm) << row.dump();
    ++compared;
    const std::string chunks = row.contains("chunks") ? " --chunks " + row["chunks"].dump() : "";
    const Json report = json_of("time" + arguments_of(collective_of(row), *algorithm, row["n"].get<int>()) + chunks +
                                " --bytes " + row["size_bytes"].dump() + " --alpha-us " + row["alpha_us"].dump() +
                                " --gbps " + row["bandwidth_gbps"].dump());
    EXPECT_EQ(report["rounds"], row["steps"]) << row.dump();
    EXPECT_EQ(report["critical_path_bytes"], row["critical_path_bytes"]) << row.dump();
    EXPECT_NEAR(report["time_us"].get<double>(), row["time_us"].get<double>(), 1e-6) << row.dump();
    const double algbw = row["size_bytes"].get<double>() / row["time_us"].get<double>() / 1e3;
    EXPECT_NEAR(report["algbw_gbps"].get<double>(), algbw, 1e-6);
    EXPECT_NEAR(report["busbw_gbps"].get<double>(), algbw * report["busbw_factor"].get<double>(), 1e-6);
  }
  EXPECT_EQ(compared, 32);
}

TEST(CountCommand, CountsTheRingAllReduceToTheByte) {
  for (const Json& row : cases("allreduce_ring_bytes")) {
    const int ranks = row["n"].get<int>();
    const Json report = json_of("count" + arguments_of(Collective::all_reduce, Algorithm::ring, ranks) + " --bytes " +
                                row["size_bytes"].dump());
    EXPECT_EQ(report["rounds"], row["steps"]);
    Json total = 0;
    for (const Json& bytes : report["bytes_sent"]) total = total.get<Bytes>() + bytes.get<Bytes>();
    EXPECT_EQ(total, row["total_wire_bytes"]);
    EXPECT_EQ(report["bytes_sent"], Json(std::vector<Json>(index_of(ranks), row["bytes_sent_per_rank"])));
    EXPECT_EQ(report["bytes_received"], Json(std::vector<Json>(index_of(ranks), row["bytes_received_per_rank"])));
  }
}

TEST(TimeCommand, HasRingAndRecursiveDoublingCrossWhereTheFormulaSays) {
  for (const Json& row : cases("crossover_ring_vs_recursive_doubling")) {
    const auto time = [&](const char* algorithm, double bytes) {
      const Json report = json_of("time --collective all-reduce --ranks " + row["n"].dump() + " --algorithm " +
                                  algorithm + " --bytes " + std::to_string(static_cast<Bytes>(bytes)) + " --alpha-us " +
                                  row["alpha_us"].dump() + " --gbps " + row["bandwidth_gbps"].dump());
      return report["time_us"].get<double>();
    };
    const double cross = row["size_bytes_at_equal_time"].get<double>();
    const int ranks = row["n"].get<int>();
    const auto counted = [&](Algorithm algorithm) {
      return count_traffic(*make_schedule(Collective::all_reduce, algorithm, ranks), 1 << 20);
    };
    const PortModel model{row["alpha_us"].get<double>(), row["bandwidth_gbps"].get<double>()};
    const Traffic ring = counted(Algorithm::ring);
    const Traffic doubling = counted(Algorithm::recursive_doubling);
    EXPECT_NEAR(crossing_bytes(ring, doubling, 1 << 20, model).value_or(0), cross, 1e-3);
    EXPECT_EQ(crossing_bytes(doubling, ring, 1 << 20, model), crossing_bytes(ring, doubling, 1 << 20, model));
    EXPECT_NEAR(time("ring", cross), time("recursive-doubling", cross), 1e-3);
    EXPECT_GT(time("ring", 0.99 * cross), time("recursive-doubling", 0.99 * cross));
    EXPECT_LT(time("ring", 1.01 * cross), time("recursive-doubling", 1.01 * cross));
  }
}

TEST(CountCommand, SplitsAHierarchicalAllReduceByLevel) {
  for (const Json& row : cases("hierarchical_allreduce")) {
    const int gpus = row["gpus_per_node"].get<int>();
    const int ranks = gpus * row["nodes"].get<int>();
    const std::string bytes = " --bytes " + row["payload_bytes"].dump();
    const Json report = json_of("count" + arguments_of(Collective::all_reduce, Algorithm::hierarchical, ranks) +
                                " --gpus-per-node " + std::to_string(gpus) + bytes);
    EXPECT_EQ(report["intra_bytes"], row["intra_bytes_per_gpu"]);
    EXPECT_EQ(report["inter_bytes"], row["inter_bytes_per_gpu"]);
    const double share = row["inter_share"]["value"].get<double>();
    const double sent = report["bytes_sent"][0].get<double>();
    EXPECT_NEAR(report["inter_bytes"].get<double>() / sent, share, 1e-12);
    const Json ring = json_of("count" + arguments_of(Collective::all_reduce, Algorithm::ring, ranks) + bytes);
    EXPECT_EQ(ring["bytes_sent"][0], row["flat_ring_bytes"]);
    EXPECT_FALSE(ring.contains("inter_bytes"));
    if (!row.contains("inter_time_ms_at_wire")) continue;
    const double wire_ms = report["inter_bytes"].get<double>() / row["nic_gbps_per_gpu"].get<double>() / 1e6;
    EXPECT_NEAR(wire_ms, row["inter_time_ms_at_wire"].get<double>(), 1e-4);
  }
}

// Per-GPU rate of the network cards = busbw * (k - 1) / (n - 1), the share of a hierarchical all-reduce's bytes.
TEST(CountCommand, SharesBytesBetweenLevelsAsMeasuredRatesDo) {
  for (const Json& row : cases("hierarchical_rate")) {
    const int ranks = row["n"].get<int>();
    const int gpus = ranks / row["nodes"].get<int>();
    const Json report = json_of("count" + arguments_of(Collective::all_reduce, Algorithm::hierarchical, ranks) +
                                " --gpus-per-node " + std::to_string(gpus) + " --bytes " + row["payload_bytes"].dump());
    const double share = report["inter_bytes"].get<double>() / report["bytes_sent"][0].get<double>();
    EXPECT_NEAR(row["busbw_gbps"].get<double>() * share, row["per_gpu_nic_gbps"].get<double>(),
                row["tol_abs"].get<double>());
  }
}

TEST(CountCommand, CountsOneBufferUpAndOneDownWhereTheSwitchReduces) {
  for (const char* chunks : {"1", "8"}) {
    const Json report = json_of("count --collective all-reduce --algorithm in-switch --ranks 8 --bytes 8000 --chunks " +
                                std::string(chunks));
    EXPECT_EQ(report["bytes_sent"], Json(std::vector<Bytes>(8, 8000)));
    EXPECT_EQ(report["bytes_received"], Json(std::vector<Bytes>(8, 8000)));
  }
}

TEST(TreeCommand, DrawsTheTreesOfNccl) {
  for (const Json& row : cases("nccl_double_binary_tree")) {
    const Json report = json_of("tree --ranks " + row["n"].dump());
    EXPECT_EQ(report["parents"], Json::array({row["parents_tree0"], row["parents_tree1"]}));
    EXPECT_EQ(report["trees_with_children"], row["trees_where_rank_has_children"]);
  }
  EXPECT_EQ(json_of("tree --ranks 1")["parents"], Json::parse("[[-1], [-1]]"));
  EXPECT_NE(answer_to("tree --ranks 3").out.find("rank  parent in tree 0"), std::string::npos);
}

TEST(CountCommand, GoesToAThousandRanks) {
  for (const AlgorithmRow& row : algorithms()) {
    for (const int ranks : {1000, 1024}) {
      const Json report = json_of("count" + arguments_of(row.collective, row.id, ranks, 7) + " --bytes 1048583");
      Bytes difference = 0;
      for (std::size_t rank = 0; rank < index_of(ranks); ++rank) {
        difference += report["bytes_sent"][rank].get<Bytes>() - report["bytes_received"][rank].get<Bytes>();
      }
      EXPECT_EQ(difference, 0);
      EXPECT_GT(report["critical_path_bytes"].get<Bytes>(), 0);
    }
  }
}

TEST(CountCommand, GoesOnByFormulaWhereTheScheduleEnds) {
  for (const AlgorithmRow& row : algorithms()) {
    const std::string bytes = " --bytes 102500";
    EXPECT_EQ(json_of("count" + arguments_of(row.collective, row.id, 1024) + bytes)["by"], "schedule");
    const Json report = json_of("count" + arguments_of(row.collective, row.id, 1025, 3) + bytes);
    EXPECT_EQ(report["by"], "formula");
    const Tuning tuning{.gpus_per_node = default_gpus_per_node(1025)};
    const Traffic counted = count_traffic(*make_schedule(row.collective, row.id, 1025, 3, tuning), 102500);
    EXPECT_EQ(report["critical_path_bytes"], counted.critical_path_bytes) << name_of(row.id);
    EXPECT_EQ(report["messages"], counted.messages) << name_of(row.id);
  }
  const Json report = json_of(
      "time --collective all-reduce --algorithm ring --ranks 100000 --bytes 1000000000 --alpha-us 1 --gbps 100");
  EXPECT_EQ(report["by"], "formula");
  EXPECT_NEAR(report["time_us"].get<double>(), 2 * 99999 * (1 + 10000 / 100e3), 1e-3);
}

TEST(TimeCommand, SaysNothingOfARateWhereNothingTakesTime) {
  const Json report =
      json_of("time --collective all-reduce --algorithm ring --ranks 1 --bytes 8 --alpha-us 1 --gbps 1");
  EXPECT_EQ(report["rounds"], 0);
  EXPECT_EQ(report["messages"], 0);
  EXPECT_EQ(report["time_us"], 0.0);
  EXPECT_TRUE(report["algbw_gbps"].is_null());
}

}  // namespace
}  // namespace commflow

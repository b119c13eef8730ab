// Published figures of expert parallelism, tests/data/moe.json with their sources,
// met by the formulas and by counting.

#include <gtest/gtest.h>

#include <cmath>

#include "core/expert_bytes.h"
#include "core/expert_overlap.h"
#include "io/files.h"
#include "io/json.h"

namespace commflow {
namespace {

using experts::Settings;

constexpr MessageFormat kFp8{.element_bits = 8, .scale_block = kFp8ScaleBlock, .header_bytes = 16};
constexpr MessageFormat kBf16{};
constexpr MessageFormat kLogFmt10{.element_bits = 10, .scale_block = 128};
constexpr double kNicGbps = 50;  // ConnectX-7, 400 Gb/s

Json cases(const char* section, std::size_t expected) {
  const Parsed<Json> parsed = parse_json(testing_files::read_file("tests/data/moe.json"), "moe.json");
  EXPECT_EQ(parsed.error, "");
  Json rows = parsed.value.value_or(Json::object())[section];
  EXPECT_EQ(rows.size(), expected) << section;
  return rows;
}

template <class T>
T value(const Json& row, const char* key) {
  return row[key].get<T>();
}

TEST(MoeCases, MessagesOfDeepEp) {
  for (const Json& row : cases("deepep_message_bytes", 2)) {
    const auto hidden = value<std::int64_t>(row, "hidden");
    EXPECT_EQ(message_bytes(hidden, kFp8), value<Bytes>(row, "fp8_dispatch_bytes"));
    EXPECT_EQ(message_bytes(hidden, kBf16), value<Bytes>(row, "bf16_combine_bytes"));
    EXPECT_EQ(message_bytes(hidden, kLogFmt10), value<Bytes>(row, "logfmt10_combine_bytes"));
    EXPECT_NEAR(static_cast<double>(message_bytes(hidden, kBf16)) / static_cast<double>(message_bytes(hidden, kFp8)),
                value<double>(row, "combine_over_dispatch"), 5e-7);
  }
}

void expect_bandwidth(const Json& row, const std::string& exchange, const MessageFormat& format) {
  const Bytes bytes = routed_bytes(value<std::int64_t>(row, "tokens"), value<int>(row, "topk"),
                                   message_bytes(value<std::int64_t>(row, "hidden"), format));
  EXPECT_EQ(bytes, row[exchange + "_bytes"].get<Bytes>());
  const double gbps = static_cast<double>(bytes) / 1e3 / row[exchange + "_us"].get<double>();
  const double published = row[exchange + "_gbps_published"].get<double>();
  EXPECT_NEAR(gbps, row[exchange + "_gbps_computed"].get<double>(), 1e-4);
  if (row.contains("tol_rel")) {
    EXPECT_NEAR(gbps, published, row["tol_rel"].get<double>() * published) << row;
  } else {
    EXPECT_EQ(std::floor(gbps), published) << row;
  }
}

TEST(MoeCases, LowLatencyTablesOfDeepEp) {
  for (const Json& row : cases("deepep_low_latency", 8)) {
    expect_bandwidth(row, "dispatch", kFp8);
    expect_bandwidth(row, "combine", kBf16);
  }
}

// The published figures count copies to the sender's own node. Without them no
// card is asked for more than it can.
TEST(MoeCases, NormalKernelsStayBelowTheWire) {
  for (const Json& row : cases("deepep_normal", 4)) {
    const int nodes = value<int>(row, "nodes");
    if (nodes == 1) continue;  // 153 and 158 GB/s on NVLink
    Settings s;
    s.nodes = nodes;
    s.gpus_per_node = value<int>(row, "ep") / nodes;
    s.experts = 256;
    s.topk = 8;
    s.topk_nodes = std::min(nodes, 4);
    s.tokens = 256;
    const experts::Reach reach = experts::count_layer(s).reach;
    const double leaving = static_cast<double>(reach.off_node_nodes) / static_cast<double>(reach.nodes);
    EXPECT_NEAR(leaving, (nodes - 1.0) / nodes, 0.01);
    EXPECT_LT(value<double>(row, "dispatch_gbps") * leaving, kNicGbps);
    EXPECT_LT(value<double>(row, "combine_gbps") * leaving, kNicGbps);
  }
}

TEST(MoeCases, SecondKernelsStayBelowTheWire) {
  const Json rows = cases("deepep_v2", 2);
  EXPECT_LT(value<double>(rows[0], "dispatch_gbps") / 2, kNicGbps);  // 8 x 2: half of it stays in the node
  EXPECT_LT(value<double>(rows[1], "combine_gbps"), 900);            // NVLink 5, one direction
}

TEST(MoeCases, DecodeLatency) {
  for (const Json& row : cases("ep_decode_latency", 1)) {
    const auto routed = [&](int bits) {
      return routed_bytes(value<std::int64_t>(row, "tokens"), value<int>(row, "copies"),
                          message_bytes(value<std::int64_t>(row, "hidden_rounded"), {.element_bits = bits}));
    };
    const experts::DecodeLimit limit =
        experts::decode_limit(routed(8), routed(16), value<double>(row, "bandwidth_gbps"), value<int>(row, "layers"));
    EXPECT_NEAR(limit.exchange_us, value<double>(row, "exchange_us"), 1e-9);
    EXPECT_NEAR(limit.layer_us, value<double>(row, "per_layer_us"), 1e-9);
    EXPECT_NEAR(limit.step_ms, value<double>(row, "total_ms"), 1e-9);
    EXPECT_NEAR(limit.step_ms, value<double>(row, "tpot_published_ms"), 5e-3);
    EXPECT_NEAR(limit.tokens_per_second, value<double>(row, "tokens_per_s"), 5e-4);
    EXPECT_EQ(std::floor(limit.tokens_per_second), value<double>(row, "tokens_per_s_published"));
  }
}

TEST(MoeCases, NodeLimitedRouting) {
  for (const Json& row : cases("node_limited_routing", 1)) {
    const double per_node =
        experts::experts_per_node_at_equal_cost(value<double>(row, "nvlink_gbps"), value<double>(row, "ib_gbps"));
    EXPECT_NEAR(per_node, value<double>(row, "avg_experts_per_node_published"), 1e-9);
    EXPECT_EQ(std::lround(value<int>(row, "max_nodes") * per_node),
              value<long>(row, "max_experts_equal_cost_published"));
  }
}

TEST(MoeCases, Capacities) {
  for (const Json& row : cases("expert_capacity", 4)) {
    const bool grouped = row.contains("groups");  // GShard: 2N / (G E) per group
    Settings s;
    s.nodes = 1;
    s.gpus_per_node = 1;
    s.tokens = value<int>(row, "tokens") / (grouped ? value<int>(row, "groups") : 1);
    s.experts = value<int>(row, "experts");
    s.topk = value<int>(row, "topk");
    s.capacity_thousandths =
        grouped ? 1000 : static_cast<int>(std::lround(1000 * value<double>(row, "capacity_factor")));
    EXPECT_EQ(*experts::capacity_of(s), row[grouped ? "capacity_per_group_per_expert" : "capacity"].get<double>());
  }
}

TEST(MoeCases, DistinctDestinations) {
  for (const Json& row : cases("expected_distinct_destinations", 3)) {
    EXPECT_NEAR(
        expected_distinct_ranks_independent(value<int>(row, "destinations"), value<int>(row, "topk_independent")),
        value<double>(row, "expected"), 5e-9);
  }
  for (const Json& row : cases("expected_distinct_ranks_exact", 3)) {
    EXPECT_NEAR(expected_distinct_ranks(value<int>(row, "experts"), value<int>(row, "ranks"), value<int>(row, "topk")),
                value<double>(row, "expected"), 5e-7);
  }
}

// The logical volumes of real layers, counted: every copy is one message.
TEST(MoeCases, DispatchVolumesCounted) {
  for (const Json& row : cases("moe_dispatch", 6)) {
    Settings s;
    s.nodes = 1;
    s.gpus_per_node = value<int>(row, "ranks");
    s.experts = value<int>(row, "experts");
    s.topk = value<int>(row, "topk");
    s.tokens = value<int>(row, "tokens");
    s.hidden = value<int>(row, "hidden");
    s.out.element_bits = 8 * value<int>(row, "dtype_bytes");
    const experts::ExchangeBytes out = experts::bytes_of(s, experts::count_layer(s), experts::Exchange::dispatch);
    const Bytes all = value<Bytes>(row, "bytes") * experts::ranks_of(s);
    EXPECT_EQ(out.local + out.nvlink + out.network, all) << row;
    const double off_rank = row["offrank_bytes_uniform_no_dedup"]["value"].get<double>() * experts::ranks_of(s);
    EXPECT_NEAR(static_cast<double>(out.nvlink), off_rank, 0.005 * off_rank) << row;
  }
}

}  // namespace
}  // namespace commflow

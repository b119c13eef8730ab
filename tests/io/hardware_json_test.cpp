#include "io/hardware_json.h"

#include <gtest/gtest.h>

#include "io/files.h"

namespace commflow {
namespace {

using testing_files::assets_in;
using testing_files::edited;
using testing_files::read_file;

Gpu asset(const std::string& id) {
  const Parsed<Gpu> gpu = parse_gpu(read_file("assets/hardware/" + id + ".json"), id);
  EXPECT_EQ(gpu.error, "");
  return gpu.value.value_or(Gpu{});
}

TEST(HardwareJson, EveryAssetIsReadAndNamesItsSources) {
  int gpus = 0;
  for (const auto& path : assets_in("assets/hardware")) {
    const Gpu gpu = asset(path.stem().string());
    EXPECT_EQ(gpu.id, path.stem().string());
    for (const Published& figure : {gpu.memory, gpu.memory_bandwidth, gpu.nvlink, gpu.nic}) {
      EXPECT_GT(figure.value, 0);
      EXPECT_NE(figure.source, "");
    }
    ++gpus;
  }
  EXPECT_EQ(gpus, 5);
}

TEST(HardwareJson, DefaultGpu) {
  const Gpu gpu = asset(std::string(kDefaultGpu));
  EXPECT_EQ(gpu.memory.value, 141'000'000'000);
  EXPECT_EQ(gpu.memory_bandwidth.value, 4'800'000'000'000);
  EXPECT_EQ(gpu.nvlink.value, 450'000'000'000);
  EXPECT_EQ(gpu.nic.value, 50'000'000'000);
  EXPECT_EQ(gpu.bf16_dense_flops->value, 989'000'000'000'000);
}

// Per direction: 300, 450, 900; the cut H800 has 200.
TEST(HardwareJson, NvlinkIsPerDirection) {
  EXPECT_EQ(asset("a100-80gb").nvlink.value, 300'000'000'000);
  EXPECT_EQ(asset("h100").nvlink.value, 450'000'000'000);
  EXPECT_EQ(asset("h800").nvlink.value, 200'000'000'000);
  EXPECT_EQ(asset("b200").nvlink.value, 900'000'000'000);
  EXPECT_EQ(asset("h800").bf16_dense_flops, std::nullopt);
}

// Planned and measured are parts of what the links can do, and near each other where both are known.
TEST(HardwareJson, ReadingsOfNvlinkAreOfTheSameLinks) {
  int measured = 0;
  for (const auto& path : assets_in("assets/hardware")) {
    const Gpu gpu = asset(path.stem().string());
    ASSERT_TRUE(gpu.nvlink_links && gpu.nvlink_planned) << gpu.id;
    EXPECT_EQ(gpu.nvlink.value % gpu.nvlink_links->value, 0) << gpu.id;
    const std::int64_t planned = gpu.nvlink_links->value * gpu.nvlink_planned->value;
    EXPECT_LT(planned, gpu.nvlink.value) << gpu.id;
    if (!gpu.nvlink_measured) continue;
    EXPECT_LT(gpu.nvlink_measured->value, gpu.nvlink.value) << gpu.id;
    EXPECT_NEAR(static_cast<double>(gpu.nvlink_measured->value) / static_cast<double>(planned), 1, 0.05) << gpu.id;
    ++measured;
  }
  EXPECT_GE(measured, 3);
}

TEST(HardwareJson, FractionsOfAGigabyteAreExact) {
  const std::string text = edited(read_file("assets/hardware/a100-80gb.json"), "\"value\": 25,", "\"value\": 12.5,");
  EXPECT_EQ(parse_gpu(text, "x").value.value_or(Gpu{}).nic.value, 12'500'000'000);
}

TEST(HardwareJson, BrokenFilesSayWhere) {
  const std::string good = read_file("assets/hardware/h200.json");
  const auto error = [&](std::string_view part, std::string_view replacement) {
    const Parsed<Gpu> gpu = parse_gpu(edited(good, part, replacement), "g.json");
    EXPECT_FALSE(gpu.value);
    return gpu.error;
  };
  EXPECT_EQ(error("\"value\": 141", "\"value\": -1"),
            "g.json: at memory_gb.value: found -1, expected a number from 0.001 to 1000000");
  EXPECT_EQ(error("\"value\": 141", "\"value\": \"141 GB\""),
            "g.json: at memory_gb.value: found \"141 GB\", expected a number from 0.001 to 1000000");
  EXPECT_EQ(error("\"value\": 141,", ""),
            "g.json: at memory_gb.value: found nothing, expected a value: \"value\" must be given");
  EXPECT_EQ(error("\"nic_gb_per_s\"", "\"nic_gbps\""),
            "g.json: at nic_gbps: found an object, expected no such key here; known are \"$schema\", \"id\", "
            "\"name\", "
            "\"memory_gb\", \"memory_bandwidth_gb_per_s\", \"nvlink_gb_per_s\", \"nvlink_links\", "
            "\"nvlink_planned_gb_per_s\", \"nvlink_measured_gb_per_s\", \"nic_gb_per_s\" or "
            "\"bf16_dense_tflops\"");
  EXPECT_EQ(error("\"value\": 141", "\"value\": 141, \"unit\": \"GB\""),
            "g.json: at memory_gb.unit: found \"GB\", expected no such key here; known are \"value\" or "
            "\"source\"");
}

TEST(HardwareJson, SchemaAndReaderAgreeOnWhatIsRequired) {
  const Json schema = *parse_json(read_file("assets/hardware/hardware.schema.json"), "schema").value;
  const Json good = *parse_json(read_file("assets/hardware/h200.json"), "good").value;
  for (const Json& name : schema["required"]) {
    Json broken = good;
    broken.erase(name.get<std::string>());
    EXPECT_FALSE(parse_gpu(broken.dump(), "g.json").value) << name;
  }
  for (const auto& field : good.items()) EXPECT_TRUE(schema["properties"].contains(field.key())) << field.key();
}

}  // namespace
}  // namespace commflow

#include "io/hardware_json.h"

#include <cmath>

#include "io/asset.h"

namespace commflow {
namespace {

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
// In the unit of the file: what a GPU could have for a long time to come.
constexpr double kLeast = 1e-3;
constexpr double kMost = 1e6;

Published read_figure(const Node& node, double unit) {
  node.allow({"value", "source"});
  return {std::llround(node.get("value").number(kLeast, kMost) * unit), node.get("source").text()};
}

}  // namespace

Gpu read_gpu(const Node& node) {
  node.allow({"$schema", "id", "name", "memory_gb", "memory_bandwidth_gb_per_s", "nvlink_gb_per_s", "nvlink_links",
              "nvlink_planned_gb_per_s", "nvlink_measured_gb_per_s", "nic_gb_per_s", "bf16_dense_tflops"});
  Gpu gpu;
  gpu.id = read_asset_id(node.get("id"));
  gpu.name = node.get("name").text();
  gpu.memory = read_figure(node.get("memory_gb"), kGiga);
  gpu.memory_bandwidth = read_figure(node.get("memory_bandwidth_gb_per_s"), kGiga);
  gpu.nvlink = read_figure(node.get("nvlink_gb_per_s"), kGiga);
  if (const auto links = node.find("nvlink_links")) gpu.nvlink_links = read_figure(*links, 1);
  if (const auto planned = node.find("nvlink_planned_gb_per_s")) gpu.nvlink_planned = read_figure(*planned, kGiga);
  if (const auto measured = node.find("nvlink_measured_gb_per_s")) gpu.nvlink_measured = read_figure(*measured, kGiga);
  gpu.nic = read_figure(node.get("nic_gb_per_s"), kGiga);
  if (const auto flops = node.find("bf16_dense_tflops")) gpu.bf16_dense_flops = read_figure(*flops, kTera);
  return gpu;
}

Parsed<Gpu> parse_gpu(std::string_view text, std::string_view file) {
  return parse_asset(text, file, read_gpu);
}

}  // namespace commflow

#include "io/preset_json.h"

#include "io/asset.h"
#include "story/fields.h"

namespace commflow {
namespace {

std::array<std::string, kLangs> read_both(const Node& node) {
  node.allow({"en", "zh"});
  return {node.get("en").text(), node.get("zh").text()};
}

// The six sizes of a layer.
experts::Settings read_sizes(const Node& node) {
  experts::Settings settings;
  settings.nodes = node.get("nodes").whole(1, experts::kMaxCountedRanks);
  settings.gpus_per_node = node.get("gpus_per_node").whole(1, experts::kMaxCountedRanks);
  settings.experts = node.get("experts").whole(1, experts::kMaxCountedExperts);
  settings.topk = node.get("topk").whole(1, experts::kMaxCountedTopk);
  settings.topk_nodes = node.get("topk_nodes").whole(0, experts::kMaxCountedRanks);
  settings.tokens = node.get("tokens").whole(1, static_cast<int>(experts::kMaxCountedCopies));
  return settings;
}

int read_value(const Node& node, FieldId id) {
  return field(id).min + node.one_of(field(id).names);
}

void expect_field(const Node& node, const char* key, FieldId id) {
  node.get(key).whole(field(id).min, field(id).max);
}

// What is drawn is set in fields, so it must lie within their bounds.
void expect_drawn(const Node& node, const experts::Settings& settings) {
  expect_field(node, "nodes", FieldId::expert_nodes);
  expect_field(node, "gpus_per_node", FieldId::expert_gpus);
  expect_field(node, "experts", FieldId::experts);
  expect_field(node, "topk", FieldId::expert_topk);
  expect_field(node, "topk_nodes", FieldId::expert_limit);
  expect_field(node, "tokens", FieldId::expert_tokens);
  if (!experts::executable(settings)) node.fail("a layer of 2 to 16 GPUs that can be executed");
}

}  // namespace

ExpertPreset read_preset(const Node& node) {
  node.allow({"$schema", "id", "name", "note", "source", "model", "nodes", "gpus_per_node", "experts", "topk",
              "topk_nodes", "tokens", "merge", "path", "out", "home", "drawn"});
  ExpertPreset preset;
  preset.id = read_asset_id(node.get("id"));
  preset.name = read_both(node.get("name"));
  preset.note = read_both(node.get("note"));
  preset.source = node.get("source").text();
  preset.model = read_asset_id(node.get("model"));
  preset.merge = read_value(node.get("merge"), FieldId::expert_merge);
  preset.path = read_value(node.get("path"), FieldId::expert_path);
  preset.out = read_value(node.get("out"), FieldId::expert_out);
  preset.home = read_value(node.get("home"), FieldId::expert_home);
  preset.full = read_sizes(node);
  preset.full.dedup = static_cast<experts::Dedup>(preset.merge);
  preset.full.path = static_cast<experts::Path>(preset.path);
  if (const auto problem = experts::settings_problem(preset.full))
    node.fail("a layer that can be (" + experts::sentence_of(*problem) + ")");
  const Node drawn = node.get("drawn");
  drawn.allow({"nodes", "gpus_per_node", "experts", "topk", "topk_nodes", "tokens"});
  preset.drawn = read_sizes(drawn);
  preset.drawn.dedup = preset.full.dedup;
  preset.drawn.path = preset.full.path;
  expect_drawn(drawn, preset.drawn);
  return preset;
}

Parsed<ExpertPreset> parse_preset(std::string_view text, std::string_view file) {
  return parse_asset(text, file, read_preset);
}

}  // namespace commflow

#include "io/model_json.h"

#include <gtest/gtest.h>

#include "core/model_samples.h"
#include "io/files.h"

namespace commflow {
namespace {

using testing_files::assets_in;
using testing_files::edited;
using testing_files::read_file;

constexpr const char* kQwen = "assets/models/qwen3-30b-a3b.json";
constexpr const char* kDeepSeek = "assets/models/deepseek-v3.json";

Model asset(const std::string& id) {
  const Parsed<Model> model = parse_model(read_file("assets/models/" + id + ".json"), id);
  EXPECT_EQ(model.error, "");
  return model.value.value_or(Model{});
}

TEST(ModelJson, EveryAssetIsReadAndNamedAfterItsId) {
  int models = 0;
  for (const auto& path : assets_in("assets/models")) {
    EXPECT_EQ(asset(path.stem().string()).id, path.stem().string());
    ++models;
  }
  EXPECT_EQ(models, 8);
}

// The samples are what the tests without files rely on.
TEST(ModelJson, AssetsEqualTheSamples) {
  for (Model sample :
       {samples::qwen3_30b_a3b(), samples::qwen3_235b_a22b(), samples::mixtral_8x7b(), samples::deepseek_v3(),
        samples::deepseek_v2(), samples::deepseek_v2_lite(), samples::gpt_oss_120b(), samples::llama_3_70b()}) {
    const Model model = asset(sample.id);
    EXPECT_NE(model.source, "");
    sample.source = model.source;
    EXPECT_TRUE(model == sample) << sample.id;
  }
}

TEST(ModelJson, ParameterCountsEqualThePublishedCases) {
  const Parsed<Json> cases = parse_json(read_file("tests/data/models.json"), "models.json");
  ASSERT_TRUE(cases.value) << cases.error;
  EXPECT_EQ(cases.value->size(), 6U);
  for (const Json& row : *cases.value) {
    const Model model = asset(row["id"].get<std::string>());
    EXPECT_EQ(total_params(model), row["params_total_computed"].get<std::int64_t>()) << model.name;
    if (row["params_active_incl_both_embeddings_computed"].is_null()) continue;
    EXPECT_EQ(active_params(model), row["params_active_incl_both_embeddings_computed"].get<std::int64_t>());
    EXPECT_EQ(active_params_without_embedding(model),
              row["params_active_excl_input_embedding_computed"].get<std::int64_t>());
  }
}

// The configs of those cases, as their sources give them.
TEST(ModelJson, AssetsHaveTheFieldsOfTheCases) {
  const Parsed<Json> cases = parse_json(read_file("tests/data/models.json"), "models.json");
  ASSERT_TRUE(cases.value) << cases.error;
  for (const Json& row : *cases.value) {
    const std::string id = row["id"].get<std::string>();
    const Json config = (*parse_json(read_file("assets/models/" + id + ".json"), id).value)["config"];
    int same = 0;
    for (const auto& field : row["config"].items()) {
      if (!config.contains(field.key())) continue;
      EXPECT_EQ(config[field.key()], field.value()) << id << " " << field.key();
      ++same;
    }
    EXPECT_GE(same, 6) << id;
  }
}

TEST(ModelJson, OtherFieldsOfConfigJsonAreIgnored) {
  const std::string text = edited(read_file(kQwen), "\"hidden_size\"", "\"rope_theta\": 1e6, \"hidden_size\"");
  EXPECT_EQ(parse_model(text, "x").error, "");
}

TEST(ModelJson, WithoutHeadDimTheHeadsShareTheWidth) {
  const std::string text = edited(read_file("assets/models/llama-3-70b.json"), "\"head_dim\": 128,", "");
  EXPECT_EQ(parse_model(text, "x").value.value_or(Model{}).head_dim, 128);
  EXPECT_EQ(parse_model(edited(text, "\"hidden_size\": 8192", "\"hidden_size\": 8191"), "x").error,
            "x: at config.num_attention_heads: found 64, expected a divisor of hidden_size, or a head_dim "
            "beside it");
}

struct Broken {
  const char* file;
  const char* part;
  const char* replacement;
  const char* error;
};

// Each error names the file, the place, what was found and what was expected.
TEST(ModelJson, BrokenFilesSayWhere) {
  const Broken rows[] = {
      {kQwen, "\"hidden_size\": 2048", "\"hidden_size\": \"2048\"",
       "m.json: at config.hidden_size: found \"2048\", expected a whole number from 1 to 262144"},
      {kQwen, "\"hidden_size\": 2048,", "",
       "m.json: at config.hidden_size: found nothing, expected a value: \"hidden_size\" must be given"},
      {kQwen, "\"num_hidden_layers\": 48", "\"num_hidden_layers\": 0",
       "m.json: at config.num_hidden_layers: found 0, expected a whole number from 1 to 1024"},
      {kQwen, "\"num_attention_heads\": 32", "\"num_attention_heads\": 30",
       "m.json: at config.num_attention_heads: found 30, expected a multiple of num_key_value_heads"},
      {kQwen, "\"num_experts_per_tok\": 8", "\"num_experts_per_tok\": 129",
       "m.json: at config.num_experts_per_tok: found 129, expected a whole number from 1 to 64"},
      {kQwen, "\"num_experts_per_tok\": 8,", "",
       "m.json: at config.num_experts_per_tok: found nothing, expected a value: \"num_experts_per_tok\" must "
       "be given"},
      {kQwen, "\"qwen3_moe\"", "\"qwen9\"",
       "m.json: at config.model_type: found \"qwen9\", expected \"llama\", \"mixtral\", \"qwen3_moe\", "
       "\"deepseek_v2\", \"deepseek_v3\" or \"gpt_oss\""},
      {kQwen, "\"num_experts\": 128", "\"decoder_sparse_step\": 2, \"num_experts\": 128",
       "m.json: at config.decoder_sparse_step: found 2, expected a whole number from 1 to 1"},
      {kQwen, "\"num_experts\": 128", "\"mlp_only_layers\": [3], \"num_experts\": 128",
       "m.json: at config.mlp_only_layers: found a list of 1, expected a list of 0 to 0"},
      {kQwen, "\"tie_word_embeddings\": false", "\"tie_word_embeddings\": 0",
       "m.json: at config.tie_word_embeddings: found 0, expected true or false"},
      {kQwen, "\"name\": ", "\"title\": ",
       "m.json: at title: found \"Qwen3-30B-A3B\", expected no such key here; known are \"$schema\", \"id\", "
       "\"name\", "
       "\"source\" or \"config\""},
      {kQwen, "\"id\": \"qwen3-30b-a3b\"", "\"id\": \"Qwen 3\"",
       "m.json: at id: found \"Qwen 3\", expected an id of a-z, 0-9, '-' and '.', beginning with a letter or "
       "digit"},
      {kDeepSeek, "\"v_head_dim\": 128,", "",
       "m.json: at config.v_head_dim: found nothing, expected a value: \"v_head_dim\" must be given"},
      {kDeepSeek, "\"first_k_dense_replace\": 3", "\"first_k_dense_replace\": 62",
       "m.json: at config.first_k_dense_replace: found 62, expected a whole number from 0 to 61"},
      {kDeepSeek, "\"intermediate_size\": 18432,", "",
       "m.json: at config.intermediate_size: found nothing, expected a value: \"intermediate_size\" must be "
       "given"},
      {kDeepSeek, "\"n_group\": 8", "\"n_group\": 7",
       "m.json: at config.n_group: found 7, expected a divisor of the number of experts"},
      {kDeepSeek, "\"topk_group\": 4", "\"topk_group\": 9",
       "m.json: at config.topk_group: found 9, expected at most n_group"},
  };
  for (const Broken& row : rows) {
    const Parsed<Model> model = parse_model(edited(read_file(row.file), row.part, row.replacement), "m.json");
    EXPECT_FALSE(model.value);
    EXPECT_EQ(model.error, row.error);
  }
}

TEST(ModelJson, RubbishIsAnsweredWithASentence) {
  for (const char* text :
       {"", "{", "null", "[]", "3", "\"config\"", "{}", "{\"config\": 4}", "{\"id\": \"a\", \"id\": \"b\"}"}) {
    const Parsed<Model> model = parse_model(text, "m.json");
    EXPECT_FALSE(model.value) << text;
    EXPECT_EQ(model.error.find("m.json: "), 0U) << model.error;
  }
}

// A file cut off anywhere is never read as something else.
TEST(ModelJson, CutOffFilesAreRefused) {
  const std::string text = read_file(kDeepSeek);
  for (std::size_t size = 0; size + 2 < text.size(); size += 7) {
    EXPECT_FALSE(parse_model(std::string_view(text).substr(0, size), "m.json").value) << size;
  }
}

// Every field the schema asks for is asked for by the reader, too.
TEST(ModelJson, SchemaAndReaderAgreeOnWhatIsRequired) {
  const Json schema = *parse_json(read_file("assets/models/model.schema.json"), "schema").value;
  const Json good = *parse_json(read_file(kDeepSeek), "good").value;
  for (const Json& name : schema["required"]) {
    Json broken = good;
    broken.erase(name.get<std::string>());
    EXPECT_FALSE(parse_model(broken.dump(), "m.json").value) << name;
  }
  for (const Json& name : schema["properties"]["config"]["required"]) {
    Json broken = good;
    broken["config"].erase(name.get<std::string>());
    EXPECT_FALSE(parse_model(broken.dump(), "m.json").value) << name;
  }
  for (const auto& field : good["config"].items()) {
    EXPECT_TRUE(schema["properties"]["config"]["properties"].contains(field.key())) << field.key();
  }
}

}  // namespace
}  // namespace commflow

#pragma once
// As much of JSON Schema (draft 2020-12) as the schemas under assets/ use, for tests that need no other program. A
// keyword it does not know is a failure, so that no schema passes by saying something this cannot check.

#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>
#include <string>

namespace commflow::support {

class Schema {
 public:
  explicit Schema(nlohmann::json schema) : root_(std::move(schema)) {}

  // What is wrong with the value, or nothing.
  std::optional<std::string> problem(const nlohmann::json& value) const { return check(value, root_, "$"); }

 private:
  using Json = nlohmann::json;
  using Found = std::optional<std::string>;

  Found check(const Json& value, const Json& schema, const std::string& path) const {
    for (const auto& [keyword, rule] : schema.items())
      if (auto found = check_keyword(value, schema, keyword, rule, path)) return found;
    return std::nullopt;
  }

  Found check_keyword(const Json& value, const Json& schema, const std::string& keyword, const Json& rule,
                      const std::string& path) const {
    static const std::set<std::string> kSilent{"$schema", "$defs", "title", "description", "$comment"};
    if (kSilent.count(keyword)) return std::nullopt;
    if (keyword == "$ref") return check(value, root_.at(Json::json_pointer(rule.get<std::string>().substr(1))), path);
    if (keyword == "oneOf") return check_one_of(value, rule, path);
    if (keyword == "properties") return check_properties(value, rule, path);
    if (keyword == "items") return check_items(value, rule, path);
    if (keyword == "required") return check_required(value, rule, path);
    if (keyword == "additionalProperties") return check_additional(value, schema, rule, path);
    const std::optional<bool> holds = simple(value, keyword, rule);
    if (!holds) return path + ": unknown keyword " + keyword;
    return *holds ? Found() : path + ": " + keyword + " " + rule.dump();
  }

  static bool is_type(const Json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    return type == "null" && value.is_null();
  }

  static bool has_type(const Json& value, const Json& rule) {
    if (rule.is_string()) return is_type(value, rule);
    for (const Json& type : rule)
      if (is_type(value, type)) return true;
    return false;
  }

  // Keywords about the value alone; they hold for values of another kind.
  static std::optional<bool> simple(const Json& value, const std::string& keyword, const Json& rule) {
    const bool is_list = value.is_array();
    if (keyword == "type") return has_type(value, rule);
    if (keyword == "enum") return std::find(rule.begin(), rule.end(), value) != rule.end();
    if (keyword == "const") return value == rule;
    if (keyword == "minimum") return !value.is_number() || value >= rule;
    if (keyword == "maximum") return !value.is_number() || value <= rule;
    if (keyword == "exclusiveMinimum") return !value.is_number() || value > rule;
    if (keyword == "minLength") return !value.is_string() || value.get<std::string>().size() >= rule.get<std::size_t>();
    if (keyword == "pattern")
      return !value.is_string() || std::regex_search(value.get<std::string>(), std::regex(rule.get<std::string>()));
    if (keyword == "minItems") return !is_list || value.size() >= rule.get<std::size_t>();
    if (keyword == "maxItems") return !is_list || value.size() <= rule.get<std::size_t>();
    if (keyword == "uniqueItems") return !is_list || std::set<Json>(value.begin(), value.end()).size() == value.size();
    return std::nullopt;
  }

  Found check_one_of(const Json& value, const Json& rule, const std::string& path) const {
    int matches = 0;
    for (const Json& choice : rule) matches += check(value, choice, path) ? 0 : 1;
    return matches == 1 ? Found() : path + ": oneOf";
  }

  Found check_properties(const Json& value, const Json& rule, const std::string& path) const {
    for (const auto& [name, schema] : rule.items())
      if (value.is_object() && value.contains(name))
        if (auto found = check(value.at(name), schema, path + "." + name)) return found;
    return std::nullopt;
  }

  Found check_items(const Json& value, const Json& rule, const std::string& path) const {
    for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
      if (auto found = check(value[i], rule, path + "[" + std::to_string(i) + "]")) return found;
    return std::nullopt;
  }

  static Found check_required(const Json& value, const Json& rule, const std::string& path) {
    for (const Json& name : rule)
      if (value.is_object() && !value.contains(name.get<std::string>()))
        return path + ": required " + name.get<std::string>();
    return std::nullopt;
  }

  static Found check_additional(const Json& value, const Json& schema, const Json& rule, const std::string& path) {
    if (rule != false) return path + ": unknown keyword additionalProperties other than false";
    for (const auto& [name, member] : value.items())
      if (value.is_object() && !schema.at("properties").contains(name)) return path + "." + name + ": additional";
    return std::nullopt;
  }

  Json root_;
};

}  // namespace commflow::support

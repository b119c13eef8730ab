#include "io/json.h"

#include <algorithm>
#include <cmath>

#include "core/units.h"

namespace commflow {
namespace {

const Json kNothing;  // what reads go on with after an error

// Builds the value while nlohmann reads the text: its own builder knows no place of errors and lets a later key win.
class Builder : public nlohmann::json_sax<Json> {
 public:
  Json root;
  std::string error;

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(std::int64_t value) override { return put(value); }
  bool number_unsigned(std::uint64_t value) override { return put(value); }
  bool number_float(double value, const std::string&) override { return put(value); }
  bool string(std::string& value) override { return put(std::move(value)); }
  bool binary(Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::value_t::object); }
  bool start_array(std::size_t) override { return open(Json::value_t::array); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(std::string& name) override {
    key_ = std::move(name);
    if (open_.back()->get_ptr<Json::object_t*>()->count(key_) == 0) return true;
    error = "the key \"" + key_ + "\" stands twice in one object";
    return false;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& what) override {
    const std::string_view text = what.what();
    const std::size_t start = text.find("] ");  // "[json.exception.parse_error.101] parse error at line 1, ..."
    error = text.substr(start == std::string_view::npos ? 0 : start + 2);
    return false;
  }

 private:
  Json* place(Json value) {
    if (open_.empty()) return &(root = std::move(value));
    if (auto* list = open_.back()->get_ptr<Json::array_t*>()) return &list->emplace_back(std::move(value));
    return &((*open_.back()->get_ptr<Json::object_t*>())[key_] = std::move(value));
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json::value_t kind) {
    open_.push_back(place(Json(kind)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Json*> open_;  // objects and lists not yet closed
  std::string key_;
};

std::string shortened(const std::string& text) {
  constexpr std::size_t kMost = 40;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;  // not inside a character
  return text.substr(0, end) + "...";
}

}  // namespace

Parsed<Json> parse_json(std::string_view text, std::string_view file) {
  Builder builder;
  if (Json::sax_parse(text, &builder)) return {std::move(builder.root), {}};
  return {std::nullopt, std::string(file) + ": " + builder.error};
}

std::string describe(const Json& json) {
  if (json.is_null()) return "nothing";
  if (const bool* value = json.get_ptr<const bool*>()) return *value ? "true" : "false";
  if (const auto* value = json.get_ptr<const std::string*>()) return "\"" + shortened(*value) + "\"";
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list of " + std::to_string(json.size());
  if (const auto* value = json.get_ptr<const std::uint64_t*>()) return std::to_string(*value);
  if (const auto* value = json.get_ptr<const std::int64_t*>()) return std::to_string(*value);
  if (const auto* value = json.get_ptr<const double*>()) return text_of_decimal(*value, 12);
  return "something else";
}

std::optional<std::int64_t> whole_of(const Json& json) {
  const auto* found = json.get_ptr<const std::int64_t*>();
  const bool is_beyond = found != nullptr && json.is_number_unsigned() && *found < 0;
  return found == nullptr || is_beyond ? std::nullopt : std::optional(*found);
}

std::string alternatives(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += "\"" + std::string(names[i]) + "\"";
  }
  return text;
}

Node Node::as_file(std::string file) const {
  if (problem_->none()) problem_->file = std::move(file);
  return Node(*json_, *problem_);
}

void Node::fail(std::string_view expected) const {
  if (!problem_->none()) return;
  const std::string place = path_.empty() ? "the whole file" : path_;
  problem_->error =
      problem_->file + ": at " + place + ": found " + describe(*json_) + ", expected " + std::string(expected);
}

std::optional<Node> Node::find(std::string_view key) const {
  const auto* object = json_->get_ptr<const Json::object_t*>();
  if (object == nullptr) {
    fail("an object");
    return std::nullopt;
  }
  const auto found = object->find(std::string(key));
  if (found == object->end()) return std::nullopt;
  return Node(found->second, *problem_, path_ + (path_.empty() ? "" : ".") + std::string(key));
}

Node Node::get(std::string_view key) const {
  if (auto found = find(key)) return *found;
  const Node missing(kNothing, *problem_, path_ + (path_.empty() ? "" : ".") + std::string(key));
  missing.fail("a value: \"" + std::string(key) + "\" must be given");
  return missing;
}

std::vector<std::string> Node::keys() const {
  std::vector<std::string> keys;
  const auto* object = json_->get_ptr<const Json::object_t*>();
  if (object == nullptr) {
    fail("an object");
    return keys;
  }
  for (const auto& member : *object) keys.push_back(member.first);
  return keys;
}

void Node::allow(const std::vector<std::string_view>& names) const {
  for (const std::string& key : keys()) {
    if (std::find(names.begin(), names.end(), key) != names.end()) continue;
    get(key).fail("no such key here; known are " + alternatives(names));
  }
}

std::vector<Node> Node::items(int min, int max) const {
  std::vector<Node> nodes;
  const auto* list = json_->get_ptr<const Json::array_t*>();
  if (list == nullptr || list->size() < static_cast<std::size_t>(min) || list->size() > static_cast<std::size_t>(max)) {
    fail("a list of " + std::to_string(min) + " to " + std::to_string(max));
    return nodes;
  }
  for (std::size_t i = 0; i < list->size(); ++i)
    nodes.push_back(Node((*list)[i], *problem_, path_ + "[" + std::to_string(i) + "]"));
  return nodes;
}

std::int64_t Node::integer(std::int64_t min, std::int64_t max) const {
  const auto found = whole_of(*json_);
  if (found && *found >= min && *found <= max) return *found;
  fail("a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return min;
}

double Node::number(double min, double max) const {
  double value = min - 1;
  if (const auto* real = json_->get_ptr<const double*>()) {
    value = *real;
  } else if (const auto* natural = json_->get_ptr<const std::uint64_t*>()) {
    value = static_cast<double>(*natural);
  } else if (const auto* whole = json_->get_ptr<const std::int64_t*>()) {
    value = static_cast<double>(*whole);
  }
  if (json_->is_number() && value >= min && value <= max) return value;
  fail("a number from " + text_of_decimal(min, 12) + " to " + text_of_decimal(max, 12));
  return min;
}

bool Node::flag() const {
  const bool* found = json_->get_ptr<const bool*>();
  if (found == nullptr) fail("true or false");
  return found != nullptr && *found;
}

std::string Node::text() const {
  const auto* found = json_->get_ptr<const std::string*>();
  if (found != nullptr && !found->empty()) return *found;
  fail("a text that is not empty");
  return {};
}

int Node::one_of(std::span<const std::string_view> names) const {
  const auto* found = json_->get_ptr<const std::string*>();
  const auto name = found == nullptr ? names.end() : std::find(names.begin(), names.end(), *found);
  if (name != names.end()) return static_cast<int>(name - names.begin());
  fail(alternatives(names));
  return 0;
}

}  // namespace commflow

#pragma once
// Writes JSON text from left to right; commas come by themselves. A tenth of the
// code that a general writer would add to the program on the web.

#include <string>
#include <string_view>

namespace commflow {

class JsonWriter {
 public:
  JsonWriter& open(char bracket);   // '{' or '['
  JsonWriter& close(char bracket);  // '}' or ']'
  JsonWriter& key(std::string_view name);

  JsonWriter& text(std::string_view value);
  JsonWriter& whole(long long value);
  JsonWriter& tenths(float value);  // rounded to one digit after the point
  JsonWriter& flag(bool value);

  // Members of an object.
  JsonWriter& text(std::string_view name, std::string_view value) { return key(name).text(value); }
  JsonWriter& whole(std::string_view name, long long value) { return key(name).whole(value); }
  JsonWriter& flag(std::string_view name, bool value) { return key(name).flag(value); }

  const std::string& str() const { return out_; }

 private:
  JsonWriter& value(std::string_view json);
  std::string out_;
  bool comma_ = false;  // before the next key or value
};

}  // namespace commflow

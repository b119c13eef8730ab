#include "io/json_writer.h"

#include <cmath>

namespace commflow {
namespace {

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20) {
      out += "\\u00";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
    } else {
      out += c;
    }
  }
}

}  // namespace

JsonWriter& JsonWriter::value(std::string_view json) {
  if (comma_) out_ += ',';
  out_ += json;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket) {
  value({&bracket, 1});
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::key(std::string_view name) {
  text(name);
  out_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view words) {
  value("\"");
  append_escaped(out_, words);
  out_ += '"';
  return *this;
}

JsonWriter& JsonWriter::whole(long long number) {
  return value(std::to_string(number));
}

JsonWriter& JsonWriter::tenths(float number) {
  const long long tenths = std::llround(static_cast<double>(number) * 10);
  std::string digits = (tenths < 0 ? "-" : "") + std::to_string(std::llabs(tenths / 10));
  if (tenths % 10 != 0) digits += "." + std::to_string(std::llabs(tenths % 10));
  return value(digits);
}

JsonWriter& JsonWriter::flag(bool is_true) {
  return value(is_true ? "true" : "false");
}

}  // namespace commflow

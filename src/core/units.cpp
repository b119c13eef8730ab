#include "core/units.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace commflow {
namespace {

constexpr std::array<const char*, 6> kBinary{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

// value * 100 is whole
bool two_decimals_suffice(Bytes bytes, Bytes unit) {
  return bytes % unit * 100 % unit == 0;
}

}  // namespace

std::string text_of_decimal(double value, int decimals) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.*f", decimals, value);
  std::string text(buffer.data());
  if (text.find('.') == std::string::npos) return text;
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string text_of_significant(double value) {
  if (value == 0) return "0";
  const int digits = static_cast<int>(std::floor(std::log10(std::fabs(value))));
  if (digits < 2) return text_of_decimal(value, 2 - digits);
  const double scale = std::pow(10.0, digits - 2);
  return text_of_count(std::llround(std::round(value / scale) * scale));
}

std::string text_of_bytes(Bytes bytes) {
  std::size_t power = 0;
  Bytes unit = 1;
  while (power + 1 < kBinary.size() && bytes >= unit * 1024) {
    unit *= 1024;
    ++power;
  }
  const double value = static_cast<double>(bytes) / static_cast<double>(unit);
  const std::string number = two_decimals_suffice(bytes, unit) ? text_of_decimal(value, 2) : text_of_significant(value);
  return number + " " + kBinary[power];
}

std::string text_of_count(std::int64_t count) {
  const std::string digits = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > first && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string text_of_time(double microseconds) {
  if (microseconds < 1000) return text_of_significant(microseconds) + " \xC2\xB5s";
  if (microseconds < 1e6) return text_of_significant(microseconds / 1e3) + " ms";
  return text_of_significant(microseconds / 1e6) + " s";
}

std::string text_of_rate(double bytes_per_second) {
  return text_of_significant(bytes_per_second / 1e9) + " GB/s";
}

}  // namespace commflow

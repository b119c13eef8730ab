#include "core/units.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace commflow {
namespace {

constexpr std::array<const char*, 6> kBinary{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};

constexpr int kMostDecimals = 18;
constexpr double kTooLarge = 1e18;

constexpr auto kPowersOfTen = [] {
  std::array<std::uint64_t, kMostDecimals + 1> powers{1};
  for (std::size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}();

// value * factor to the nearest whole number, ties to even, without rounding on the way; the product is below 2^63.
std::uint64_t rounded_product(double value, std::uint64_t factor) {
  int exponent = 0;
  const auto mantissa = static_cast<std::uint64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  unsigned __int128 product = static_cast<unsigned __int128>(mantissa) * factor;
  const int shift = 53 - exponent;  // value = mantissa / 2^shift
  if (shift <= 0) return static_cast<std::uint64_t>(product << -shift);
  if (shift > 120) return 0;
  const unsigned __int128 unit = static_cast<unsigned __int128>(1) << shift;
  const unsigned __int128 rest = product & (unit - 1);
  product >>= shift;
  const bool up = rest * 2 > unit || (rest * 2 == unit && (product & 1) != 0);
  return static_cast<std::uint64_t>(product) + (up ? 1 : 0);
}

// The first digits and zeros: whole numbers of more than 18 digits.
std::string digits_of_large(double value) {
  std::size_t zeros = 0;
  for (; value >= kTooLarge; value /= 10) ++zeros;
  return std::to_string(static_cast<std::uint64_t>(value)) + std::string(zeros, '0');
}

// value * 100 is whole
bool two_decimals_suffice(Bytes bytes, Bytes unit) {
  return bytes % unit * 100 % unit == 0;
}

}  // namespace

// snprintf would add 12 kB to the download.
std::string text_of_decimal(double value, int decimals) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  if (std::fabs(value) >= kTooLarge) return (value < 0 ? "-" : "") + digits_of_large(std::fabs(value));
  int kept = std::clamp(decimals, 0, kMostDecimals);
  while (kept > 0 && std::fabs(value) * static_cast<double>(kPowersOfTen[static_cast<std::size_t>(kept)]) >= kTooLarge)
    --kept;
  const std::uint64_t power = kPowersOfTen[static_cast<std::size_t>(kept)];
  const std::uint64_t scaled = rounded_product(std::fabs(value), power);
  std::string text = (value < 0 && scaled != 0 ? "-" : "") + std::to_string(scaled / power);
  std::string fraction = std::to_string(power + scaled % power).substr(1);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() ? text : text + "." + fraction;
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

// Takes the place of some of the C library in the WebAssembly program: its own strtod reads every number exactly, for
// which it carries 8 kB of arithmetic on 128-bit fractions, and its printf as much again. Dear ImGui's formatting
// function is ours (imgui_without.cpp) and serves for both.

#include <imgui.h>
#include <imgui_internal.h>

#include <cstdarg>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                   1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr int kLargestExact = 22;
constexpr std::uint64_t kMostDigits = 100'000'000'000'000'000;  // one more digit would not fit

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Of digits, as far as they fit; those that do not are counted in `dropped`.
const char* read_digits(const char* at, std::uint64_t& value, int& count, int& dropped) {
  for (; is_digit(*at); ++at) {
    ++count;
    if (value < kMostDigits)
      value = value * 10 + static_cast<std::uint64_t>(*at - '0');
    else
      ++dropped;
  }
  return at;
}

int read_exponent(const char*& at) {
  const char* start = at + 1;
  const bool negative = *start == '-';
  if (*start == '-' || *start == '+') ++start;
  if (!is_digit(*start)) return 0;
  int exponent = 0;
  for (; is_digit(*start); ++start) exponent = exponent < 10000 ? exponent * 10 + (*start - '0') : exponent;
  at = start;
  return negative ? -exponent : exponent;
}

double scaled(double value, int exponent) {
  for (; exponent > kLargestExact && value != 0; exponent -= kLargestExact) value *= 1e22;
  for (; exponent < -kLargestExact && value != 0; exponent += kLargestExact) value /= 1e22;
  if (value == 0) return value;
  return exponent < 0 ? value / kExactPowers[-exponent] : value * kExactPowers[exponent];
}

}  // namespace

extern "C" {

// A decimal number as JSON writes it. Exact up to 2^53 and 22 places, which is all that our files hold; otherwise it
// may miss the nearest double by a few units in the last place.
double strtod(const char* text, char** end) {  // NOLINT(readability-inconsistent-declaration-parameter-name)
  const char* at = text;
  const bool negative = *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;
  int count = 0;
  int dropped = 0;
  at = read_digits(at, digits, count, dropped);
  int exponent = dropped;
  if (*at == '.') {
    int places = 0;
    dropped = 0;
    at = read_digits(at + 1, digits, places, dropped);
    count += places;
    exponent -= places - dropped;
  }
  if (count == 0) at = text;
  if (count != 0 && (*at == 'e' || *at == 'E')) exponent += read_exponent(at);
  if (end != nullptr) *end = const_cast<char*>(at);
  const double value = scaled(static_cast<double>(digits), exponent);
  return negative ? -value : value;
}

// In the same file of the C library, so that strtod would come along with them; nobody calls them.
float strtof(const char* text, char** end) {
  return static_cast<float>(strtod(text, end));
}
long double strtold(const char* text, char** end) {
  return strtod(text, end);
}

// For the one message of the JSON library that formats anything, "%.4X".
int snprintf(char* buffer, std::size_t size, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const int written = ImFormatStringV(buffer, size, format, args);
  va_end(args);
  return written;
}
}

#pragma once
// Quantities as text. Bytes in binary units (KiB = 1024 B), rates in decimal
// ones (GB/s = 10^9 bytes per second), never mixed. No language: unit symbols
// are the same in all.

#include <cstdint>
#include <string>

#include "core/traffic.h"

namespace commflow {

// "96 MiB", "1.5 KiB", "12.3 GiB": exact where at most two decimals suffice,
// else rounded to three significant digits.
std::string text_of_bytes(Bytes bytes);
// "30,532,122,624"
std::string text_of_count(std::int64_t count);
// Microseconds as "3.2 us", "14.8 ms", "1.2 s", three significant digits; the
// micro sign is UTF-8.
std::string text_of_time(double microseconds);
// Bytes per second as "450 GB/s", three significant digits.
std::string text_of_rate(double bytes_per_second);
// Up to `decimals` decimals, trailing zeros cut.
std::string text_of_decimal(double value, int decimals);
// Three significant digits, no exponent for |value| in [0.001, 10^15).
std::string text_of_significant(double value);

}  // namespace commflow

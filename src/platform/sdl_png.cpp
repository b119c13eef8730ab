#include "platform/sdl_png.h"

#include <algorithm>
#include <cstdio>

namespace commflow::platform {
namespace {

using Bytes = std::vector<std::uint8_t>;

void put32(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::uint8_t>(value >> shift & 255));
}

std::uint32_t crc32(const Bytes& bytes, std::size_t from) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (std::size_t i = from; i < bytes.size(); ++i) {
    crc ^= bytes[i];
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0u);
  }
  return ~crc;
}

void put_chunk(Bytes& out, const char (&type)[5], const Bytes& data) {
  put32(out, static_cast<std::uint32_t>(data.size()));
  const std::size_t start = out.size();
  out.insert(out.end(), type, type + 4);
  out.insert(out.end(), data.begin(), data.end());
  put32(out, crc32(out, start));
}

// zlib's container with stored blocks of at most 65535 bytes.
Bytes stored(const Bytes& raw) {
  Bytes out{0x78, 0x01};
  std::uint32_t a = 1;
  std::uint32_t b = 0;
  for (std::size_t at = 0; at < raw.size();) {
    const std::size_t size = std::min<std::size_t>(65535, raw.size() - at);
    const bool last = at + size == raw.size();
    const auto low = static_cast<std::uint8_t>(size & 255);
    const auto high = static_cast<std::uint8_t>(size >> 8);
    out.insert(out.end(), {static_cast<std::uint8_t>(last), low, high, static_cast<std::uint8_t>(~low),
                           static_cast<std::uint8_t>(~high)});
    for (const std::size_t end = at + size; at < end; ++at) {
      out.push_back(raw[at]);
      a = (a + raw[at]) % 65521;
      b = (b + a) % 65521;
    }
  }
  put32(out, b << 16 | a);
  return out;
}

}  // namespace

bool write_png(const std::string& path, int width, int height, const Bytes& rgba) {
  Bytes raw;
  const auto columns = static_cast<std::size_t>(width);
  for (auto row = static_cast<std::size_t>(height); row-- > 0;) {
    raw.push_back(0);
    for (std::size_t x = 0; x < columns; ++x) {
      const std::uint8_t* pixel = &rgba[(row * columns + x) * 4];
      raw.insert(raw.end(), pixel, pixel + 3);
    }
  }
  Bytes header;
  put32(header, static_cast<std::uint32_t>(width));
  put32(header, static_cast<std::uint32_t>(height));
  header.insert(header.end(), {8, 2, 0, 0, 0});
  Bytes file{0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
  put_chunk(file, "IHDR", header);
  put_chunk(file, "IDAT", stored(raw));
  put_chunk(file, "IEND", {});
  FILE* out = std::fopen(path.c_str(), "wb");
  if (!out) return false;
  const bool complete = std::fwrite(file.data(), 1, file.size(), out) == file.size();
  return std::fclose(out) == 0 && complete;
}

}  // namespace commflow::platform

// What Dear ImGui refers to and CommFlow does without, for the sake of the download and of speed (cmake/Imgui.cmake):
// tables and columns, which our own code draws; reading settings; fractions in formats; asking WebGL for its state.
// Stands in for imgui_tables.cpp, sscanf, fprintf and vsnprintf in the WebAssembly build only.

#include <GLES3/gl3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>

extern "C" {
// Whole numbers between literal text: the back end reads "#version 300 es". The names are those that the library's
// calls are turned into.
// NOLINTNEXTLINE(cert-dcl50-cpp)
int commflow_sscanf(const char* text, const char* format, ...) {
  va_list args;
  va_start(args, format);
  int found = 0;
  for (; *format != 0; ++format) {
    if (*format != '%') {
      if (*text++ != *format) break;
      continue;
    }
    if (*++format != 'd' || *text < '0' || *text > '9') break;
    int value = 0;
    while (*text >= '0' && *text <= '9') value = value * 10 + (*text++ - '0');
    *va_arg(args, int*) = value;
    ++found;
  }
  va_end(args);
  return found;
}
// The back end saves the state that it finds and restores it, in every frame. Each question makes the browser wait for
// all drawing before it, 80 ms in software, and the context is ours alone: the answers are those of a new one.
void commflow_glGetIntegerv(GLenum name, GLint* value) {
  switch (name) {
    case GL_MAJOR_VERSION: *value = 3; return;
    case GL_MAX_TEXTURE_SIZE: *value = 4096; return;  // what phones can do, as in web.cpp
    case GL_ACTIVE_TEXTURE: *value = GL_TEXTURE0; return;
    case GL_BLEND_EQUATION_RGB:
    case GL_BLEND_EQUATION_ALPHA: *value = GL_FUNC_ADD; return;
    case GL_BLEND_SRC_RGB:
    case GL_BLEND_SRC_ALPHA: *value = GL_ONE; return;
    case GL_VIEWPORT:
    case GL_SCISSOR_BOX: value[1] = value[2] = value[3] = 0; [[fallthrough]];
    default: *value = 0;
  }
}
GLboolean commflow_glIsEnabled(GLenum) {
  return GL_FALSE;
}
// NOLINTNEXTLINE(cert-dcl50-cpp)
int commflow_no_fprintf(FILE*, const char*, ...) {
  return 0;
}
}

namespace {

// Writes into a buffer as far as it goes.
struct Sink {
  char* out;
  char* end;
  void put(char c) {
    if (out < end) *out++ = c;
  }
  void put(const char* text, int count, int width, char filling) {
    for (int i = count; i < width; ++i) put(filling);
    for (int i = 0; i < count; ++i) put(text[i]);
  }
};

struct Conversion {
  char filling = ' ';
  int width = 0;
  int precision = -1;
  int longs = 0;
};

int number(const char*& at) {
  int value = 0;
  while (*at >= '0' && *at <= '9') value = value * 10 + (*at++ - '0');
  return value;
}

void put_number(Sink& sink, const Conversion& how, std::uint64_t value, bool negative, char kind) {
  const unsigned base = kind == 'x' || kind == 'X' || kind == 'p' ? 16 : 10;
  const char* const digits = kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
  char text[24];
  int first = sizeof text;
  do {
    text[--first] = digits[value % base];
    value /= base;
  } while (value != 0);
  while (static_cast<int>(sizeof text) - first < how.precision && first > 1) text[--first] = '0';
  if (negative) text[--first] = '-';
  sink.put(text + first, static_cast<int>(sizeof text) - first, how.width, how.filling);
}

int length(const char* text, int most) {
  int count = 0;
  while ((most < 0 || count < most) && text[count] != 0) ++count;
  return count;
}

}  // namespace

// d, i, u, x, X, p, c, s and %, with 0, width, precision and l; whatever else it is asked for is left out.
int ImFormatStringV(char* buffer, size_t size, const char* format, va_list args) {
  Sink sink{buffer, buffer + (size == 0 ? 0 : size - 1)};
  for (const char* at = format; *at != 0; ++at) {
    if (*at != '%') {
      sink.put(*at);
      continue;
    }
    Conversion how;
    if (*++at == '0') how.filling = '0';
    how.width = number(at);
    if (*at == '.' && *++at == '*') {
      how.precision = va_arg(args, int);
      ++at;
    } else if (at[-1] == '.') {
      how.precision = number(at);
    }
    for (; *at == 'l' || *at == 'z'; ++at) how.longs += *at == 'l' ? 1 : 0;
    switch (*at) {
      case 'd':
      case 'i': {
        const std::int64_t value = how.longs > 1 ? va_arg(args, long long) : va_arg(args, int);
        const auto magnitude = static_cast<std::uint64_t>(value);
        put_number(sink, how, value < 0 ? 0 - magnitude : magnitude, value < 0, *at);
        break;
      }
      case 'u':
      case 'x':
      case 'X':
      case 'p':
        put_number(sink, how, how.longs > 1 ? va_arg(args, unsigned long long) : va_arg(args, unsigned), false, *at);
        break;
      case 'c': sink.put(static_cast<char>(va_arg(args, int))); break;
      case 's': {
        const char* text = va_arg(args, const char*);
        if (text == nullptr) text = "(null)";
        sink.put(text, length(text, how.precision), how.width, ' ');
        break;
      }
      case '%': sink.put('%'); break;
      case 0: --at; break;
      default: static_cast<void>(va_arg(args, double)); break;
    }
  }
  if (size != 0) *sink.out = 0;
  return static_cast<int>(sink.out - buffer);
}

int ImFormatString(char* buffer, size_t size, const char* format, ...) {
  va_list args;
  va_start(args, format);
  const int written = ImFormatStringV(buffer, size, format, args);
  va_end(args);
  return written;
}

namespace ImGui {
void EndTable() {}
void TableEndRow(ImGuiTable*) {}
void TableEndCell(ImGuiTable*) {}
void TablePushBackgroundChannel() {}
void TablePopBackgroundChannel() {}
void TablePushColumnChannel(int) {}
void TablePopColumnChannel() {}
void TableGcCompactTransientBuffers(ImGuiTable*) {}
void TableGcCompactTransientBuffers(ImGuiTableTempData*) {}
void TableGcCompactSettings() {}
void TableSettingsAddSettingsHandler() {}
void EndColumns() {}
void PushColumnsBackground() {}
void PopColumnsBackground() {}
}  // namespace ImGui

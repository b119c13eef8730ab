#pragma once
// Stands in for stb_truetype in the WebAssembly build (IMGUI_STB_TRUETYPE_FILENAME): there the browser draws the glyphs
// through a font loader of ours, and Dear ImGui's own loader, which it still refers to, must only compile. Opens no
// font.

struct stbtt_fontinfo {};

inline int stbtt_GetFontOffsetForIndex(const unsigned char*, int) {
  return -1;
}
inline int stbtt_InitFont(stbtt_fontinfo*, const unsigned char*, int) {
  return 0;
}
inline int stbtt_FindGlyphIndex(const stbtt_fontinfo*, int) {
  return 0;
}
inline float stbtt_ScaleForPixelHeight(const stbtt_fontinfo*, float) {
  return 0.0f;
}
inline float stbtt_ScaleForMappingEmToPixels(const stbtt_fontinfo*, float) {
  return 0.0f;
}
inline void stbtt_GetFontVMetrics(const stbtt_fontinfo*, int*, int*, int*) {}
inline void stbtt_GetGlyphHMetrics(const stbtt_fontinfo*, int, int*, int*) {}
inline void stbtt_GetGlyphBitmapBox(const stbtt_fontinfo*, int, float, float, int*, int*, int*, int*) {}
inline void stbtt_GetGlyphBitmapBoxSubpixel(const stbtt_fontinfo*, int, float, float, float, float, int*, int*, int*,
                                            int*) {}
inline void stbtt_MakeGlyphBitmapSubpixelPrefilter(const stbtt_fontinfo*, unsigned char*, int, int, int, float, float,
                                                   float, float, int, int, float*, float*, int) {}

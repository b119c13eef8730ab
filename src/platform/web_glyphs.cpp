#include "platform/web_glyphs.h"

#include <emscripten.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <vector>

// Where the baseline lies in a line as high as the font size, as a fraction of the size.
EM_JS(float, commflow_js_baseline, (int bold, float size), { return Module["glyphs"].baseline(bold, size); });

EM_JS(float, commflow_js_advance, (int code_point, int bold, float size),
      { return Module["glyphs"].advance(code_point, bold, size); });

// Writes left, top, width and height of the glyph's picture in device pixels, relative to the pen on the baseline, and
// its coverage if it fits.
EM_JS(void, commflow_js_glyph,
      (int code_point, int bold, float size, float density, int* box, void* coverage, int room), {
        const glyph = Module["glyphs"].draw(code_point, bold, size, density);
        HEAP32.set([ glyph.left, glyph.top, glyph.width, glyph.height ], box >> 2);
        if (glyph.coverage.length <= room) HEAPU8.set(glyph.coverage, coverage);
      });

namespace commflow::platform {
namespace {

struct Picture {
  int left = 0, top = 0, width = 0, height = 0;
};

// FontNo tells the two weights apart; a font file has no say here.
int is_bold(const ImFontConfig* source) {
  return source->FontNo != 0;
}

bool contains_glyph(ImFontAtlas*, ImFontConfig*, ImWchar code_point) {
  return code_point >= ' ';
}

bool start_size(ImFontAtlas*, ImFontConfig* source, ImFontBaked* baked, void*) {
  baked->Ascent = commflow_js_baseline(is_bold(source), baked->Size) * baked->Size;
  baked->Descent = baked->Ascent - baked->Size;
  return true;
}

Picture draw_glyph(const ImFontConfig* source, const ImFontBaked* baked, ImWchar code_point,
                   ImVector<unsigned char>& coverage) {
  const float pixels = baked->Size * baked->RasterizerDensity;
  const int side = static_cast<int>(pixels * 3) + 8;  // no glyph of ours is three ems wide
  coverage.resize(side * side);
  Picture picture;
  commflow_js_glyph(code_point, is_bold(source), baked->Size, baked->RasterizerDensity, &picture.left, coverage.Data,
                    coverage.Size);
  return picture.width * picture.height <= coverage.Size ? picture : Picture{};
}

void place_glyph(const Picture& picture, const ImFontBaked* baked, ImFontAtlasRectId id, ImFontGlyph* glyph) {
  const float pixel = 1 / baked->RasterizerDensity;
  glyph->X0 = static_cast<float>(picture.left) * pixel;
  glyph->Y0 = static_cast<float>(picture.top) * pixel + baked->Ascent;
  glyph->X1 = glyph->X0 + static_cast<float>(picture.width) * pixel;
  glyph->Y1 = glyph->Y0 + static_cast<float>(picture.height) * pixel;
  glyph->Visible = true;
  glyph->PackId = id;
}

bool load_glyph(ImFontAtlas* atlas, ImFontConfig* source, ImFontBaked* baked, void*, ImWchar code_point,
                ImFontGlyph* glyph, float* advance_only) {
  const float advance = commflow_js_advance(code_point, is_bold(source), baked->Size);
  if (advance_only) {
    *advance_only = advance;
    return true;
  }
  glyph->Codepoint = code_point;
  glyph->AdvanceX = advance;
  ImVector<unsigned char>& coverage = atlas->Builder->TempBuffer;
  const Picture picture = draw_glyph(source, baked, code_point, coverage);
  if (picture.width == 0 || picture.height == 0) return true;
  const ImFontAtlasRectId id = ImFontAtlasPackAddRect(atlas, picture.width, picture.height);
  if (id == ImFontAtlasRectId_Invalid) return true;  // the atlas is full: a gap, not a crash
  place_glyph(picture, baked, id, glyph);
  ImTextureRect* rect = ImFontAtlasPackGetRect(atlas, id);
  ImFontAtlasBakedSetFontGlyphBitmap(atlas, baked, source, glyph, rect, coverage.Data, ImTextureFormat_Alpha8,
                                     picture.width);
  return true;
}

ImFontLoader make_loader() {
  ImFontLoader loader;
  loader.Name = "browser";
  loader.FontSrcContainsGlyph = contains_glyph;
  loader.FontBakedInit = start_size;
  loader.FontBakedLoadGlyph = load_glyph;
  return loader;
}

const ImFontLoader kLoader = make_loader();

}  // namespace

ImFont* add_browser_font(bool bold) {
  ImFontConfig config;
  config.FontLoader = &kLoader;
  config.FontNo = bold ? 1 : 0;
  config.SizePixels = 16;
  return ImGui::GetIO().Fonts->AddFont(&config);
}

}  // namespace commflow::platform

// Draws single glyphs for the canvas with the browser's own fonts, the same that the text beside it is set in.
// src/platform/web_glyphs.cpp asks for each glyph once per size. Knows nothing of what is written.

const kFallbackFamily = 'CommFlow Fallback';
const kMissing = '\u0378';  // assigned to no character: what it looks like is what a missing glyph looks like

export class Glyphs {
  constructor(family, language) {
    this.family = `${family}, "${kFallbackFamily}"`;
    this.canvas = document.createElement('canvas');
    this.canvas.lang = language;
    this.context = this.canvas.getContext('2d', { willReadFrequently: true });
    this.checked = new Map();  // code point -> whether no font has it
  }

  get misses() {
    return [...this.checked.values()].filter(Boolean).length;
  }

  // Sizes are in CSS pixels at every density: the density only scales the picture.
  use(bold, size) {
    this.context.font = `${bold ? 700 : 400} ${size}px ${this.family}`;
    this.context.textRendering = 'geometricPrecision';  // advances do not depend on the screen
  }

  advance(code_point, bold, size) {
    if (!this.context) return size / 2;
    this.use(bold, size);
    return this.context.measureText(String.fromCodePoint(code_point)).width;
  }

  baseline(bold, size) {
    if (!this.context) return 0.8;
    this.use(bold, size);
    const { fontBoundingBoxAscent: ascent, fontBoundingBoxDescent: descent } = this.context.measureText('x');
    return 0.5 + (ascent - descent) / (2 * size);
  }

  draw(code_point, bold, size, density) {
    const nothing = { left: 0, top: 0, width: 0, height: 0, coverage: new Uint8Array() };
    if (!this.context) return nothing;
    const text = String.fromCodePoint(code_point);
    if (!this.checked.has(text)) this.checked.set(text, this.looks_missing(text));
    return this.rasterise(text, bold, size, density) || nothing;
  }

  rasterise(text, bold, size, density) {
    this.use(bold, size);
    const box = this.context.measureText(text);
    const left = Math.floor(-box.actualBoundingBoxLeft * density) - 1;
    const top = Math.floor(-box.actualBoundingBoxAscent * density) - 1;
    const width = Math.ceil(box.actualBoundingBoxRight * density) + 1 - left;
    const height = Math.ceil(box.actualBoundingBoxDescent * density) + 1 - top;
    if (width <= 2 || height <= 2) return null;  // a space
    this.make_room(width, height);
    this.use(bold, size);
    this.context.setTransform(density, 0, 0, density, -left, -top);
    this.context.fillText(text, 0, 0);
    const pixels = this.context.getImageData(0, 0, width, height).data;
    const coverage = new Uint8Array(width * height);
    for (let i = 0; i < coverage.length; ++i) coverage[i] = pixels[4 * i + 3];
    return { left, top, width, height, coverage };
  }

  make_room(width, height) {
    const { canvas, context } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (canvas.width < width) canvas.width = width;
    if (canvas.height < height) canvas.height = height;
    context.clearRect(0, 0, width, height);
  }

  looks_missing(text) {
    if (text <= '\u007e') return false;
    const picture = this.rasterise(text, false, 16, 1);
    this.tofu ||= this.rasterise(kMissing, false, 16, 1);
    return Boolean(picture && this.tofu) && String(picture.coverage) === String(this.tofu.coverage);
  }

  // A machine without a Chinese font shows the same box for every character. Then `url` is fetched, if it is there.
  async ensure_chinese(url) {
    if (!this.context || !['中', '文', '通'].every((text) => this.looks_missing(text))) return;
    try {
      const face = await new FontFace(kFallbackFamily, `url(${url})`).load();
      document.fonts.add(face);
      this.tofu = null;
    } catch {
      // the count of missing glyphs tells
    }
  }
}

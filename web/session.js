// One run of the program inside an element, from loading to the end: hands over data and messages, passes on what the
// program publishes, and shows a sentence instead when something fails. A session that has ended stays ended; the
// element makes a new one.
//
// The program publishes, as JSON:
//   page   { lang, title, width, height, theme, playing, live, blocks: [...] }     -> mirror.js
//   state  { hash, source, settled, page_changed, step }                           -> events of the element
//   ready  { fields: [...] }        names that attributes and set() may have
//   asset  { name }                 a file it needs now, such as data.zh.json
//   program { state }               this is a state of a page that only the whole program has
//   link   { hash }                 a link to the moment is to be copied
//   file   { use, name, type, text }                 a file is to be copied or downloaded
//   picture { use, name, svg, width, height }        a picture of it is to be copied or downloaded
//   stills { stills: [{ id, svg, width, height }] }  every figure at this moment, when asked for
//   error  { title, text }    note { text }    cursor { kind }    debug { ... }
// and receives:
//   { type: "set", id, value }, of a text field its text  { type: "press", id }  { type: "open", state }
//   { type: "environment", theme, motion, lang }           each with an optional source: user, api, url, system
import { Surface } from './canvas.js';
import { Glyphs } from './glyphs.js';
import { action_of } from './keys.js';
import { data_file, fetch_bytes, file_url, instantiate, load, LoadError } from './loader.js';
import { Mirror } from './mirror.js';
import { handout_links, kNotices, notice_paragraphs } from './notices.js';
import { copy_picture, copy_text, download, kSvg } from './share.js';

const encoder = new TextEncoder();

const kPrintWidth = 700;  // of a figure on paper, in CSS pixels
const kTextWidths = [280, 1100];
const kToastMs = 2000;
const kAskedMs = 500;        // between a press and the page that follows from it
const kLeastInSight = 160;   // CSS pixels of a panel that has opened

const box = (className, properties = {}) => Object.assign(document.createElement('div'), { className, ...properties });

export class Session {
  // host: { on(topic, detail), progress(fraction), failed(error) }; environment: { lang, theme, motion, ... };
  // program: kLight or kWhole
  constructor(root, host, environment, program) {
    Object.assign(this, { root, host, environment, program });
    this.outbox = [];
    this.errors = [];
    this.stop = new AbortController();
    this.build();
  }

  build() {
    this.page = box('page', { tabIndex: -1 });
    this.page.part = 'page';
    this.page.setAttribute('role', 'region');
    this.page.dataset.theme = this.environment.theme;
    this.slice = box('slice');
    const mirror = box('mirror');
    this.live = box('live');
    this.live.setAttribute('role', 'status');
    this.live.setAttribute('aria-live', 'polite');
    this.notice = box('notice', { hidden: true });
    this.page.append(this.notice, this.slice, mirror, this.live);
    this.mirror = new Mirror(mirror, this.live, (message) => this.send({ source: 'user', ...message }), () => this.page.focus({ preventScroll: true }), this.host.address_of);
    this.page.addEventListener('keydown', (event) => this.key(event), { signal: this.stop.signal });
    this.asked_at = -Infinity;
    for (const type of ['pointerup', 'keydown', 'click'])
      this.page.addEventListener(type, () => { this.asked_at = performance.now(); }, { signal: this.stop.signal, capture: true });
    addEventListener('beforeprint', () => this.print_begins(), { signal: this.stop.signal });
    addEventListener('afterprint', () => this.print_ends(), { signal: this.stop.signal });
    this.root.append(this.page);
  }

  // Ends in a running program, or in a message with a button. Fonts are known when the style is there.
  async begin(style_loaded) {
    this.show_progress();
    const glyphs = style_loaded.then(() => this.is_over || this.prepare_glyphs());
    try {
      const parts = await load(this.program, this.environment.lang, (fraction) => this.progress(fraction));
      await glyphs;
      if (this.is_over) return;
      await this.run(parts);
    } catch (error) {
      this.fail(error);
    }
  }

  async prepare_glyphs() {
    this.glyphs = new Glyphs(getComputedStyle(this.page).fontFamily, this.environment.lang);
    await this.glyphs.ensure_chinese(file_url('font/fallback.woff2'));
  }

  async run(parts) {
    const module = await instantiate(parts, {
      publish: (topic, json) => this.published(topic, json),
      glyphs: this.glyphs,
      print: () => {},
      printErr: (text) => this.errors.push(text),
      onAbort: (reason) => this.fail(new LoadError('crash', String(reason))),
    });
    if (this.is_over) return;
    this.module = module;
    this.surface = new Surface(this.page, this.slice, {
      before_frame: () => this.flush(),
      crashed: (error) => this.fail(new LoadError('crash', String(error))),
      notice: (kind) => this.show_notice(kind),
      no_webgl: () => this.show_as_text(),
      grabs: (x, y) => this.mirror.grabs(x, y),
    });
    this.hand_over(parts.name, parts.bytes);
    this.flush();
    module._commflow_start();
    this.surface.attach(module);
    this.surface.request();
  }

  // ---- to the program ----

  send(message) {
    this.outbox.push(message);
    this.surface?.request();
  }

  flush() {
    for (const message of this.outbox.splice(0)) {
      this.write(encoder.encode(JSON.stringify(message)));
      this.module._commflow_receive();
    }
  }

  write(...pieces) {
    let at = this.module._commflow_inbox(pieces.reduce((size, piece) => size + piece.length, 0));
    for (const piece of pieces) {
      this.module.HEAPU8.set(piece, at);
      at += piece.length;
    }
  }

  hand_over(name, bytes) {
    const encoded = encoder.encode(name);
    this.write(encoded, bytes);
    this.module._commflow_asset(encoded.length);
  }

  async fetch_asset(name) {
    try {
      const bytes = await fetch_bytes(data_file(this.program, name));
      if (this.is_over) return;
      this.hand_over(name, bytes);
      this.surface.request();
    } catch (error) {
      this.host.on('error', { title: name, text: error.message, kind: error.kind });
    }
  }

  key(event) {
    if (event.key === 'Escape') {
      if (this.surface?.close_list()) return;
      this.root.activeElement?.blur();
      return;
    }
    const action = action_of(event);
    if (!action || !this.surface) return;
    event.preventDefault();
    this.send({ type: 'press', id: action === 'play' && this.mirror.page?.playing ? 'pause' : action, source: 'user' });
  }

  // ---- from the program ----

  published(topic, json) {
    if (this.is_over) return;
    const detail = JSON.parse(json);
    switch (topic) {
      case 'page': this.show_page(detail); break;
      case 'cursor': this.slice.style.cursor = detail.kind; break;
      case 'asset': this.fetch_asset(detail.name); break;
      case 'link': this.tell_copied(copy_text(this.host.address_of('link', detail.hash))); break;
      case 'file': detail.use === 'copy' ? this.tell_copied(copy_text(detail.text)) : download(detail); break;
      case 'picture': detail.use === 'copy' ? this.tell_copied(copy_picture(detail)) : download({ ...detail, type: kSvg, text: detail.svg }); break;
      case 'stills': this.mirror.show_pictures(detail.stills); break;
      case 'debug': this.counters = detail; break;
      case 'error': this.errors.push(`${detail.title}: ${detail.text}`); break;
      case 'note': console.info(`comm-flow: ${detail.text}`); break;
      default:
    }
    this.host.on(topic, detail);
  }

  show_page(page) {
    this.bar?.remove();
    const before = this.mirror.page;
    this.page.dataset.theme = page.theme;
    this.page.lang = page.lang;
    this.page.setAttribute('aria-label', page.title);
    this.mirror.show(page);
    if (this.is_text) queueMicrotask(() => this.draw_stills());
    else this.surface.set_page_height(page.height);
    if (before?.title === page.title && performance.now() - this.asked_at < kAskedMs) this.show_what_opened(before, page);
  }

  // A panel that the reader has just opened may stand far from what opened it.
  show_what_opened(before, page) {
    const known = new Set(before.blocks.map(({ id }) => id));
    const opened = page.blocks.find(({ id, region }) => region === 'aside' && !known.has(id));
    const element = opened && this.mirror.root.querySelector(`[data-block="${opened.id}"]`);
    if (!element) return;
    const { top } = (element.querySelector('.item') || element).getBoundingClientRect();
    if (top < 0 || top > innerHeight - kLeastInSight) (element.querySelector('.item') || element).scrollIntoView({ block: 'start' });
  }

  // Pictures in place of the canvas; at the width that they have there.
  draw_stills(width = this.page.clientWidth - 32, theme = this.mirror.page?.theme) {
    const [least, most] = kTextWidths;
    this.surface?.guard(() => this.module._commflow_stills(Math.max(least, Math.min(most, width)), theme === 'dark' ? 1 : 0));
  }

  // On paper the page is its text and its still pictures, in light colours.
  print_begins() {
    if (!this.mirror.page || this.has_failed) return;
    this.mirror.is_shown = true;
    this.page.dataset.flat = this.page.dataset.printed = '';
    this.page.dataset.theme = 'light';
    this.draw_stills(kPrintWidth, 'light');
  }

  print_ends() {
    if (!('printed' in this.page.dataset)) return;
    delete this.page.dataset.printed;
    if (!this.is_text) delete this.page.dataset.flat;
    this.page.dataset.theme = this.mirror.page.theme;
    this.mirror.is_shown = Boolean(this.is_text);
    if (this.is_text) this.draw_stills();
    else this.mirror.show_pictures([]);
  }

  async tell_copied(copying) {
    await copying;
    if (this.is_over) return;
    this.toast?.remove();
    const toast = box('toast', { textContent: kNotices.copied[this.mirror.page?.lang] || '' });
    toast.setAttribute('role', 'status');
    this.toast = toast;
    this.page.append(toast);
    setTimeout(() => toast.remove(), kToastMs);
  }

  // ---- what is shown instead of, or above, the picture ----

  show_progress() {
    this.bar = box('loading');
    const bar = document.createElement('progress');
    bar.setAttribute('aria-label', kNotices.loading[this.environment.lang]);
    this.bar.append(bar);
    this.page.append(this.bar);
  }

  progress(fraction) {
    if (this.is_over) return;
    this.bar.firstChild.value = fraction;
    this.host.progress(fraction);
  }

  show_notice(kind, retry) {
    this.notice.hidden = !kind;
    if (!kind) return;
    this.notice.setAttribute('role', 'alert');
    this.notice.replaceChildren(...notice_paragraphs(kind, this.environment.lang));
    if (this.has_failed) this.notice.append(handout_links(this.environment.lang));
    if (!retry) return;
    const button = document.createElement('button');
    button.textContent = `${kNotices.retry.en} / ${kNotices.retry.zh}`;
    button.addEventListener('click', retry, { once: true });
    this.notice.append(button);
  }

  // Without WebGL the mirror itself is the page.
  show_as_text() {
    this.is_text = this.mirror.is_shown = true;
    this.page.dataset.mode = 'text';
    this.page.dataset.flat = '';
    this.show_notice('no_webgl');
  }

  fail(error) {
    if (this.is_over || this.has_failed) return;
    this.has_failed = true;
    const kind = error.kind || 'crash';
    this.errors.push(error.message);
    this.bar?.remove();
    this.surface?.destroy();
    this.page.style.height = '';
    this.page.dataset.mode = 'failed';
    this.show_notice(kind, kind === 'no_wasm' ? undefined : () => this.host.retry());
    this.host.on('error', { title: kNotices[kind].en, text: error.message, kind });
  }

  show_instead(element) {
    this.page.append(element);
  }

  debug() {
    if (this.surface?.module) this.surface.guard(() => this.module._commflow_debug());
    const { canvas, context, density } = this.surface || {};
    const info = context?.getExtension('WEBGL_debug_renderer_info');
    return {
      draws: 0, frames: 0, keysDown: 0,
      ...this.counters,
      dpr: density,
      buffer: canvas ? [canvas.width, canvas.height] : null,
      slice: this.surface && [this.surface.top, this.surface.rows],
      hits: Object.fromEntries(this.mirror.items().filter(({ rect }) => rect).map(({ id, rect }) => [id, rect])),
      page: this.mirror.page,
      glyphMisses: this.glyphs?.misses,
      renderer: info && context.getParameter(info.UNMASKED_RENDERER_WEBGL),
      errors: this.errors,
    };
  }

  end() {
    if (this.is_over) return;
    this.is_over = true;
    this.stop.abort();
    this.surface?.destroy();
    this.module = this.glyphs = null;
    this.page.remove();
  }
}

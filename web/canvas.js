// The canvas of one element: its size and density, the slice of the page it shows, its WebGL context, the pointer, and
// when to draw. Calls the functions that src/platform/web.cpp exports; knows nothing of what is drawn.
//
// The page may be far taller than a canvas can be, so the canvas shows a slice of it, somewhat higher than the
// viewport. It lies in the page and scrolls with it, and is moved and redrawn in one frame when the reader comes near
// its edge. (A canvas with position: sticky would be redrawn at every scroll step and shake against the text beside it,
// and does not stick at all where an ancestor has overflow: hidden.)

const kMostContexts = 4;        // browsers drop the oldest context of a page somewhere above eight
const kMargin = 1 / 3;          // of a viewport, kept ready above and below it
const kSlack = 64;              // rows that may be left before the slice moves
const kMostPixels = 8192;       // per side
const kMostArea = 16.7e6;       // pixels of a canvas on some phones
const kLongestStepMs = 100;     // the clock of the program never jumps further
const kRestoreMs = 4000;        // a lost context that is not back by then is replaced

const kMove = 0, kPress = 1, kRelease = 2, kGone = 3;

// Surfaces that own a context, the one drawn last at the end.
const holders = [];

const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function context_attributes() {
  return { alpha: false, antialias: false, depth: false, stencil: false, powerPreference: 'low-power' };
}

export class Surface {
  // page: the box as high as the page; slice: the box inside it that holds the canvas.
  // hooks: before_frame(), crashed(error), notice(kind or null), no_webgl(), grabs(x, y of the page) for touch drags.
  constructor(page, slice, hooks) {
    Object.assign(this, { page, slice, hooks });
    this.width = page.clientWidth;
    this.page_height = 0;
    this.top = 0;
    this.rows = 0;
    this.density = 1;
    this.clock = 0;
    this.on_screen = true;     // until the observer says otherwise, so that there is a first frame
    this.is_down = false;
    this.stop = new AbortController();
    this.watch();
  }

  attach(module) {
    this.module = module;
    this.take_context();
  }

  // ---- when to draw ----

  is_visible() {
    return this.on_screen && !document.hidden && this.width > 0;
  }

  // One frame soon. Out of sight it runs once, without a picture, so that messages are answered.
  request() {
    if (!this.module || this.frame || this.is_over) return;
    if (this.is_visible()) {
      this.frame = requestAnimationFrame((now) => this.draw(now));
    } else {
      this.frame = -1;
      queueMicrotask(() => this.frame && this.draw(performance.now()));
    }
  }

  draw(now) {
    this.frame = 0;
    if (this.is_over || !(this.width > 0)) return;
    const visible = this.is_visible();
    if (visible) this.take_context();
    this.fit();
    this.advance_clock(now);
    this.guard(() => {
      this.hooks.before_frame();
      this.module._commflow_view(this.width, this.top, this.rows, this.density);
      this.wants_more = Boolean(this.module._commflow_frame(this.clock));
    });
    this.is_stale = !visible;
    if (this.wants_more && visible) this.request();
    if (!this.frame) this.last_now = 0;
  }

  // Stands still while nothing is drawn.
  advance_clock(now) {
    if (this.last_now) this.clock += clamp(now - this.last_now, 0, kLongestStepMs);
    this.last_now = now;
  }

  // Nothing of the program runs after it has failed once.
  // A list that is open over the picture; returns whether there was one.
  close_list() {
    let closed = 0;
    this.guard(() => { closed = this.module._commflow_escape(); });
    if (closed) this.request();
    return closed !== 0;
  }

  guard(run) {
    try {
      run();
    } catch (error) {
      this.is_over = true;
      this.hooks.crashed(error);
    }
  }

  // ---- size ----

  watch() {
    const { signal } = this.stop;
    const passive = { signal, passive: true, capture: true };
    this.resize_observer = new ResizeObserver(([entry]) => this.resized(entry.contentRect.width));
    this.resize_observer.observe(this.page);
    this.sight_observer = new IntersectionObserver((entries) => this.seen(entries[entries.length - 1].isIntersecting), { rootMargin: '100px' });
    this.sight_observer.observe(this.page);
    addEventListener('scroll', () => this.covers_view() || this.request(), passive);
    addEventListener('resize', () => this.request(), { signal });
    document.addEventListener('visibilitychange', () => this.visibility_changed(), { signal });
    addEventListener('blur', () => this.let_go(), { signal });
    this.watch_density();
    this.watch_device_pixels();
    this.watch_pointer();
  }

  watch_density() {
    if (this.is_over) return;
    const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    query.addEventListener('change', () => {
      this.request();
      this.watch_density();
    }, { once: true, signal: this.stop.signal });
  }

  // A second witness where the browser has it: some changes of density are told to no media query.
  watch_device_pixels() {
    this.pixel_observer = new ResizeObserver(() => this.density === this.wanted_density(this.rows) || this.request());
    try {
      this.pixel_observer.observe(this.page, { box: 'device-pixel-content-box' });
    } catch {
      this.pixel_observer.disconnect();
    }
  }

  // Only remembers: the buffer is resized and drawn in one frame, so that it is never shown empty.
  resized(width) {
    if (width === this.width) return;
    this.width = width;
    this.request();
  }

  seen(is_seen) {
    this.on_screen = is_seen;
    this.wake();
  }

  visibility_changed() {
    if (document.hidden) this.let_go();
    this.wake();
  }

  wake() {
    if (!this.is_visible()) {
      this.is_stale ||= this.cancel_frame();
      this.last_now = 0;
    } else if (this.is_stale || this.wants_more) {
      this.request();
    }
  }

  cancel_frame() {
    const was_due = this.frame > 0;
    if (was_due) cancelAnimationFrame(this.frame);
    if (was_due) this.frame = 0;
    return was_due;
  }

  set_page_height(height) {
    if (height === this.page_height) return;
    this.page_height = height;
    this.page.style.height = `${height}px`;
    this.request();
  }

  // The rows of the page inside the viewport, in CSS pixels of the page, whatever transforms lie on it.
  view_rows() {
    const box = this.page.getBoundingClientRect();
    const scale = box.height / this.page.offsetHeight || 1;
    const height = this.page_height || innerHeight;
    const first = clamp(-box.top / scale, 0, height);
    const last = clamp((innerHeight - box.top) / scale, 0, height);
    return { first, last, view: innerHeight / scale, height };
  }

  wanted_rows({ view, height }) {
    const with_margins = Math.ceil(view * (1 + 2 * kMargin) / 128) * 128;
    return Math.max(1, Math.min(height, with_margins, kMostPixels));
  }

  covers_view() {
    const rows = this.view_rows();
    const above = this.top === 0 || this.top <= rows.first - kSlack;
    const below = this.top + this.rows >= Math.min(rows.last + kSlack, rows.height);
    return above && below && this.rows === this.wanted_rows(rows);
  }

  // Text is drawn at the screen's density, but never at less than one pixel per CSS pixel, and within what memory allows.
  wanted_density(rows) {
    const most = Math.min(3, kMostPixels / Math.max(rows, this.width), Math.sqrt(kMostArea / (rows * this.width)));
    return Math.max(1, Math.min(devicePixelRatio, most));
  }

  fit() {
    if (!this.covers_view()) {
      const rows = this.view_rows();
      this.rows = this.wanted_rows(rows);
      const margin = (this.rows - (rows.last - rows.first)) / 2;
      this.top = Math.floor(clamp(rows.first - margin, 0, rows.height - this.rows));
      this.slice.style.top = `${this.top}px`;
      this.slice.style.height = `${this.rows}px`;
    }
    this.density = this.wanted_density(this.rows);
    if (this.canvas) this.fit_buffer(Math.round(this.width * this.density), Math.round(this.rows * this.density));
  }

  fit_buffer(width, height) {
    if (this.canvas.width !== width) this.canvas.width = width;
    if (this.canvas.height !== height) this.canvas.height = height;
  }

  // ---- WebGL ----

  // A page may hold many elements but only a few contexts; who draws takes one from whom was drawn longest ago.
  take_context() {
    if (this.has_no_webgl) return;
    const place = holders.indexOf(this);
    if (place >= 0) {
      holders.push(...holders.splice(place, 1));
      return;
    }
    if (holders.length >= kMostContexts) (holders.find((other) => !other.is_visible()) || holders[0]).give_context_back();
    this.make_context();
  }

  make_context() {
    const canvas = document.createElement('canvas');
    canvas.setAttribute('aria-hidden', 'true');
    const context = canvas.getContext('webgl2', context_attributes());
    if (!context) {
      this.has_no_webgl = true;
      this.hooks.no_webgl();
      return;
    }
    const { signal } = this.stop;
    canvas.addEventListener('webglcontextlost', (event) => this.context_lost(event), { signal });
    canvas.addEventListener('webglcontextrestored', () => this.context_restored(), { signal });
    holders.push(this);
    this.canvas = canvas;
    this.context = context;
    this.slice.replaceChildren(canvas);
    this.module.context = context;
    this.guard(() => this.module._commflow_context(1));
  }

  // Keeps the last picture as an ordinary image.
  give_context_back() {
    const { canvas, context } = this;
    if (!canvas) return;
    this.cancel_frame();
    this.draw(performance.now());
    this.cancel_frame();
    const still = document.createElement('canvas');
    still.width = canvas.width;
    still.height = canvas.height;
    still.getContext('2d').drawImage(canvas, 0, 0);
    this.drop_context();
    this.slice.replaceChildren(still);
    this.is_stale = true;
    context.getExtension('WEBGL_lose_context')?.loseContext();
  }

  drop_context() {
    const place = holders.indexOf(this);
    if (place >= 0) holders.splice(place, 1);
    if (this.canvas) this.guard(() => this.module._commflow_context(0));
    this.canvas = this.context = null;
  }

  context_lost(event) {
    if (event.target !== this.canvas) return;  // one that we gave back
    event.preventDefault();                     // without it the browser never restores
    this.guard(() => this.module._commflow_context(0));
    this.hooks.notice('context_lost');
    this.restore_timer = setTimeout(() => {
      this.drop_context();
      this.hooks.notice(null);
      this.request();
    }, kRestoreMs);
  }

  context_restored() {
    clearTimeout(this.restore_timer);
    this.hooks.notice(null);
    this.guard(() => this.module._commflow_context(1));
    this.request();
  }

  // ---- pointer ----

  watch_pointer() {
    const { slice } = this;
    const listen = (name, handler, options) => slice.addEventListener(name, handler, { signal: this.stop.signal, ...options });
    listen('pointerdown', (event) => this.pointer_down(event));
    listen('pointermove', (event) => event.isPrimary && this.pointer(kMove, event));
    listen('pointerup', (event) => this.is_down && event.button === 0 && this.pointer(kRelease, event));
    listen('pointercancel', () => this.let_go());
    listen('lostpointercapture', () => this.let_go());
    listen('pointerleave', (event) => this.is_down || this.pointer(kGone, event));
    listen('touchstart', (event) => this.touch_start(event), { passive: false });
  }

  pointer_down(event) {
    if (event.button !== 0 || !event.isPrimary) return;
    if (!this.page.matches(':focus-within')) this.page.focus({ preventScroll: true });
    this.slice.setPointerCapture(event.pointerId);  // a drag goes on outside, and its end is seen
    this.pointer(kPress, event);
  }

  // Fingers scroll the page, except where they drag something.
  touch_start(event) {
    const { x, y } = this.position(event.touches[0]);
    const drags = event.touches.length === 1 && this.hooks.grabs(x, this.top + y);
    if (drags && event.cancelable) event.preventDefault();  // not once the page is scrolling
  }

  // In CSS pixels of the slice, whatever transforms lie on it.
  position({ clientX, clientY }) {
    const box = this.slice.getBoundingClientRect();
    return { x: (clientX - box.left) * this.width / box.width, y: (clientY - box.top) * this.rows / box.height };
  }

  pointer(kind, event) {
    if (!this.module || this.is_over) return;
    const { x, y } = this.position(event);
    this.is_down = kind === kPress || (kind === kMove && this.is_down);
    this.guard(() => this.module._commflow_pointer(kind, x, y, event.pointerType === 'touch' ? 1 : 0));
    this.request();
  }

  // The release will not come, or must not count.
  let_go() {
    if (this.is_down) this.pointer(kGone, { clientX: 0, clientY: 0 });
  }

  // ---- the end ----

  destroy() {
    this.is_over = true;
    this.cancel_frame();
    clearTimeout(this.restore_timer);
    this.stop.abort();
    this.resize_observer.disconnect();
    this.pixel_observer.disconnect();
    this.sight_observer.disconnect();
    const place = holders.indexOf(this);
    if (place >= 0) holders.splice(place, 1);
    this.context?.getExtension('WEBGL_lose_context')?.loseContext();
    this.canvas = this.context = this.module = null;
    this.slice.replaceChildren();
  }
}

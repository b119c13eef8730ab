// The page as real elements: what a screen reader reads, a keyboard operates, Ctrl+F finds and a selection copies. Laid
// transparently over the canvas, at the rectangles the program reports; without WebGL the same elements are shown.
// Keeps elements by id and changes only what differs. No state of its own beyond the last page.

const kSpokenEveryMs = 2000;  // while playing

function set_attribute(element, name, value) {
  if (value === undefined || value === null || value === false) {
    element.removeAttribute(name);
  } else if (element.getAttribute(name) !== String(value)) {
    element.setAttribute(name, value);
  }
}

function set_text(element, text = '') {
  if (element.textContent !== text) element.textContent = text;
}

function place(element, rect) {
  element.classList.toggle('unplaced', !rect);
  const [x, y, width, height] = rect || [0, 0, 1, 1];
  Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
}

// Text is set in the size at which it fills the rectangle that the picture gives it, so that a selection and what a
// search finds lie over the words.
const kHeadingSizes = [32, 28, 26, 24, 22, 20, 18, 16, 15, 14, 13];
const kTextSizes = kHeadingSizes.filter((size) => size <= 16);

function fit_text(element, sizes, lang) {
  const leading = lang === 'zh' ? 1.6 : 1.5;
  for (const size of sizes) {
    element.style.fontSize = `${size}px`;
    element.style.lineHeight = `${Math.round(size * leading)}px`;
    if (element.scrollHeight <= element.clientHeight + 1) return;
  }
}

const make = (tag, className, ...children) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  element.append(...children);
  return element;
};

// Makes `parent` hold one element per item, in order, keeping those whose key stays. What goes goes first: an element
// that is moved would lose the focus.
function reconcile(parent, items, key_of, make_one, patch) {
  const keys = items.map(key_of);
  for (const child of [...parent.children]) if (!keys.includes(child.dataset.key)) child.remove();
  const old = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let next = parent.firstElementChild;
  items.forEach((item, index) => {
    let element = old.get(keys[index]);
    if (!element) {
      element = make_one(item);
      element.dataset.key = keys[index];
    }
    if (element === next) next = next.nextElementSibling;
    else parent.insertBefore(element, next);
    patch(element, item);
  });
}

const fill_with = (tag) => (parent, texts) =>
  reconcile(parent, texts.map((text, index) => ({ text, index })), ({ index }) => String(index), () => make(tag), (element, { text }) => set_text(element, text));

// ---- controls: how each kind is made, and patched to an item ----

const named = (...children) => make('label', 'item', make('span', 'name'), ...children);

function patch_named(element, item) {
  set_text(element.querySelector('.name'), item.label);
  const output = element.querySelector('.value');
  if (output) set_text(output, item.text);
}

function patch_range(element, item) {
  patch_named(element, item);
  const input = element.querySelector('input');
  for (const name of ['min', 'max', 'step']) set_attribute(input, name, item[name]);
  if (input.value !== String(item.value)) input.value = item.value;
  set_attribute(input, 'aria-valuetext', item.text || undefined);
}

function patch_select(element, item) {
  patch_named(element, item);
  const select = element.querySelector('select');
  fill_with('option')(select, item.choices);
  select.selectedIndex = item.value;
}

// What is being typed is left alone.
function patch_text(element, item) {
  patch_named(element, item);
  const input = element.querySelector('textarea');
  set_attribute(input, 'rows', item.lines);
  set_attribute(input, 'maxlength', item.longest);
  set_attribute(input, 'aria-invalid', item.why ? 'true' : undefined);
  input.given = item.text;
  if (input.getRootNode().activeElement !== input && input.value !== item.text) input.value = item.text;
}

// What is typed is taken when the field is left; Ctrl+Enter takes it and stays, Escape leaves and takes nothing.
function take_by_key(event) {
  if (event.key === 'Escape') event.target.value = event.target.given;  // nothing has changed then
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
  event.target.blur();
  event.target.focus();
}

const svg_element = (text) => document.importNode(new DOMParser().parseFromString(text, 'image/svg+xml').documentElement, true);

const kControls = {
  button: {
    make: () => make('span', 'item', make('button', 'control')),
    patch(element, item) {
      set_text(element.firstChild, item.label);
      set_attribute(element.firstChild, 'aria-current', item.pressed ? 'true' : undefined);
    },
  },
  toggle: {
    make: () => make('span', 'item', make('button', 'control')),
    patch(element, item) {
      set_text(element.firstChild, item.label);
      set_attribute(element.firstChild, 'aria-pressed', Boolean(item.pressed ?? item.value));
    },
  },
  choice: { make: () => named(make('select', 'control')), patch: patch_select },
  slider: {
    make() {
      const value = make('span', 'value');
      value.setAttribute('aria-hidden', 'true');  // the slider says it itself
      return named(Object.assign(make('input', 'control'), { type: 'range' }), value);
    },
    patch: patch_range,
  },
  text: {
    make() {
      const input = Object.assign(make('textarea', 'control'), { spellcheck: false, autocomplete: 'off', autocapitalize: 'off', wrap: 'off' });
      input.addEventListener('keydown', take_by_key);
      return named(input);
    },
    patch: patch_text,
  },
  link: {
    make: () => make('span', 'item', Object.assign(make('a', 'control'), { rel: 'noopener' })),
    patch(element, item) {
      set_text(element.firstChild, item.label);
      set_attribute(element.firstChild, 'href', item.address);
      set_attribute(element.firstChild, 'target', /^https?:/.test(item.address) ? '_blank' : undefined);
    },
  },
};

// What a changed control asks for. A choice may name the value that each of its entries stands for.
function message_of(item, control) {
  switch (item.kind) {
    case 'choice': return { type: 'set', id: item.id, value: item.values ? item.values[control.selectedIndex] : control.selectedIndex };
    case 'slider': return { type: 'set', id: item.id, value: Math.round(control.valueAsNumber) };
    case 'text': return { type: 'set', id: item.id, value: control.value.toWellFormed?.() ?? control.value };
    default: return { type: 'press', id: item.id };
  }
}

const kEventOf = { choice: 'change', slider: 'input', text: 'change' };

// ---- blocks ----

function patch_table(element, block) {
  const caption = block.caption || block.text;
  if (caption) set_text(element.caption || element.createCaption(), caption);
  else element.deleteCaption();
  if (!element.tHead) element.createTHead().insertRow();
  if (!element.tBodies.length) element.createTBody();
  fill_with('th')(element.tHead.rows[0], block.columns || []);
  for (const head of element.tHead.rows[0].cells) head.scope = 'col';
  const rows = (block.rows || []).map((row, index) => ({ cells: row.cells || row, index }));
  reconcile(element.tBodies[0], rows, ({ index }) => String(index), () => make('tr'), patch_row);
}

// The first cell names its row.
function patch_row(row, { cells }) {
  reconcile(row, cells.map((text, index) => ({ text, index })), ({ index }) => String(index),
    ({ index }) => Object.assign(make(index ? 'td' : 'th'), index ? {} : { scope: 'row' }), (cell, { text }) => set_text(cell, text));
}

export class Mirror {
  // send(message) takes what the reader asks for; focus_page() takes the focus of a control that is gone;
  // address_of(id, state) is where a link leads.
  constructor(root, live, send, focus_page, address_of = (id, state) => state) {
    Object.assign(this, { root, live, send, focus_page, address_of });
    this.pictures = {};    // SVG by the id of its figure, where the elements are shown instead of the canvas
    this.page = null;
    this.is_shown = false;  // instead of the picture
    this.spoken_at = 0;
  }

  show(page) {
    this.page = page;
    const had_focus = this.root.contains(this.root.getRootNode().activeElement);
    set_attribute(this.root, 'lang', page.lang);
    reconcile(this.root, page.blocks, (block) => `${block.kind}:${block.level || ''}:${block.id}`,
      (block) => this.make_block(block), (element, block) => this.patch_block(element, block));
    if (had_focus && !this.root.contains(this.root.getRootNode().activeElement)) this.focus_page();
    this.speak(page);
  }

  // Once per round, not too often while it plays, always when it stands.
  speak({ live, playing, lang }) {
    const now = performance.now();
    if (playing && now - this.spoken_at < kSpokenEveryMs) return;
    set_attribute(this.live, 'lang', lang);
    if (live === this.live.textContent) return;
    set_text(this.live, live);
    this.spoken_at = now;
  }

  make_block({ id, kind, level }) {
    const tags = { heading: `h${level || 2}`, table: 'table', list: 'ul', figure: 'div', controls: 'div' };
    const element = make(tags[kind] || 'p', `block ${kind}`);
    element.dataset.block = id;
    if (kind === 'note') element.setAttribute('role', 'note');
    if (kind === 'figure') element.append(make('div', 'picture'), make('div', 'targets'));
    if (kind === 'figure') element.firstChild.setAttribute('role', 'img');
    return element;
  }

  patch_block(element, block) {
    place(element, block.rect);
    if (block.kind === 'table') patch_table(element, block);
    else if (block.kind === 'list') fill_with('li')(element, block.items || []);
    else if (block.kind === 'figure') this.patch_figure(element, block);
    else if (block.kind === 'controls') this.patch_controls(element, block);
    else set_text(element, block.text);
    if (['heading', 'paragraph', 'note', 'list'].includes(block.kind)) this.fit(element, block);
  }

  // Only when the words or their room have changed: it asks the browser for sizes.
  fit(element, { kind, rect, text, items }) {
    const key = JSON.stringify([rect, text, items, this.page.lang]);
    if (this.is_shown || !rect || element.fitted === key) return;
    element.fitted = key;
    fit_text(element, kind === 'heading' ? kHeadingSizes : kTextSizes, this.page.lang);
  }

  patch_figure(element, block) {
    const [picture, targets] = element.children;
    set_attribute(picture, 'aria-label', block.alt);
    const still = this.pictures[block.id];
    if (!still) set_text(picture, block.alt);
    else if (picture.still !== still) picture.replaceChildren(svg_element(still));
    picture.still = still;
    place(picture, block.rect);
    this.patch_items(targets, (block.targets || []).map((target) => ({ kind: 'toggle', ...target })));
  }

  patch_controls(element, block) {
    set_attribute(element, 'role', 'group');
    set_attribute(element, 'aria-label', block.text || undefined);
    this.patch_items(element, block.items || []);
  }

  patch_items(parent, items) {
    reconcile(parent, items.filter((item) => kControls[item.kind]), (item) => `${item.kind}:${item.id}`,
      (item) => this.make_item(item), (element, item) => this.patch_item(element, item));
  }

  make_item({ id, kind }) {
    const element = kControls[kind].make();
    element.classList.add(kind);
    const control = element.querySelector('.control');
    control.dataset.id = id;
    if (kind !== 'link') control.addEventListener(kEventOf[kind] || 'click', () => this.activate(element, control));
    return element;
  }

  patch_item(element, item) {
    if (item.kind === 'link') item = { ...item, address: this.address_of(item.id, item.href) };
    element.item = item;
    place(element, item.rect);
    kControls[item.kind].patch(element, item);
    const control = element.querySelector('.control');
    const enabled = item.enabled !== false;
    set_attribute(control, 'aria-disabled', enabled ? undefined : 'true');  // still focusable, so that the reason is heard
    set_attribute(control, 'aria-description', item.why || undefined);
  }

  activate(element, control) {
    const { item } = element;
    if (item.enabled === false) {
      kControls[item.kind].patch(element, item);
      return;
    }
    this.send(message_of(item, control));
  }

  // Stills by the id of their figure: [{ id, svg }]; none: the alternative text.
  show_pictures(stills) {
    this.pictures = Object.fromEntries(stills.map(({ id, svg }) => [id, svg]));
    for (const element of this.root.querySelectorAll('.figure')) {
      const block = this.page?.blocks.find(({ id }) => id === element.dataset.block);
      if (block) this.patch_figure(element, block);
    }
  }

  // Every control and target of the last page, for who looks one up by id or place.
  items() {
    return (this.page ? this.page.blocks : []).flatMap((block) => [...(block.items || []), ...(block.targets || [])]);
  }

  // Whether a finger that comes down there drags something.
  grabs(x, y) {
    return this.items().some(({ kind, rect }) => kind === 'slider' && rect &&
      x >= rect[0] && x < rect[0] + rect[2] && y >= rect[1] && y < rect[1] + rect[3]);
  }
}

// What the browser tests share: a static server for dist/, Chromium, pages that hold elements, and what the element's
// debug() tells. COMMFLOW_DIST names another folder than dist/, CHROMIUM another browser.
import assert from 'node:assert/strict';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, extname, join, normalize, resolve } from 'node:path';
import { after, afterEach } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
export const dist = resolve(process.env.COMMFLOW_DIST || join(root, 'dist'));

const types = {
  '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8',
  '.json': 'application/json', '.wasm': 'application/wasm', '.woff2': 'font/woff2', '.svg': 'image/svg+xml',
};

function answer(request, response, prefix, headers) {
  const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
  let file = path.startsWith(prefix) ? join(dist, path.slice(prefix.length)) : '';
  if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, 'index.html');
  if (!file.startsWith(dist) || !existsSync(file)) {
    response.writeHead(404).end('not found');
    return;
  }
  response.writeHead(200, { 'content-type': types[extname(file)] || 'application/octet-stream', 'cache-control': 'no-cache', ...headers });
  createReadStream(file).pipe(response);
}

const servers = [];
after(() => servers.forEach((server) => server.close()));

// Serves dist/ under `prefix`, without any special header unless some are given.
export async function serve(prefix = '/', headers = {}) {
  const server = createServer((request, response) => answer(request, response, prefix, headers));
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  servers.push(server);
  return { origin: `http://127.0.0.1:${server.address().port}`, base: `http://127.0.0.1:${server.address().port}${prefix}` };
}

const places = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium'];

let launched;
export function browser() {
  launched ||= chromium.launch({
    executablePath: places.find((place) => place && existsSync(place)),
    // The last: pages that a test makes up count as public ones, which may not load from this machine.
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist',
      '--disable-features=LocalNetworkAccessChecks'],
  });
  return launched;
}
after(async () => {
  if (launched) await (await launched).close();
});

let server;
export async function site() {
  server ||= serve();
  return server;
}

// Errors of a page fail its test, unless the test says page.may_complain = true. Pages are closed: one that plays on
// would slow down the next test.
const pages = [];
afterEach(async () => {
  const problems = pages.filter((page) => !page.may_complain).flatMap((page) => page.problems);
  for (const page of pages.splice(0)) await page.context().close();
  assert.deepEqual(problems, []);
});

// A page in a context of its own.
export async function new_page(options = {}) {
  const context = await (await browser()).newContext({ viewport: { width: 1000, height: 700 }, locale: 'en-US', ...options });
  const page = await context.newPage();
  page.setDefaultNavigationTimeout(120_000);  // a busy machine is no mistake of the page
  pages.push(page);
  page.problems = [];
  page.on('pageerror', (error) => page.problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && page.problems.push(message.text()));
  return page;
}

// Opens index.html and waits for its first picture.
export async function open_site(hash = '', options = {}) {
  const page = await new_page(options);
  await page.goto(`${(await site()).base}${hash}`);
  await until_ready(page);
  return page;
}

// Opens a host page with `body`, which may hold <comm-flow> elements.
export async function open_host(body, { head = '', options = {}, wait = true, html_attributes = '', setup } = {}) {
  const page = await new_page(options);
  if (setup) await setup(page);
  const { base, origin } = await site();
  const html = `<!doctype html><html ${html_attributes}><head><meta charset="utf-8"><title>Host</title>${head}
    <script type="module" src="${base}element.js"></script></head><body>${body}</body></html>`;
  await page.route(`${origin}/host.html`, (route) => route.fulfill({ contentType: 'text/html; charset=utf-8', body: html }));
  await page.goto(`${origin}/host.html`);
  if (wait) await until_ready(page);
  return page;
}

// The single modules of web/, which the build packs together, at source/ beside the page.
export const offer_source = (page) => page.route('**/source/*.js', (route) => route.fulfill({
  contentType: 'text/javascript; charset=utf-8',
  path: join(root, 'web', new URL(route.request().url()).pathname.split('/').pop()),
}));

export async function until_ready(page, selector = 'comm-flow') {
  await page.waitForFunction((name) => {
    const elements = [...document.querySelectorAll(name)];
    return elements.length > 0 && elements.every((element) => element.hasAttribute('data-ready'));
  }, selector, { timeout: 60000 });
  await until_idle(page, selector);
}

// Until every element has stopped drawing.
export async function until_idle(page, selector = 'comm-flow') {
  let last = '';
  await until(async () => {
    const now = JSON.stringify(await page.$$eval(selector, (elements) => elements.map((element) => element.debug()?.frames)));
    const same = now === last;
    last = now;
    return same;
  }, 'the element to come to rest', 120);
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

export async function until(condition, what = 'the condition', every = 50, most = 30000) {
  const end = Date.now() + most;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
    await sleep(every);
  }
}

export const debug = (page, selector = 'comm-flow') => page.$eval(selector, (element) => element.debug());
export const state = (page, selector = 'comm-flow') => page.$eval(selector, (element) => element.getState());

// The rectangle of a control on the screen, by the id that the program reports for it.
export async function item_box(page, id, selector = 'comm-flow') {
  const box = await page.$eval(selector, (element, id) => {
    const { hits, page } = element.debug();
    const outer = element.shadowRoot.querySelector('.page').getBoundingClientRect();
    const [x, y, width, height] = hits[id] || [];
    if (x === undefined) return null;
    const [sx, sy] = [outer.width / page.width, outer.height / page.height];
    return { x: outer.left + x * sx, y: outer.top + y * sy, width: width * sx, height: height * sy };
  }, id);
  if (!box) throw new Error(`no control "${id}" on the page`);
  return { ...box, cx: box.x + box.width / 2, cy: box.y + box.height / 2 };
}

// Brings the control into view and clicks the canvas there, as a mouse does.
export async function click_item(page, id, selector = 'comm-flow') {
  await bring_into_view(page, id, selector);
  const { cx, cy } = await item_box(page, id, selector);
  await page.mouse.click(cx, cy);
}

export async function bring_into_view(page, id, selector = 'comm-flow') {
  const { cy } = await item_box(page, id, selector);
  const height = page.viewportSize().height;
  if (cy > 40 && cy < height - 40) return;
  await page.evaluate((by) => scrollBy(0, by), cy - height / 2);
  await until_idle(page, selector);
}

// The value of a control, as the mirror has it.
export const mirror_value = (page, id, selector = 'comm-flow') =>
  page.$eval(selector, (element, id) => {
    const control = element.shadowRoot.querySelector(`[data-id="${id}"]`);
    return control && (control.value || control.getAttribute('aria-pressed') || control.textContent);
  }, id);

// What the controls every page has are called, by what they do.
const names = { play: ['toggle_play', 'play'], seek: ['at', 'seek'] };

// The id of a control of the page, for what it does.
export async function id_of(page, what, selector = 'comm-flow') {
  const { hits } = await debug(page, selector);
  const id = (names[what] || [what]).find((name) => name in hits);
  if (!id) throw new Error(`the page has no control to ${what}: ${Object.keys(hits).join(' ')}`);
  return id;
}

export const step_of = (page, selector = 'comm-flow') =>
  state(page, selector).then((hash) => /step=([\w-]+)/.exec(hash)?.[1] || '');

export const page_data = async (page, selector) => (await debug(page, selector)).page;

// How many different colours a picture has, roughly; a blank one has one.
export async function colours(page, png) {
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
    const seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i] >> 3) << 10 | (pixels[i + 1] >> 3) << 5 | pixels[i + 2] >> 3);
    return seen.size;
  }, png.toString('base64'));
}

// The share of pixels in which two pictures of the same size differ clearly.
export async function difference(page, first, second) {
  return page.evaluate(async ([a, b]) => {
    const read = async (data) => {
      const image = new Image();
      image.src = `data:image/png;base64,${data}`;
      await image.decode();
      const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height });
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0);
      return context.getImageData(0, 0, image.width, image.height);
    };
    const [one, two] = [await read(a), await read(b)];
    if (one.width !== two.width || one.height !== two.height) return 1;
    let differing = 0;
    for (let i = 0; i < one.data.length; i += 4) {
      const distance = Math.abs(one.data[i] - two.data[i]) + Math.abs(one.data[i + 1] - two.data[i + 1]) + Math.abs(one.data[i + 2] - two.data[i + 2]);
      if (distance > 48) ++differing;
    }
    return differing / (one.data.length / 4);
  }, [first.toString('base64'), second.toString('base64')]);
}

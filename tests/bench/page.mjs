// Measures the page in Chromium. usage: node page.mjs DIST BARE PART... (see run.sh). Prints; gates nothing.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { cpus } from 'node:os';
import { extname, join } from 'node:path';
import { chromium } from 'playwright-core';

const [dist, bare, ...parts] = process.argv.slice(2);
const kRuns = 9;
const kFrames = 300;
const kIdleMs = 10000;
const kActions = 10000;
const kActionsPerFrame = 20;

const types = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.wasm': 'application/wasm', '.svg': 'image/svg+xml' };

// Sends the packed files, and isolates the page so that its clock is fine.
function serve(folder) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, 'http://x').pathname);
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    if (!existsSync(file)) return response.writeHead(404).end();
    const packed = existsSync(`${file}.br`);
    response.writeHead(200, {
      'content-type': types[extname(file)] || 'application/octet-stream', ...(packed && { 'content-encoding': 'br' }),
      'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp',
    });
    return response.end(readFileSync(packed ? `${file}.br` : file));
  });
  return new Promise((done) => server.listen(0, '127.0.0.1', () => done({ base: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() })));
}

const browser = await chromium.launch({
  executablePath: [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/google-chrome'].find((place) => place && existsSync(place)),
  args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'],
});
const site = await serve(dist);
const bare_site = await serve(bare);

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const kB = (bytes) => (bytes / 1000).toFixed(1).padStart(7);

async function open(address, before = () => {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' });
  const page = await context.newPage();
  await page.addInitScript(before);
  await page.goto(address);
  return page;
}

const ready = (page) => page.waitForFunction(() => document.querySelector('comm-flow')?.hasAttribute('data-ready'));

// In the page: the moment of the first drawing call, and what was asked for before it.
function note_first_draw() {
  for (const name of ['drawElements', 'drawArrays']) {
    const original = WebGL2RenderingContext.prototype[name];
    WebGL2RenderingContext.prototype[name] = function (...rest) {
      window.first_draw ||= performance.now();
      return original.apply(this, rest);
    };
  }
}

async function weight() {
  console.log('before the first picture, in English         raw    gzip  brotli  kB');
  const page = await open(`${site.base}#step=dispatch`, note_first_draw);
  await page.waitForFunction(() => window.first_draw);
  const names = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ startTime }) => startTime < window.first_draw).map(({ name }) => new URL(name).pathname.slice(1)));
  const sums = [0, 0, 0];
  for (const name of ['index.html', ...new Set(names)].filter((name) => existsSync(join(dist, name)))) {
    const sizes = ['', '.gz', '.br'].map((end) => statSync(join(dist, existsSync(join(dist, name + end)) ? name + end : name)).size);
    sizes.forEach((size, i) => { sums[i] += size; });
    console.log(`  ${name.padEnd(38)} ${sizes.map(kB).join(' ')}`);
  }
  console.log(`  ${'all'.padEnd(38)} ${sums.map(kB).join(' ')}`);
  await page.context().close();
}

async function first_draw(address) {
  const page = await open(address, note_first_draw);
  await page.waitForFunction(() => window.first_draw, undefined, { polling: 20 });
  const at = await page.evaluate(() => window.first_draw);
  await page.context().close();
  return at;
}

async function start() {
  const [ours, theirs] = [[], []];
  for (let i = 0; i < kRuns; ++i) {
    theirs.push(await first_draw(`${bare_site.base}bare.html`));
    ours.push(await first_draw(`${site.base}#step=dispatch`));
  }
  console.log(`navigation to the first drawing call, median of ${kRuns}: ${median(ours).toFixed(0)} ms, bare page ${median(theirs).toFixed(0)} ms, ratio ${(median(ours) / median(theirs)).toFixed(2)}`);
}

// In the page: from the start of each frame to its first WebGL call, which follows ImGui::Render().
function note_frames() {
  window.spent = [];
  window.counts = { frames: 0, timers: 0, draws: 0 };
  let began = 0;
  const frame = window.requestAnimationFrame;
  window.requestAnimationFrame = (callback) => frame.call(window, (now) => {
    ++window.counts.frames;
    began = performance.now();
    callback(now);
  });
  for (const name of ['setTimeout', 'setInterval']) {
    const original = window[name];
    window[name] = (...rest) => (++window.counts.timers, original.apply(window, rest));
  }
  const viewport = WebGL2RenderingContext.prototype.viewport;
  WebGL2RenderingContext.prototype.viewport = function (...rest) {
    if (began) window.spent.push(performance.now() - began);
    began = 0;
    return viewport.apply(this, rest);
  };
  const draw = WebGL2RenderingContext.prototype.drawElements;
  WebGL2RenderingContext.prototype.drawElements = function (...rest) {
    ++window.counts.draws;
    return draw.apply(this, rest);
  };
}

async function frames() {
  const page = await open(`${site.base}#step=dispatch&speed=0.25`, note_frames);
  await ready(page);
  await page.evaluate(() => { window.spent.length = 0; });
  while ((await page.evaluate(() => window.spent.length)) < kFrames) {
    await page.$eval('comm-flow', (element) => element.play());
    await page.waitForTimeout(100);
  }
  const spent = (await page.evaluate(() => window.spent)).slice(0, kFrames);
  const at = (share) => [...spent].sort((a, b) => a - b)[Math.floor(share * spent.length)].toFixed(2);
  console.log(`an animated frame up to ImGui::Render(), ${kFrames} of dispatch at 1280 x 800: median ${at(0.5)} ms, 95 of 100 within ${at(0.95)} ms`);
  await page.$eval('comm-flow', (element) => element.pause());
  await page.waitForTimeout(2000);
  const before = await page.evaluate(() => ({ ...window.counts }));
  await page.waitForTimeout(kIdleMs);
  const after = await page.evaluate(() => ({ ...window.counts }));
  console.log(`in ${kIdleMs / 1000} idle seconds: ${after.frames - before.frames} frames, ${after.timers - before.timers} timers, ${after.draws - before.draws} drawing calls`);
  await page.context().close();
}

// Up to where the heap has ever reached; the memory behind it is given in steps, 16 MiB at first.
const bytes_of = (page) => page.$eval('comm-flow', (element) => element.debug().heap);

const rest = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

// Every step at its start and end, every panel, in both languages.
async function visit_everything(page) {
  const steps = ['prepare', 'feed', 'gather', 'reduce', 'route', 'dispatch', 'combine', 'forward', 'stage2', 'backward', 'gradients', 'update'];
  for (const lang of ['en', 'zh'])
    for (const step of steps)
      for (const more of ['', '&at=4000000', '&panel=settings', '&panel=log', '&panel=formula', '&panel=about', '&gpu=1']) {
        await page.$eval('comm-flow', (element, state) => element.setState(state), `#step=${step}&lang=${lang}${more}`);
        await page.$eval('comm-flow', (element, lang) => element.set('lang', lang), lang);
        await rest(page);
      }
}

// In the page: presses and settings, the same every time, many before each frame.
async function act_at_random({ actions, per_frame }) {
  const element = document.querySelector('comm-flow');
  let seed = 12345;
  const random = (count) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor(seed / 2 ** 32 * count);
  };
  const presses = ['forward', 'back', 'next', 'previous', 'first', 'last', 'rewind', 'use_suggestion', 'close_panel', 'panel.log', 'panel.settings', 'panel.about', 'gpu.0', 'gpu.3'];
  const settings = { at: 20000, model: 4, hardware: 3, tp: 4, pp: 4, dp: 3, ep: 8, gpus_per_node: 8, lang: 2, order: 2, dispatch_precision: 2, step: 12 };
  const fields = Object.keys(settings);
  for (let i = 0; i < actions; ++i) {
    const field = fields[random(fields.length)];
    if (random(2)) element.press(presses[random(presses.length)]);
    else element.set(field, random(settings[field]) + (['tp', 'pp', 'dp', 'ep', 'gpus_per_node'].includes(field) ? 1 : 0));
    if (i % per_frame === 0) await new Promise(requestAnimationFrame);
  }
}

async function memory() {
  const page = await open(site.base);
  await ready(page);
  const first = await bytes_of(page);
  await visit_everything(page);
  const visited = await bytes_of(page);
  await page.evaluate(act_at_random, { actions: kActions, per_frame: kActionsPerFrame });
  const half = await bytes_of(page);
  await page.evaluate(act_at_random, { actions: kActions, per_frame: kActionsPerFrame });
  const acted = await bytes_of(page);
  const MiB = (bytes) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
  console.log(`WebAssembly memory in use at most: ${MiB(first)} at the first picture, ${MiB(visited)} after visiting everything in both languages, ${MiB(half)} after ${kActions} random actions, ${MiB(acted)} after as many again`);
  await page.context().close();
}

console.log(`${cpus()[0].model}, ${cpus().length} cores, Chromium ${browser.version()}, drawing in software`);
const all = { weight, start, frames, memory };
for (const part of parts) await all[part]();
await browser.close();
site.close();
bare_site.close();

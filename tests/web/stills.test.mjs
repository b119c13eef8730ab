// Stills: from the page (copied, downloaded, printed), before the program (posters), and instead of it (without
// WebGL, WebAssembly or scripts).
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { debug, dist, new_page, open_host, open_site, site, sleep, until, until_idle, until_ready } from './helpers.mjs';

const steps = ['prepare', 'feed', 'gather', 'reduce', 'route', 'dispatch', 'combine', 'forward', 'stage2', 'backward', 'gradients', 'update'];

const press = (page, id) => page.$eval('comm-flow', (element, id) => element.press(id), id);

// What a parser makes of an SVG, and how large and wordy it is.
const parsed = (page, svg) => page.evaluate((text) => {
  const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  return { name: root.nodeName, width: Number(root.getAttribute('width')), height: Number(root.getAttribute('height')),
    texts: [...root.querySelectorAll('text')].map(({ textContent }) => textContent), title: root.querySelector('title')?.textContent };
}, svg);

test('the build makes a still of every step in each language and theme, and of two widths', async () => {
  const page = await new_page();
  await page.goto((await site()).base + 'handout.en.html');
  for (const step of steps) {
    const words = {};
    for (const lang of ['en', 'zh'])
      for (const theme of ['light', 'dark'])
        for (const narrow of ['', '.narrow']) {
          const name = `stills/${step}.${lang}.${theme}${narrow}.svg`;
          assert.ok(existsSync(join(dist, name)), name);
          const still = await parsed(page, readFileSync(join(dist, name), 'utf8'));
          assert.equal(still.name, 'svg', name);
          assert.equal(still.width, narrow ? 360 : 820, name);
          assert.ok(still.texts.length > 8, name);
          const key = `${lang}${narrow}`;
          words[key] ||= still.texts.join('|');
          assert.equal(still.texts.join('|'), words[key], `${name}: a theme changes no word`);
        }
    assert.notEqual(words.en, words.zh, step);
    assert.match(words.zh, /[\u4e00-\u9fff]/);
  }
});

test('the picture of the moment is downloaded as SVG, as large as the figure and with its words', async () => {
  const page = await open_site('#step=dispatch&lang=en', { acceptDownloads: true });
  const downloading = page.waitForEvent('download');
  await press(page, 'download_picture');
  const download = await downloading;
  assert.equal(download.suggestedFilename(), 'commflow-dispatch-en.svg');
  const svg = readFileSync(await download.path(), 'utf8');
  const { name, width, height, texts, title } = await parsed(page, svg);
  assert.equal(name, 'svg');
  const { page: { blocks } } = await debug(page);
  const figure = blocks.find(({ kind }) => kind === 'figure');
  assert.ok(Math.abs(width - figure.rect[2]) < 1 && Math.abs(height - figure.rect[3]) < 1, `${width} x ${height}, drawn ${figure.rect}`);
  for (const target of figure.targets)
    assert.ok(texts.some((text) => target.label.includes(text) || text.includes(target.label.split(/[,:(]/)[0].trim())), `${target.label} is in the picture`);
  assert.match(title, /experts/);
});

test('a picture and a link are copied, and the page says so', async () => {
  const page = await open_site('#step=gather&lang=zh');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.bringToFront();
  await press(page, 'copy_picture');
  await page.locator('comm-flow .toast').waitFor();
  assert.equal(await page.locator('comm-flow .toast').textContent(), '已复制');
  const picture = await page.evaluate(async () => {
    const [item] = await navigator.clipboard.read();
    const image = await createImageBitmap(await item.getType('image/png'));
    return { width: image.width, height: image.height };
  });
  const { page: { blocks } } = await debug(page);
  const { rect } = blocks.find(({ kind }) => kind === 'figure');
  assert.ok(Math.abs(picture.width - 2 * rect[2]) <= 2 && Math.abs(picture.height - 2 * rect[3]) <= 2, JSON.stringify(picture));
  await press(page, 'copy_link');
  await until(async () => (await page.evaluate(() => navigator.clipboard.readText())).includes('#v=1'), 'the link');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), `${(await site()).base}#v=1&page=walk&step=gather&lang=zh`);
});

test('links carry the moment: to the full page out of an embed, and to where mistakes are reported', async () => {
  const page = await open_host(`<comm-flow embed="on" step="combine" lang="en"></comm-flow>`);
  const href = (id) => page.$eval('comm-flow', (element, id) => element.shadowRoot.querySelector(`[data-id="${id}"]`)?.href, id);
  assert.equal(await href('full_page'), `${(await site()).base}#v=1&page=walk&step=combine&lang=en`);
  await page.$eval('comm-flow', (element) => element.setState('#step=route&panel=about'));
  await until(async () => (await href('report'))?.startsWith('mailto:'), 'the letter');
  const letter = new URL(await href('report'));
  assert.match(letter.searchParams.get('body'), /#v=1.*step=route/);
  assert.match(letter.searchParams.get('subject'), /^CommFlow: \S/);
  await page.$eval('comm-flow', (element) => {
    element.setAttribute('report', 'https://example.org/new?title={title}&body={link}');
    element.setState('#step=feed&panel=about');
  });
  await until(async () => /^https:\/\/example\.org\/new\?title=CommFlow.*step%3Dfeed/.test(await href('report')), 'the tracker');
  // A real link lies over the picture of one, so that it can be opened in another tab.
  const box = await page.locator('comm-flow [data-id="full_page"]').boundingBox();
  await page.evaluate((y) => scrollTo(0, y - 300), box.y);
  const { x, y } = await page.locator('comm-flow [data-id="full_page"]').boundingBox();
  const hit = await page.evaluate(([x, y]) => document.querySelector('comm-flow').shadowRoot.elementFromPoint(x, y)?.outerHTML, [x + 5, y + 5]);
  assert.match(hit, /data-id="full_page"/);
});

test('a still is there before the program, and nothing moves when they change places', async () => {
  for (const width of [1280, 390]) {
    const page = await new_page({ viewport: { width, height: 800 }, colorScheme: 'dark' });
    await page.addInitScript(() => {
      window.shift = 0;
      new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { window.shift += value; })).observe({ type: 'layout-shift', buffered: true });
    });
    let release;
    const held = new Promise((done) => { release = done; });
    await page.route('**/commflow.wasm', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${(await site()).base}#step=dispatch&lang=zh`);
    const poster = page.locator('comm-flow .poster');
    await until(() => poster.evaluate((image) => image.complete && image.naturalWidth > 0), 'the poster');
    assert.match(await poster.getAttribute('src'), width > 560 ? /stills\/dispatch\.zh\.dark\.svg$/ : /stills\/dispatch\.zh\.dark\.narrow\.svg$/);
    const before = await poster.boundingBox();
    release();
    await until_ready(page);
    assert.equal(await poster.count(), 0);
    await sleep(300);
    assert.equal(await page.evaluate(() => window.shift), 0);
    if (width < 1000) continue;
    const { page: { blocks } } = await debug(page);
    const { rect } = blocks.find(({ kind }) => kind === 'figure');
    assert.ok(Math.abs(before.x - rect[0]) < 4 && Math.abs(before.width - rect[2]) < 4, `the figure takes the poster's place: ${JSON.stringify(before)}, ${rect}`);
  }
});

test('an element shows the still it is told to, none, or what is written inside it', async () => {
  const page = await open_host(`<comm-flow class="a" loading="lazy" step="route" lang="en" theme="dark"></comm-flow>
    <comm-flow class="b" loading="lazy" poster="none"></comm-flow><comm-flow class="c" loading="lazy"><a href="#x">Open</a></comm-flow>
    <comm-flow class="d" loading="lazy" poster="mine.svg"></comm-flow>`, {
    wait: false,
    head: '<style>comm-flow { display: block; margin-top: 5000px; }</style>',
    setup: (page) => page.route('**/mine.svg', (route) => route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>' })),
  });
  await page.waitForFunction(() => customElements.get('comm-flow'));
  const source = (name) => page.$eval(`.${name}`, ({ shadowRoot }) => shadowRoot.querySelector('.poster')?.src);
  await until(async () => (await source('a')) && (await source('d')), 'the posters');
  assert.match(await source('a'), /stills\/route\.en\.dark\.svg$/);
  assert.equal(await source('b'), undefined);
  assert.equal(await source('c'), undefined);
  assert.match(await source('d'), /mine\.svg$/);
  await page.$eval('.a', (element) => element.dismissPoster());
  assert.equal(await source('a'), undefined);
});

test('on paper there are the words, the tables and the picture, and no canvas', async () => {
  const page = await open_site('#step=dispatch&lang=en&theme=dark');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  await page.emulateMedia({ media: 'print' });
  const seen = await page.$eval('comm-flow', ({ shadowRoot }) => {
    const shown = (selector) => [...shadowRoot.querySelectorAll(selector)].filter((element) => element.getBoundingClientRect().height > 0).length;
    return { canvas: shown('canvas'), svg: shown('.picture svg'), tables: shown('table'), paragraphs: shown('.paragraph'), controls: shown('.control'),
      ground: shadowRoot.querySelector('.picture svg > rect').getAttribute('fill'), colour: getComputedStyle(shadowRoot.querySelector('.paragraph')).color };
  });
  assert.equal(seen.canvas + seen.controls, 0);
  assert.ok(seen.svg >= 1);
  assert.ok(seen.tables > 0 && seen.paragraphs > 3, JSON.stringify(seen));
  assert.equal(seen.ground.toUpperCase(), '#F6F7F9', 'light, whatever the screen is');
  assert.equal(seen.colour, 'rgb(27, 31, 36)');
  const pdf = await page.pdf({ format: 'A4' });
  assert.ok(pdf.length > 20000, `${pdf.length} bytes`);
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  await until_idle(page);
  const after = await page.$eval('comm-flow', ({ shadowRoot }) => ({
    canvas: shadowRoot.querySelector('canvas').getBoundingClientRect().height > 100, svg: shadowRoot.querySelectorAll('.picture svg').length,
    height: shadowRoot.querySelector('.page').getBoundingClientRect().height }));
  assert.deepEqual({ ...after, height: 0 }, { canvas: true, svg: 0, height: 0 });
  assert.ok(Math.abs(after.height - (await debug(page)).page.height) < 1);
});

test('E3 without WebGL the picture of every moment stands in the figure\'s place', async () => {
  const page = await new_page();
  await page.addInitScript(() => { HTMLCanvasElement.prototype.getContext = () => null; });
  await page.goto(`${(await site()).base}#step=dispatch&lang=en`);
  await until_ready(page);
  const picture = page.locator('comm-flow .picture svg').first();
  await picture.waitFor();
  const box = await picture.boundingBox();
  assert.ok(box.width > 600 && box.height > 300, JSON.stringify(box));
  const first = await picture.innerHTML();
  await page.locator('comm-flow [data-id="forward"]').click();
  await until(async () => (await picture.innerHTML()) !== first, 'the next moment');
  await page.locator('comm-flow [data-id="theme"]').selectOption({ index: 2 });
  await until(async () => /#14181d/i.test(await picture.innerHTML()), 'a dark picture');
});

test('E3 without WebAssembly the step is there as words, tables and a still', async () => {
  const page = await new_page();
  await page.addInitScript(() => { delete globalThis.WebAssembly; });
  await page.goto(`${(await site()).base}#step=combine&lang=zh`);
  const section = page.locator('comm-flow .handout');
  await section.waitFor();
  assert.match(await section.innerText(), /[\u4e00-\u9fff]{8}/);
  assert.ok(await section.locator('table').count() > 0);
  await until(() => section.locator('img').first().evaluate((image) => image.complete && image.naturalWidth > 0), 'the still');
  assert.match(await section.locator('img').first().getAttribute('src'), /combine\.zh\.light\.svg$/);
  assert.equal(await page.locator('comm-flow .notice a[lang=zh]').getAttribute('href'), `${(await site()).base}handout.zh.html`);
});

test('without scripts a still and the way to the handout, which has every step with still, text and table', async () => {
  const page = await new_page({ javaScriptEnabled: false });
  await page.goto((await site()).base);
  await page.locator('noscript img').waitFor();
  await page.getByRole('link', { name: '全部步骤' }).click();
  await page.waitForURL(/handout\.zh\.html$/);
  assert.ok(await page.locator('section').count() > 12, 'the steps, and the other pages');
  for (const step of steps) {
    const section = page.locator(`#${step}`);
    assert.ok((await section.innerText()).length > 150, step);
    assert.ok(await section.locator('img[alt]').count() >= 1, step);
    assert.ok(await section.locator('a[href^="./#v=1"]').count() >= 1, `${step} leads to its moment on the page`);
  }
  assert.ok(await page.locator('table').count() >= 10);
  await page.getByRole('link', { name: 'English' }).click();
  await page.waitForURL(/handout\.en\.html$/);
});

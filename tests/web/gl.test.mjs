// Pitfalls E and D8: WebGL that is lost, missing or misused, and glyphs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { click_item, colours, debug, difference, new_page, offer_source, open_host, open_site, site, step_of, until, until_idle, until_ready } from './helpers.mjs';

// Runs in the page before anything else: the named kinds of context do not exist.
const without_contexts = (kinds) => {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kinds.includes(kind) ? null : original.call(this, kind, ...rest);
  };
};

const lose = (page) => page.$eval('comm-flow', (element) => {
  const extension = element.shadowRoot.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context');
  window.restore_context = () => extension.restoreContext();
  extension.loseContext();
});
const notice = (page) => page.$eval('comm-flow', (element) => {
  const { hidden, textContent } = element.shadowRoot.querySelector('.notice');
  return hidden ? '' : textContent;
});

test('E8 a real picture from a real WebGL 2 context', async () => {
  const page = await open_site();
  const { renderer, glError } = await debug(page);
  assert.match(renderer, /\w/);
  assert.equal(glError, 0);
  assert.ok(await colours(page, await page.screenshot()) > 8);
});

test('E1 a lost context comes back, five times', async () => {
  const page = await open_site();
  await click_item(page, 'next');
  await until(async () => (await step_of(page)) !== 'prepare', 'the click');
  await page.mouse.move(999, 699);
  await page.evaluate(() => document.activeElement.blur());
  await until_idle(page);
  const hash = await page.evaluate(() => location.hash);
  const before = await page.screenshot();
  for (let i = 0; i < 5; ++i) {
    await lose(page);
    await until(async () => /中断/.test(await notice(page)), 'the notice');
    await page.evaluate(() => window.restore_context());
    await until(async () => !(await notice(page)), 'the notice to go');
    await until_idle(page);
    assert.ok(await difference(page, before, await page.screenshot()) < 0.002, `the same picture, time ${i + 1}`);
  }
  assert.equal(await page.evaluate(() => location.hash), hash);
  const step = await step_of(page);
  await click_item(page, 'next');
  await until(async () => (await step_of(page)) !== step, 'a click afterwards');
  assert.equal((await debug(page)).glError, 0);
});

test('E1 a context that does not come back is replaced', async () => {
  const page = await open_site();
  await lose(page);
  await until(async () => /中断/.test(await notice(page)), 'the notice');
  await until(async () => !(await notice(page)), 'a new context', 200);
  await until_idle(page);
  assert.ok(await colours(page, await page.screenshot()) > 8);
});

test('E3 H9 without WebGL the text, the tables and the controls are there and work', async () => {
  const page = await new_page();
  await page.addInitScript(without_contexts, ['webgl', 'webgl2', 'experimental-webgl']);
  await page.goto((await site()).base);
  await until_ready(page);
  assert.match(await notice(page), /WebGL 2.*WebGL 2/s);
  assert.ok((await page.locator('comm-flow .notice').boundingBox()).y < 100, 'the notice is seen first');
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  const before = await step_of(page);
  const button = page.locator('comm-flow [data-id="next"]');
  assert.ok((await button.boundingBox()).height >= 36);
  assert.equal(await button.evaluate((element) => getComputedStyle(element).opacity), '1');
  await button.click();
  await until(async () => (await step_of(page)) !== before, 'the button to work');
});

test('E3 without WebAssembly a sentence in both languages, and nothing is downloaded', async () => {
  const page = await new_page();
  const asked = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.addInitScript(() => { delete globalThis.WebAssembly; });
  await page.goto((await site()).base);
  await until(async () => /WebAssembly.*WebAssembly/s.test(await notice(page)), 'the notice');
  assert.ok(!asked.some((url) => url.includes('.wasm')));
});

test('E5 one context on the canvas, with the attributes meant', async () => {
  const page = await open_host('<comm-flow></comm-flow>', {
    setup: (page) => page.addInitScript(() => {
      window.calls = [];
      const original = HTMLCanvasElement.prototype.getContext;
      HTMLCanvasElement.prototype.getContext = function (kind, attributes) {
        if (kind !== '2d') window.calls.push({ kind, attributes });
        return original.call(this, kind, attributes);
      };
    }),
  });
  const calls = await page.evaluate(() => window.calls);
  assert.equal(calls.length, 1);
  assert.equal(calls[0].kind, 'webgl2');
  assert.equal(calls[0].attributes.alpha, false);
});

test('D8 D9 no glyph is missing in either language, and the atlas stays small', async () => {
  for (const lang of ['en', 'zh']) {
    const page = await open_site(`#lang=${lang}`, { deviceScaleFactor: 3, viewport: { width: 700, height: 400 } });
    for (let i = 0; i < 3; ++i) await click_item(page, 'next');
    await until_idle(page);
    const { glyphMisses, atlas, page: { blocks } } = await debug(page);
    assert.equal(glyphMisses, 0);
    assert.ok(Math.max(...atlas) <= 4096);
    if (lang === 'zh') assert.match(JSON.stringify(blocks), /[\u4e00-\u9fff]/);
  }
});

test('D8 a machine without a Chinese font is noticed', async () => {
  const page = await open_site();
  await offer_source(page);
  const found = await page.evaluate(async () => {
    const { Glyphs } = await import(new URL('source/glyphs.js', document.baseURI));
    const glyphs = new Glyphs('sans-serif', 'zh');
    glyphs.draw('中'.codePointAt(0), false, 16, 1);
    const has_font = glyphs.misses;
    glyphs.draw(0x0378, false, 16, 1);
    return { has_font, missing: glyphs.misses };
  });
  assert.deepEqual(found, { has_font: 0, missing: 1 });
});

// Pitfalls F: nothing is drawn and nothing is scheduled while nothing happens, nobody looks, or another element moves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { click_item, debug, id_of, item_box, mirror_value, open_host, sleep, state, step_of, until, until_idle } from './helpers.mjs';

const count_calls = (page) => page.addInitScript(() => {
  window.counts = { draws: 0, frames: 0, timers: 0 };
  const wrap = (object, name, key) => {
    const original = object[name];
    object[name] = function (...rest) {
      ++window.counts[key];
      return original.apply(this, rest);
    };
  };
  wrap(WebGL2RenderingContext.prototype, 'drawElements', 'draws');
  wrap(window, 'requestAnimationFrame', 'frames');
  wrap(window, 'setTimeout', 'timers');
  wrap(window, 'setInterval', 'timers');
});
const counts = (page) => page.evaluate(() => ({ ...window.counts }));
const playing = (page, selector = 'comm-flow') => page.$eval(selector, (element) => element.playing);
const play = (page, selector = 'comm-flow') => page.$eval(selector, (element) => element.play());

test('F1 at rest nothing is drawn and nothing is scheduled; a mouse move costs a few frames', async () => {
  const page = await open_host('<comm-flow></comm-flow>', { setup: count_calls });
  await sleep(1500);
  const before = await counts(page);
  await sleep(3000);
  assert.deepEqual(await counts(page), before);
  const { frames } = await debug(page);
  const { cx, cy } = await item_box(page, 'next');
  await page.mouse.move(cx, cy);
  await until_idle(page);
  const moved = (await debug(page)).frames - frames;
  assert.ok(moved >= 1 && moved <= 10, `${moved} frames for a mouse move`);
});

test('F2 while it plays it draws, and pausing ends that', async () => {
  const page = await open_host('<comm-flow></comm-flow>');
  const before = (await debug(page)).draws;
  await play(page);
  await until(async () => (await debug(page)).draws > before + 10, 'frames');
  await page.$eval('comm-flow', (element) => element.pause());
  await until(async () => !(await playing(page)), 'the pause');
  await until_idle(page);
});

test('scrolled out of sight it stops, and goes on when it is back', async () => {
  const page = await open_host('<comm-flow></comm-flow><p style="height:9000px"></p>', { setup: count_calls });
  await play(page);
  await until(() => playing(page), 'play');
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  await sleep(500);
  const before = await counts(page);
  await sleep(1000);
  assert.deepEqual(await counts(page), before, 'nothing happens out of sight');
  assert.equal(await playing(page), true, 'it has not been paused');
  const { draws } = await debug(page);
  await page.evaluate(() => scrollTo(0, 0));
  await until(async () => (await debug(page)).draws > draws + 3, 'it to go on');
});

test('a hidden document stops it', async () => {
  const page = await open_host('<comm-flow></comm-flow>', { setup: count_calls });
  await play(page);
  await until(() => playing(page), 'play');
  await page.evaluate(() => {
    Object.defineProperty(document, 'hidden', { value: true, configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await sleep(200);
  const before = await counts(page);
  await sleep(800);
  assert.deepEqual(await counts(page), before);
  const { draws } = await debug(page);
  await page.evaluate(() => {
    delete document.hidden;
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await until(async () => (await debug(page)).draws > draws + 3, 'it to go on');
});

test('messages are answered out of sight', async () => {
  const page = await open_host('<p style="height:9000px"></p><comm-flow></comm-flow>');
  const before = await step_of(page);
  await page.$eval('comm-flow', (element) => element.press('next'));
  await until(async () => (await step_of(page)) !== before, 'the step to change');
});

test('the clock stands still while nothing is drawn', async () => {
  const page = await open_host('<comm-flow step="dispatch"></comm-flow>');
  await sleep(2500);
  const took = await page.$eval('comm-flow', async (element) => {
    const until = async (wanted) => { while (element.playing !== wanted) await new Promise(requestAnimationFrame); };
    const start = performance.now();
    element.play();
    await until(true);
    element.pause();
    await until(false);
    return performance.now() - start;
  });
  await until_idle(page);
  const at = Number(await mirror_value(page, await id_of(page, 'seek')));
  assert.ok(at <= 4 * took + 400, `${at / 4} ms were played in ${took} ms`);
});

test('one element moves at a time', async () => {
  const page = await open_host('<comm-flow id="a"></comm-flow><comm-flow id="b"></comm-flow>');
  await play(page, '#a');
  await until(() => playing(page, '#a'), 'a to play');
  await page.$eval('#b', (element) => element.scrollIntoView());
  await play(page, '#b');
  await until(() => playing(page, '#b'), 'b to play');
  await until(async () => !(await playing(page, '#a')), 'a to stop');
});

test('at most four contexts; the others keep their picture, and get a context when used', async () => {
  const page = await open_host(Array.from({ length: 6 }, (_, i) => `<div style="height:420px;overflow:hidden"><comm-flow id="e${i}"></comm-flow></div>`).join(''),
    { options: { viewport: { width: 600, height: 2600 } } });
  const live = () => page.$$eval('comm-flow', (elements) => elements.map((element) => Boolean(element.debug().buffer)));
  assert.equal((await live()).filter(Boolean).length, 4);
  for (const id of ['e0', 'e5']) {
    const before = await step_of(page, `#${id}`);
    await click_item(page, 'next', `#${id}`);
    await until(async () => (await step_of(page, `#${id}`)) !== before, `a click into ${id}`);
    await until_idle(page);
    assert.ok((await live()).filter(Boolean).length <= 4);
  }
  const pictures = await page.$$eval('comm-flow', (elements) => elements.map((element) => {
    const canvas = element.shadowRoot.querySelector('canvas');
    return canvas.width > 300 && canvas.height > 200;
  }));
  assert.deepEqual(pictures, Array(6).fill(true));
  assert.ok(await state(page, '#e3'));
});

// Pitfalls B: pointer, wheel and fingers reach what lies under them, and the page keeps its scrolling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  bring_into_view, click_item, debug, difference, id_of, item_box, mirror_value, open_host, open_site, sleep, state, step_of, until, until_idle,
} from './helpers.mjs';

const article = (inner) => `<p style="height:300px">before</p>${inner}<p style="height:2000px">after</p>`;
const scroll_of = (page) => page.evaluate(() => scrollY);

for (const style of ['transform:scale(0.5)', 'transform:scale(1.3,0.8)', 'zoom:1.25']) {
  test(`B1 clicks land under ${style}`, async () => {
    const page = await open_host(`<div style="width:600px;transform-origin:0 0;${style}"><comm-flow></comm-flow></div>`);
    for (const [id, changes] of [['next', 'step'], ['next', 'step'], ['previous', 'step'], ['forward', 'at']]) {
      const before = await state(page);
      await click_item(page, id);
      await until(async () => (await state(page)) !== before, `"${id}" to change the ${changes}`);
    }
  });
}

test('B3 B4 the wheel over the element scrolls the page, even after a click into it, and changes nothing in it', async () => {
  const page = await open_host(article('<comm-flow></comm-flow>'));
  await click_item(page, 'next');
  await until(async () => (await step_of(page)) !== 'prepare', 'the click');
  const before = [await state(page), await scroll_of(page)];
  const { cx, cy } = await item_box(page, await id_of(page, 'seek'));
  await page.mouse.move(cx, Math.min(cy, 650));
  await page.mouse.wheel(0, 120);
  await until(async () => (await scroll_of(page)) > before[1], 'the page to scroll');
  assert.equal(await state(page), before[0]);
});

test('B6 Ctrl and wheel is left to the browser', async () => {
  const page = await open_host('<comm-flow></comm-flow>');
  const prevented = await page.evaluate(() => new Promise((done) => {
    addEventListener('wheel', (event) => done(event.defaultPrevented), { once: true });
    const slice = document.querySelector('comm-flow').shadowRoot.querySelector('.slice');
    slice.dispatchEvent(new WheelEvent('wheel', { deltaY: 10, ctrlKey: true, bubbles: true, composed: true, cancelable: true }));
  }));
  assert.equal(prevented, false);
  assert.equal((await debug(page)).keysDown, 0);
});

const phone = { hasTouch: true, isMobile: true, viewport: { width: 390, height: 700 } };

async function swipe(page, from, to) {
  const device = await page.context().newCDPSession(page);
  const point = (part) => [{ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }];
  await device.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: point(0) });
  for (let i = 1; i <= 10; ++i) {
    await device.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: point(i / 10) });
    await sleep(16);
  }
  await device.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

test('B8 a finger scrolls the page, and drags the scrubber without scrolling', async () => {
  const page = await open_host(article('<comm-flow step="dispatch"></comm-flow>'), { options: phone, head: '<meta name="viewport" content="width=device-width">' });
  const before = await state(page);
  await swipe(page, { x: 200, y: 600 }, { x: 200, y: 200 });
  await until(async () => (await scroll_of(page)) > 100, 'the page to scroll');
  assert.equal(await state(page), before, 'nothing was pressed');
  await until_idle(page);

  const seek = await id_of(page, 'seek');
  await bring_into_view(page, seek);
  // The swipe before may still have swing.
  let place;
  await until(async () => {
    place = await scroll_of(page);
    await sleep(250);
    return place === await scroll_of(page);
  }, 'the page to stand');
  const { x, cy, width } = await item_box(page, seek);
  const value = await mirror_value(page, seek);
  await swipe(page, { x: x + width * 0.2, y: cy }, { x: x + width * 0.7, y: cy - 40 });
  await until(async () => (await mirror_value(page, seek)) !== value, 'the scrubber to move');
  assert.ok(Math.abs((await scroll_of(page)) - place) < 2, 'the page stands');
});

test('B10 after a tap nothing stays hot, and the next tap acts where it is', async () => {
  const page = await open_site('', phone);
  await bring_into_view(page, 'next');
  await page.evaluate(() => scrollBy(0, 1));
  const tap = async (id) => {
    const { cx, cy } = await item_box(page, id);
    await page.touchscreen.tap(cx, cy);
  };
  const picture = async () => {
    await until_idle(page);
    const { x, y, width, height } = await item_box(page, 'next');
    return page.screenshot({ clip: { x: x + 2, y: y + 2, width: width - 4, height: height - 4 } });
  };
  await tap('next');
  await until(async () => /step=/.test(await state(page)) && (await step_of(page)) !== 'prepare', 'the tap');
  await tap('previous');
  await until(async () => ['', 'prepare'].includes(await step_of(page)), 'the second tap to act alone');
  await page.evaluate(() => document.activeElement.blur());
  const cold = await picture();
  await tap('next');
  await sleep(300);
  await page.evaluate(() => document.activeElement.blur());
  assert.ok(await difference(page, cold, await picture()) < 0.02, 'the button looks as before');
});

test('B12 a drag goes on outside the canvas and ends there', async () => {
  const page = await open_host('<div style="width:500px"><comm-flow step="dispatch"></comm-flow></div>');
  const seek = await id_of(page, 'seek');
  await bring_into_view(page, seek);
  const { x, cy, width } = await item_box(page, seek);
  const value = () => mirror_value(page, seek);
  await page.mouse.move(x + width * 0.4, cy);
  await page.mouse.down();
  await until(async () => (await value()) !== '0', 'the press');
  const pressed = await value();
  await page.mouse.move(x + width * 0.6, cy + 300, { steps: 4 });
  await page.mouse.move(900, cy, { steps: 4 });
  await until(async () => Number(await value()) > Number(pressed), 'the value to follow outside');
  await page.mouse.up();
  await until_idle(page);
  const released = await value();
  await page.mouse.move(x + width * 0.3, cy, { steps: 4 });
  await sleep(300);
  assert.equal(await value(), released, 'nothing is held any more');
});

test('Escape closes an open list, and leaves the element only when there is none', async () => {
  const page = await open_site();
  const shot = async () => {
    await until_idle(page);
    await page.mouse.move(500, 690);
    await until_idle(page);
    return page.screenshot({ clip: { x: 0, y: 0, width: 1000, height: 400 } });
  };
  const before = await shot();
  await click_item(page, 'lang');
  assert.ok(await difference(page, before, await shot()) > 0.002, 'a list is open');
  await page.keyboard.press('Escape');
  await until(async () => await difference(page, before, await shot()) < 0.001, 'the list to be closed');
  await page.keyboard.press('Escape');
  assert.equal(await page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.activeElement), null);
});

test('what a button opens far away comes into sight, and nothing else moves the page', async () => {
  const page = await open_site('', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
  const play = await id_of(page, 'play');
  await bring_into_view(page, play);
  const place = await scroll_of(page);
  await click_item(page, play);
  await sleep(500);
  await click_item(page, play);
  await until_idle(page);
  assert.equal(await scroll_of(page), place, 'to play opens nothing');
  await click_item(page, 'panel.settings');
  await until(async () => (await scroll_of(page)) > 500, 'the settings to come into sight');
  await until_idle(page);
  const { y } = await item_box(page, 'model');
  assert.ok(y > 0 && y < 844, `the model can be chosen at ${y}`);
});

// Pitfalls A: the canvas has the size of its column and the density of the screen, whatever changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { click_item, colours, debug, difference, open_host, open_site, sleep, step_of, until, until_idle } from './helpers.mjs';

const small = { width: 700, height: 400 };  // large buffers are slow without a GPU

const column_width = (page) => page.$eval('comm-flow', (element) => element.getBoundingClientRect().width);

async function buffer_fits(page, density) {
  const { buffer, slice } = await debug(page);
  const width = await column_width(page);
  return buffer[0] === Math.round(width * density) && buffer[1] === Math.round(slice[1] * density);
}

async function assert_click_lands(page) {
  const before = await step_of(page);
  await click_item(page, 'next');
  await until(async () => (await step_of(page)) !== before, 'the click on "next" to land');
}

test('A1 controls lie at the same CSS pixels at every density, and clicks hit them', async () => {
  const seen = [];
  for (const density of [1, 1.5, 2, 3]) {
    const page = await open_site('', { deviceScaleFactor: density, viewport: small });
    assert.ok(await buffer_fits(page, density), `buffer at ${density}`);
    seen.push((await debug(page)).hits);
    await assert_click_lands(page);
  }
  // Figures begin at a whole device pixel, hence less than one CSS pixel of difference.
  for (const hits of seen) {
    assert.deepEqual(Object.keys(hits), Object.keys(seen[0]));
    for (const [id, rect] of Object.entries(hits)) rect.forEach((value, i) => assert.ok(Math.abs(value - seen[0][id][i]) < 0.7, `${id}: ${rect}`));
  }
});

// Chromium tells a page nothing of an emulated density unless the window changes, too; so the height changes by a pixel
// and the page is kept from hearing of that.
test('A2 a change of density alone gives a sharp picture', async () => {
  const page = await open_host('<div style="width:600px"><comm-flow></comm-flow></div>', {
    options: { viewport: small },
    setup: (page) => page.addInitScript(() => addEventListener('resize', (event) => event.stopImmediatePropagation(), true)),
  });
  const device = await page.context().newCDPSession(page);
  const override = (deviceScaleFactor, height) => device.send('Emulation.setDeviceMetricsOverride', { width: small.width, height, mobile: false, deviceScaleFactor });
  const capture = async () => {
    await until_idle(page);
    return Buffer.from((await device.send('Page.captureScreenshot', { clip: { x: 0, y: 0, width: 600, height: 390, scale: 1 } })).data, 'base64');
  };
  // Without a picture being asked for, a browser at rest may not look at its layout.
  const follows = (density) => until(async () => (await capture()) && buffer_fits(page, density), `the buffer at density ${density}`);
  const before = await capture();
  await override(2, small.height + 1);
  await follows(2);
  assert.ok(await colours(page, await capture()) > 8);
  await override(1, small.height);
  await follows(1);
  assert.ok(await difference(page, before, await capture()) < 0.002, 'the same picture as before');
  await assert_click_lands(page);
});

test('A3 the column changes without the window', async () => {
  const page = await open_host('<div id="column" style="width:800px"><comm-flow></comm-flow></div>');
  for (const width of [420, 950, 333.5]) {
    await page.$eval('#column', (column, width) => { column.style.width = `${width}px`; }, width);
    await until(() => buffer_fits(page, 1), `the buffer at ${width}`, 50, 9000);
    await until_idle(page);
    const { page: { width: told }, hits } = await debug(page);
    assert.ok(Math.abs(told - width) < 0.11, `the page is laid out ${told} wide`);
    for (const [id, [x, , w]] of Object.entries(hits)) assert.ok(x >= 0 && x + w <= width + 1, `${id} is inside the column`);
    await assert_click_lands(page);
  }
});

test('A3 a column that opens later has its picture', async () => {
  const page = await open_host('<details id="more"><summary>More</summary><comm-flow></comm-flow></details>', { wait: false });
  await sleep(500);
  await page.click('summary');
  await until(async () => (await debug(page))?.buffer?.[0] > 0, 'the picture after opening');
  await until(() => buffer_fits(page, 1), 'the buffer');
  await until_idle(page);
  await assert_click_lands(page);
});

test('A5 zoomed out, the buffer keeps a pixel per CSS pixel', async () => {
  for (const density of [0.5, 0.67]) {
    const page = await open_site('', { deviceScaleFactor: density });
    assert.ok(await buffer_fits(page, 1), `buffer at ${density}`);
    await assert_click_lands(page);
  }
});

test('A7 the page owns the layout', async () => {
  for (const column of [320, 700, 1200]) {
    const page = await open_host(`<div style="width:${column}px"><comm-flow></comm-flow></div>`, { options: { viewport: { width: 1300, height: 700 } } });
    const found = await page.$eval('comm-flow', (element) => {
      const canvas = element.shadowRoot.querySelector('canvas');
      return { width: canvas.clientWidth, style: canvas.getAttribute('style'), over: document.documentElement.scrollWidth - innerWidth };
    });
    assert.equal(found.width, column);
    assert.equal(found.style, null);
    assert.ok(found.over <= 0, 'no horizontal scrollbar');
  }
});

test('A7 the element is as tall as its page, and any part of it is drawn when scrolled to', async () => {
  const page = await open_site('', { viewport: { width: 390, height: 400 } });
  const { page: { height } } = await debug(page);
  assert.ok(height > 500, 'a long page');
  assert.equal(await page.$eval('comm-flow', (element) => element.offsetHeight), Math.round(height));
  for (const part of [1, 0.5, 0]) {
    await page.evaluate((y) => scrollTo(0, y), part * (height - 400));
    await until(async () => {
      const { slice } = await debug(page);
      const y = await page.evaluate(() => scrollY);
      return slice[0] <= y && slice[0] + slice[1] >= Math.min(y + 400, height) - 1;
    }, 'the slice to follow');
    const { buffer, slice } = await debug(page);
    assert.ok(slice[1] < 1200 && buffer[1] === slice[1], 'a slice, not the whole page');
    await until_idle(page);
    assert.ok(await colours(page, await page.screenshot()) > 3);
  }
});

test('A9 no blank picture while the column is resized', async () => {
  const page = await open_host('<div id="column" style="width:800px"><comm-flow></comm-flow></div>');
  await page.evaluate(() => {
    const column = document.querySelector('#column');
    let frame = 0;
    window.resizing = new Promise((done) => {
      const step = () => {
        column.style.width = `${800 - 4 * (frame % 60)}px`;
        if (++frame < 240) requestAnimationFrame(step);
        else done();
      };
      step();
    });
  });
  for (let i = 0; i < 10; ++i) {
    const picture = await page.screenshot({ clip: { x: 0, y: 0, width: 500, height: 400 } });
    assert.ok(await colours(page, picture) > 3, `picture ${i} is not blank`);
  }
  await page.evaluate(() => window.resizing);
});

// The walk in the browser: every step in both languages has words, a picture that is not blank, and moves.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { colours, debug, difference, mirror_value, id_of, open_site, until, until_idle } from './helpers.mjs';

const steps = ['prepare', 'feed', 'gather', 'reduce', 'route', 'dispatch', 'combine', 'forward', 'stage2', 'backward', 'gradients', 'update'];

async function show(page, state) {
  await page.$eval('comm-flow', (element, state) => element.setState(state), state);
  await until(async () => (await page.$eval('comm-flow', (element) => element.getState())).includes(state.split('&').find((part) => part.startsWith('step='))), state);
  await until_idle(page);
}

const words = (page) => page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.querySelector('.mirror').innerText);

for (const lang of ['en', 'zh']) {
  test(`twelve steps in ${lang}: words, a picture, another one at the end of the step`, async () => {
    const page = await open_site(`#lang=${lang}`);
    const seen = new Set();
    for (const step of steps) {
      await show(page, `#v=1&page=walk&step=${step}&lang=${lang}`);
      const text = await words(page);
      assert.ok(text.length > 300 && !seen.has(text), `${step} has words of its own`);
      seen.add(text);
      if (lang === 'zh') assert.match(text, /[\u4e00-\u9fff]{4}/);
      assert.doesNotMatch(text, /\{\w*\}/, `${step} has an unfilled place`);
      assert.doesNotMatch(text, /^[a-z]+\.[a-z_]+(\.[a-z_]+)*$/m, `${step} shows a key instead of its text`);
      const first = await page.screenshot();
      assert.ok(await colours(page, first) > 16, `${step} is not blank`);

      const seek = await id_of(page, 'seek');
      const end = await page.$eval('comm-flow', (element, id) => Number(element.shadowRoot.querySelector(`[data-id="${id}"]`).max), seek);
      assert.ok(end > 0, `${step} has rounds`);
      await page.$eval('comm-flow', (element, at) => element.seek(at), end);
      await until(async () => Number(await mirror_value(page, seek)) === end, `the end of ${step}`);
      await until_idle(page);
      assert.ok(await difference(page, first, await page.screenshot()) > 0.001, `${step} shows something at its end`);
    }
    const { glyphMisses, errors } = await debug(page);
    assert.equal(glyphMisses, 0);
    assert.deepEqual(errors, []);
  });
}

// The other pages: they come with the whole program, which is fetched only then, and takes over without losing anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { click_item, colours, debug, open_host, open_site, state, until, until_idle, until_ready } from './helpers.mjs';

const pages = ['concepts', 'collectives', 'experts'];
const kKey = /^[a-z]+\.[a-z_]+(\.[a-z_]+)*$/m;

const words = (page) => page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.querySelector('.mirror').innerText);
const fetched = (page) => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').pop().split('?')[0]));

async function until_page(page, name) {
  await until(async () => (await state(page))?.includes(`page=${name}`) && (await debug(page))?.draws > 2, `the page ${name}`);
  await until_idle(page);
}

for (const lang of ['en', 'zh']) {
  test(`every page in ${lang}: words, a picture, nothing missing`, async () => {
    for (const name of pages) {
      const page = await open_site(`#v=1&page=${name}&lang=${lang}`);
      await until_page(page, name);
      const text = await words(page);
      assert.ok(text.length > 800, name);
      assert.doesNotMatch(text, /\{\w*\}/, name);
      assert.doesNotMatch(text, kKey, name);
      if (lang === 'zh') assert.match(text, /[\u4e00-\u9fff]{4}/);
      assert.ok(await colours(page, await page.screenshot()) > 16, name);
      const { glyphMisses, errors } = await debug(page);
      assert.equal(glyphMisses, 0);
      assert.deepEqual(errors, []);
      assert.ok(!(await fetched(page)).includes('commflow.wasm'), 'only one program is fetched');
    }
  });
}

test('from the walk to a page and back: the whole program takes over once, and nothing is lost', async () => {
  const page = await open_site('#v=1&page=walk&step=dispatch&model=mixtral-8x7b');
  assert.ok(!(await fetched(page)).some((name) => name.startsWith('whole')), 'the walk needs the light program only');
  await click_item(page, 'page.collectives');
  await until_page(page, 'collectives');
  assert.match(await state(page), /model=mixtral-8x7b/);
  assert.match(await page.evaluate(() => location.hash), /page=collectives/);
  await click_item(page, 'page.walk');
  await until_page(page, 'walk');
  assert.match(await state(page), /step=dispatch/);
  await click_item(page, 'page.experts');
  await until_page(page, 'experts');
  assert.equal((await fetched(page)).filter((name) => name === 'whole.wasm').length, 1);
  await page.goBack();
  await until_page(page, 'walk');
});

test('an element opens on a page by its attribute', async () => {
  const page = await open_host('<comm-flow page="experts"></comm-flow>');
  await until_page(page, 'experts');
  await page.$eval('comm-flow', (element) => element.play());
  const { draws } = await debug(page);
  await until(async () => (await debug(page)).draws > draws + 5, 'it to play');
});

test('without the whole program a sentence says so, and trying again works', async () => {
  const page = await open_site('');
  page.may_complain = true;
  await page.route('**/whole.wasm*', (route) => route.abort());
  await click_item(page, 'page.concepts');
  const notice = page.locator('comm-flow .notice');
  await notice.locator('button').waitFor({ state: 'visible', timeout: 20000 });
  await page.unroute('**/whole.wasm*');
  await notice.locator('button').click();
  await until_ready(page);
  await until_page(page, 'concepts');
});

// The address of index.html and the state are one; language and theme follow the surroundings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { click_item, debug, id_of, open_host, open_site, sleep, state, step_of, until, until_idle } from './helpers.mjs';

const hash = (page) => page.evaluate(() => location.hash);
const entries = (page) => page.evaluate(() => history.length);

test('a link opens its state, and rubbish opens the start', async () => {
  const page = await open_site('#v=1&page=walk&step=dispatch&lang=en');
  assert.equal(await step_of(page), 'dispatch');
  assert.match(await hash(page), /step=dispatch/);
  const other = await open_site('#v=9&step=%00%ff&x=<b>&tokens=banana');
  assert.ok((await debug(other)).page.blocks.length > 0);
});

test('a choice is in the address, and does not fill the history; playing writes nothing', async () => {
  const page = await open_site('#v=1&page=walk&step=route&lang=en');
  const before = await entries(page);
  const first = await hash(page);
  await click_item(page, 'forward');
  await until(async () => (await hash(page)) !== first, 'the address');
  assert.equal(await hash(page), await state(page));
  assert.equal(await entries(page), before);
  const written = await page.evaluate(() => {
    window.writes = 0;
    for (const name of ['pushState', 'replaceState']) {
      const original = history[name];
      history[name] = (...rest) => { ++window.writes; original.apply(history, rest); };
    }
    return location.hash;
  });
  await click_item(page, await id_of(page, 'play'));
  await sleep(700);
  assert.equal(await page.evaluate(() => window.writes), 0);
  assert.equal(await hash(page), written);
});

test('an edited address and the back button are followed', async () => {
  const page = await open_site('#v=1&page=walk&step=route&lang=en');
  await page.evaluate(() => { location.hash = '#v=1&page=walk&step=combine&lang=en'; });
  await until(async () => (await step_of(page)) === 'combine', 'the edited address');
  await page.goBack();
  await until(async () => (await step_of(page)) === 'route', 'the way back');
});

test('another page is an entry of its own, also the first time, when the whole program is fetched for it', async () => {
  const page = await open_site('#v=1&page=walk&step=route&lang=en');
  const before = await entries(page);
  for (const [index, name] of ['collectives', 'experts'].entries()) {
    await click_item(page, `page.${name}`);
    await until(async () => (await hash(page)).includes(`page=${name}`), name);
    assert.equal(await entries(page), before + index + 1, name);
    await until_idle(page);
  }
  await page.goBack();
  await until(async () => /page=collectives/.test(await state(page)), 'the way back');
  await page.goBack();
  await until(async () => (await step_of(page)) === 'route' && /page=walk/.test(await state(page)), 'the walk');
});

test('an element in a host page leaves the address alone', async () => {
  const page = await open_host('<comm-flow></comm-flow>');
  const before = [await page.evaluate(() => location.href), await entries(page), await page.title()];
  await click_item(page, 'next');
  await until_idle(page);
  assert.deepEqual([await page.evaluate(() => location.href), await entries(page), await page.title()], before);
});

test('D13 the language: attribute, address, stored choice, host page, browser', async () => {
  const lang_now = async (page) => (await debug(page)).page.lang;
  const lang = async (page) => {
    const found = await lang_now(page);
    await page.context().close();
    return found;
  };
  assert.equal(await lang(await open_site('', { locale: 'zh-CN' })), 'zh');
  assert.equal(await lang(await open_site('', { locale: 'zh-TW' })), 'zh');
  assert.equal(await lang(await open_site('', { locale: 'fr-FR' })), 'en');
  assert.equal(await lang(await open_site('?lang=zh')), 'zh');
  assert.equal(await lang(await open_site('#lang=en', { locale: 'zh-CN' })), 'en');
  assert.equal(await lang(await open_host('<comm-flow></comm-flow>', { html_attributes: 'lang="zh-Hans"' })), 'zh');
  assert.equal(await lang(await open_host('<comm-flow lang="en"></comm-flow>', { html_attributes: 'lang="zh-Hans"' })), 'en');
  const page = await open_site();
  await page.$eval('comm-flow', (element) => element.set('lang', 'zh'));
  await until(async () => (await lang_now(page)) === 'zh', 'the switch');
  await page.goto('about:blank');
  await page.goBack();
  await until(async () => await page.$eval('comm-flow', (element) => element.debug()?.page?.lang).catch(() => '') === 'zh', 'the stored choice');
});

test('I3 the theme: attribute, host page, system, and their changes', async () => {
  const theme = (page) => page.$eval('comm-flow', (element) => element.debug().page.theme);
  const becomes = (page, wanted) => until(async () => (await theme(page)) === wanted, `the theme to be ${wanted}`, 30, 3000);
  const page = await open_host('<comm-flow></comm-flow>');
  assert.equal(await theme(page), 'light');
  await page.emulateMedia({ colorScheme: 'dark' });
  await becomes(page, 'dark');
  await page.evaluate(() => { document.documentElement.dataset.theme = 'light'; });
  await becomes(page, 'light');
  await page.$eval('comm-flow', (element) => element.setAttribute('theme', 'dark'));
  await becomes(page, 'dark');
  const dark = await open_host('<comm-flow></comm-flow>', { options: { colorScheme: 'dark' }, wait: false });
  const background = await dark.$eval('comm-flow', async (element) => {
    while (!element.shadowRoot?.querySelector('.page')) await new Promise(requestAnimationFrame);
    await element.style_loaded;
    return getComputedStyle(element.shadowRoot.querySelector('.page')).backgroundColor;
  });
  assert.equal(background, 'rgb(20, 24, 29)');
});

// Pitfalls I: what a screen reader, a search and a selection find, and that it lies where the picture shows it.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { click_item, debug, id_of, item_box, mirror_value, offer_source, open_site, sleep, step_of, until, until_idle } from './helpers.mjs';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const control = (page, id) => page.locator(`comm-flow [data-id="${id}"]`).first();

test('I1 every control has a role and a name, and axe finds nothing serious', async () => {
  const page = await open_site();
  const unnamed = await page.$eval('comm-flow', (element) => [...element.shadowRoot.querySelectorAll('.mirror .control')]
    .filter((control) => !(control.labels?.[0] || control).textContent.trim()).map((control) => control.dataset.id));
  assert.deepEqual(unnamed, []);
  const tree = await page.locator('comm-flow').ariaSnapshot();
  assert.match(tree, /heading/);
  assert.match(tree, /button/);
  assert.match(tree, /slider/);
  await page.addScriptTag({ path: axe });
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { rules: { 'color-contrast': { enabled: false } } });
    return violations.filter(({ impact }) => impact === 'serious' || impact === 'critical').map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
  });
  assert.deepEqual(found, []);
});

test('the words of the mirror fill the rectangles of the picture, so that a selection lies over them', async () => {
  for (const [lang, width] of [['en', 1280], ['zh', 390]]) {
    const page = await open_site(`#step=dispatch&lang=${lang}`, { viewport: { width, height: 700 } });
    const loose = await page.$eval('comm-flow', ({ shadowRoot }) => [...shadowRoot.querySelectorAll('.heading, .paragraph, .note, .list')]
      .filter((element) => element.dataset.block !== 'live' && element.scrollHeight > 0 && !element.matches('.unplaced'))
      .map((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        return [element.dataset.block, element.clientHeight, Math.round(range.getBoundingClientRect().height)];
      }).filter(([, room, words]) => Math.abs(room - words) > 12));
    assert.deepEqual(loose, [], lang);
  }
});

test('I1 a mirrored slider, choice and button change the program', async () => {
  const page = await open_site();
  const seek = await id_of(page, 'seek');
  await control(page, seek).focus();
  const value = await mirror_value(page, seek);
  await page.keyboard.press('ArrowRight');
  await until(async () => (await mirror_value(page, seek)) !== value, 'the slider');
  const step = await step_of(page);
  await control(page, 'next').focus();
  await page.keyboard.press('Enter');
  await until(async () => (await step_of(page)) !== step, 'the button');
  const lang = (await debug(page)).page.lang;
  await control(page, 'lang').selectOption({ index: lang === 'en' ? 1 : 0 });
  await until(async () => (await debug(page)).page.lang !== lang, 'the choice');
});

for (const density of [1, 1.5, 2, 3]) {
  test(`the mirror lies over the picture at density ${density}`, async () => {
    const page = await open_site('', { deviceScaleFactor: density, viewport: { width: 700, height: 400 } });
    const { hits } = await debug(page);
    for (const id of Object.keys(hits)) {
      const hit = await item_box(page, id);
      const box = await control(page, id).evaluate((element) => element.closest('.item').getBoundingClientRect().toJSON());
      for (const side of ['x', 'y', 'width', 'height']) assert.ok(Math.abs(hit[side] - box[side]) < 1, `${id}: ${side}`);
    }
  });
}

test('H7 the language switches in place: same step, page language, title, sentence', async () => {
  const page = await open_site('#lang=en');
  await click_item(page, 'next');
  await click_item(page, 'next');
  await until_idle(page);
  const step = await step_of(page);
  await page.$eval('comm-flow', (element) => element.set('lang', 'zh'));
  await until(async () => (await debug(page)).page.lang === 'zh', 'Chinese');
  await until_idle(page);
  assert.equal(await step_of(page), step);
  const shown = await page.$eval('comm-flow', ({ shadowRoot }) => ({
    lang: shadowRoot.querySelector('.mirror').lang,
    text: shadowRoot.querySelector('.mirror').textContent,
    live: shadowRoot.querySelector('.live').textContent,
  }));
  assert.equal(shown.lang, 'zh');
  assert.match(shown.text, /[\u4e00-\u9fff]/);
  assert.match(shown.live, /[\u4e00-\u9fff]/);
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'zh');
});

test('the live sentence changes with a round, and not with every frame', async () => {
  const page = await open_site();
  const live = () => page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.querySelector('[role=status]').textContent);
  const first = await live();
  assert.ok(first.length > 3);
  await page.evaluate(() => {
    window.spoken = 0;
    const target = document.querySelector('comm-flow').shadowRoot.querySelector('[role=status]');
    new MutationObserver(() => ++window.spoken).observe(target, { childList: true, characterData: true, subtree: true });
  });
  await click_item(page, 'forward');
  await until(async () => (await live()) !== first, 'a new sentence');
  await page.$eval('comm-flow', (element) => element.play());
  await sleep(1500);
  assert.ok(await page.evaluate(() => window.spoken) <= 6);
});

test('the text of the page can be found, selected and copied', async () => {
  const page = await open_site();
  const text = await page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.querySelector('.paragraph').textContent);
  const box = await page.locator('comm-flow .paragraph').first().boundingBox();
  await page.mouse.click(box.x + 20, box.y + 8, { clickCount: 3 });
  const selected = await page.evaluate(() => getSelection().toString());
  assert.ok(selected.trim().length > 10 && text.includes(selected.trim().slice(0, 20)), selected);
  const found = await page.evaluate((words) => {
    getSelection().removeAllRanges();
    return find(words);
  }, text.slice(0, 12));
  assert.equal(found, true);
});

test('elements are kept by id, only what differs is changed, and a focused control that goes hands the focus on', async () => {
  const page = await open_site();
  await offer_source(page);
  const found = await page.evaluate(async () => {
    const { Mirror } = await import(new URL('source/mirror.js', document.baseURI));
    const outer = document.body.appendChild(document.createElement('div'));
    outer.tabIndex = -1;
    const root = outer.appendChild(document.createElement('div'));
    const mirror = new Mirror(root, document.createElement('div'), () => {}, () => outer.focus());
    const button = (id, label) => ({ id, kind: 'button', label, rect: [0, 0, 9, 9] });
    const show = (...items) => mirror.show({ lang: 'en', title: 'T', live: '', blocks: [{ id: 'p', kind: 'controls', items }] });
    const of = (id) => root.querySelector(`[data-id=${id}]`);
    show(button('a', 'A'), button('b', 'B'));
    const [a, b] = [of('a'), of('b')];
    b.focus();
    show(button('c', 'C'), button('b', 'B2'));
    const kept = of('b') === b && b.textContent === 'B2' && document.activeElement === b && !a.isConnected;
    const order = [...root.querySelectorAll('.control')].map(({ dataset }) => dataset.id).join('');
    show(button('c', 'C'));
    const changes = [];
    const observer = new MutationObserver((records) => changes.push(...records));
    observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    show(button('c', 'C'));
    changes.push(...observer.takeRecords());
    return { kept, order, handed_on: document.activeElement === outer, changes: changes.map(({ attributeName }) => attributeName) };
  });
  assert.deepEqual(found, { kept: true, order: 'cb', handed_on: true, changes: [] });
});

test('I4 the pages can be zoomed and scrolled', async () => {
  for (const name of ['', 'embed.html']) {
    const page = await open_site(name);
    const content = await page.$eval('meta[name=viewport]', (meta) => meta.content);
    assert.doesNotMatch(content, /user-scalable|maximum-scale/);
    assert.equal(await page.evaluate(() => getComputedStyle(document.body).overflow), 'visible');
  }
});

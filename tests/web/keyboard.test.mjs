// Pitfalls C: keys act inside the focused element and nowhere else, and focus can always leave.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bring_into_view, click_item, debug, id_of, mirror_value, open_host, sleep, state, step_of, until, until_idle } from './helpers.mjs';

const around = (inner) => `<input id="first"><p id="text">Some words of the article.</p>${inner}
  <textarea id="area"></textarea><div id="rich" contenteditable="true"></div><input id="last"><p style="height:3000px"></p>`;

const focused = (page) => page.evaluate(() => {
  const outer = document.activeElement;
  const inner = outer.shadowRoot?.activeElement;
  return { outer: outer.id || outer.tagName, inner: inner ? inner.dataset.id || inner.className : '' };
});

test('C1 typing in the host page is the host page\'s', async () => {
  const page = await open_host(around('<comm-flow></comm-flow>'));
  const before = await state(page);
  for (const id of ['first', 'area', 'rich']) {
    await page.focus(`#${id}`);
    await page.keyboard.type('ab  cd');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Home');
    await page.keyboard.type('x');
    const text = await page.$eval(`#${id}`, (element) => (element.value ?? element.textContent).replace(/\u00a0/g, ' '));
    assert.equal(text, 'xab  c');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('y');
    assert.equal(await page.$eval(`#${id}`, (element) => (element.value ?? element.textContent).trim()), 'y');
  }
  assert.equal(await state(page), before);
  await until_idle(page);  // ImGui takes the release of the mouse one frame after its press
  assert.equal((await debug(page)).keysDown, 0);
});

test('C2 a click gives the element the keyboard, a click elsewhere takes it away', async () => {
  const page = await open_host(around('<comm-flow></comm-flow>'));
  await click_item(page, 'next');
  assert.equal((await focused(page)).outer, 'COMM-FLOW');
  const step = await step_of(page);
  await page.keyboard.press('PageDown');
  await until(async () => (await step_of(page)) !== step, 'PageDown to go on');
  await page.evaluate(() => scrollTo(0, 0));
  await page.click('#first');
  const here = await state(page);
  await page.keyboard.press('PageDown');
  await sleep(200);
  assert.equal(await state(page), here);
});

test('C2 Space plays and pauses, arrows step by rounds', async () => {
  const page = await open_host(around('<comm-flow step="route" speed="0.25"></comm-flow>'));
  await click_item(page, 'next');
  await until(async () => (await step_of(page)) === 'dispatch', 'the click');
  const playing = () => page.$eval('comm-flow', (element) => element.playing);
  await page.keyboard.press(' ');
  await until(playing, 'Space to play');
  await page.keyboard.press(' ');
  await until(async () => !(await playing()), 'Space to pause');
  const seek = await id_of(page, 'seek');
  await page.keyboard.press('Home');
  const value = async () => Number(await mirror_value(page, seek));
  await until(async () => (await value()) === 0, 'the start');
  await page.keyboard.press('ArrowRight');
  await until(async () => (await value()) > 0, 'ArrowRight to go forward');
  await until_idle(page);
  await page.keyboard.press('ArrowLeft');
  await until(async () => (await value()) === 0, 'ArrowLeft to go back');
});

test('C3 Tab goes through every control and out at the other end; Escape leaves', async () => {
  const page = await open_host(around('<comm-flow></comm-flow>'));
  const count = await page.$eval('comm-flow', (element) => element.shadowRoot.querySelectorAll('.mirror .control').length);
  assert.ok(count >= 8, `${count} controls`);
  await page.focus('#first');
  const seen = new Set();
  for (let i = 0; i < count + 3 && (await focused(page)).outer !== 'area'; ++i) {
    await page.keyboard.press('Tab');
    const { outer, inner } = await focused(page);
    if (outer === 'COMM-FLOW') seen.add(inner);
  }
  assert.equal((await focused(page)).outer, 'area');
  assert.ok(seen.has('next') && seen.has('forward'), 'controls were focused on the way');
  await page.keyboard.press('Shift+Tab');
  assert.equal((await focused(page)).outer, 'COMM-FLOW');
  await page.keyboard.press('Escape');
  assert.equal((await focused(page)).outer, 'BODY');
});

test('C3 a focused control has a visible ring around its place in the picture', async () => {
  const page = await open_host(around('<comm-flow></comm-flow>'));
  await bring_into_view(page, 'next');
  const style = await page.$eval('comm-flow', (element) => {
    const control = element.shadowRoot.querySelector('[data-id="next"]');
    control.focus();
    const item = control.closest('.item');
    return { ring: getComputedStyle(item).outlineStyle, box: item.getBoundingClientRect().toJSON(), hit: element.debug().hits.next, top: element.getBoundingClientRect().top };
  });
  assert.equal(style.ring, 'solid');
  assert.ok(Math.abs(style.box.left - style.hit[0]) < 9 && Math.abs(style.box.width - style.hit[2]) < 1);
});

test('C5 keys that the element uses do not scroll the page; others do', async () => {
  const page = await open_host(around('<comm-flow></comm-flow>'));
  const seek = await id_of(page, 'seek');
  await page.$eval('comm-flow', (element, id) => element.shadowRoot.querySelector(`[data-id="${id}"]`).focus({ preventScroll: true }), seek);
  const before = Number(await mirror_value(page, seek));
  const top = await page.evaluate(() => scrollY);
  await page.keyboard.press('ArrowRight');
  await until(async () => Number(await mirror_value(page, seek)) > before, 'the slider to move');
  await click_item(page, 'next');
  const scrolled = await page.evaluate(() => scrollY);
  for (const key of [' ', 'ArrowRight', 'PageDown', 'End', ' ']) await page.keyboard.press(key);
  await sleep(200);
  assert.equal(await page.evaluate(() => scrollY), scrolled);
  assert.ok(top <= scrolled);
  await page.evaluate(() => document.activeElement.blur());
  await page.keyboard.press('PageDown');
  await until(async () => (await page.evaluate(() => scrollY)) > scrolled, 'the page to scroll without focus');
});

test('C6 no key stays down when focus leaves', async () => {
  const page = await open_host(around('<comm-flow></comm-flow>'));
  await click_item(page, 'next');
  await page.keyboard.down('Control');
  await page.focus('#first');
  await page.keyboard.up('Control');
  await until_idle(page);  // ImGui takes the release of the mouse one frame after its press
  assert.equal((await debug(page)).keysDown, 0);
  const step = await step_of(page);
  await click_item(page, 'next');
  await until(async () => (await step_of(page)) !== step, 'a click without Ctrl');
});

test('C10 copying text of the page works after the element was used', async () => {
  const page = await open_host(around('<comm-flow></comm-flow>'), { options: { permissions: ['clipboard-read', 'clipboard-write'] } });
  await click_item(page, 'next');
  await page.evaluate(() => {
    scrollTo(0, 0);
    getSelection().selectAllChildren(document.querySelector('#text'));
  });
  await page.keyboard.press('Control+c');
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), 'Some words of the article.');
});

test('C11 keys reach one of two elements', async () => {
  const page = await open_host('<comm-flow id="a"></comm-flow><comm-flow id="b"></comm-flow>');
  const before = await step_of(page, '#a');
  await click_item(page, 'next', '#b');
  await page.keyboard.press('PageDown');
  await sleep(300);
  assert.equal(await step_of(page, '#a'), before);
  assert.notEqual(await step_of(page, '#b'), before);
});

// What a reader types: real text fields over the canvas, on the pages that take rows of numbers; and squares to press.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { click_item, debug, open_site, page_data, sleep, state, until, until_idle } from './helpers.mjs';

const field = (page, id) => page.locator(`comm-flow >> textarea[data-id="${id}"]`);
const notes = (page) => page.$$eval('comm-flow >> :is(.note, .paragraph)', (all) => all.map(({ textContent }) => textContent));
const block = async (page, id) => (await page_data(page)).blocks.find((each) => each.id === id);

async function open(hash, options) {
  const page = await open_site(`#v=1&panel=typed&${hash}`, options);
  await until(async () => (await debug(page))?.hits?.['panel.typed'], 'the page');
  await until_idle(page);
  return page;
}

for (const options of [{}, { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }]) {
  const where = options.hasTouch ? 'a phone' : 'a screen';

  test(`on ${where}: a routing table is typed over the canvas, and the layer follows`, async () => {
    const page = await open('page=experts&expert_nodes=1&expert_gpus=2&experts=4', options);
    const box = await field(page, 'routing').boundingBox();
    const { hits, page: { width } } = await debug(page);
    assert.ok(Math.abs(box.width - hits.routing[2]) < 2 && box.height > 40, `the field lies where the canvas has it: ${width}`);
    await field(page, 'routing').fill('0\n1\n2\n3');
    assert.doesNotMatch(await state(page), /routing/, 'while it is typed nothing happens');
    await field(page, 'routing').press('Control+Enter');
    await until(async () => /routing=0;1;2;3/.test(await state(page)), 'the table to be taken');
    assert.equal(await page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.activeElement?.dataset.id), 'routing', 'and the field keeps the focus');
    assert.match(await state(page), /expert_topk=1.*expert_tokens=2/);
    const skew = (await block(page, 'choices_shape')).items.find(({ id }) => id === 'expert_skew');
    assert.equal(skew.enabled, false);
    assert.ok(skew.why.length > 10);
  });
}

test('Escape leaves the field and takes nothing', async () => {
  const page = await open('page=collectives&values=5;6');
  await field(page, 'values').fill('7;8');
  await field(page, 'values').press('Escape');
  await sleep(300);
  assert.match(await state(page), /values=5;6/);
  assert.equal(await field(page, 'values').inputValue(), '5\n6');
});

test('keys in a field belong to the field', async () => {
  const page = await open('page=collectives');
  await field(page, 'values').click();
  const before = await state(page);
  for (const key of [' ', 'ArrowRight', 'End', 'PageDown', 'Home']) await page.keyboard.press(key);
  await sleep(300);
  assert.equal((await page_data(page)).playing, false);
  assert.equal(await state(page), before);
});

test('what cannot be taken is said where it was typed, in the reader\'s language, and stays to be mended', async () => {
  for (const [lang, place] of [['en', /line 2, number 2/], ['zh', /第 2 行第 2 个数/]]) {
    const page = await open(`page=collectives&lang=${lang}`);
    await field(page, 'values').fill('1 2\n3 x');
    await field(page, 'values').blur();
    await until(async () => (await notes(page)).some((text) => place.test(text)), 'the note');
    assert.equal(await field(page, 'values').inputValue(), '1 2\n3 x');
    assert.equal(await field(page, 'values').getAttribute('aria-invalid'), 'true');
    assert.match(await field(page, 'values').getAttribute('aria-description'), place);
    assert.doesNotMatch(await state(page), /values=/);
    await field(page, 'values').fill('1 2\n3 4');
    await field(page, 'values').blur();
    await until(async () => /values=1,2;3,4/.test(await state(page)), 'the values');
    assert.equal(await field(page, 'values').getAttribute('aria-invalid'), null);
    assert.ok(!(await notes(page)).some((text) => place.test(text)));
  }
});

test('typed values are what the rounds compute with, and a button brings the example back', async () => {
  const page = await open('page=collectives&values=10;20;30;40');
  const rounds = async () => {
    await click_item(page, 'panel.log');
    await until(async () => block(page, 'rounds'), 'the rounds');
    return (await block(page, 'rounds')).items.join('\n');
  };
  assert.match(await rounds(), /= 100\b/, '10 + 20 + 30 + 40');
  await click_item(page, 'panel.typed');
  await until(async () => block(page, 'values_typed'), 'the field');
  await click_item(page, 'clear.values');
  await until(async () => !/values=/.test(await state(page)), 'the example');
});

test('pressing a square of the routing table sends the token there', async () => {
  const page = await open('page=experts&routing=0,1;0,1;0,1;0,1');
  assert.match(await state(page), /routing=0,1;0,1;0,1;0,1/);
  await click_item(page, 'route.2.7');
  await until(async () => /routing=0,1;0,1;0,7;0,1/.test(await state(page)), 'token 2 to go to expert 7');
  await page.locator('comm-flow >> [data-id="route.0.5"]').focus();
  await page.keyboard.press('Enter');
  await until(async () => /routing=0,5;0,1;0,7;0,1/.test(await state(page)), 'token 0 to go to expert 5');
});

test('a link with a table opens it again; a wrong one is told and left out', async () => {
  const page = await open('page=experts&routing=7,6;5,4;3,2;1,0');
  assert.equal(await field(page, 'routing').inputValue(), '7, 6\n5, 4\n3, 2\n1, 0');
  const told = [];
  const other = await open_site('#v=1');
  other.on('console', (message) => told.push(message.text()));
  await other.evaluate(() => { location.hash = '#v=1&page=experts&panel=typed&routing=7,9;1,1;0,0'; });
  await until(() => told.some((text) => /routing: line 1, column 2: found "9", expected a whole number from 0 to 7/.test(text)), 'the note');
  await until(async () => /page=experts/.test(await state(other)), 'the page');
  assert.doesNotMatch(await state(other), /routing=/);
});

test('rounds are copied; schedule and counts are downloaded', async () => {
  const page = await open('page=collectives&compare=halving-doubling');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await click_item(page, 'copy_rounds');
  let copied;
  await until(async () => (copied = await page.evaluate(() => navigator.clipboard.readText())), 'the clipboard');
  assert.equal(copied.trim().split('\n').length, 24, 'a ring of four: 6 rounds of 4 transfers');
  const download = async (id) => {
    const [file] = await Promise.all([page.waitForEvent('download'), click_item(page, id)]);
    return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')];
  };
  const [json_name, json] = await download('download_schedule');
  assert.equal(json_name, 'commflow-all-reduce-ring.json');
  const schedule = JSON.parse(json);
  assert.deepEqual([schedule.ranks, schedule.rounds.length, schedule.inputs.length], [4, 6, 4]);
  const [csv_name, csv] = await download('download_counts');
  assert.equal(csv_name, 'commflow-all-reduce-ring.csv');
  const lines = csv.trim().split('\n').slice(1).map((line) => line.split(','));
  const sent = (algorithm, rank) => lines.filter((line) => line[0] === algorithm && line[2] === rank).reduce((sum, line) => sum + Number(line[3]), 0);
  for (const algorithm of ['ring', 'halving-doubling']) assert.equal(sent(algorithm, '3'), 2 * 3 / 4 * 2 ** 30, algorithm);
});

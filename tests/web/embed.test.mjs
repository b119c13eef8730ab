// Pitfalls G and H: elements in the pages of others: any number, any place, any end; and what is said when loading fails.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { click_item, debug, dist, new_page, open_host, open_site, serve, site, sleep, state, step_of, until, until_idle, until_ready } from './helpers.mjs';

const notice = (page) => page.$eval('comm-flow', (element) => {
  const box = element.shadowRoot?.querySelector('.notice');
  return box && !box.hidden ? box.textContent : '';
});

async function assert_works(page, selector) {
  const before = await step_of(page, selector);
  await click_item(page, 'next', selector);
  await until(async () => (await step_of(page, selector)) !== before, `a click into ${selector}`);
}

test('G1 G2 elements with any id, without one and inside a shadow root work alone', async () => {
  const page = await open_host(`<div style="width:500px"><comm-flow id="a"></comm-flow></div><canvas id="canvas"></canvas>
    <div style="width:700px"><comm-flow class="none" step="route"></comm-flow></div><div id="host"></div>`);
  await page.evaluate(() => {
    const root = document.querySelector('#host').attachShadow({ mode: 'open' });
    root.innerHTML = '<comm-flow></comm-flow>';
  });
  await until(() => page.$eval('#host', (host) => host.shadowRoot.firstChild.hasAttribute('data-ready')), 'the one in the shadow');
  const inner = await page.$eval('#host', (host) => host.shadowRoot.firstChild.debug().buffer);
  assert.equal(inner[0], await page.$eval('#host', (host) => host.clientWidth));
  assert.equal((await debug(page, '#a')).buffer[0], 500);
  assert.equal((await debug(page, '.none')).buffer[0], 700);
  assert.equal(await step_of(page, '.none'), 'route');
  await assert_works(page, '#a');
  assert.equal(await step_of(page, '.none'), 'route');
  assert.equal(await page.$eval('#canvas', (canvas) => `${canvas.width}x${canvas.height}`), '300x150');
});

test('G2 three elements, one download', async () => {
  const asked = [];
  await open_host('<comm-flow></comm-flow>'.repeat(3), { setup: (page) => page.on('request', (request) => asked.push(new URL(request.url()).pathname)) });
  for (const name of ['commflow.wasm', 'commflow.js']) assert.equal(asked.filter((path) => path.endsWith(name)).length, 1, name);
});

test('G3 no global names, even when loaded twice', async () => {
  const page = await open_host('<comm-flow></comm-flow>', {
    head: '<script>window.Module = { sentinel: 1 }; window.names = Object.keys(window);</script>',
  });
  await page.evaluate(() => import(`${document.querySelector('script[type=module]').src}?twice`));
  await page.evaluate(() => document.body.append(document.createElement('comm-flow')));
  await until_ready(page);
  const { module, added } = await page.evaluate(() => ({
    module: window.Module,
    added: Object.keys(window).filter((name) => !window.names.includes(name) && name !== 'names'),
  }));
  assert.deepEqual(module, { sentinel: 1 });
  assert.deepEqual(added, []);
});

test('G5 started, ended, started again at once: one program, no error; destroy() may be called twice', async () => {
  const page = await open_host('<comm-flow></comm-flow>', { wait: false });
  await page.waitForFunction(() => customElements.get('comm-flow'));
  await page.$eval('comm-flow', (element) => {
    element.destroy();
    element.destroy();
    const first = element.start();
    window.same = first === element.start();
  });
  await until_ready(page);
  assert.equal(await page.evaluate(() => window.same), true);
  assert.equal(await page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.querySelectorAll('canvas').length), 1);
  await assert_works(page, 'comm-flow');
});

test('G5 moved within the page it goes on; taken out and put back it starts in the same state', async () => {
  const page = await open_host('<div id="one"><comm-flow></comm-flow></div><div id="two"></div>');
  await assert_works(page, 'comm-flow');
  await assert_works(page, 'comm-flow');
  const hash = await state(page);
  const { frames } = await debug(page);
  await page.evaluate(() => document.querySelector('#two').append(document.querySelector('comm-flow')));
  await sleep(100);
  assert.ok((await debug(page)).frames >= frames, 'the same program');
  await page.evaluate(() => {
    window.kept = document.querySelector('comm-flow');
    window.kept.remove();
  });
  await sleep(100);
  assert.equal(await page.evaluate(() => window.kept.debug()), null);
  await page.evaluate(() => document.querySelector('#one').append(window.kept));
  await until_ready(page);
  assert.equal(await state(page), hash);
  await assert_works(page, 'comm-flow');
});

test('a removed element leaves nothing behind', async () => {
  const page = await open_host('<comm-flow></comm-flow>', {
    setup: (page) => page.addInitScript(() => {
      window.listening = 0;
      for (const target of [window, document]) {
        const { addEventListener } = target;
        target.addEventListener = function (type, handler, options) {
          if (!/(canvas|session|element|environment)\.js/.test(new Error().stack)) return addEventListener.call(this, type, handler, options);
          ++window.listening;
          options?.signal?.addEventListener('abort', () => --window.listening);
          return addEventListener.call(this, type, handler, options);
        };
      }
    }),
  });
  assert.ok(await page.evaluate(() => window.listening) > 0);
  await page.evaluate(() => document.querySelector('comm-flow').remove());
  await sleep(50);
  assert.equal(await page.evaluate(() => window.listening), 0);
});

const failures = {
  'a 404': (route) => route.fulfill({ status: 404, body: 'not found' }),
  'truncated bytes': (route) => route.fulfill({ contentType: 'application/wasm', body: readFileSync(join(dist, 'commflow.wasm')).subarray(0, 5000) }),
  'no connection': (route) => route.abort(),
};
for (const [what, answer] of Object.entries(failures)) {
  test(`G8 ${what} for the wasm is said in both languages, and trying again works`, async () => {
    const page = await new_page();
    page.may_complain = true;
    await page.route('**/commflow.wasm*', answer);
    await page.goto((await site()).base);
    await until(async () => /could not be loaded.*未能加载/s.test(await notice(page)), 'the notice');
    await page.unroute('**/commflow.wasm*');
    await page.getByRole('button', { name: /again/ }).click();
    await until_ready(page);
    await assert_works(page, 'comm-flow');
  });
}

test('G8 data or glue that does not come is said, too', async () => {
  for (const name of ['data.en.json', 'commflow.js']) {
    const page = await new_page();
    page.may_complain = true;
    await page.route(`**/${name}*`, failures['a 404']);
    await page.goto((await site()).base);
    await until(async () => /could not be loaded/.test(await notice(page)), `the notice for ${name}`);
    await page.unroute(`**/${name}*`);
    await page.getByRole('button', { name: /again/ }).click();
    await until_ready(page);
  }
});

test('G8 a stall is noticed', async () => {
  const page = await new_page();
  page.may_complain = true;
  await page.clock.install();
  await page.route('**/commflow.wasm*', () => {});
  await page.goto((await site()).base);
  await sleep(1500);
  await page.clock.fastForward(20000);
  await until(async () => /stopped.*停止/s.test(await notice(page)), 'the notice');
});

test('G8 a crash of the program is said, and it starts again in the same state', async () => {
  const page = await new_page();
  page.may_complain = true;
  await page.addInitScript(() => { window.crash = false; });
  await page.route('**/commflow.js*', async (route) => {
    const response = await route.fetch();
    const source = (await response.text()).replace(/export\s*\{\s*(\w+) as default\s*\};?|export default (\w+);?/, (all, one, other) => `export default (options) => ${one || other}(options).then((module) => new Proxy(module, {
      get(target, name) {
        if (window.crash && name === '_commflow_frame') throw new WebAssembly.RuntimeError('unreachable');
        return target[name];
      },
    }));`);
    await route.fulfill({ response, body: source });
  });
  await page.goto((await site()).base);
  await until_ready(page);
  await assert_works(page, 'comm-flow');
  const step = await step_of(page);
  await page.evaluate(() => { window.crash = true; });
  await page.mouse.move(200, 200);
  await until(async () => /went wrong.*出错/s.test(await notice(page)), 'the notice');
  await page.evaluate(() => { window.crash = false; });
  await page.getByRole('button', { name: /again/ }).click();
  await until_ready(page);
  assert.equal(await step_of(page), step);
});

test('G9 a nasty theme sheet changes neither size nor hits', async () => {
  const page = await open_host('<div style="width:600px"><comm-flow></comm-flow></div>', {
    head: '<style>*{border:1px solid;line-height:3;user-select:none} canvas{max-width:50%;height:auto;padding:9px} button,input{padding:20px!important;width:90%!important} div{margin:3px;letter-spacing:4px}</style>',
  });
  const { buffer } = await debug(page);
  const width = await page.$eval('comm-flow', ({ shadowRoot }) => shadowRoot.querySelector('.page').getBoundingClientRect().width);
  assert.equal(buffer[0], Math.round(width));
  await assert_works(page, 'comm-flow');
});

test('H3 works under a sub-path, with a base element and a page elsewhere', async () => {
  const { base, origin } = await serve('/a/b/c/');
  const page = await new_page();
  await page.route(`${origin}/posts/1/`, (route) => route.fulfill({
    contentType: 'text/html',
    body: `<!doctype html><base href="/nowhere/"><script type="module" src="${base}element.js"></script><comm-flow></comm-flow>`,
  }));
  await page.goto(`${origin}/posts/1/`);
  await until_ready(page);
  await assert_works(page, 'comm-flow');
  await page.goto(base);
  await until_ready(page);
  await assert_works(page, 'comm-flow');
});

test('works from another origin, under a strict content security policy', async () => {
  const there = await serve('/lib/', { 'access-control-allow-origin': '*' });
  const here = await site();
  const page = await new_page();
  const policy = `default-src 'none'; script-src ${there.origin} 'wasm-unsafe-eval'; style-src ${there.origin}; img-src ${there.origin}; connect-src ${there.origin}`;
  await page.route(`${here.origin}/strict.html`, (route) => route.fulfill({
    headers: { 'content-type': 'text/html', 'content-security-policy': policy },
    body: `<!doctype html><script type="module" src="${there.base}element.js"></script><comm-flow></comm-flow>`,
  }));
  await page.goto(`${here.origin}/strict.html`);
  await until_ready(page);
  await assert_works(page, 'comm-flow');
});

test('H5 progress rises to 1 before the first picture is announced', async () => {
  const page = await open_host('', {
    wait: false,
    head: `<script>
      addEventListener('DOMContentLoaded', () => {
        window.seen = [];
        const element = document.createElement('comm-flow');
        element.addEventListener('progress', (event) => window.seen.push(event.detail.totalProgress));
        element.addEventListener('ready', () => window.seen.push('ready'));
        document.body.append(element);
      });
    </script>`,
  });
  await until_ready(page);
  const seen = await page.evaluate(() => window.seen);
  assert.equal(seen.pop(), 'ready');
  assert.equal(seen[seen.length - 1], 1);
  for (let i = 0; i < seen.length; ++i) assert.ok(seen[i] >= (seen[i - 1] || 0) && seen[i] <= 1, String(seen));
});

test('H7 needs no special headers and no threads', async () => {
  const page = await open_site();
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  for (const name of ['commflow.js', 'element.js', 'index.js', 'embed.js'])
    assert.doesNotMatch(readFileSync(join(dist, name), 'utf8'), /SharedArrayBuffer/, name);
});

test('loading="lazy" waits until the element is near', async () => {
  const page = await open_host('<p style="height:5000px"></p><comm-flow loading="lazy"><a href="#x">Open</a></comm-flow>', { wait: false });
  await sleep(1000);
  assert.equal(await page.$eval('comm-flow', (element) => element.debug()), null);
  await page.evaluate(() => scrollTo(0, 4000));
  await until_ready(page);
});

test('H4 methods, attributes and events, with their source', async () => {
  const page = await open_host('<comm-flow step="route" lang="en"></comm-flow>');
  assert.equal(await step_of(page), 'route');
  await page.$eval('comm-flow', (element) => {
    window.heard = [];
    for (const name of ['step-change', 'state-change']) element.addEventListener(name, ({ detail }) => window.heard.push([name, detail.source, detail.step]));
    element.setAttribute('step', 'combine');
  });
  await until(async () => (await step_of(page)) === 'combine', 'the attribute');
  await page.$eval('comm-flow', (element) => element.setState('#v=1&page=walk&step=dispatch'));
  await until(async () => (await step_of(page)) === 'dispatch', 'setState with a string');
  await page.$eval('comm-flow', (element) => element.setState({ step: 'gather' }));
  await until(async () => (await step_of(page)) === 'gather', 'setState with fields');
  await page.$eval('comm-flow', (element) => element.seek('update'));
  await until(async () => (await step_of(page)) === 'update', 'seek');
  assert.ok((await page.evaluate(() => window.heard)).every(([, source]) => source === 'api'));
  await click_item(page, 'previous');
  await until_idle(page);
  const last = (await page.evaluate(() => window.heard)).pop();
  assert.equal(last[1], 'user');
});

test('H2 H4 the frame speaks with its host, and with nobody else', async () => {
  const { base, origin } = await site();
  const page = await new_page();
  await page.route(`${origin}/frame.html`, (route) => route.fulfill({
    contentType: 'text/html',
    body: `<!doctype html><script>
      window.heard = [];
      addEventListener('message', (event) => {
        const message = typeof event.data === 'string' ? JSON.parse(event.data) : event.data;
        window.heard.push(message);
        if (message.commflow?.height) document.querySelector('iframe').height = message.commflow.height;
      });
      window.say = (message) => frames[0].postMessage({ commflow: { version: 1, ...message } }, '*');
    </script><iframe src="${base}embed.html#step=route&lang=en" width="600" height="400"></iframe>`,
  }));
  await page.goto(`${origin}/frame.html`);
  const heard = (type) => page.evaluate((type) => window.heard.filter((message) => message.commflow?.type === type).pop()?.commflow, type);
  await until(() => heard('ready'), 'ready', 50, 30000);
  const all = await page.evaluate(() => window.heard);
  assert.ok(all.some((message) => message.context === 'iframe.resize' && message.height > 0));
  assert.ok(all.some((message) => message.sentinel === 'amp' && message.height > 0));
  assert.equal(await heard('state'), undefined, 'nothing is told before the host has spoken');
  await page.evaluate(() => window.say({ type: 'getState' }));
  await until(async () => /step=route/.test((await heard('state'))?.state || ''), 'the state');
  await page.evaluate(() => window.say({ type: 'set', values: { step: 'combine' } }));
  await until(async () => (await heard('step'))?.step === 'combine', 'the step');
  await page.evaluate(() => window.say({ type: 'seek', step: 'dispatch' }));
  await until(async () => (await heard('step'))?.step === 'dispatch', 'seek');
  await page.evaluate(() => { for (const type of ['constructor', '__proto__', 'eval']) window.say({ type, id: 'x' }); });
  await page.evaluate(() => frames[0].postMessage({ commflow: { version: 7, type: 'play' } }, '*'));
  await page.evaluate(() => window.say({ type: 'getState' }));
  await sleep(300);
  assert.match((await heard('state')).state, /step=dispatch/);
  const heights = (await page.evaluate(() => window.heard)).filter((message) => message.commflow?.type === 'resize').length;
  await sleep(700);
  assert.equal((await page.evaluate(() => window.heard)).filter((message) => message.commflow?.type === 'resize').length, heights, 'no growth loop');
});

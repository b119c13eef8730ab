// Pitfalls H: what dist/ holds, how large it is, and how the server of build-wasm.sh sends it. Needs no browser.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const dist = resolve(process.env.COMMFLOW_DIST || join(root, 'dist'));
const kBudget = 300_000;  // brotli bytes of all a first picture needs, data file included

const list = (folder) => readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? list(join(folder, entry.name)).map((name) => `${entry.name}/${name}`) : [entry.name]);
const files = list(dist);
const originals = files.filter((name) => !/\.(br|gz)$/.test(name));
const read = (name) => readFileSync(join(dist, name));

test('every file that compresses stands there packed, too, and unpacks to the same bytes', () => {
  const packed = originals.filter((name) => existsSync(join(dist, `${name}.br`)));
  for (const name of ['index.html', 'element.js', 'style.css', 'commflow.js', 'commflow.wasm', 'data.en.json', 'data.zh.json', 'whole.js', 'whole.wasm', 'whole.en.json'])
    assert.ok(packed.includes(name), name);
  for (const name of packed) {
    assert.ok(brotliDecompressSync(read(`${name}.br`)).equals(read(name)), `${name}.br`);
    assert.ok(gunzipSync(read(`${name}.gz`)).equals(read(name)), `${name}.gz`);
  }
});

test('H9 a first picture costs less than the budget', () => {
  // What a reader of the walk fetches; another page fetches whole.* on top, a machine without Chinese letters a font.
  const needed = ['index.html', 'index.js', 'element.js', 'style.css', 'manifest.json', 'commflow.js', 'commflow.wasm', 'data.zh.json'];
  const still = Math.max(...originals.filter((name) => /^stills\/\w+\.zh\.\w+\.svg$/.test(name)).map((name) => read(`${name}.br`).length));
  const bytes = needed.reduce((sum, name) => sum + read(existsSync(join(dist, `${name}.br`)) ? `${name}.br` : name).length, still);
  assert.ok(bytes <= kBudget, `${bytes} bytes`);
});

test('H5 the manifest names the unpacked sizes', () => {
  const sizes = JSON.parse(read('manifest.json')).files;
  for (const name of ['commflow.js', 'commflow.wasm', 'data.en.json', 'data.zh.json', 'whole.js', 'whole.wasm', 'whole.en.json']) assert.equal(sizes[name], read(name).length, name);
});

test('H7 nothing asks for threads, for eval, or for a folder of the machine that built it', () => {
  for (const name of originals.filter((name) => /\.(m?js|wasm|html)$/.test(name))) {
    const text = read(name).toString('latin1');
    assert.ok(!text.includes(root), `${name} names ${root}`);
    if (name.endsWith('.js')) assert.doesNotMatch(text, /new SharedArrayBuffer|\beval\(|new Function\(/, name);
  }
});

test('H3 no address begins at the root of the server', () => {
  for (const name of originals.filter((name) => /\.(html|css)$/.test(name)))
    assert.doesNotMatch(read(name).toString(), /(?:src|href)="\/|url\(["']?\//, name);
});

test('both languages have the same keys, and every document is there', () => {
  for (const kind of ['data', 'whole']) {
    const [en, zh] = ['en', 'zh'].map((lang) => JSON.parse(read(`${kind}.${lang}.json`)).locale);
    assert.deepEqual(Object.keys(zh).sort(), Object.keys(en).sort());
  }
  const en = JSON.parse(read('data.en.json'));
  for (const folder of ['scenarios', 'models', 'hardware', 'presets']) {
    const stems = readdirSync(join(root, 'assets', folder)).filter((name) => !name.endsWith('.schema.json')).map((name) => name.replace('.json', ''));
    assert.deepEqual(Object.keys(en[folder]).sort(), stems.sort(), folder);
  }
});

test('the notices of all that is shipped are there', () => {
  const notices = read('THIRD_PARTY.md').toString();
  for (const work of ['Dear ImGui', 'JSON for Modern C++', 'Emscripten', 'musl', 'libc++', 'Noto Sans CJK']) assert.ok(notices.includes(work), work);
  assert.match(read('LICENSE').toString(), /MIT License/);
});

let server;
let port;
before(async () => {
  port = await new Promise((done) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const free = probe.address().port;
      probe.close(() => done(free));
    });
  });
  const sirv = join(root, 'node_modules/sirv-cli/bin.js');
  server = spawn('node', [sirv, dist, '--dev', '--etag', '--quiet', '--host', '127.0.0.1', '--port', port], { stdio: 'ignore' });
});
after(() => server.kill());

const fetch_head = (path) => new Promise((done, failed) => {
  const headers = { 'accept-encoding': 'gzip, br' };
  request({ host: '127.0.0.1', port, path, headers }, (answer) => done({ status: answer.statusCode, ...answer.resume().headers })).on('error', failed).end();
});

async function answer_of(path) {
  for (let attempt = 0; ; ++attempt) {
    try {
      return await fetch_head(path);
    } catch (error) {
      if (attempt === 100) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}

test('the server sends the right types, packed', async () => {
  const expected = {
    '/': 'text/html', '/element.js': 'text/javascript', '/style.css': 'text/css',
    '/commflow.wasm': 'application/wasm', '/data.zh.json': 'application/json',
  };
  for (const [path, type] of Object.entries(expected)) {
    const answer = await answer_of(path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer['content-type'].split(';')[0], type, path);
    assert.equal(answer['content-encoding'], 'br', path);
  }
  assert.equal((await answer_of('/no-such-file.js')).status, 404);
});

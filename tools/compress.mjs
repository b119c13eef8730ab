// Finishes a folder that is to be served: writes a .br and a .gz beside every file that compresses, so that any static
// server can send them, and files.js, which tells the loader the true size of what it fetches (the server only tells
// the compressed one). usage: node compress.mjs FOLDER
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(html|css|m?js|json|svg|txt|md|wasm)$/;
const LOADED = /^commflow\.(js|wasm)$|^data\..*\.json$/;

const filesBelow = (folder) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? filesBelow(path) : [path]))
    .sort();

const describe = (content) => ({
  bytes: content.length,
  hash: createHash('sha256').update(content).digest('hex').slice(0, 12),
});

function writeFileTable(folder) {
  const table = {};
  for (const path of filesBelow(folder)) {
    const name = relative(folder, path);
    if (LOADED.test(name)) table[name] = describe(readFileSync(path));
  }
  const text = `// Written by the build: uncompressed size and hash of what the loader fetches.
export const files = ${JSON.stringify(table, null, 2)};\n`;
  writeFileSync(join(folder, 'files.js'), text);
}

function compress(path) {
  const content = readFileSync(path);
  const brotli = brotliCompressSync(content, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: content.length },
  });
  writeFileSync(`${path}.br`, brotli);
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
  return { raw: content.length, brotli: brotli.length };
}

const folder = process.argv[2];
writeFileTable(folder);
for (const path of filesBelow(folder).filter((path) => COMPRESSIBLE.test(path))) {
  const { raw, brotli } = compress(path);
  console.log(`  ${String(raw).padStart(8)} bytes, ${String(brotli).padStart(7)} as brotli  ${relative(folder, path)}`);
}

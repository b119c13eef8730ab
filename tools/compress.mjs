// Finishes a folder that is to be served: writes a .br and a .gz beside every file that compresses, so that any static
// server can send them, and manifest.json, which tells the loader the true sizes of what it fetches (the server only
// tells the compressed ones). usage: node compress.mjs FOLDER
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const COMPRESSIBLE = /\.(html|css|m?js|json|svg|txt|md|wasm)$/;
const LOADED = /^(commflow|whole)\.(js|wasm)$|^(data|whole)\..*\.json$/;

const files_below = (folder) =>
  readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? files_below(path) : [path]))
    .sort();

function write_manifest(folder) {
  const files = {};
  for (const path of files_below(folder)) {
    const name = relative(folder, path);
    if (LOADED.test(name)) files[name] = statSync(path).size;
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ files }));
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
write_manifest(folder);
for (const path of files_below(folder).filter((path) => COMPRESSIBLE.test(path))) {
  const { raw, brotli } = compress(path);
  console.log(`  ${String(raw).padStart(8)} bytes, ${String(brotli).padStart(7)} as brotli  ${relative(folder, path)}`);
}

// Packs what a page loads into a folder: element.js with all that it imports, index.js and embed.js beside it, the
// styles, and the compiler's own JavaScript, all without comments and spaces; everything else of web/ as it is.
// usage: node bundle.mjs WEB COMMFLOW_JS TO [--readable]
import { build } from 'esbuild';
import { cpSync } from 'node:fs';
import { join } from 'node:path';

const [web, glue, to, readable] = process.argv.slice(2);
const of_web = (...names) => names.map((name) => join(web, name));

const parts = [
  { entryPoints: of_web('element.js'), bundle: true },
  // The element stays a file of its own: one per page, however many scripts ask for it.
  { entryPoints: of_web('index.js', 'embed.js'), bundle: true, external: ['./element.js'] },
  { entryPoints: of_web('style.css', 'handout.css') },
  { entryPoints: [glue] },
];

cpSync(web, to, { recursive: true, filter: (path) => !/\.(js|css)$/.test(path) });
await Promise.all(parts.map((part) => build({
  ...part,
  outdir: to,
  format: 'esm',
  target: ['chrome94', 'firefox91', 'safari15'],
  minify: readable !== '--readable',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'error',
})));

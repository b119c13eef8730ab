// Fetches what the program is made of: its JavaScript glue, the compiled WebAssembly (both once per page, shared by all
// elements) and the data file of a language. Reports progress in bytes of the unpacked files, whose sizes are in
// manifest.json, since Content-Length counts packed ones. Everything is found beside this file, wherever that is.

const kStallMs = 15000;  // nothing arrives for so long: give up and say so
const kFolder = new URL('.', import.meta.url);

export class LoadError extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;  // a key of kNotices
  }
}

export const data_name = (language) => `data.${language}.json`;
export const file_url = (name) => new URL(name, kFolder);

// Aborts when the stream stands still; `seen` hears how many bytes came in each piece.
async function read_stream(response, seen, restart_watch) {
  const reader = response.body.getReader();
  const pieces = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    restart_watch();
    seen(value.length);
    pieces.push(value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

// Fetches a file and resolves to what `use` makes of the response; use(response, read) must call read(response), which
// resolves to the bytes, so that their arrival is watched.
async function fetch_file(name, seen, use) {
  const control = new AbortController();
  let watch;
  const restart_watch = () => {
    clearTimeout(watch);
    watch = setTimeout(() => control.abort(), kStallMs);
  };
  restart_watch();
  try {
    const response = await fetch(file_url(name), { signal: control.signal });
    if (!response.ok) throw new LoadError('load', `${name}: HTTP ${response.status}`);
    return await use(response, (response) => read_stream(response, seen, restart_watch));
  } catch (error) {
    if (error instanceof LoadError) throw error;
    throw new LoadError(control.signal.aborted ? 'stalled' : 'load', `${name}: ${error.message}`);
  } finally {
    clearTimeout(watch);
  }
}

export const fetch_bytes = (name, seen = () => {}) => fetch_file(name, seen, (response, read) => read(response));

// A module that failed to load once stays failed under its address.
let attempt = 0;
async function import_factory() {
  const url = file_url('commflow.js');
  if (attempt) url.searchParams.set('retry', attempt);
  try {
    return (await import(url)).default;
  } catch (error) {
    throw new LoadError('load', `commflow.js: ${error.message}`);
  }
}

// While it arrives, if the server says what it is.
async function compile_response(response, read) {
  const is_typed = response.headers.get('content-type')?.startsWith('application/wasm');
  if (!is_typed) return WebAssembly.compile(await read(response));
  const [module] = await Promise.all([WebAssembly.compileStreaming(response.clone()), read(response)]);
  return module;
}

const compile = (seen) => fetch_file('commflow.wasm', seen, compile_response);

// Sizes by file name. Without them there is no percentage, but everything else works.
const sizes = () => fetch_bytes('manifest.json').then((bytes) => JSON.parse(new TextDecoder().decode(bytes)).files).catch(() => ({}));

// Turns bytes into a fraction that never falls and is 1 only when the picture is there.
function progress_counter(names, report) {
  let total = 0;
  let received = 0;
  const update = () => total && report(Math.min(received / total, 0.99));
  sizes().then((size_of) => {
    total = names.reduce((sum, name) => sum + (size_of[name] || 0), 0);
    update();
  });
  return (count) => {
    received += count;
    update();
  };
}

let shared = null;  // promise of { factory, module }, made by the first element
function load_program(seen) {
  shared ||= Promise.all([import_factory(), compile(seen)]).then(
    ([factory, module]) => ({ factory, module }),
    (error) => {
      shared = null;
      ++attempt;
      throw error;
    });
  return shared;
}

// Everything an instance starts with: { factory, module, name, bytes } where the last two are its data file.
export async function load(language, report) {
  if (typeof WebAssembly !== 'object') throw new LoadError('no_wasm', 'no WebAssembly');
  const name = data_name(language);
  const seen = progress_counter(shared ? [name] : ['commflow.wasm', name], report);
  const [program, bytes] = await Promise.all([load_program(seen), fetch_bytes(name, seen)]);
  return { ...program, name, bytes };
}

// One instance of the compiled module. `hooks` become properties of its Module object, which is how C++ calls us.
export function instantiate({ factory, module }, hooks) {
  return new Promise((resolve, reject) => {
    const fail = (error) => reject(new LoadError('load', String(error)));
    factory({
      ...hooks,
      instantiateWasm(imports, done) {
        WebAssembly.instantiate(module, imports).then((instance) => done(instance, module), fail);
        return {};
      },
    }).then(resolve, fail);
  });
}

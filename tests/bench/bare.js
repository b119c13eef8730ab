// Starts the bare program as simply as it can be done.
import create from './commflow_bare.js';
import { Glyphs } from './glyphs.js';

const canvas = document.querySelector('canvas');
const hooks = { publish() {}, glyphs: new Glyphs('system-ui, sans-serif', 'en'), context: canvas.getContext('webgl2', { alpha: false, antialias: false }) };
const module = await create({
  ...hooks,
  instantiateWasm(imports, done) {
    WebAssembly.instantiateStreaming(fetch('commflow_bare.wasm'), imports).then(({ instance, module }) => done(instance, module));
    return {};
  },
});
module._commflow_start();
module._commflow_context(1);
[canvas.width, canvas.height] = [canvas.clientWidth, canvas.clientHeight];
module._commflow_view(canvas.clientWidth, 0, canvas.clientHeight, 1);
const draw = (now) => module._commflow_frame(now) && requestAnimationFrame(draw);
requestAnimationFrame(draw);

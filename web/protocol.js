// Messages between embed.html and the page that holds its frame. One object with one key:
//   { commflow: { version: 1, type, ... } }
// Only the parent window is heard; nothing it sends is evaluated or navigated to. States and errors go to the origin
// that has spoken first; the height goes to any, since a host that only makes room never speaks.

const kVersion = 1;

// What a host may send, by type.
const kCommands = {
  play: (element) => element.play(),
  pause: (element) => element.pause(),
  seek: (element, { step, t }) => element.seek(step ?? t),
  set: (element, { values }) => element.setState(Object(values)),
  press: (element, { id }) => element.press(String(id)),
  open: (element, { state }) => state !== undefined && element.setState(String(state)),
  theme: (element, { value }) => element.setAttribute('theme', value),
  lang: (element, { value }) => element.set('lang', String(value)),
};

export function speak_with_host(element) {
  if (parent === window) return;
  let host_origin = null;
  let is_ready = false;
  let height = 0;

  const say = (type, detail, origin) => origin && parent.postMessage({ commflow: { version: kVersion, type, ...detail } }, origin);
  const reply = (type, detail) => say(type, detail, host_origin);

  // The hosts that make room by themselves each listen to a message of their own.
  const say_height = () => {
    say('resize', { height }, '*');
    parent.postMessage(JSON.stringify({ src: location.href, context: 'iframe.resize', height }), '*');
    parent.postMessage({ sentinel: 'amp', type: 'embed-size', height }, '*');
  };
  const say_ready = (origin) => say('ready', { height }, origin);

  element.addEventListener('ready', (event) => {
    is_ready = true;
    ({ height } = event.detail);
    say_ready('*');
    say_height();
  });
  element.addEventListener('resize', (event) => {
    ({ height } = event.detail);
    if (is_ready) say_height();
  });
  element.addEventListener('step-change', ({ detail }) => reply('step', detail));
  element.addEventListener('state-change', ({ detail }) => reply('state', { state: detail.hash, source: detail.source, settled: detail.settled }));
  element.addEventListener('error', ({ detail }) => reply('error', detail));

  addEventListener('message', (event) => {
    const message = event.source === parent && event.data && event.data.commflow;
    if (!message || message.version !== kVersion) return;
    host_origin = event.origin === 'null' ? '*' : event.origin;
    if (message.type === 'ping' && is_ready) say_ready(host_origin);
    else if (message.type === 'getState') reply('state', { state: element.getState(), source: 'api', settled: true });
    else if (Object.hasOwn(kCommands, message.type)) kCommands[message.type](element, message);
  });
}

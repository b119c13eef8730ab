// The page for hosts that allow a frame but no script: one element without chrome, the address, and messages.
import { own_address } from './address.js';
import './element.js';
import { speak_with_host } from './protocol.js';

const element = document.createElement('comm-flow');
element.setAttribute('embed', 'on');
own_address(element);
speak_with_host(element);
element.addEventListener('title-change', ({ detail }) => {
  document.title = detail.title;
  document.documentElement.lang = detail.lang;
});
document.querySelector('main').append(element);

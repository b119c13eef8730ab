// The full page: one element that owns the address and the title.
import { own_address } from './address.js';
import './element.js';

const element = document.createElement('comm-flow');
own_address(element);
element.addEventListener('title-change', ({ detail }) => {
  document.title = detail.title;
  document.documentElement.lang = detail.lang;
});
document.querySelector('main').append(element);

// The still picture that an element shows until its program draws, or instead of it. The build makes one of every step,
// in each language, theme and of two widths; a host may name another.
import { file_url } from './loader.js';

const kNarrow = 560;  // CSS pixels; below, figures are laid out for a phone
const kFirstStep = 'prepare';

// What a link shows: a step of the walk, or another page.
function name_in(state) {
  const value_of = (name) => new RegExp(`[#&?]${name}=([\\w-]+)`).exec(state || '')?.[1];
  const page = value_of('page') || 'walk';
  return page === 'walk' ? value_of('step') || kFirstStep : page;
}

export function still_address(state, { lang, theme }, width) {
  const narrow = width > 0 && width < kNarrow ? '.narrow' : '';
  return file_url(`stills/${name_in(state)}.${lang}.${theme}${narrow}.svg`).href;
}

// The picture itself; it takes itself away if there is none, as where a scenario has steps of its own.
export function make_poster(address) {
  const image = Object.assign(document.createElement('img'), { className: 'poster', alt: '', decoding: 'async', fetchPriority: 'low', src: address });
  image.setAttribute('part', 'poster');
  image.addEventListener('error', () => image.remove(), { once: true });
  return image;
}

// The part of the handout about the step of `state`, or null if it did not come.
export async function handout_section(state, lang) {
  try {
    const response = await fetch(file_url(`handout.${lang}.html`));
    const handout = new DOMParser().parseFromString(await response.text(), 'text/html');
    const section = handout.getElementById(name_in(state)) || handout.querySelector('section');
    section.className = 'handout';
    section.lang = lang;
    for (const [selector, name] of [['img', 'src'], ['source', 'srcset'], ['a', 'href']])
      for (const element of section.querySelectorAll(selector)) element.setAttribute(name, file_url(element.getAttribute(name)));
    return document.importNode(section, true);
  } catch {
    return null;
  }
}

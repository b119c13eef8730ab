// What the surroundings say about language, theme and motion, and when they change their mind.
// Knows the document and the browser's preferences; knows nothing of the program.

const kStoredLanguage = 'commflow-lang';
export const kLanguages = ['en', 'zh'];

// "zh-Hans-CN" -> "zh"; a language we do not speak -> undefined.
function known_language(tag) {
  const primary = (tag || '').toLowerCase().split(/[-_]/)[0];
  return kLanguages.includes(primary) ? primary : undefined;
}

function stored_language() {
  try {
    return localStorage.getItem(kStoredLanguage);
  } catch {
    return null;  // storage is denied in some frames
  }
}

export function store_language(language) {
  try {
    localStorage.setItem(kStoredLanguage, language);
  } catch {
    // then the choice lasts as long as the page
  }
}

// The first that names a language of ours: the element's attribute, the address (only where the page owns it), the
// reader's last choice, the host page, the browser.
export function language(attribute, from_address, host_page) {
  const wishes = [attribute, from_address, stored_language(), host_page, ...navigator.languages];
  return wishes.map(known_language).find(Boolean) || 'en';
}

const dark = matchMedia('(prefers-color-scheme: dark)');
const reduced = matchMedia('(prefers-reduced-motion: reduce)');
const is_theme = (name) => name === 'light' || name === 'dark';

// The element's attribute, the host's data-theme, the system.
export function theme(attribute) {
  const host = document.documentElement.dataset.theme || (document.body && document.body.dataset.theme);
  return [attribute, host].find(is_theme) || (dark.matches ? 'dark' : 'light');
}

export const motion = () => (reduced.matches ? 'reduced' : 'full');

// Calls back whenever theme() or motion() may answer differently; returns the function that stops it.
export function watch(callback) {
  const observer = new MutationObserver(callback);
  const filter = { attributes: true, attributeFilter: ['data-theme'] };
  observer.observe(document.documentElement, filter);
  if (document.body) observer.observe(document.body, filter);
  dark.addEventListener('change', callback);
  reduced.addEventListener('change', callback);
  return () => {
    observer.disconnect();
    dark.removeEventListener('change', callback);
    reduced.removeEventListener('change', callback);
  };
}

// The address of a page of ours (index.html, embed.html) and the state of its one element keep in step. Host pages do not
// load this file: there an element never touches the address.

// The first page need not be named.
const page_in = (hash) => /[#&]page=([\w-]+)/.exec(hash)?.[1] || 'walk';

// `element` must not be in the document yet: its first state comes from the address.
export function own_address(element) {
  const lang = /[#&]lang=([\w-]+)/.exec(location.hash)?.[1] || new URLSearchParams(location.search).get('lang');
  element.address = { hash: location.hash, lang };

  // Playing changes nothing; a choice replaces the entry; another page of ours is a new one, also when a new program had
  // to be fetched for it, which does not know what was shown before.
  element.addEventListener('state-change', ({ detail }) => {
    if (!detail.settled || detail.source === 'url' || detail.hash === location.hash) return;
    const is_other_page = page_in(detail.hash) !== page_in(location.hash);
    history[is_other_page ? 'pushState' : 'replaceState'](null, '', detail.hash || location.pathname);
  });
  const open = () => location.hash === element.getState() || element.setState(location.hash, 'url');
  addEventListener('popstate', open);
  addEventListener('hashchange', open);
}

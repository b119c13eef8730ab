// The few sentences the page must be able to say before the program and its texts are there, or instead of them.
// Always in both languages: what went wrong may be that the texts did not come.

import { file_url } from './loader.js';

export const kNotices = {
  loading: { en: 'Loading', zh: '正在加载' },
  copied: { en: 'Copied', zh: '已复制' },
  handout: { en: 'All steps as text and still pictures', zh: '全部步骤的文字与静态图' },
  retry: { en: 'Try again', zh: '重试' },
  no_wasm: {
    en: 'This browser cannot run WebAssembly, which this page needs. A current version of any browser can.',
    zh: '此浏览器无法运行本页所需的 WebAssembly。任何浏览器的当前版本都可以。',
  },
  no_webgl: {
    en: 'This browser offers no WebGL 2, so the picture does not move. Text, tables and controls work.',
    zh: '此浏览器不提供 WebGL 2，因此图片不会动。文字、表格和控件均可使用。',
  },
  load: {
    en: 'A part of this page could not be loaded.',
    zh: '本页有一部分未能加载。',
  },
  stalled: {
    en: 'Loading has stopped: nothing came for a while.',
    zh: '加载已停止：已有一段时间没有收到数据。',
  },
  crash: {
    en: 'Something went wrong inside this page.',
    zh: '本页内部出错。',
  },
  context_lost: {
    en: 'The graphics of this page were interrupted and will come back.',
    zh: '本页的图形显示被中断，即将恢复。',
  },
};

// A paragraph per language, the reader's first.
export function notice_paragraphs(kind, first = 'en') {
  const order = first === 'zh' ? ['zh', 'en'] : ['en', 'zh'];
  return order.map((lang) => {
    const paragraph = document.createElement('p');
    paragraph.lang = lang;
    paragraph.textContent = kNotices[kind][lang];
    return paragraph;
  });
}

// To the pages that need nothing but HTML, the reader's language first.
export function handout_links(first = 'en') {
  const paragraph = document.createElement('p');
  const links = (first === 'zh' ? ['zh', 'en'] : ['en', 'zh']).map((lang) =>
    Object.assign(document.createElement('a'), { lang, href: file_url(`handout.${lang}.html`), textContent: kNotices.handout[lang] }));
  paragraph.append(links[0], ' · ', links[1]);
  return paragraph;
}

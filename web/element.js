// <comm-flow>: the program as an element of any page. Attributes are names of fields (step, lang, theme, ...); methods
// and events are those of docs/EMBEDDING.md. Everything is inside its shadow root; the address, the window and the rest
// of the page are left alone.
import { language, motion, store_language, theme, watch } from './environment.js';
import { file_url, kLight, kWhole, load } from './loader.js';
import { handout_section, make_poster, still_address } from './poster.js';
import { Session } from './session.js';

// Attributes that say how to embed, not what to show.
const kOwnAttributes = ['id', 'class', 'style', 'slot', 'title', 'hidden', 'part', 'state', 'loading', 'lang', 'theme', 'dir', 'tabindex', 'role', 'poster', 'full-page', 'report'];
const kStyle = new URL('style.css', import.meta.url);
const kNearMargin = '400px';
const kFirstPage = 'walk';
const kPosterMs = 300;
const kArrived = 0.99;

const elements = new Set();

const page_in = (state) => /[#&?]page=([\w-]+)/.exec(state || '')?.[1];

function is_field(name) {
  return !kOwnAttributes.includes(name) && !/^(data|aria|on)/.test(name);
}

export class CommFlow extends HTMLElement {
  #session = null;
  #fields = [];        // names of fields, once the program has told them
  #state = {};         // the last state published
  #page = {};
  #resume = null;      // the state to open when the element comes back into a page
  #address = null;     // { hash, lang } of the address, where the page owns it
  #settle = null;      // of the promise `ready`
  #unwatch = [];
  #poster = null;
  #is_whole = false;   // the program with all pages
  #received = 0;       // share of it that has arrived

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    const style = Object.assign(document.createElement('link'), { rel: 'stylesheet', href: kStyle });
    root.append(style, document.createElement('slot'));
    this.style_loaded = new Promise((resolve) => { style.onload = style.onerror = resolve; });
  }

  connectedCallback() {
    if (this.#unwatch.length) return;  // moved within the page
    this.#watch();
    // After what the program is made of has been asked for, and when it is known how a poster looks.
    this.style_loaded.then(() => this.#poster_if_it_takes_long());
    if (this.getAttribute('loading') === 'lazy') this.#start_when_near();
    else this.start();
  }

  #watch() {
    elements.add(this);
    const observer = new MutationObserver((changes) => changes.forEach(({ attributeName }) => this.#attribute_changed(attributeName)));
    observer.observe(this, { attributes: true });
    this.#unwatch = [() => observer.disconnect(), watch(() => this.#environment_changed())];
  }

  // Being moved is no end: it is decided when the page is done with moving.
  disconnectedCallback() {
    queueMicrotask(() => this.isConnected || this.destroy());
  }

  #start_when_near() {
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      observer.disconnect();
      this.start();
    }, { rootMargin: kNearMargin });
    observer.observe(this);
    this.#unwatch.push(() => observer.disconnect());
  }

  // Starts the program if it does not run; the same promise for all who ask.
  start() {
    if (!this.#unwatch.length) this.#watch();
    if (!this.#session) this.#begin();
    return this.ready;
  }

  #begin() {
    const environment = this.#environment();
    const session = new Session(this.shadowRoot, {
      on: (topic, detail) => session === this.#session && this.#published(topic, detail),
      progress: (fraction) => {
        this.#received = fraction;
        this.#emit('progress', { totalProgress: fraction });
      },
      // What was on its way counts if nothing of it was seen yet.
      retry: () => this.#restart(this.#page.blocks ? this.#state.hash : this.#resume || this.#state.hash),
      address_of: (id, state) => this.#address_of(id, state),
    }, environment, this.#program());
    this.#session = session;
    this.ready = new Promise((resolve, reject) => { this.#settle = { resolve, reject }; });
    this.ready.catch(() => {});  // who does not ask need not hear
    session.send({ type: 'environment', ...environment, source: 'system' });
    for (const { name } of this.attributes) this.#send_attribute(name);
    this.#open_first_state();
    session.begin(this.style_loaded);
  }

  // The light one, unless another page is to be shown; who has had the whole one keeps it.
  #program() {
    const page = page_in(this.#first_state()) || this.getAttribute('page') || kFirstPage;
    this.#is_whole ||= page !== kFirstPage;
    return this.#is_whole ? kWhole : kLight;
  }

  // A page was chosen that only the whole program has: it takes over in that state, once it is here.
  async #take_whole(state) {
    const session = this.#session;
    this.#is_whole = true;
    session.show_progress();
    this.style.minHeight = `${this.height}px`;  // what stands below does not jump
    await load(kWhole, this.#environment().lang, () => {}).catch(() => {});  // failing again is told by the session
    if (session !== this.#session) return;
    this.#page = {};
    this.#restart(state);
    await this.ready.catch(() => {});
    this.style.minHeight = '';
  }

  #open_first_state() {
    const state = this.#first_state();
    if (state) this.setState(state, state === this.#address?.hash ? 'url' : 'api');
  }

  #first_state() {
    return this.#resume || this.#address?.hash || this.getAttribute('state');
  }

  // Painting a still takes about as long as starting a program that is here already, so it is for those who have to wait.
  #poster_if_it_takes_long() {
    const show = () => this.#unwatch.length && this.#received < kArrived && this.showPoster();
    if (this.#session) setTimeout(show, kPosterMs);
    else show();
  }

  // The still of the step that will be shown, or the picture that the host names; poster="none" is none, and what a host
  // has written inside the element is a poster already.
  showPoster() {
    const wish = this.getAttribute('poster');
    if (wish === 'none' || this.#page.blocks || (!wish && this.childElementCount)) return;
    const step = this.getAttribute('step');
    const state = this.#first_state() || (step && `#step=${step}`);
    this.dismissPoster();
    this.#poster = make_poster(wish ? new URL(wish, document.baseURI).href : still_address(state, this.#environment(), this.clientWidth));
    this.shadowRoot.append(this.#poster);
  }

  dismissPoster() {
    this.#poster?.remove();
    this.#poster = null;
  }

  // Where a link of the page leads, with the state that it carries.
  #address_of(id, state) {
    const full_page = this.getAttribute('full-page');
    const own = this.#address && this.getAttribute('embed') !== 'on' ? location.href : file_url('.').href;
    const link = new URL(state, full_page ? new URL(full_page, document.baseURI) : own).href;
    return id === 'report' ? this.#report_address(link) : link;
  }

  // A template with {title} and {link}; without one, a letter to nobody yet.
  #report_address(link) {
    const template = this.getAttribute('report') || document.querySelector('meta[name="commflow-report"]')?.content ||
      'mailto:?subject={title}&body={link}';
    const title = `CommFlow: ${(this.#page.title || '').replace(/ - CommFlow$/, '')}`;
    return template.replaceAll('{title}', encodeURIComponent(title)).replaceAll('{link}', encodeURIComponent(link));
  }

  #restart(state = this.#state.hash) {
    this.#resume = state || null;
    this.#session?.end();
    this.#session = null;
    this.start();
  }

  // Gives everything back. May be called twice; start() begins anew, in the same state.
  destroy() {
    this.#resume = this.#state.hash || this.#resume;
    this.#unwatch.splice(0).forEach((stop) => stop());
    this.#session?.end();
    this.#session = null;
    this.#settle?.reject(new Error('destroyed'));
    this.#page = {};
    this.dismissPoster();
    elements.delete(this);
    this.removeAttribute('data-ready');
  }

  // ---- surroundings ----

  #environment() {
    const host_page = this.#address ? null : document.documentElement.lang;
    return {
      lang: language(this.getAttribute('lang'), this.#address?.lang, host_page),
      theme: theme(this.getAttribute('theme')),
      motion: motion(),
    };
  }

  #environment_changed() {
    const { theme, motion } = this.#environment();
    this.#session?.send({ type: 'environment', theme, motion, source: 'system' });
  }

  #attribute_changed(name) {
    if (name === 'state') this.setState(this.getAttribute('state'));
    else if (name === 'theme') this.#environment_changed();
    else if (name === 'loading') this.start();
    else if (name === 'lang') this.#set('lang', this.#environment().lang);
    else this.#send_attribute(name);
  }

  // The program ignores names that are no fields of it.
  #send_attribute(name) {
    if (is_field(name) && this.hasAttribute(name)) this.#set(name, this.getAttribute(name));
  }

  // ---- from the program ----

  #published(topic, detail) {
    if (topic === 'page') this.#page_changed(detail);
    else if (topic === 'state') this.#state_changed(detail);
    else if (topic === 'ready') this.#fields = detail.fields || [];
    else if (topic === 'program') this.#take_whole(detail.state);
    else if (topic === 'error') this.#failed(detail);
  }

  #page_changed(page) {
    const was = this.#page;
    this.#page = page;
    if (page.playing && !was.playing) this.#pause_others();
    if (was.lang && page.lang !== was.lang) store_language(page.lang);
    if (page.height !== was.height) this.#emit('resize', { height: page.height });
    if (page.title !== was.title || page.lang !== was.lang) this.#emit('title-change', { title: page.title, lang: page.lang });
    if (!was.blocks) this.#became_ready(page);
  }

  #became_ready(page) {
    this.dismissPoster();
    this.setAttribute('data-ready', '');
    this.#emit('progress', { totalProgress: 1 });
    this.#emit('ready', { version: 1, height: page.height, fields: this.#fields });
    this.#settle.resolve(this);
  }

  #state_changed(state) {
    const was = this.#state;
    this.#state = state;
    if (state.step !== was.step) this.#emit('step-change', { step: state.step, source: state.source });
    this.#emit('state-change', { ...state, state: state.hash });
  }

  #failed(detail) {
    this.#emit('error', detail);
    if (!this.#page.blocks) this.#settle.reject(new Error(detail.text));
    if (detail.kind && detail.kind !== 'crash' && !this.#page.blocks) this.#show_handout();
  }

  // What can be shown without the program: the step in words, tables and a still.
  async #show_handout() {
    const session = this.#session;
    const section = await handout_section(this.#first_state() || `#step=${this.getAttribute('step')}`, this.#environment().lang);
    if (!section || session !== this.#session) return;
    this.dismissPoster();
    session.show_instead(section);
  }

  #emit(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: false }));
  }

  // One at a time moves.
  #pause_others() {
    for (const other of elements) if (other !== this) other.pause();
  }

  // ---- what a host may ask for ----

  #set(id, value) {
    this.#session?.send({ type: 'set', id, value: /^-?\d+$/.test(value) ? Number(value) : value, source: 'api' });
  }

  #press(id) {
    this.#session?.send({ type: 'press', id, source: 'api' });
  }

  get playing() { return Boolean(this.#page.playing); }
  get height() { return this.#page.height || 0; }

  play() { if (!this.playing) this.#press('play'); }
  pause() { if (this.playing) this.#press('pause'); }
  press(id) { this.#press(id); }
  set(id, value) { this.#set(id, value); }

  // A number is a place of the scrubber, a word the name of a step.
  seek(where) { this.#set(typeof where === 'number' ? 'at' : 'step', where); }

  // "#v=1&page=..." or an object of fields.
  setState(state, source = 'api') {
    if (state && typeof state === 'object') {
      for (const [id, value] of Object.entries(state)) this.#set(id, value);
    } else if (this.#session) {
      this.#session.send({ type: 'open', state: String(state || ''), source });
    } else {
      this.#resume = String(state || '');
    }
  }

  getState() { return this.#state.hash || ''; }

  get state() { return this.getState(); }
  set state(value) { this.setState(value); }

  // For pages that own their address (address.js), before the element is connected: { hash, lang }.
  set address(address) { this.#address = address; }

  // Counters and rectangles for tests.
  debug() { return this.#session?.debug() || null; }
}

if (!customElements.get('comm-flow')) customElements.define('comm-flow', CommFlow);

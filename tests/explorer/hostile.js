'use strict';
// hostile.js PAGE ANSWER: the script of a page of `dodona explorer` in Node, on documents of its own. What a link or an answer
// says may become text, values of fields and one command in quotes: never markup, an attribute that acts or a new question.
const fs = require('fs');
const assert = require('assert');
const { execFileSync } = require('child_process');

const page = fs.readFileSync(process.argv[2], 'utf8');
const answer = fs.readFileSync(process.argv[3], 'utf8');
const EMPTY = new Set(['input', 'meta', 'link']);

/** An element with what the page's script uses; what would read markup is an error. */
class Element extends EventTarget {
  constructor(tag) {
    super();
    Object.assign(this, { tagName: tag.toUpperCase(), attributes: {}, childNodes: [], parent: null, dataset: {}, style: {}, typed: null });
    const classes = new Set();
    this.classList = { add: (name) => classes.add(name), remove: (name) => classes.delete(name), toggle: (name, on) => (on ? classes.add(name) : classes.delete(name)) };
  }
  setAttribute(name, value) {
    assert(!/^on|^href$|^src$|^srcdoc$|^action$|^formaction$/.test(name), 'sets the attribute ' + name);
    this.attributes[name] = String(value);
    if (name.startsWith('data-')) { this.dataset[name.slice(5)] = String(value); }
  }
  append(...parts) {
    for (const part of parts) {
      const node = part instanceof Element ? part : { text: String(part) };
      node.parent = this;
      this.childNodes.push(node);
    }
  }
  replaceChildren(...parts) { this.childNodes = []; this.append(...parts); }
  get children() { return this.childNodes.filter((node) => node instanceof Element); }
  get lastChild() { return this.childNodes[this.childNodes.length - 1]; }
  get textContent() { return this.childNodes.map((node) => (node instanceof Element ? node.textContent : node.text)).join(''); }
  set textContent(text) { this.childNodes = text === '' ? [] : [{ text: String(text) }]; }
  all() { return this.children.flatMap((child) => [child, ...child.all()]); }
  get id() { return this.attributes.id; }
  get name() { return this.attributes.name || ''; }
  get options() { return this.all().filter((one) => one.tagName === 'OPTION'); }
  get value() {
    if (this.tagName === 'OPTION') { return 'value' in this.attributes ? this.attributes.value : this.textContent; }
    if (this.tagName === 'SELECT' && this.typed === null) { return this.options.length ? this.options[0].value : ''; }
    return this.typed === null ? this.attributes.value || '' : this.typed;
  }
  set value(value) {
    const is_number = this.attributes.type === 'number';
    const is_kept = this.tagName === 'SELECT' ? this.options.some((one) => one.value === value) : !is_number || /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value);
    this.typed = is_kept ? String(value) : '';
  }
  get elements() {
    const fields = this.all().filter((one) => ['INPUT', 'SELECT', 'BUTTON'].includes(one.tagName));
    return Object.assign(fields, Object.fromEntries(fields.filter((one) => one.name).map((one) => [one.name, one])));
  }
  is(selector) {
    return selector.split(', ').some((one) => {
      if (one === 'input:invalid') { return false; }
      if (one.startsWith('.')) { return (this.attributes.class || '').split(' ').includes(one.slice(1)); }
      const [tag, attribute] = one.replace(']', '').split('[');
      const [own, name] = tag.split('.');
      return this.tagName === own.toUpperCase() && (!attribute || attribute in this.attributes) && (!name || this.is('.' + name));
    });
  }
  querySelectorAll(selector) { return this.all().filter((one) => one.is(selector)); }
  querySelector(selector) { return this.querySelectorAll(selector)[0] || null; }
  closest(selector) { return this.is(selector) ? this : this.parent ? this.parent.closest(selector) : null; }
  addEventListener(name, then) { super.addEventListener(name, then); }
}
for (const name of ['innerHTML', 'outerHTML']) {
  Object.defineProperty(Element.prototype, name, { set() { assert.fail('sets ' + name); } });
}
Element.prototype.insertAdjacentHTML = () => assert.fail('inserts markup');

/** The body of the page, as far as it is well-formed; scripts are text. */
function parsed(text) {
  const body = new Element('body');
  let at = body;
  for (const [, close, tag, attributes, inner] of text.matchAll(/<(\/?)([a-z0-9]+)([^>]*)>([^<]*)/g)) {
    if (close) { at = at.parent || body; } else {
      const element = new Element(tag);
      for (const [, name, , value] of attributes.matchAll(/([a-z-]+)(="([^"]*)")?/g)) { element.attributes[name] = value || ''; }
      for (const name of Object.keys(element.attributes)) { if (name.startsWith('data-')) { element.dataset[name.slice(5)] = element.attributes[name]; } }
      at.append(element);
      if (!EMPTY.has(tag)) { at = element; }
    }
    if (inner) { at.append(inner); }
  }
  return body;
}

const begin = page.lastIndexOf('<script>') + '<script>'.length;
const script = page.slice(begin, page.indexOf('</script>', begin));
const markup = page.slice(page.indexOf('<main>'), begin - '<script>'.length).replace(/<style>[^]*?<\/style>/, '');

/** Opens the page at a link; resolves to its body, what it asked and its address once an answer is shown. */
async function opened(hash, json) {
  const body = parsed(markup);
  const asked = [];
  const address = { hash: hash };
  const document = {
    documentElement: new Element('html'),
    getElementById: (id) => body.all().find((one) => one.id === id),
    createElement: (tag) => new Element(tag),
  };
  let done;
  const shown = new Promise((resolve) => { done = resolve; });
  class Worker extends EventTarget {
    postMessage(message) {
      if (!message.ask) { return; }
      asked.push(message.ask);
      setTimeout(() => {
        this.dispatchEvent(Object.assign(new Event('message'), { data: { number: message.number, code: 0, json: json, message: '<img src=x onerror=alert(1)>', notes: [] } }));
        done();
      }, 0);
    }
    terminate() {}
  }
  class FormData {
    constructor(form) { this.form = form; }
    *[Symbol.iterator]() { for (const field of this.form.elements) { if (field.name) { yield [field.name, field.value]; } } }
  }
  const history = { replaceState: (state, title, url) => { address.hash = url; } };
  new Function('document', 'location', 'history', 'Worker', 'FormData', 'console', script)(
    document, address, history, Worker, FormData, { error: (what) => assert.fail(what) });
  await Promise.race([shown, new Promise((_, reject) => setTimeout(() => reject(new Error('no answer is shown: ' + document.getElementById('status').textContent)), 20000).unref())]);
  return { body: body, asked: asked, address: address.hash, answer: document.getElementById('answer') };
}

const EVIL = '"><img src=x onerror=alert(1)><script>alert(2)</script>';
const SHELL = "1'; touch HACKED; $(touch HACKED) `touch HACKED` \"\n";
const LINKS = [
  '#gpus=8&batch=' + encodeURIComponent(EVIL),
  '#gpus=8&model=' + encodeURIComponent(EVIL) + '&machine=' + encodeURIComponent(EVIL) + '&software=' + encodeURIComponent(EVIL),
  '#gpus=8&model=mixtral-8x7b&set.layers=' + encodeURIComponent(EVIL + SHELL),
  '#gpus=8&__proto__.polluted=1&constructor.prototype.polluted=1&set.__proto__=1&adjust.__proto__=9',
  '#gpus=8&adjust.memory=Infinity&axis.tensor=1e999&command=report&options.output=/etc/passwd&name=x&elements=y',
  '#%E0%A4%A=%&gpus=8&=&&==&gpus=9',
];

function check(opened) {
  const tags = new Set(opened.body.all().map((one) => one.tagName));
  for (const tag of ['IMG', 'IFRAME', 'OBJECT', 'A', 'SVG', 'BASE']) { assert(!tags.has(tag), 'has an element ' + tag); }
  assert.strictEqual(opened.body.all().filter((one) => one.tagName === 'SCRIPT').length, markup.match(/<script/g).length);
  assert.strictEqual({}.polluted, undefined);
  for (const question of opened.asked) {
    assert.strictEqual(question.command, 'plan');
    for (const name of Object.keys(question.options)) {
      assert(['machine', 'gpus', 'top', 'batch', 'strategy', 'software', 'fixed', 'seq', 'set', 'adjust'].includes(name), 'asks with ' + name);
    }
  }
  assert.deepStrictEqual([...new URLSearchParams(opened.address.slice(1)).keys()].filter((key) => !/^(model|machine|gpus|batch|software|strategy|recompute|zero|(axis|set|adjust)\.\w[\w.]*)$/.test(key)), []);
}

async function main() {
  for (const link of LINKS) { check(await opened(link, answer)); }
  // The command that it shows is the question, word for word, in a shell.
  const typed = await opened(LINKS[2], answer);
  const command = typed.answer.querySelectorAll('pre').pop().textContent;
  const words = execFileSync('sh', ['-c', 'printf "%s\\0" ' + command], { encoding: 'utf8' }).split('\0');
  assert(words.includes('layers=' + typed.asked[0].options.set.layers), 'the shell reads ' + JSON.stringify(words));
  assert(!fs.existsSync('HACKED'));
  // An answer whose names are markup is text.
  const odd = JSON.parse(answer);
  odd.plans[0].strategy = odd.plans[0].framework = EVIL;
  odd.plans[0].provenance = odd.plans[0].provenance.map(() => EVIL);
  const shown = await opened('#gpus=8', JSON.stringify(odd));
  check(shown);
  assert(shown.answer.textContent.includes(EVIL), 'the names of the answer are shown');
  // Neither an answer nor a message.
  const none = await opened('#gpus=8', '');
  check(none);
  assert(none.answer.textContent.includes('<img src=x'), 'a message is shown');
  console.log(LINKS.length + ' links opened');
}

main().catch((error) => { console.error(String(error.stack || error)); process.exit(1); });

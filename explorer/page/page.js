'use strict';
(function () {
  const root = document.documentElement;
  const form = document.getElementById('question');
  const state = document.getElementById('status');
  const place = document.getElementById('answer');
  const AXES = ['tensor', 'pipeline', 'context', 'expert'];
  const ZERO = { none: 'none', states: 'ZeRO-1', gradients: 'ZeRO-2', parameters: 'ZeRO-3' };
  const FACTORS = [0.1, 0.25, 0.5, 0.8, 1, 1.25, 2, 4, 10];
  const folded = form.closest('details.folded');
  const HEADING = folded ? 'h3' : 'h2';  // of the parts of an answer, below those of the page
  const MOST = 5;                        // plans that the ranking shows
  let data, opening, others, compiled, workerSource, worker = null, asked = 0, waiting = null, now = null, kept = null, timer = 0;

  // Numbers as the program prints them: three significant digits, units at their side.
  function digits(value) {
    if (Math.abs(value) >= 1e15) { return value.toPrecision(3); }
    if (value === 0) { return '0'; }
    const rounded = Number(value.toPrecision(3));
    const whole = Math.floor(Math.log10(Math.abs(rounded)) + 1e-9) + 1;
    return rounded.toLocaleString('en-US', { minimumFractionDigits: Math.max(0, 3 - whole), maximumFractionDigits: Math.max(0, 3 - whole) });
  }
  function scaled(value, scales) {
    const scale = scales.find(function (one) { return Math.abs(value) >= one[0] * 0.9995; }) || scales[scales.length - 1];
    return digits(value / scale[0]) + '\u00a0' + scale[1];
  }
  function seconds(value) { return value === 0 ? '0\u00a0s' : scaled(value, [[1, 's'], [1e-3, 'ms'], [1e-6, 'us'], [1e-9, 'ns']]); }
  function bytes(value) { return scaled(value, [[2 ** 30, 'GiB'], [2 ** 20, 'MiB'], [2 ** 10, 'KiB'], [1, 'B']]); }
  function large(value) { return value < 999500 ? digits(value) : scaled(value, [[1e12, 'trillion'], [1e9, 'billion'], [1e6, 'million']]); }
  function percent(ratio) { return (100 * ratio).toFixed(1) + '\u00a0%'; }
  function whole(value) { return value.toLocaleString('en-US'); }

  function element(tag, content, attributes) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) { made.setAttribute(name, value); }
    for (const part of [].concat(content === undefined || content === null ? [] : content)) {
      made.append(part);
    }
    return made;
  }
  function option(value, text) { return element('option', text === undefined ? value : text, { value: value }); }

  async function unpacked(id) {
    const packed = Uint8Array.from(atob(document.getElementById(id).textContent), function (c) { return c.charCodeAt(0); });
    return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  }
  async function unpackedText(id) { return new TextDecoder().decode(await unpacked(id)); }

  // The form. Its values, those that are not left open, are the question, and stand behind the # of the page's address.
  function values() {
    const all = {};
    for (const [name, value] of new FormData(form)) {
      if (value !== '' && !(name.startsWith('adjust.') && value === '1')) { all[name] = value; }
    }
    return all;
  }
  function fill(all) {
    for (const field of form.elements) {
      if (field.name && all[field.name] !== undefined) {
        if (field.tagName === 'SELECT' && !Array.from(field.options).some(function (one) { return one.value === all[field.name]; })) { continue; }
        field.value = all[field.name];
      }
    }
  }
  function model() { return data.models.find(function (one) { return one.name === form.elements.model.value; }); }
  function machine() { return data.machines.find(function (one) { return one.name === form.elements.machine.value; }); }
  /** What can be scaled is the machine's: its links, its memory. */
  function showChanges(all) {
    const place = document.getElementById('changes');
    place.closest('details').open = place.closest('details').open || Object.keys(all).some(function (name) { return name.startsWith('adjust.'); });
    place.replaceChildren(...machine().parameters.map(function (parameter) {
      const name = 'adjust.' + parameter.key, given = Number(all[name]);
      const factors = given > 0 && !FACTORS.includes(given) ? FACTORS.concat(given).sort(function (a, b) { return a - b; }) : FACTORS;
      const select = element('select', factors.map(function (factor) {
        return option(String(factor), factor === 1 ? parameter.now ? 'as it is: ' + parameter.now : 'as it is' : '× ' + factor);
      }), { name: name });
      select.value = given > 0 ? String(given) : '1';
      return element('label', [parameter.name + ' ', select]);
    }));
    form.elements.gpus.max = machine().gpus;
  }
  /** What can be set is the model's. */
  function showSettings(all) {
    const place = document.getElementById('settings');
    const settings = model() ? model().settings : [];
    place.hidden = !settings.length;
    place.open = place.open || Object.keys(all).some(function (name) { return name.startsWith('set.'); });
    place.querySelector('.pair').replaceChildren(...settings.map(function (setting) {
      const field = element('input', null, { name: 'set.' + setting.name, type: 'text', placeholder: setting.now, autocomplete: 'off', spellcheck: 'false' });
      field.value = all['set.' + setting.name] || '';
      return element('label', [setting.name.replaceAll('_', ' ') + ' ', field]);
    }));
  }
  /** The opening question as fields of the form; what the form has no field for goes into `others`. */
  function opened(asked) {
    const fields = Object.assign({}, asked);
    delete fields.options;
    others = Object.assign({}, asked.options);
    for (const name of ['strategy', 'software']) {
      const known = Array.from(form.elements[name].options).some(function (one) { return one.value === others[name]; });
      if (known) {
        fields[name] = others[name];
        delete others[name];
      }
    }
    const unlisted = (others.fixed || []).filter(function (part) {
      const [name, value] = part.split('=');
      const field = AXES.includes(name) ? 'axis.' + name : name === 'recompute' || name === 'zero' ? name : '';
      if (field) { fields[field] = value; }
      return !field;
    });
    if (others.fixed) { others.fixed = unlisted; }
    const settings = Object.assign({}, others.set, others.seq && { sequence: others.seq }, others.image && { image: others.image });
    for (const [name, value] of Object.entries(settings)) { fields['set.' + name] = value; }
    for (const [name, value] of Object.entries(others.adjust || {})) { fields['adjust.' + name] = String(Number(value)); }
    for (const name of ['set', 'seq', 'image', 'adjust']) { delete others[name]; }
    return fields;
  }
  function showForm() {
    const names = { model: data.models, machine: data.machines };
    for (const [name, things] of Object.entries(names)) {
      form.elements[name].append(...things.map(function (one) {
        return option(one.name, one.title + (one.gpus ? ' (' + whole(one.gpus) + ' × ' + one.device + ')' : ' (' + large(one.parameters) + ')'));
      }));
    }
    form.elements.strategy.append(option('', 'any'), ...data.strategies.map(function (name) { return option(name); }));
    form.elements.software.append(option('', 'usual'), ...data.frameworks.map(function (name) { return option(name); }));
    for (const axis of AXES) {
      document.getElementById('axes').append(element('label', [axis[0].toUpperCase() + axis.slice(1) + ' ',
        element('input', null, { name: 'axis.' + axis, type: 'number', min: 1, step: 1, inputmode: 'numeric', placeholder: 'any' })]));
    }
    document.getElementById('version').textContent = data.version;
  }

  function question(all) {
    const options = Object.assign({ machine: all.machine, top: 2 * MOST }, others);
    for (const name of ['gpus', 'batch', 'strategy', 'software', 'from']) {
      if (all[name] !== undefined) { options[name] = all[name]; }
    }
    const fixed = (others.fixed || []).slice(), adjust = {}, set = {};
    for (const [name, value] of Object.entries(all)) {
      if (name.startsWith('set.')) { set[name.slice(4)] = value; }
      if (name.startsWith('axis.')) { fixed.push(name.slice(5) + '=' + value); }
      if (name.startsWith('adjust.')) { adjust[name.slice(7)] = value; }
      if (name === 'recompute' || name === 'zero') { fixed.push(name + '=' + value); }
    }
    if (fixed.length) { options.fixed = fixed; }
    if (set.sequence !== undefined) {
      options.seq = set.sequence;
      delete set.sequence;
    }
    if (Object.keys(set).length) { options.set = set; }
    if (Object.keys(adjust).length) { options.adjust = adjust; }
    return { command: 'plan', arguments: all.model ? [all.model] : [], options: options };
  }
  /** As the user of the command calls it. */
  function typed(things, name) {
    const thing = things.find(function (one) { return one.name === name; });
    return thing ? thing.typed : name;
  }
  function job(inputs) {
    return typed(data.models, inputs.model) + ' on ' + whole(inputs.gpus) + ' GPUs of ' + typed(data.machines, inputs.machine) + ', batch ' + whole(inputs.batch);
  }
  function shell(asked) {
    const words = ['dodona', asked.command].concat(asked.arguments.map(function (name) { return typed(data.models, name); }));
    for (const [name, value] of Object.entries(asked.options)) {
      if (value.constructor === Object) {
        for (const [key, one] of Object.entries(value)) { words.push('--' + name, key + '=' + one); }
      } else {
        words.push('--' + name, name === 'machine' ? typed(data.machines, value) : Array.isArray(value) ? value.join(',') : typed(data.models, String(value)));
      }
    }
    return words.map(function (word) { return /^[\w.,=+:/-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'"; }).join(' ');
  }

  // The worker. A question that comes while another is answered ends that one.
  function startWorker() {
    const url = URL.createObjectURL(new Blob([workerSource], { type: 'text/javascript' }));
    worker = new Worker(url);
    worker.addEventListener('message', answered);
    worker.addEventListener('error', function (event) { failed('the search cannot run here: ' + event.message); });
    worker.postMessage({ start: { compiled: compiled, files: data.files } });
  }
  function ask() {
    const all = values();
    mark();
    history.replaceState(null, '', '#' + new URLSearchParams(all));
    const wrong = form.querySelector('input:invalid');
    if (wrong) {
      state.textContent = wrong.name.replace('axis.', '') + ': ' + wrong.validationMessage;
      return;
    }
    if (waiting) {
      worker.terminate();
      startWorker();
    }
    waiting = { number: ++asked, values: all, question: question(all), begin: performance.now() };
    state.textContent = 'searching';
    place.classList.add('old');
    root.dataset.answer = 'searching';
    worker.postMessage({ ask: waiting.question, number: waiting.number });
  }
  function answered(event) {
    if (!waiting || event.data.number !== waiting.number) { return; }
    const its = Object.assign(waiting, event.data);
    waiting = null;
    place.classList.remove('old');
    its.answer = its.json ? JSON.parse(its.json) : null;
    const found = best(its);
    state.textContent = (found ? seconds(found.step_time_s.value) + ' a step, ' + bytes(found.memory_bytes.total) + ' a GPU' : its.answer ? 'nothing fits' : 'no answer') +
      '; answered in ' + seconds((performance.now() - its.begin) / 1000);
    if (its.answer) {
      kept = kept || its;
      now = its;
    }
    show(its);
    document.getElementById('dodona-answer').textContent = its.json;
    root.dataset.answer = String(its.code);
  }
  function failed(what) {
    root.dataset.answer = 'failed';
    state.textContent = what;
    console.error(what);
  }
  /** Fields that differ from those of the answer compared with. */
  function mark() {
    const all = values(), before = kept ? kept.values : all;
    for (const field of form.elements) {
      if (field.name) { field.classList.toggle('changed', (all[field.name] || '') !== (before[field.name] || '')); }
    }
  }

  // The answer.
  function best(its) { return its && its.answer && its.answer.plans.length ? its.answer.plans[0] : null; }
  function mesh(plan) {
    const used = function (axis) { return plan.mesh[axis] > 1; };
    const axes = Object.keys(plan.mesh).filter(used).map(function (axis) { return axis + ' ' + plan.mesh[axis]; });
    const folds = Object.entries(plan.fold || {}).filter(function (fold) { return fold[1].size > 1; }).map(function (fold) {
      return fold[0] + ' ' + fold[1].size + ' over ' + fold[1].of.filter(used).join(' and ');
    });
    return axes.length ? axes.concat(folds).join(', ') : 'one GPU';
  }
  /** As the command prints it: only a pipeline has a schedule. */
  function steps(plan) {
    return plan.microbatch + ' × ' + plan.microbatches + (plan.mesh.pipeline > 1 ? ', ' + plan.schedule : '') +
      (plan.virtual_stages > 1 ? ', ' + plan.virtual_stages + ' virtual stages' : '');
  }
  function speed(plan) { return plan.tokens_per_s || plan.samples_per_s; }
  function figure(name, value, note, before, is, lessIsBetter) {
    const parts = [value];
    if (note) { parts.push(element('small', note)); }
    if (before && before !== is) {
      const change = is / before - 1;
      const even = Math.abs(change) < 0.0005;
      parts.push(element('small', even ? 'as before' : (change > 0 ? '+' : '\u2212') + percent(Math.abs(change)) + ' in comparison',
        even ? {} : { class: (change < 0) === lessIsBetter ? 'good' : 'bad' }));
    }
    return element('div', [element('dt', name), element('dd', parts)]);
  }
  function figures(plan, before) {
    const all = element('dl', [
      figure('Step time', seconds(plan.step_time_s.value), '90 % interval ' + seconds(plan.step_time_s.lo) + ' to ' + seconds(plan.step_time_s.hi),
        before && before.step_time_s.value, plan.step_time_s.value, true),
      figure('Throughput', digits(speed(plan)) + (plan.tokens_per_s ? ' tokens/s' : ' samples/s'), '', before && speed(before), speed(plan), false),
      figure('MFU', percent(plan.mfu), '', before && before.mfu, plan.mfu, false),
      figure('Memory of a GPU', bytes(plan.memory_bytes.total), 'of ' + bytes(plan.memory_limit_bytes), before && before.memory_bytes.total, plan.memory_bytes.total, true)]);
    return all;
  }
  function barOf(parts, amounts, scale, text, name) {
    const said = parts.filter(function (part) { return amounts[part.key] > 0; }).map(function (part) {
      return part.name + ' ' + text(amounts[part.key]);
    }).join(', ');
    return element('div', parts.filter(function (part) { return amounts[part.key] > 0; }).map(function (part) {
      return element('span', null, { style: 'width:' + (100 * amounts[part.key] / scale).toFixed(3) + '%;background:' + part.colour,
        title: part.name + ': ' + text(amounts[part.key]) });
    }), { class: 'bar', role: 'img', 'aria-label': name + ': ' + said });
  }
  /** Bars of both answers on one scale, and a table of their parts. */
  function breakdown(title, parts, is, before, whole, text) {
    const all = [element(HEADING, title)];
    const rows = element('div', null, { class: 'of' });
    if (before) { rows.append(element('span', 'compared'), barOf(parts, before, whole, text, title + ', compared with')); }
    rows.append(element('span', before ? 'now' : ''), barOf(parts, is, whole, text, title));
    all.push(before ? rows : rows.lastChild);
    const there = parts.filter(function (part) { return is[part.key] > 0 || (before && before[part.key] > 0); });
    const seen = there.filter(function (part) { return Math.max(is[part.key], before ? before[part.key] : 0) > 0.005 * whole; });
    all.push(element('div', seen.map(function (part) {
      return element('span', [element('i', null, { style: 'background:' + part.colour }), part.name]);
    }), { class: 'key', 'aria-hidden': 'true' }));
    const heads = ['part'].concat(before ? ['compared with', 'now', 'difference'] : ['now']);
    const table = rowsOf(heads, there.map(function (part) {
      const a = before ? before[part.key] || 0 : 0, b = is[part.key] || 0;
      return [part.name].concat(before ? [text(a), text(b), a === b ? '' : (b > a ? '+' : '\u2212') + text(Math.abs(b - a))] : [text(b)]);
    }), 1, title + ', the numbers');
    all.push(element('details', [element('summary', 'The numbers'), table]));
    return all;
  }
  function rowsOf(heads, rows, rightFrom, caption) {
    const right = function (i) { return i >= rightFrom ? { class: 'r' } : {}; };
    const table = element('table', [
      element('thead', element('tr', heads.map(function (head, i) { return element('th', head, Object.assign({ scope: 'col' }, right(i))); }))),
      element('tbody', rows.map(function (row) { return element('tr', row.map(function (cell, i) { return element('td', cell, right(i)); })); }))],
      { 'aria-label': caption });
    return element('div', table, { class: 'wide', tabindex: '0', role: 'region', 'aria-label': caption });
  }
  /** Whether two plans lay the same sizes on the same axes, and differ only in what their strategies are called. */
  function layout(plan) {
    const axes = Object.entries(plan.mesh).filter(function (axis) { return axis[1] > 1; }).sort();
    return JSON.stringify([axes, plan.fold, plan.framework, plan.microbatch, plan.recompute, plan.shard, plan.schedule, plan.virtual_stages, plan.memory_bytes.total]);
  }
  /** Each layout once, where it is fastest; `also`: its other names. */
  function distinct(plans) {
    const seen = new Map();
    for (const plan of plans) {
      const first = seen.get(layout(plan));
      if (!first) {
        seen.set(layout(plan), { plan: plan, also: [] });
      } else if (first.plan.strategy !== plan.strategy && !first.also.includes(plan.strategy)) {
        first.also.push(plan.strategy);
      }
    }
    return Array.from(seen.values()).slice(0, MOST);
  }
  function ranking(all) {
    const shown = distinct(all), plans = shown.map(function (one) { return one.plan; });
    const tied = plans.some(function (plan) { return plan.tied_with_first; });
    return [tied ? element('p', '~ tied with the first: they differ by less than predictions may be off', { class: 'note' }) : '', rowsOf(['#', 'strategy, mesh', 'micro-batch × steps, schedule', 'recompute, ZeRO', 'step', 'MFU', 'memory'], plans.map(function (plan, i) {
      return [(plan.tied_with_first ? '~' : '') + (i + 1), plan.strategy + ': ' + mesh(plan) +
        (plan.framework === plans[0].framework ? '' : ', with ' + plan.framework) + (shown[i].also.length ? '; also as ' + shown[i].also.join(', ') : ''), steps(plan),
        plan.recompute + ', ' + ZERO[plan.shard], seconds(plan.step_time_s.value), percent(plan.mfu), bytes(plan.memory_bytes.total)];
    }), 4, 'the best plans')];
  }
  function listOf(title, items, isOpen) {
    const list = element('ul', items.map(function (item) { return element('li', item); }));
    return items.length ? element('details', [element('summary', title), list], isOpen ? { open: '' } : {}) : '';
  }
  function misfits(answer) {
    const count = answer.infeasible.reduce(function (sum, group) { return sum + group.count; }, 0);
    if (!count) { return ''; }
    return element('details', [element('summary', 'What does not fit: ' + whole(count) + ' of ' + whole(answer.search.configurations) + ' configurations'),
      rowsOf(['configurations', 'strategy', 'why'], answer.infeasible.map(function (group) {
        return [whole(group.count), group.strategy, group.reason + (group.nearest ? '; nearest: ' + group.nearest : '')];
      }), 9, 'what does not fit')]);
  }
  function show(its) {
    const all = [], plan = best(its);
    const before = kept !== its ? best(kept) : null;
    if (!its.answer) {
      all.push(element('pre', its.message));
    } else {
      const inputs = its.answer.inputs;
      all.push(element('p', job(inputs) + ': ' + (plan ? plan.strategy + ' on ' + mesh(plan) + ', with ' + plan.framework : 'nothing fits'), { class: plan ? 'headline' : 'headline bad' }));
      if (its.answer.from) {
        const launched = its.answer.from.plan;
        all.push(element('p', 'As ' + typed(data.models, its.answer.from.file) + ' launches it: ' + launched.strategy + ' on ' + mesh(launched) + ', ' +
          (launched.fits ? seconds(launched.step_time_s.value) + ' a step, ' + bytes(launched.memory_bytes.total) + ' a GPU' : launched.why_not), { class: 'note' }));
      }
      if (before) {
        all.push(element('p', 'Compared with ' + job(kept.answer.inputs) + ': ' + before.strategy + ' on ' + mesh(before), { class: 'note' }));
      }
    }
    if (plan) {
      const total = Math.max(plan.step_time_s.value, before ? before.step_time_s.value : 0);
      all.push(figures(plan, before));
      all.push(...breakdown('Where the time of a step goes', data.time_parts, plan.time_s, before && before.time_s, total, seconds));
      all.push(...breakdown('Memory of a GPU', data.memory_parts, plan.memory_bytes, before && before.memory_bytes,
        Math.max(plan.memory_limit_bytes, before ? before.memory_limit_bytes : 0), bytes));
      all.push(element(HEADING, 'Ranking'), ...ranking(its.answer.plans));
      all.push(listOf('Bottlenecks', plan.bottlenecks.map(function (one) { return one.kind + ': ' + one.text; })));
    } else if (its.answer) {
      all.push(...its.answer.nearest.slice(0, 1).map(function (near) {
        return element('p', 'Nearest: ' + near.strategy + ' on ' + mesh(near) + ' needs ' + bytes(near.memory_bytes.total) + ' of ' + bytes(near.memory_limit_bytes) + ' on each GPU.');
      }));
      all.push(listOf('What would fit', its.answer.remedies.map(function (one) { 
        return one.change + ': ' + one.plan.strategy + ' on ' + mesh(one.plan) + ', ' + seconds(one.plan.step_time_s.value) + ' a step';
      }), true));
    }
    if (its.answer) {
      all.push(misfits(its.answer));
      if (plan) { all.push(listOf('Evidence', plan.provenance)); }
      all.push(element(HEADING, 'The same question to the command'), element('pre', shell(its.question)));
    }
    place.replaceChildren(...all);
    mark();
  }

  // The reader.
  function changed() {
    clearTimeout(timer);
    timer = setTimeout(ask, 150);
  }
  form.addEventListener('input', function (event) {
    if (event.target.name === 'machine') { showChanges({}); }
    if (event.target.name === 'model') { showSettings({}); }
    changed();
  });
  form.addEventListener('submit', function (event) { event.preventDefault(); ask(); });
  form.addEventListener('reset', function (event) {
    event.preventDefault();
    form.querySelectorAll('select, input').forEach(function (field) { field.value = ''; });
    kept = null;
    fill(opening);
    showChanges(opening);
    showSettings(opening);
    ask();
  });
  form.querySelectorAll('button[data-times]').forEach(function (button) {
    button.addEventListener('click', function () {
      const field = form.elements.gpus, most = Number(field.max) || Infinity;
      field.value = String(Math.min(most, Math.max(1, Math.round(Number(field.value) * Number(button.dataset.times)))));
      changed();
    });
  });
  document.getElementById('keep').addEventListener('click', function () {
    if (now) {
      kept = now;
      show(now);
    }
  });

  // Files that the reader drops or chooses: the config.json of a network, or what launches a training. They stay in this page.
  function isNetwork(text) {
    try {
      const read = JSON.parse(text);
      return ['model_type', 'architectures', '_class_name'].some(function (key) { return key in read; });
    } catch { return false; }
  }
  async function take(files) {
    for (const file of worker ? files : []) {
      if (/\.ya?ml$/.test(file.name) || file.size > 2 ** 20) {
        state.textContent = file.name + ': a page reads a config.json or a script of up to 1 MiB; the command reads others: dodona plan --from FILE';
        return;
      }
      const text = await file.text();
      const is = isNetwork(text) ? 'model' : 'from';
      const path = 'own/1/2/' + (is === 'model' ? 'models/' : 'launch/') + file.name;
      const one = { name: '/dodona/' + path, title: file.name, typed: './' + file.name, settings: [] };
      data.files[path] = text;
      data.models = data.models.filter(function (other) { return other.name !== one.name; }).concat(one);
      if (!Array.from(form.elements[is].options).some(function (other) { return other.value === one.name; })) {
        form.elements[is].prepend(option(one.name, file.name));
      }
      form.elements[is].value = one.name;
      form.elements.batch.value = '';
      if (is === 'from') {  // says the rest
        if (form.elements.model.options[0].value !== '') { form.elements.model.prepend(option('', 'as it launches')); }
        form.elements.model.value = form.elements.gpus.value = '';
        form.elements.from.closest('label').hidden = false;
      }
    }
    if (worker && files.length) {
      showSettings({});
      waiting = null;
      worker.terminate();
      startWorker();
      ask();
    }
  }
  document.getElementById('files').addEventListener('change', function (event) { take(event.target.files); });
  for (const [name, takes] of Object.entries({ dragover: false, drop: true })) {
    root.addEventListener(name, function (event) {
      event.preventDefault();
      if (takes) { take(event.dataTransfer.files); }
    });
  }

  async function start() {
    const given = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    data = JSON.parse(await unpackedText('dodona-data'));
    showForm();
    opening = Object.assign({ model: 'llama-3.1-8b', machine: 'dgx-h100', gpus: '16', from: '', strategy: '', software: '', recompute: '', zero: '' },
      opened(JSON.parse(await unpackedText('dodona-question'))));
    const first = given.gpus ? given : opening;
    fill(Object.assign({}, opening, given));
    showChanges(first);
    showSettings(first);
    workerSource = await unpackedText('dodona-worker');
    compiled = await WebAssembly.compile(await unpacked('dodona-module'));
    startWorker();
    ask();
  }
  function open() {
    start().catch(function (error) { failed('the search cannot run here: ' + error); });
  }
  if (folded && location.hash.includes('gpus=')) { folded.open = true; }
  if (folded && !folded.open) {
    folded.addEventListener('toggle', open, { once: true });
  } else {
    open();
  }
})();

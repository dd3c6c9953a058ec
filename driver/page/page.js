'use strict';
/* The explorer: panes of lines, each of which knows the source line that it came from. Lines are made in chunks: of a
 * short pane when it is first shown, of a long one when they come near the view; one listener serves all. */
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const $ = id => document.getElementById(id);
const escape = s => s.replace(/[&<>]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }[c]));
const names = { ttir: 'ttir', ttgir: 'ttgir', llir: 'LLVM IR', ptx: 'PTX', sass: 'SASS', amdgcn: 'AMDGCN', asm: 'assembly',
  spvasm: 'SPIR-V', linalg: 'linalg' };
let variant = 0, hidden = new Set(), panes = [], kept = 0, at = null;

/* --- which source line a line came from ------------------------------------------------------ */

const own = data.file.replace(/^(\.\/)+/, '');
const isMain = file => file === data.file || file === data.name || file === own || file.endsWith('/' + own);

/* MLIR: `loc(...)` at the end, mostly an alias "#loc7" defined below. Of call sites the place in this file counts. */
function readMlir(text) {
  const table = new Map(), lines = [], rows = text.split('\n'), known = new Map();
  const body = [];
  for (const row of rows) {
    const alias = /^(#loc\d*) = loc\((.*)\)$/.exec(row);
    if (alias) table.set(alias[1], alias[2]);
    else body.push(row);
  }
  function resolve(word, depth) {
    if (depth > 50) return 0;
    if (known.has(word)) return known.get(word);
    let found = 0;
    const place = /"((?:[^"\\]|\\.)*)":(\d+):\d+/.exec(word);
    if (place && isMain(JSON.parse('"' + place[1] + '"'))) found = +place[2];
    for (const part of found ? [] : word.match(/#loc\d*/g) || [])
      if (part !== word && (found = resolve(table.get(part) || '', depth + 1))) break;
    known.set(word, found);
    return found;
  }
  for (const row of body) {
    const place = / loc\((.*)\)$/.exec(row);
    const shown = row.replace(/ loc\((?:[^()]|\([^()]*\))*\)/g, '');
    if (!shown && !lines.length) continue;
    lines.push({ text: shown, from: place ? resolve(table.get(place[1]) || place[1], 0) : 0 });
  }
  while (lines.length && !lines[lines.length - 1].text) lines.pop();
  return lines;
}

/* LLVM IR: !dbg !12, with !12 = !DILocation(line: 3, ..., scope: !4, inlinedAt: !9). */
function readLlvm(text) {
  const nodes = new Map(), lines = [], known = new Map(), body = [];
  for (const row of text.split('\n')) {
    const node = /^(!\d+) = (.*)$/.exec(row);
    if (node) nodes.set(node[1], node[2]);
    else if (!row.startsWith('!')) body.push(row);
  }
  const field = (text, key) => { const m = new RegExp(key + ': (!\\d+|"[^"]*"|\\d+)').exec(text || ''); return m ? m[1] : ''; };
  function fileOf(scope, depth) {
    const node = nodes.get(scope) || '';
    if (/^(distinct )?!DIFile/.test(node)) return field(node, 'filename').slice(1, -1);
    const next = field(node, 'file') || field(node, 'scope');
    return next && depth < 50 ? fileOf(next, depth + 1) : '';
  }
  function resolve(id, depth) {
    if (known.has(id)) return known.get(id);
    const node = nodes.get(id) || '', file = fileOf(field(node, 'scope'), 0), outer = field(node, 'inlinedAt');
    const own = !file || isMain(file) || data.file.endsWith('/' + file) ? +field(node, 'line') : 0;
    const line = own || (outer && depth < 50 ? resolve(outer, depth + 1) : 0);
    known.set(id, line);
    return line;
  }
  for (const row of body) {
    const place = /!dbg (!\d+)/.exec(row);
    lines.push({ text: row.replace(/,? !dbg !\d+/g, ''), from: place && !/^define/.test(row) ? resolve(place[1], 0) : 0 });
  }
  while (lines.length && !lines[lines.length - 1].text) lines.pop();
  return lines;
}

/* Assembly: .loc FILE LINE holds for what follows; what was inlined names its caller. */
function readAssembly(text) {
  const files = new Map(), lines = [];
  let from = 0, inDebug = false;
  for (const row of text.split('\n')) {
    const file = /^\s*\.file\s+(\d+)\s+(.*)$/.exec(row);
    if (file) {
      const parts = (file[2].match(/"[^"]*"/g) || []).map(s => s.slice(1, -1));
      files.set(file[1], parts.length > 1 && !parts[1].startsWith('/') ? parts[0] + '/' + parts[1] : parts[parts.length - 1]);
    }
  }
  const isOwn = n => !files.has(n) || isMain(files.get(n)) || data.file.endsWith('/' + files.get(n));
  for (const row of text.split('\n')) {
    if (/^\s*\.section\s+"?\.debug/.test(row)) inDebug = true;
    else if (/^\s*\.(section|text)\b/.test(row)) inDebug = false;
    const loc = /^\s*\.loc\s+(\d+)\s+(\d+)/.exec(row);
    if (loc) {
      const caller = /inlined_at (\d+) (\d+)/.exec(row);
      from = isOwn(loc[1]) ? +loc[2] : caller && isOwn(caller[1]) ? +caller[2] : from;
      continue;
    }
    if (inDebug || /^\s*\.file\s/.test(row) || /^\$?L__tmp\d+:|^\.Ltmp\d+:/.test(row)) continue;
    const isCode = /^\s+[^.\s/;#]/.test(row) && !/:\s*$/.test(row);
    if (/^\s*\.(entry|visible|globl|type)\b/.test(row)) from = 0;
    lines.push({ text: row.replace(/\t/g, '    '), from: isCode ? from : 0 });
  }
  return lines;
}

/* nvdisasm: //## File "k.py", line 7, perhaps several for what was inlined. */
function readSass(text) {
  const lines = [];
  let from = 0;
  for (const row of text.split('\n')) {
    const mark = /\/\/## File "([^"]*)", line (\d+)/.exec(row);
    if (mark && isMain(mark[1])) from = +mark[2];
    if (mark || /^\t\/\/   /.test(row)) continue;
    lines.push({ text: row.replace(/\t/g, '    '), from: /\/\*[0-9a-f]{4,}\*\//.test(row) ? from : 0 });
  }
  return lines;
}

/* SPIR-V: OpLine %file LINE COLUMN holds to the end of the block. */
function readSpirv(text) {
  const files = new Map(), lines = [];
  let from = 0;
  for (const row of text.split('\n')) {
    const file = /^\s*(%\S+) = OpString "(.*)"/.exec(row), line = /^\s*OpLine (%\S+) (\d+)/.exec(row);
    if (file) files.set(file[1], file[2]);
    if (line) from = isMain(files.get(line[1]) || '') ? +line[2] : 0;
    if (line) continue;
    if (/= OpLabel|^\s*OpNoLine|OpFunctionEnd/.test(row)) from = 0;
    lines.push({ text: row, from });
  }
  return lines;
}

function readStage(stage) {
  const read = { ttir: readMlir, ttgir: readMlir, linalg: readMlir, llir: readLlvm, sass: readSass,
    spvasm: readSpirv }[stage.name] || readAssembly;
  return read(stage.text);
}

/* --- colours --------------------------------------------------------------------------------- */

const rules = {
  source: /(#.*)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(def|for|in|if|else|elif|while|return|import|from|as|and|or|not|None|True|False|with|pass|lambda|assert|class)\b|\b(\d[\w.]*)/g,
  mlir: /(\/\/.*)|("(?:[^"\\]|\\.)*")|\b((?:tt|ttg|ttng|arith|scf|cf|math|module|linalg|memref|func)\.[\w.]+)|(?<![\w%#])(\d[\w.]*)|(%[\w.]+(?:#\d+)?)/g,
  code: /((?:\/\/|;|#).*)|("(?:[^"\\]|\\.)*")|\b(define|declare|call|br|ret|load|store|add|mul|fma|mov|ld|st|ret|bra|mma|cp)\b|(?<![\w%.])(-?\d[\w.]*)|(%[\w.]+)/g,
};
function paint(text, kind) {
  const rule = rules[kind], classes = ['c', 's', 'k', 'n', 'v'];
  let out = '', done = 0, m;
  rule.lastIndex = 0;
  if (text.length > 2000) return escape(text);
  while ((m = rule.exec(text))) {
    const i = m.slice(1).findIndex(x => x !== undefined);
    out += escape(text.slice(done, m.index)) + '<span class=' + classes[i] + '>' + escape(m[0]) + '</span>';
    done = m.index + m[0].length;
  }
  return out + escape(text.slice(done));
}

/* Strings of several lines: of each line, up to where it ends one (`shut`) and from where it begins one (`tail`). */
function markStrings(lines) {
  const token = /#.*|"""|'''|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;
  let open = '', m;
  for (const line of lines) {
    const end = open ? line.text.indexOf(open) : 0;
    line.tail = line.text.length;
    line.shut = !open ? 0 : end < 0 ? line.tail : end + 3;
    if (end < 0) continue;
    open = '';
    token.lastIndex = line.shut;
    while (!open && (m = token.exec(line.text))) {
      if (m[0] !== '"""' && m[0] !== "'''") continue;
      const close = line.text.indexOf(m[0], m.index + 3);
      token.lastIndex = close + 3;
      if (close < 0) [open, line.tail] = [m[0], m.index];
    }
  }
  return lines;
}
function paintLine(line, kind) {
  const string = s => s && '<span class=s>' + escape(s) + '</span>', { text, shut = 0, tail = text.length } = line;
  return string(text.slice(0, shut)) + paint(text.slice(shut, tail), kind) + string(text.slice(tail));
}

/* --- panes ----------------------------------------------------------------------------------- */

const chunkSize = 200, shortPane = 2000, mostIdle = 10000, lineHeight = 19.5;
const nearLines = 4; /* so far from each other lines still stand together */

function makePane(name, lines, kind, messages, note) {
  const pane = { name, lines, kind, messages, note, byLine: new Map(), marked: [], light: 0, isKept: false, at: -1, element: null };
  lines.forEach((l, i) => {
    if (!l.from) return;
    if (!pane.byLine.has(l.from)) pane.byLine.set(l.from, []);
    pane.byLine.get(l.from).push(i);
  });
  return pane;
}

function messageRow(m) {
  return '<div class="m ' + m.severity + '" role=presentation>' + escape(m.severity + ': ' + m.text) +
    (m.rule ? ' <span class=rule>[' + escape(m.rule) + ']</span>' : '') + '</div>';
}

/* The lines of a pane, as elements of a listbox. */
function rowsOf(pane, from, to) {
  let rows = '';
  for (let k = from; k < to; k++) {
    rows += '<div class=l role=option id=p' + pane.number + 'l' + k + ' data-i=' + k + ' data-n=' + (k + 1) +
      (pane.lines[k].text.trim() ? '>' : ' aria-label=blank>') + paintLine(pane.lines[k], pane.kind) + '</div>';
    for (const m of pane.messages.get(k + 1) || []) rows += messageRow(m);
  }
  return rows;
}
function fillChunk(pane, chunk) {
  if (chunk.isFull) return;
  chunk.isFull = true;
  chunk.style.height = '';
  chunk.innerHTML = rowsOf(pane, chunk.from, chunk.to);
  chunk.rows = chunk.getElementsByClassName('l');
}
/* The element of line i, made where it is not yet. */
function rowFor(pane, i) {
  const chunk = pane.chunks[Math.floor(i / chunkSize)];
  if (!chunk) return null;
  fillChunk(pane, chunk);
  if (!chunk.isNear) setNear(pane, chunk, true);
  return chunk.rows[i - chunk.from];
}
/* Only lines near the view are lit. */
function setNear(pane, chunk, isNear) {
  chunk.isNear = isNear;
  if (!isNear) return;
  fillChunk(pane, chunk);
  markChunk(pane, chunk);
}

function makeChunks(pane) {
  const isLong = pane.lines.length > shortPane;
  pane.chunks = [];
  for (let i = 0; i < pane.lines.length; i += chunkSize) {
    const chunk = document.createElement('div'), end = Math.min(i + chunkSize, pane.lines.length), height = (end - i) * lineHeight + 'px';
    chunk.className = 'chunk';
    chunk.setAttribute('role', 'presentation');
    chunk.style.containIntrinsicSize = 'auto ' + height;
    Object.assign(chunk, { from: i, to: end });
    pane.chunks.push(chunk);
    if (isLong && i > chunkSize) chunk.style.height = height;
    else setNear(pane, chunk, true);
  }
  pane.code.append(...pane.chunks);
  if (!isLong) return;
  const watcher = new IntersectionObserver(found => found.forEach(f => setNear(pane, f.target, f.isIntersecting)),
    { root: pane.code, rootMargin: '1500px 0px' });
  pane.chunks.forEach(c => watcher.observe(c));
}

function fillPane(pane, number) {
  const section = document.createElement('section');
  section.className = 'pane';
  section.setAttribute('aria-label', pane.name);
  const isMade = pane.lines.some(l => l.text);
  section.innerHTML = '<h2>' + escape(pane.name) + '<span>' +
    (isMade ? pane.lines.length + ' lines' + (pane.note ? ', cut' : '') : 'not made') + '</span></h2>' +
    '<div class=code role=listbox tabindex=0 aria-label="' + escape(pane.name) + ', lines"></div>';
  if (pane.note) section.insertAdjacentHTML('beforeend', '<p class=note>' + escape(pane.note) + '</p>');
  pane.element = section;
  pane.code = section.querySelector('.code');
  pane.code.style.setProperty('--digits', Math.max(2, String(pane.lines.length).length));
  pane.number = number;
  section.pane = pane;
  makeChunks(pane);
}

/* What is shown and not yet made is made when the browser has nothing else to do, so that it can search there, up to
 * where that would cost memory. */
function fillIdly() {
  let made = 0;
  const later = window.requestIdleCallback || (f => setTimeout(() => f({ timeRemaining: () => 8 }), 50));
  const step = time => {
    for (const pane of panes)
      for (const chunk of (pane.element && pane.chunks) || []) {
        if (chunk.isFull || made >= mostIdle) continue;
        if (time.timeRemaining() < 4) return later(step);
        fillChunk(pane, chunk);
        made += chunkSize;
      }
  };
  later(step);
}

function messagesByLine(v) {
  const found = new Map();
  for (const m of v.messages) {
    if (!m.line) continue;
    if (!found.has(m.line)) found.set(m.line, []);
    if (!found.get(m.line).some(o => o.text === m.text)) found.get(m.line).push(m);
  }
  return found;
}

function makePanes() {
  const v = data.variants[variant], none = new Map();
  const source = data.source.replace(/\n$/, '').split('\n').map((text, i) => ({ text: text.replace(/\r$/, ''), from: i + 1 }));
  panes = [makePane('source', markStrings(source), 'source', messagesByLine(v))];
  for (const stage of v.stages)
    panes.push(makePane(names[stage.name] || stage.name, readStage(stage),
      ['ttir', 'ttgir', 'linalg'].includes(stage.name) ? 'mlir' : 'code', none, stage.note));
  panes.forEach(p => { p.isLayouts = p.name === 'ttgir'; });
}

function showPanes() {
  const main = $('panes');
  main.replaceChildren();
  panes.forEach((pane, i) => {
    if (hidden.has(pane.name)) return;
    if (!pane.element) fillPane(pane, i);
    main.append(pane.element);
  });
  light(kept, false);
  fillIdly();
}

/* --- light ----------------------------------------------------------------------------------- */

function markChunk(pane, chunk) {
  const lines = pane.light && pane.byLine.get(pane.light);
  if (!lines) return;
  let low = 0, high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle] < chunk.from) low = middle + 1;
    else high = middle;
  }
  for (; low < lines.length && lines[low] < chunk.to; low++) {
    const row = chunk.rows[lines[low] - chunk.from];
    row.classList.add(pane.isKept ? 'kept' : 'lit');
    pane.marked.push(row);
  }
}

function light(line, isKept, except) {
  let count = 0;
  for (const pane of panes) {
    for (const row of pane.marked) row.classList.remove('lit', 'kept');
    pane.marked = [];
    pane.light = line;
    pane.isKept = isKept || line === kept;
    const lines = pane.element && pane.byLine.get(line);
    if (!lines) continue;
    count += lines.length;
    for (const chunk of pane.chunks) if (chunk.isNear) markChunk(pane, chunk);
    if (isKept && pane !== except) reveal(pane, thickest(lines));
  }
  return count;
}

/* Where most of the lines stand together: the first may be something that was computed once, far above. */
function thickest(lines) {
  let best = 0, length = 0;
  for (let begin = 0, i = 1; i <= lines.length; i++) {
    if (i < lines.length && lines[i] - lines[i - 1] <= nearLines) continue;
    if (i - begin > length) [best, length] = [begin, i - begin];
    begin = i;
  }
  return lines[best];
}

function reveal(pane, i) {
  const row = rowFor(pane, i), box = pane.code.getBoundingClientRect(), r = row.getBoundingClientRect();
  if (r.top < box.top || r.bottom > box.bottom)
    pane.code.scrollTo({ top: pane.code.scrollTop + r.top - box.top - box.height / 3, behavior: Math.abs(r.top - box.top) > 4000 ? 'instant' : 'auto' });
}

function keep(line, except) {
  kept = kept === line ? 0 : line;
  const count = light(kept, true, except);
  $('status').textContent = kept ? 'line ' + kept + ' of the source: ' + count + ' lines in all panes' : '';
}

function setAt(pane, i, isMoved) {
  if (at) at.row.classList.remove('at'), at.row.setAttribute('aria-selected', 'false');
  const row = rowFor(pane, i);
  if (!row) return;
  at = { pane, row };
  pane.at = i;
  row.classList.add('at');
  row.setAttribute('aria-selected', 'true');
  pane.code.setAttribute('aria-activedescendant', row.id);
  if (isMoved) reveal(pane, i);
  if (!kept) light(pane.lines[i].from, false);
  if (isMoved && pane.isLayouts) showLayoutOf(pane.lines[i].text);
}

/* --- layouts --------------------------------------------------------------------------------- */

function showLayout(name) {
  const v = data.variants[variant];
  if (!v.byName) {
    v.byName = new Map(v.drawings.map(d => [d.name, d]).reverse());
    v.pictures = new Map(v.drawings.filter(d => d.svg).map(d => [d.picture, d]).reverse());
  }
  const value = v.byName.get(name);
  if (!value) return false;
  const drawn = v.pictures.get(value.picture);
  const type = v.types[value.type];
  $('layout-name').textContent = value.name + ' : ' + type;
  if ($('layout').shown !== value.picture) {
    $('layout').innerHTML = drawn ? drawn.svg.replace(/<\?xml.*?\?>/, '') : 'This layout is not drawn: ' + escape(type);
    $('layout').shown = value.picture;
  }
  $('layout').setAttribute('aria-label', 'layout of ' + value.name + ', ' + type);
  return true;
}

function showLayoutOf(text) {
  for (const name of text.match(/%[\w.]+(?:#\d+)?/g) || []) if (showLayout(name)) return;
}

/* --- passes ---------------------------------------------------------------------------------- */

function showDiff(pass, button) {
  const box = document.createElement('div');
  box.className = 'diff';
  box.tabIndex = 0;
  box.setAttribute('role', 'region');
  box.setAttribute('aria-label', 'what ' + pass.name + ' changed');
  const classes = { '+': 'added', '-': 'gone' };
  const row = line => '<div class="' + (classes[line[0]] || '') + '">' + line[0] + ' ' + escape(line.slice(1)) + '</div>';
  box.innerHTML = pass.changes.replace(/\n$/, '').split('\n').map(line =>
    line[0] === '@' ? '<div class=cut>@@ ' + line.slice(1) + ' lines @@</div>' : line[0] === '?' ?
      '<div class=cut>' + line.slice(1) + ' more lines; the same command with -print-after=' + escape(pass.name) + ' prints the module</div>' :
      row(line)).join('');
  button.after(box);
}

function showPasses() {
  const v = data.variants[variant], all = $('passes'), longest = Math.max(...v.passes.map(p => p.ms), .001);
  all.replaceChildren();
  let stage = '', changed = 0;
  for (const pass of v.passes) {
    if (pass.stage !== stage) {
      const title = document.createElement('h3');
      title.className = 'stage';
      title.textContent = stage = pass.stage;
      all.append(title);
    }
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'pass';
    button.title = pass.help;
    button.innerHTML = '<span>' + escape(pass.name) + '</span><span>' + pass.ms.toFixed(2) + ' ms</span><span class=bar style="width:' +
      100 * pass.ms / longest + '%"></span>';
    changed += pass.changes !== undefined;
    if (pass.changes === undefined) button.disabled = true;
    else button.setAttribute('aria-expanded', 'false');
    button.pass = pass;
    all.append(button);
  }
  $('passes-summary').textContent = v.passes.length + ' ran, ' + changed + ' changed the module';
}

/* --- the rest -------------------------------------------------------------------------------- */

function showMessages() {
  const v = data.variants[variant], list = $('messages');
  list.replaceChildren();
  for (const m of v.messages) {
    const item = document.createElement('li');
    item.className = m.severity;
    item.innerHTML = (m.line ? '<button type=button data-line=' + m.line + '>line ' + m.line + '</button>' : '') + '<b>' + m.severity +
      '</b> ' + escape(m.text) + (m.rule ? ' <code>' + escape(m.rule) + '</code>' : '');
    list.append(item);
  }
  const count = s => v.messages.filter(m => m.severity === s).length;
  $('messages-summary').textContent = ['error', 'warning', 'remark'].map(s => count(s) + ' ' + s + (count(s) === 1 ? '' : 's')).join(', ');
  $('resources').textContent = v.resources || 'No figures for this architecture.';
}

function addButton(box, text, isPressed, press) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = text;
  button.setAttribute('aria-pressed', isPressed);
  button.addEventListener('click', press);
  box.append(button);
}

function showControls() {
  $('variants').replaceChildren();
  $('shown').replaceChildren();
  data.variants.forEach((v, i) => addButton($('variants'), v.arch + (v.config === undefined ? '' : ' config ' + v.config), i === variant, () => chooseVariant(i)));
  for (const pane of panes)
    addButton($('shown'), pane.name, !hidden.has(pane.name), () => togglePane(pane.name));
}

function togglePane(name) {
  if (!hidden.delete(name)) hidden.add(name);
  showControls();
  showPanes();
}

function chooseVariant(i) {
  variant = (i + data.variants.length) % data.variants.length;
  at = null;
  $('layout').shown = -1;
  makePanes();
  showControls();
  showPanes();
  showPasses();
  showMessages();
}

function lineAt(event) {
  const row = event.target.closest && event.target.closest('.l');
  return row && { pane: row.closest('.pane').pane, i: +row.dataset.i };
}

function movePane(from, step) {
  const shown = panes.filter(p => !hidden.has(p.name)), next = shown[(shown.indexOf(from) + step + shown.length) % shown.length];
  next.element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  next.code.focus();
  const same = kept || (from.at >= 0 && from.lines[from.at].from), found = next.byLine.get(same);
  setAt(next, found ? found[0] : Math.max(next.at, 0), true);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const code = event.target.closest && event.target.closest('.code'), pane = code && code.parentNode.pane;
  if (event.key >= '1' && event.key <= '9') return panes[event.key - 1] && togglePane(panes[event.key - 1].name);
  if (event.key === '[' || event.key === ']') return chooseVariant(variant + (event.key === ']' ? 1 : -1));
  if (event.key === 'Escape') return kept && keep(kept);
  if (!pane) return;
  const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: 25, PageUp: -25, Home: -pane.lines.length, End: pane.lines.length };
  if (event.key in moves)
    setAt(pane, Math.min(Math.max(pane.at + moves[event.key], 0), pane.lines.length - 1), true);
  else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight')
    movePane(pane, event.key === 'ArrowLeft' ? -1 : 1);
  else if ((event.key === 'Enter' || event.key === ' ') && pane.at >= 0 && pane.lines[pane.at].from)
    keep(pane.lines[pane.at].from, pane);
  else
    return;
  event.preventDefault();
}

$('panes').addEventListener('mouseover', event => {
  const line = lineAt(event);
  if (!line) return;
  if (!kept) light(line.pane.lines[line.i].from, false);
  if (line.pane.isLayouts && !(event.target.className === 'v' && showLayout(event.target.textContent)))
    showLayoutOf(line.pane.lines[line.i].text);
});
$('panes').addEventListener('mouseleave', () => !kept && light(0, false));
$('panes').addEventListener('click', event => {
  const line = lineAt(event);
  if (!line) return;
  setAt(line.pane, line.i, false);
  if (line.pane.lines[line.i].from) keep(line.pane.lines[line.i].from, line.pane);
});
document.addEventListener('keydown', onKey);
$('passes').addEventListener('click', event => {
  const button = event.target.closest('.pass');
  if (!button || button.disabled) return;
  const isOpen = button.getAttribute('aria-expanded') === 'true';
  button.setAttribute('aria-expanded', String(!isOpen));
  if (isOpen) button.nextSibling.remove();
  else showDiff(button.pass, button);
});
$('messages').addEventListener('click', event => {
  if (!event.target.dataset.line) return;
  kept = 0;
  keep(+event.target.dataset.line);
});
$('help-button').addEventListener('click', () => {
  $('help').hidden = !$('help').hidden;
  $('help-button').setAttribute('aria-expanded', String(!$('help').hidden));
});
document.title = data.name + ' - tritcc ' + data.version;
$('title').textContent = data.name;
chooseVariant(0);
})();

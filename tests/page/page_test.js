'use strict';
/* Runs within the page, after its own script: clicks, keys and what lights up. What it finds is the element #results,
 * a line "ok NAME" or "not ok NAME: why" each. */
(async () => {
const results = [];
const check = (name, ok, why) => results.push((ok ? 'ok ' : 'not ok ') + name + (ok ? '' : ': ' + why));
const all = selector => [...document.querySelectorAll(selector)];
const pane = name => document.querySelector('.pane[aria-label="' + name + '"]');
const rows = name => [...pane(name).querySelectorAll('.l')];
const row = (name, part) => rows(name).find(r => r.textContent.includes(part));
const lit = name => [...pane(name).querySelectorAll('.lit, .kept')];
const point = element => element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
const press = (key, target) => (target || document.body).dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
try {
  const first = JSON.parse(document.getElementById('data').textContent).variants[0];
  const code = first.stages.some(s => s.name === 'ptx') ? 'PTX' : 'assembly';

  check('every stage has a pane', ['source', 'ttir', 'ttgir', 'LLVM IR', code].every(pane), all('.pane').map(p => p.getAttribute('aria-label')));
  const quoted = row('source', 'The smallest useful kernel');
  check('a string of several lines is one', !quoted || quoted.querySelectorAll('span').length === 1 && quoted.querySelector('.s'), quoted && quoted.innerHTML);
  check('code behind it is code', !quoted || row('source', 'import torch').querySelector('.k'), 'import is no word');
  const load = row('source', 'x = tl.load');
  for (const line of [row('source', 'output = x + y'), load]) { /* of long panes the lines near the view are made */
    line.click();
    press('Escape');
  }
  point(load);
  for (const name of ['source', 'ttir', 'ttgir', 'LLVM IR', code])
    check('a source line lights up ' + name, lit(name).length > 0, 'nothing is lit');
  check('what lights up in ttir is the load', lit('ttir').some(r => r.textContent.includes('tt.load')), lit('ttir').map(r => r.textContent));
  check('what lights up in code loads', lit(code).some(r => /ld\.|v?mov/.test(r.textContent)), lit(code).map(r => r.textContent));
  check('other lines stay dark', !row('source', 'y = tl.load').classList.contains('lit'), 'it is lit');

  point(lit(code)[0]);
  check('a line of code lights up the source', load.classList.contains('lit'), 'it is dark');
  const add = row('ttgir', 'arith.addf');
  point(add.querySelector('.v'));
  check('a line of ttgir lights up its source', row('source', 'output = x + y').classList.contains('lit'), 'it is dark');
  check('the layout of a value is drawn', document.querySelector('#layout svg') && /blocked/.test(document.getElementById('layout-name').textContent), document.getElementById('layout').textContent.slice(0, 80));

  load.click();
  check('a click keeps the line', lit('ttgir').some(r => r.classList.contains('kept')), 'it is not kept');
  point(row('source', 'mask = '));
  check('what is kept stays when others are pointed at', load.classList.contains('kept') && !row('source', 'mask = ').classList.contains('lit'), 'it went');
  check('a click is told to those who listen', /^line \d+ of the source/.test(document.getElementById('status').textContent), document.getElementById('status').textContent);
  press('Escape');
  check('Esc lets go', !load.classList.contains('kept'), 'it is kept');

  const box = pane('source').querySelector('.code');
  box.focus();
  press('Home', box);
  press('ArrowDown', box);
  check('arrows move', box.getAttribute('aria-activedescendant') === rows('source')[1].id, box.getAttribute('aria-activedescendant'));
  row('source', 'x = tl.load').click();
  press('Escape');
  press('ArrowRight', box);
  check('arrows go to the next pane and its line', document.activeElement === pane('ttir').querySelector('.code') &&
    /tt\.load|addptr|splat/.test(document.querySelector('.at').textContent), document.querySelector('.at').textContent);

  press('2');
  check('a digit hides a pane', !pane('ttir'), 'it is there');
  press('2');
  check('and shows it', pane('ttir'), 'it is not there');

  all('.code').forEach(view => view.style.scrollBehavior = 'auto'); /* nothing moves smoothly while nobody looks */
  load.click();
  for (const name of ['ttir', 'ttgir', 'LLVM IR', code]) {
    const runs = [];
    for (const r of lit(name)) {
      if (runs.length && r.dataset.i - runs.at(-1).at(-1).dataset.i <= 4) runs.at(-1).push(r);
      else runs.push([r]);
    }
    const most = Math.max(...runs.map(r => r.length)), first = runs.find(r => r.length === most)[0];
    const at = first.getBoundingClientRect(), box = pane(name).querySelector('.code').getBoundingClientRect();
    check('a click leads ' + name + ' to where most of its lines stand', at.top >= box.top - 1 && at.top < box.bottom, at.top + ' is not in ' + box.top + ', ' + box.bottom);
  }
  press('Escape');
  const numbers = getComputedStyle(row('source', 'output = x + y'), '::before');
  check('numbers have room for their digits', parseFloat(numbers.width) - parseFloat(numbers.paddingRight) >= 2 * 7, numbers.width);

  const pass = all('.pass').find(b => !b.disabled);
  pass.click();
  check('a pass shows what it changed', pass.nextSibling.className === 'diff' && pass.nextSibling.querySelector('.added, .gone'), pass.nextSibling.outerHTML.slice(0, 200));
  pass.click();
  check('and folds it', !document.querySelector('.diff'), 'it is open');
  check('remarks stand at their lines', all('.m.remark').length > 0 && load.nextSibling.classList.contains('remark'), 'there is none');
  check('the name of a remark is not folded', all('.rule').every(r => r.getClientRects().length === 1), all('.rule')[0].outerHTML);
  check('the message list leads to lines', (all('#messages button')[0].click(), document.querySelector('.kept')), 'nothing is kept');
  press('Escape');
  check('resources are told', document.getElementById('resources').textContent.length > 10, document.getElementById('resources').textContent);

  const variants = all('#variants button');
  if (variants.length > 1) {
    press(']');
    check('] chooses the next architecture', all('#variants button')[1].getAttribute('aria-pressed') === 'true', 'it does not');
    all('#variants button').forEach((b, i) => {
      all('#variants button')[i].click();
      const last = all('.pane').pop().getAttribute('aria-label');
      point(row('source', 'x = tl.load'));
      check('lines light up for ' + all('#variants button')[i].textContent + ' in ' + last, lit(last).length > 0, 'nothing is lit');
    });
    all('#variants button')[0].click();
  }
  check('nothing is wider than the window', document.documentElement.scrollWidth <= window.innerWidth, document.documentElement.scrollWidth + ' > ' + window.innerWidth);
  const cut = all('header *, summary, .pane h2').filter(e => e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== 'inline');
  check('no heading is cut', cut.length === 0, cut.map(e => e.outerHTML.slice(0, 80)));
  const before = performance.now();
  for (const r of rows('source').slice(0, 200)) point(r);
  const each = (performance.now() - before) / Math.min(200, rows('source').length);
  check('pointing at a line takes less than 8 ms (' + each.toFixed(2) + ')', each < 8, each);
  if (window.axe) {
    const isLong = rows('source').length > 1000; /* colours, the slowest rule, are those of a short page */
    const found = await window.axe.run(document, { resultTypes: ['violations'], rules: { 'color-contrast': { enabled: !isLong } } });
    check('axe-core finds nothing', found.violations.length === 0, JSON.stringify(found.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 120), v.nodes[0].failureSummary])));
  }
} catch (error) {
  results.push('not ok the test itself: ' + error.stack);
}
const pre = document.createElement('pre');
pre.id = 'results';
pre.textContent = '\n' + results.join('\n') + '\n';
document.body.replaceChildren(pre);
})();

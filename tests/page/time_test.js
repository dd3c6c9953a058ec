'use strict';
/* Runs within the page, after its own script and before the page counts as loaded, on the clock (page_test.js runs on
 * Chromium's virtual time, which stands still in scripts): how long until the page was made and laid out, and until what
 * belongs to a line is lit and laid out. */
(() => {
const results = [];
const check = (name, ms, most) => results.push((ms <= most ? 'ok ' : 'not ok ') + name + ': ' + ms.toFixed(1) + ' ms of ' + most);
const layout = () => document.body.getBoundingClientRect().height + document.querySelector('.code').scrollHeight;
const point = element => element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
layout();
check('made and laid out', performance.now(), 2500);
const source = document.querySelector('.pane[aria-label=source]'), times = [];
const time = act => { const begin = performance.now(); act(); layout(); times.push(performance.now() - begin); };
const p95 = () => times.splice(0).sort((a, b) => a - b).reduce((found, t, i, all) => i <= all.length * .95 ? t : found, 0);
const shown = [...source.querySelectorAll('.l')];
for (let i = 0; i < 400; i++) { const row = shown[(i * 37) % shown.length]; time(() => point(row)); }
check('what a line under the pointer lights up, p95 of 400', p95(), 50);
const layouts = [...document.querySelectorAll('.pane[aria-label=ttgir] .l')];
document.getElementById('layout-box').open = true;
for (let i = 0; i < 200 && layouts.length; i++) { const row = layouts[(i * 37) % layouts.length]; time(() => point(row)); }
check('the layout of a value under the pointer, p95 of 200', p95(), 50);
document.getElementById('layout-box').open = false;
for (let i = 0; i < 40; i++) { const row = shown[(i * 37) % shown.length]; time(() => row.click()); }
check('what a click brings into view, p95 of 40', p95(), 400);
const box = source.querySelector('.code');
for (const key of ['End', 'Home', 'End', 'PageUp', 'PageUp', 'ArrowRight', 'End', 'ArrowRight', 'End'])
  time(() => document.activeElement === document.body ? box.focus() : document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true })));
check('keys, p95', p95(), 200);
const passes = [...document.querySelectorAll('.pass:enabled')];
for (const pass of passes) { time(() => pass.click()); pass.click(); }
check('what a pass changed, the slowest of ' + passes.length, Math.max(0, ...times), 400);
const pre = document.createElement('pre');
pre.id = 'results';
pre.textContent = '\n' + results.join('\n') + '\n';
document.body.replaceChildren(pre);
})();

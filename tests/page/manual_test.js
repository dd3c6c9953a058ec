'use strict';
/* Runs within a page of the manual: nothing is wider than the window, cut, on top of other text, or too small to read; its
 * links lead somewhere. Results are as those of page_test.js. */
(async () => {
const results = [];
const check = (name, bad) => results.push((bad.length ? 'not ok ' : 'ok ') + name + (bad.length ? ': ' + bad.slice(0, 4).join(' | ') : ''));
const all = selector => [...document.querySelectorAll(selector)];
const named = e => e.outerHTML.replace(/\s+/g, ' ').slice(0, 80);
const scrolls = e => { for (; e && e !== document.body; e = e.parentElement) if (getComputedStyle(e).overflowX === 'auto') return true; return false; };
try {
  const width = document.documentElement.clientWidth;
  check('nothing is wider than the window', document.documentElement.scrollWidth > width ? [document.documentElement.scrollWidth] : []);
  check('no text leaves the window', all('p, dt, dd, li, h1, h2, td, pre').filter(e => !scrolls(e) &&
    (e.getBoundingClientRect().right > width + 1 || e.getBoundingClientRect().left < -1)).map(named));
  const texts = [];
  for (const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); walk.nextNode();)
    if (walk.currentNode.data.trim() && !['SCRIPT', 'STYLE'].includes(walk.currentNode.parentElement.tagName)) texts.push(walk.currentNode);
  check('there is text', texts.length > 10 ? [] : [texts.length]);
  check('text is 11 pixels or more', texts.map(t => t.parentElement).filter(e => parseFloat(getComputedStyle(e).fontSize) < 11).map(named));
  const boxes = texts.filter(t => !scrolls(t.parentElement)).flatMap(t => {
    const range = document.createRange();
    range.selectNodeContents(t);
    return [...range.getClientRects()].filter(r => r.width > 1).map(r => ({ r, t }));
  }).sort((a, b) => a.r.top - b.r.top);
  const over = [];
  for (let i = 0; i < boxes.length; i++)
    for (let k = i + 1; k < boxes.length && boxes[k].r.top < boxes[i].r.bottom - 6; k++) {
      const a = boxes[i].r, b = boxes[k].r;
      if (boxes[i].t !== boxes[k].t && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 6)
        over.push(boxes[i].t.data.trim().slice(0, 30) + ' and ' + boxes[k].t.data.trim().slice(0, 30));
    }
  check('no text lies on other text', over);
  check('links within the page lead somewhere', all('a[href^="#"]').filter(a => !document.getElementById(decodeURIComponent(a.getAttribute('href').slice(1)))).map(named));
  if (window.axe) {
    const found = await axe.run(document, { resultTypes: ['violations'] });
    check('axe-core finds nothing', found.violations.map(v => v.id + ' ' + v.nodes.length + ' ' + v.nodes[0].html.slice(0, 100)));
  }
} catch (error) {
  results.push('not ok the test ran: ' + error.stack);
}
const out = document.createElement('pre');
out.id = 'results';
out.textContent = '\n' + results.join('\n') + '\n';
document.body.append(out);
})();

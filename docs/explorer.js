/* Draws what the explorer's page shows as a picture: some lines of three panes around what lights up for one source line,
 * with the page's own colours. pictures.sh puts this behind the page's script and keeps the text of #picture. */
(() => {
  const wanted = ['source', 'ttgir', 'PTX'], line = 'x = tl.load', width = 400, height = 15.5, count = 17, longest = 52;
  const escape = s => s.replace(/[&<>]/g, c => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' }[c]));
  const panes = wanted.map(name => document.querySelector('.pane[aria-label="' + name + '"]'));
  const rowsOf = pane => [...pane.querySelectorAll('.l')];
  rowsOf(panes[0]).find(r => r.textContent.includes(line)).dispatchEvent(new MouseEvent('mouseover', { bubbles: true }));
  const colour = (e, what) => getComputedStyle(e)[what].replace(/rgb\((\d+), (\d+), (\d+)\)/, (m, ...v) =>
    '#' + v.slice(0, 3).map(n => (+n).toString(16).padStart(2, '0')).join(''));
  const ink = colour(document.body, 'color'), total = width * 3, tall = count * height + 42;
  let svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ' + total + ' ' + tall + '" role="img" aria-label="the explorer">\n' +
    '<style>text{white-space:pre}</style>\n<rect width="100%" height="100%" rx="6" fill="' + colour(document.body, 'backgroundColor') + '"/>\n' +
    '<g font-family="ui-monospace,monospace" font-size="11" fill="' + ink + '" xml:space="preserve">\n';
  panes.forEach((pane, p) => {
    const rows = rowsOf(pane), first = Math.max(0, rows.findIndex(r => r.classList.contains('lit')) - 6), x = p * width;
    svg += '<text x="' + (x + 10) + '" y="17" font-weight="bold">' + pane.getAttribute('aria-label') + '</text>\n' +
      '<clipPath id="c' + p + '"><rect x="' + x + '" y="0" width="' + (width - 8) + '" height="' + tall + '"/></clipPath><g clip-path="url(#c' + p + ')">\n';
    rows.slice(first, first + count).forEach((row, i) => {
      const y = 30 + i * height;
      if (row.classList.contains('lit'))
        svg += '<rect x="' + x + '" y="' + y.toFixed(1) + '" width="' + (width - 8) + '" height="' + height + '" fill="' + colour(row, 'backgroundColor') + '"/>';
      svg += '<text x="' + (x + 10) + '" y="' + (y + 11.5).toFixed(1) + '"><tspan fill="' + colour(document.querySelector('.pane h2 span'), 'color') + '">' +
        String(row.dataset.n).padStart(3) + ' </tspan>';
      let used = 0;
      for (const part of row.childNodes) {
        const text = part.textContent.slice(0, Math.max(0, longest - used));
        used += text.length;
        if (text) svg += part.nodeType === 1 ? '<tspan fill="' + colour(part, 'color') + '">' + escape(text) + '</tspan>' : escape(text);
      }
      svg += (row.textContent.length > longest ? '\u2026' : '') + '</text>\n';
    });
    svg += '</g>\n';
  });
  const out = document.createElement('pre');
  out.id = 'picture';
  out.textContent = '\n' + svg + '</g>\n</svg>\n';
  document.body.append(out);
})();

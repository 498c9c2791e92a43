#include "reports/render/html_page.hpp"

namespace dodona::reports {

const std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--page:#fff;--box:#f6f8fa;--good:#116329;--bad:#a40e26}
@media(prefers-color-scheme:dark){:root{--ink:#dfe4ea;--soft:#9aa4af;--rule:#3a414a;--page:#14171b;--box:#1d2228;--good:#6cc788;--bad:#ff8f87}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:1200px;margin:0 auto;padding:1.5rem 1rem 3rem}
h1,p,li,figcaption{overflow-wrap:anywhere}h1{font-size:1.5rem;line-height:1.25;margin:.2rem 0 1rem}h2{font-size:1.15rem;margin:2.4rem 0 .6rem;padding-top:.4rem;border-top:1px solid var(--rule)}
nav{font-size:.85rem;margin:1rem 0}nav a{display:inline-block;margin-right:1rem}a{color:#0072b2}
@media(prefers-color-scheme:dark){a{color:#56b4e9}}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(200px,100%),1fr));gap:.6rem;margin:1rem 0}
dl div{background:var(--box);border-radius:6px;padding:.5rem .8rem}dt{color:var(--soft);font-size:.8rem}dd{margin:0;font-weight:600;overflow-wrap:anywhere}dd small{font-weight:400;color:var(--soft)}
.good{color:var(--good)}.bad{color:var(--bad)}.note{color:var(--soft);font-size:.9rem}
pre{background:var(--box);border-radius:6px;padding:.7rem;white-space:pre-wrap;overflow-wrap:anywhere;font-size:.85rem}
.row{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(300px,100%),1fr));gap:0 1.2rem}.row figure{min-width:0}
figure{margin:1rem 0}figcaption{font-weight:600}.chart{width:100%;min-height:60px}
.wide{overflow-x:auto;max-width:100%}
table{border-collapse:separate;border-spacing:0;font-size:.85rem;width:100%}th,td{padding:.25rem .6rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}
.r{text-align:right}td.r,.n{white-space:nowrap}@media(max-width:640px){table{width:max-content;min-width:100%}td,th{max-width:15rem}tr>:first-child{position:sticky;left:0;background:var(--page)}}th button{all:unset;cursor:pointer;font-weight:600}th button:focus-visible{outline:2px solid #0072b2}
th[aria-sort=ascending] button::after{content:" \2191"}th[aria-sort=descending] button::after{content:" \2193"}
input.filter{font:inherit;font-size:.85rem;padding:.2rem .5rem;margin:.4rem 0;border:1px solid var(--rule);border-radius:4px;background:var(--page);color:var(--ink);max-width:100%}
details{margin:.5rem 0}summary{cursor:pointer;color:var(--soft);font-size:.9rem}
.bar{display:flex;height:1.3rem;border-radius:4px;overflow:hidden;background:var(--box)}.key{font-size:.85rem}.key i{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 .9em}
footer{margin-top:3rem;color:var(--soft);font-size:.8rem}
@page{size:A4;margin:12mm}@media print{:root{--ink:#000;--soft:#444;--rule:#bbb;--page:#fff;--box:#f4f4f4}main{max-width:none;padding:0}nav,.filter,details,section.detail,.chart summary{display:none}body{font-size:10px}h1{font-size:1.6em}h2{font-size:1.2em;margin:1em 0 .3em}table,.note,pre,dt{font-size:.9em}td,th{padding:.1em .6em}dl{grid-template-columns:repeat(4,1fr);margin:.5em 0}.row{grid-template-columns:repeat(3,1fr)}.chart svg{max-width:100%;max-height:230px;width:auto;height:auto}.chart svg text{fill:#000!important}.chart svg line{stroke:#ddd!important}.wide{overflow:visible}td.r,.n{white-space:normal}h2{break-after:avoid}figure,tr{break-inside:avoid}ul{margin:.3em 0}}
)css";

// Tables: a click on a title sorts, a word in the field above filters. Charts: drawn once the page is there, again when it
// changes between light and dark.
const std::string_view kPageScript = R"js(
'use strict';
(function () {
  const root = document.documentElement;
  function key(cell) { return cell.dataset.v === undefined ? NaN : Number(cell.dataset.v); }
  document.querySelectorAll('table').forEach(function (table) {
    const body = table.tBodies[0];
    table.querySelectorAll('th').forEach(function (head, column) {
      const button = document.createElement('button');
      button.textContent = head.textContent;
      head.textContent = '';
      head.appendChild(button);
      button.addEventListener('click', function () {
        const down = head.getAttribute('aria-sort') === 'ascending';
        table.querySelectorAll('th').forEach(function (other) { other.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        const rows = Array.from(body.rows);
        rows.sort(function (a, b) {
          const x = a.cells[column], y = b.cells[column], u = key(x), v = key(y);
          const order = isNaN(u) || isNaN(v)
            ? (isNaN(u) ? 1 : 0) - (isNaN(v) ? 1 : 0) || x.textContent.localeCompare(y.textContent) : u - v;
          return down ? -order : order;
        });
        rows.forEach(function (row) { body.appendChild(row); });
      });
    });
    if (body.rows.length > 8) {
      const field = document.createElement('input');
      field.className = 'filter';
      field.type = 'search';
      field.placeholder = 'show rows with ...';
      field.setAttribute('aria-label', 'show only rows that contain this');
      field.addEventListener('input', function () {
        const word = field.value.toLowerCase();
        Array.from(body.rows).forEach(function (row) {
          row.hidden = !row.textContent.replaceAll('\u00a0', ' ').toLowerCase().includes(word);
        });
      });
      table.parentNode.parentNode.insertBefore(field, table.parentNode);
    }
  });
  const inputs = JSON.parse(document.getElementById('dodona-result').textContent).inputs;
  const days = inputs && inputs.measured_to ? Math.floor((Date.now() - Date.parse(inputs.measured_to)) / 864e5) : -1;
  if (days >= 0) {
    const footer = document.createElement('footer');
    footer.textContent = 'Today the last measurement of the machine is ' + days + ' days old.';
    document.querySelector('main').appendChild(footer);
  }
  const packed = document.getElementById('dodona-scripts');
  if (!packed) { root.dataset.charts = 'none'; return; }
  const dark = window.matchMedia('(prefers-color-scheme: dark)');
  function look(isDark, width, spec) {
    const ink = isDark ? '#dfe4ea' : '#333333', rule = isDark ? '#343b44' : '#e3e6ea';
    return { background: null, font: 'system-ui, sans-serif', view: { stroke: null },
      axis: { labelColor: ink, titleColor: ink, gridColor: rule, domainColor: rule, tickColor: rule, labelFontSize: 12, titleFontSize: 12 },
      legend: { labelColor: ink, labelFontSize: 12, symbolOpacity: 1, columns: legendColumns(width, spec), labelLimit: width - 100 } };
  }
  // As many as there is room for below a chart, beside its axis.
  function legendColumns(width, spec) {
    const longest = Math.max(...spec.layer[0].encoding.color.scale.domain.map(function (name) { return name.length; }));
    return Math.max(1, Math.min(6, Math.floor((width - 90) / (7 * longest + 34))));
  }
  let shown = [], specs = [];
  async function draw(isDark) {
    shown.forEach(function (one) { one.finalize(); });
    shown = [];
    for (const [index, spec] of specs.entries()) {
      const place = document.getElementById('chart-' + index);
      shown.push(await window.vegaEmbed(place, spec, {
        ast: true, config: look(isDark, place.clientWidth, spec), renderer: spec.height > 400 ? 'canvas' : 'svg',
        actions: { export: true, source: false, compiled: false, editor: false } }));
      place.querySelectorAll('summary').forEach(function (menu) {
        menu.setAttribute('aria-label', 'save this chart');
        menu.querySelectorAll('svg').forEach(function (icon) { icon.setAttribute('aria-hidden', 'true'); });
      });
    }
    root.dataset.charts = String(shown.length);
  }
  function unpacked(element) {
    const bytes = Uint8Array.from(atob(element.textContent), function (c) { return c.charCodeAt(0); });
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
  }
  async function start() {
    specs = JSON.parse(await unpacked(document.getElementById('dodona-charts')));
    const script = document.createElement('script');
    script.textContent = await unpacked(packed);
    document.head.appendChild(script);
    await draw(dark.matches);
    let drawing = Promise.resolve(), width = root.clientWidth, timer = 0;
    function again() { drawing = drawing.then(function () { return draw(dark.matches); }); }
    dark.addEventListener('change', again);
    window.addEventListener('resize', function () {
      clearTimeout(timer);
      if (root.clientWidth !== width) {
        width = root.clientWidth;
        timer = setTimeout(again, 200);
      }
    });
  }
  start().catch(function (error) {
    root.dataset.charts = 'failed';
    document.querySelectorAll('figure details').forEach(function (details) { details.open = true; });
    console.error('charts are not drawn: ' + error);
  });
})();
)js";

}  // namespace dodona::reports

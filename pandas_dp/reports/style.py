"""How the page looks, on a screen of any width and on paper."""

STYLE = """
:root { --ink: #222; --soft: #595959; --line: #d5d5d5; --mark: #2f6690; --pale: #f4f6f8; }
* { box-sizing: border-box; }
body { margin: 0; overflow-wrap: anywhere; color: var(--ink); background: #fff;
  font: 16px/1.5 system-ui, Helvetica, Arial, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1.25rem 3rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.35rem; margin: 2.2rem 0 0.6rem; padding-bottom: 0.2rem; border-bottom: 2px solid var(--mark); }
h3 { font-size: 1.1rem; margin: 0 0 0.5rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
a { color: var(--mark); }
.promise { font-size: 1.1rem; border-left: 4px solid var(--mark); padding-left: 0.8rem; }
.said { color: var(--soft); font-size: 0.9rem; }
.guarantee { font-weight: 600; font-size: 0.95rem; }
.hint { border-left: 4px solid #a63d40; padding-left: 0.8rem; font-size: 0.95rem; }
dl { margin: 0.5rem 0; }
dl > div { display: flex; gap: 0.8rem; padding: 0.15rem 0; }
dt { flex: 0 0 9rem; color: var(--soft); }
dd { margin: 0; min-width: 0; }
main > section[id^="release-"] { margin: 1.4rem 0 2.4rem; }
.bar { border: 1px solid var(--soft); height: 0.9rem; border-radius: 3px; max-width: 30rem; }
.bar > div { background: var(--mark); height: 100%; }
.wide { overflow-x: auto; margin: 0.6rem 0; }
.long { max-height: 30rem; overflow-y: auto; border-bottom: 1px solid var(--soft); }
.long thead th, .long thead td { position: sticky; top: 0; background: #fff; }
.wide:focus-visible { outline: 2px solid var(--mark); }
table { overflow-wrap: normal; border-collapse: collapse; min-width: min(100%, 26rem);
  font-variant-numeric: tabular-nums; }
caption { caption-side: top; text-align: left; color: var(--soft); font-size: 0.9rem; padding-bottom: 0.4rem; }
th, td { padding: 0.28rem 0.7rem; border-bottom: 1px solid var(--line); text-align: right; vertical-align: top; }
thead th, thead td { border-bottom: 1px solid var(--soft); vertical-align: bottom; }
th[scope="row"], th[scope="rowgroup"], thead th:first-child { text-align: left; font-weight: 600; }
nav .said { font-size: inherit; }
th[scope="colgroup"] { text-align: center; }
tbody tr:nth-child(even) { background: var(--pale); }
.words { font-size: 0.85rem; }
.words td, .words th { text-align: left; }
.words td { min-width: 4.8rem; }
.ends { display: block; color: var(--soft); font-size: 0.82em; white-space: nowrap; }
figure { margin: 1rem 0 0; }
figure img { display: block; max-width: 100%; height: auto; }
figcaption { color: var(--soft); font-size: 0.9rem; }
footer { margin-top: 2.5rem; border-top: 1px solid var(--line); color: var(--soft); font-size: 0.9rem; }
@media (max-width: 40rem) {
  main { padding: 1rem 1rem 2rem; }
  h1 { font-size: 1.5rem; }
  dl > div { display: block; padding: 0.25rem 0; }
  .numbers { font-size: 0.9rem; }
  th, td { padding: 0.28rem 0.35rem; }
}
@media print {
  @page { margin: 18mm 15mm; }
  body { font-size: 10pt; }
  main { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; }
  tr, figure, dl > div { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; max-height: none; border: 0; }
  .long thead th, .long thead td { position: static; }
  .words { font-size: 7pt; }
  .words td, .words th { padding: 0.15rem 0.3rem; min-width: 0; overflow-wrap: anywhere; }
  figure img { max-height: 20cm; }
  a { color: inherit; text-decoration: none; }
  .bar > div, tbody tr:nth-child(even) { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""

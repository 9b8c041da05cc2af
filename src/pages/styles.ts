/** For all pages: loads nothing, needs no colours, and prints. */
export const BASE_STYLES = `
:root { --ink: #1b2430; --quiet: #4f5b69; --line: #d5dae1; --soft: #f4f6f8; --paper: #fff; --accent: #1f4e79;
  --clear: #2f7d6b; --consider: #b3411a; --good: #e3f2ee; --good-ink: #1d5a4c; --bad: #fbe7df; --bad-ink: #8a2f10;
  --note: #fdf3d7; --note-ink: #6b4e00; }
* { box-sizing: border-box; }
html { color-scheme: light; }
body { margin: 0; background: var(--soft); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif; }
a { color: var(--accent); }
main, .top, footer { max-width: 68rem; margin: 0 auto; padding: 0 1.5rem; }
.top { padding-top: 2.25rem; padding-bottom: 1rem; }
h1 { margin: .15rem 0 .5rem; font-size: 1.9rem; line-height: 1.2; letter-spacing: -.01em; }
h2 { margin: 2.5rem 0 .75rem; padding-top: .9rem; border-top: 2px solid var(--ink); font-size: 1.25rem; }
h3 { margin: 0; font-size: 1.1rem; }
h2.small { margin: 0 0 .35rem; padding: 0; border: 0; font-size: .78rem; letter-spacing: .04em; text-transform: uppercase; color: var(--quiet); }
p { margin: .4rem 0; max-width: 46rem; }
code { font: .86em/1.4 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; }
bdi, td, dd, li { overflow-wrap: anywhere; }
.none, .aside { color: var(--quiet); }
.none { font-style: italic; }
.lead { font-size: 1.02rem; }
.facts { display: grid; grid-template-columns: repeat(auto-fill, minmax(26rem, 1fr)); gap: .15rem 1.5rem; margin: 1rem 0 0; }
.facts div { display: flex; gap: .5rem; border-bottom: 1px solid var(--line); padding: .3rem 0; }
.facts dt { flex: 0 0 7.5rem; color: var(--quiet); }
.facts dd { margin: 0; }
.warning { margin: 1rem 0; padding: .7rem 1rem; border-left: 4px solid var(--consider); background: var(--bad); color: var(--bad-ink); max-width: none; }
.headline { display: grid; grid-template-columns: repeat(4, 1fr); gap: .75rem; padding: 0; margin: 1.25rem 0; list-style: none; }
.headline li { background: var(--paper); border: 1px solid var(--line); border-top: 3px solid var(--accent); border-radius: 4px; padding: .7rem .9rem; }
.headline .bad { border-top-color: var(--consider); }
.headline strong { display: block; font-size: 1.7rem; line-height: 1.15; font-variant-numeric: tabular-nums; }
.headline span { color: var(--quiet); font-size: .86rem; }
.statement { background: var(--paper); border: 1px solid var(--line); border-left: 4px solid var(--clear); border-radius: 4px; padding: .8rem 1.1rem; }
.statement.open { border-left-color: var(--consider); }
.statement .equation { font-size: 1.15rem; font-variant-numeric: tabular-nums; font-weight: 600; }
.scroll { overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: 4px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .38rem .6rem; border-bottom: 1px solid var(--line); }
thead th { background: var(--soft); color: var(--quiet); font-size: .78rem; font-weight: 600; }
tbody th { font-weight: 500; }
tbody tr:last-child > * { border-bottom: 0; }
th.count { text-align: right; }
td.count { text-align: right; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(25rem, 1fr)); gap: 1rem; }
.chart { margin: 0; background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: 1rem 1.1rem; }
.chart figcaption { font-weight: 600; margin-bottom: .5rem; }
.chart svg { width: 100%; height: auto; display: block; }
.chart text { font-size: 12.5px; fill: var(--ink); }
.chart .number { fill: var(--quiet); font-variant-numeric: tabular-nums; }
.axis { stroke: var(--line); }
.legend, .chips { list-style: none; display: flex; flex-wrap: wrap; gap: .35rem .9rem; margin: .5rem 0 0; padding: 0; font-size: .82rem; color: var(--quiet); }
.key { display: inline-block; width: .75rem; height: .75rem; margin-right: .35rem; border-radius: 2px; vertical-align: -1px; }
.t-gap { fill: none; }
.t-clear { fill: var(--clear); background: var(--clear); }
.t-consider { fill: var(--consider); background: var(--consider); }
.t-a { fill: #1f4e79; background: #1f4e79; } .t-b { fill: #6d9bc3; background: #6d9bc3; } .t-c { fill: #b9a15a; background: #b9a15a; }
.chips { gap: .4rem; margin-top: .4rem; }
.chip, .verdict { border-radius: 99px; padding: .05rem .6rem; font-size: .8rem; background: var(--soft); color: var(--ink); border: 1px solid var(--line); white-space: nowrap; }
.chip { white-space: normal; }
.chip.good, .verdict.clear { background: var(--good); color: var(--good-ink); border-color: #b7dcd2; }
.chip.bad, .verdict.consider { background: var(--bad); color: var(--bad-ink); border-color: #f0bfaa; font-weight: 600; }
.chip.note { background: var(--note); color: var(--note-ink); border-color: #ecd793; }
nav.skip a { position: absolute; left: -999rem; } nav.skip a:focus { left: 1rem; top: 1rem; background: var(--paper); padding: .4rem .8rem; }
footer { margin-top: 2.5rem; padding-bottom: 2.5rem; color: var(--quiet); font-size: .85rem; border-top: 1px solid var(--line); padding-top: .8rem; }
@media (max-width: 46rem) { .headline { grid-template-columns: 1fr 1fr; } .facts { grid-template-columns: 1fr; } .charts { grid-template-columns: 1fr; } }
@media print {
  .headline li, .statement, .chart, tr { break-inside: avoid; }
  body { background: #fff; font-size: 9.5pt; line-height: 1.38; }
  main, .top, footer { max-width: none; padding-left: 0; padding-right: 0; }
  .top { padding-top: 0; }
  h1 { font-size: 19pt; } h2 { font-size: 13pt; break-after: avoid; margin-top: 16pt; } h3 { break-after: avoid; }
  .facts { grid-template-columns: 1fr 1fr; }
  .headline { grid-template-columns: repeat(4, 1fr); }
  .charts { grid-template-columns: 1fr 1fr; gap: 8pt; }
  table { font-size: 8.5pt; } th, td { padding: 2pt 4pt; }
  .scroll { overflow: visible; border: 0; } thead { display: table-header-group; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  a { color: inherit; text-decoration: none; } nav.skip, footer { display: none; }
}
`;

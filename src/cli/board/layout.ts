import { html, type Markup, pageStart } from "../../pages/parts.js";
import { BASE_STYLES } from "../../pages/styles.js";
import { VERSION } from "../../version.js";
import type { Page } from "./page.js";

export const BOARD_STYLES = `${BASE_STYLES}
html { color-scheme: light dark; }
@media screen and (prefers-color-scheme: dark) {
  :root { --ink: #e6eaf0; --quiet: #a3afbd; --line: #333e4b; --soft: #12181f; --paper: #1a222c; --accent: #8fc1ee;
    --clear: #5cc0a8; --consider: #f08a5f; --good: #173a32; --good-ink: #a5e3d2; --bad: #46210f; --bad-ink: #ffc8ad;
    --note: #3d3210; --note-ink: #f3dd95; }
  .chip.good { border-color: #2b5f53; } .chip.bad { border-color: #7a3d20; } .chip.note { border-color: #6b5a1e; }
  .t-a { fill: #6aa5dc; background: #6aa5dc; } .t-b { fill: #3f6d97; background: #3f6d97; }
}
@media screen { main, .top, footer, .bar ul { max-width: 76rem; } }
.bar { background: var(--paper); border-bottom: 1px solid var(--line); }
.bar ul { margin: 0 auto; padding: .5rem 1.5rem; list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; }
.bar a { text-decoration: none; padding: .15rem 0; display: inline-block; }
.bar a[aria-current] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--accent); }
section section h3 { margin: 1.5rem 0 .5rem; }
h2 { border-top-width: 1px; border-top-color: var(--line); }
form.filters { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; margin: .75rem 0; }
form label { display: grid; gap: .15rem; font-size: .8rem; color: var(--quiet); }
input, select, button { font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--quiet); border-radius: 4px; padding: .3rem .6rem; }
button { cursor: pointer; background: var(--accent); border-color: var(--accent); color: var(--paper); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
summary { cursor: pointer; color: var(--accent); margin: .5rem 0; }
.nights { display: block; width: 300px; height: 16px; }
.legend .nights { display: inline-block; width: 10px; margin-right: .35rem; vertical-align: -3px; }
.t-none { fill: var(--quiet); }
progress { width: 100%; max-width: 24rem; height: .8rem; accent-color: var(--accent); }
pre { overflow-x: auto; background: var(--paper); border: 1px solid var(--line); border-radius: 4px; padding: .7rem 1rem; }
.charts { grid-template-columns: repeat(auto-fit, minmax(min(25rem, 100%), 1fr)); }
.facts { margin-bottom: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); }
.chart { max-width: 36rem; }
h1 { overflow-wrap: anywhere; }
td { overflow-wrap: break-word; }
td code, td a { overflow-wrap: normal; }
td a, td time, .chip { white-space: nowrap; }
td:last-child:not(.count) { min-width: 12rem; }
.legend + .scroll { margin-top: .6rem; }
.scroll table { min-width: 36rem; }
@media print {
  html { color-scheme: light; } .bar, form.filters, .pager, summary { display: none; } footer { display: block; }
  details::details-content { content-visibility: visible; height: auto; } pre { white-space: pre-wrap; }
  .scroll table { min-width: 0; } td a, td time, .chip { white-space: normal; } td:last-child:not(.count) { min-width: 0; }
}
`;

/** A moon. */
export const BOARD_ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#1f4e79" d="M10 1a7 7 0 1 0 5 10A6 6 0 0 1 10 1Z"/></svg>';

/** Reads the page's main part again after changes, and each minute: time alone makes things late. */
export const BOARD_SCRIPT = `"use strict";
let seen, isDue = false, readAt = Date.now();
async function textOf(path) {
  const answer = await fetch(path, { credentials: "same-origin" });
  return answer.ok ? answer.text() : Promise.reject(new Error(answer.statusText));
}
async function look() {
  const main = document.getElementById("main");
  if (document.hidden) return;
  const news = await textOf("/news");
  isDue ||= (seen !== undefined && seen !== news) || Date.now() - readAt >= 60000;
  seen = news;
  if (!isDue || main.contains(document.activeElement)) return;
  const next = new DOMParser().parseFromString(await textOf(location.href), "text/html");
  for (const part of ["main", "footer"])
    document.querySelector(part).replaceWith(document.adoptNode(next.querySelector(part)));
  isDue = false;
  readAt = Date.now();
}
function again() { look().catch(() => undefined).finally(() => setTimeout(again, 2000)); }
again();
`;

interface Frame {
  readonly title: string;
  readonly path: string;
  readonly pages: readonly Page[];
  readonly lake: string;
  readonly body: Markup;
}

export function boardPage({ pages, path, ...shown }: Frame): string {
  const root = `/${path.split("/")[1] ?? ""}`;
  const links = pages.flatMap(({ name, path: own }) =>
    name === undefined
      ? []
      : html`<li><a href="${own}"${own === root ? html` aria-current="page"` : null}>${name}</a></li>
`,
  );
  const head = html`<meta name="robots" content="noindex">
<link rel="icon" href="/board.svg" type="image/svg+xml">
<link rel="stylesheet" href="/board.css">
<script src="/board.js" defer></script>`;
  return framed(
    shown,
    head,
    html`<nav class="bar" aria-label="Pages"><ul>
${links}</ul></nav>
`,
  );
}

/** Pages as one file that needs nothing else. */
export function reportPage(shown: Pick<Frame, "title" | "lake" | "body">): string {
  const head = html`<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${{ html: BOARD_STYLES }}</style>`;
  return framed(shown, head, null);
}

function framed(
  { title, lake, body }: Pick<Frame, "title" | "lake" | "body">,
  head: Markup,
  nav: Markup | null,
): string {
  const at = `${new Date().toISOString().slice(0, 19)}Z`;
  return html`${pageStart(`${title} · Nightledger`, head)}${nav}<header class="top"><h1>${title}</h1></header>
<main id="main">
${body}</main>
<footer><p>Lake <code>${lake}</code>, read <time datetime="${at}">${at}</time>. Nightledger ${VERSION}.</p></footer>
</body>
</html>
`.html;
}

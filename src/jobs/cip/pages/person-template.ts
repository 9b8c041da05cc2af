import type { PersonView } from "./person-view.js";
import { template } from "./template.js";

const FIELDS = (list: string) => `<dl><% for (const one of ${list}) { %>
<div><dt><%= one.label %></dt><dd><% if (one.value === null) { %><span class="none">not given</span><% } else { %><bdi><%= one.value %></bdi><% } %><% if (one.aside) { %> <span class="aside"><bdi><%= one.aside %></bdi></span><% } %></dd></div>
<% } %></dl>`;

const section = template(`<article class="person" id="<%= it.id %>" aria-labelledby="<%= it.id %>-name">
<header>
<h3 id="<%= it.id %>-name"><bdi><%= it.title %></bdi></h3>
<p class="ids"><code><bdi><%= it.fpId %></bdi></code><% if (it.externalId !== null) { %> · <bdi><%= it.externalId %></bdi><% } %></p>
<ul class="chips"><% for (const chip of it.chips) { %><li class="chip <%= chip.tone %>"><bdi><%= chip.text %></bdi></li><% } %></ul>
<% if (it.drawnBy) { %><p class="drawn">Drawn from: <%= it.drawnBy %></p><% } %>
</header>
<% if (it.exceptions.length > 0) { %>
<ul class="exceptions"><% for (const one of it.exceptions) { %><li><strong><%= one.what %></strong> <bdi><%= one.element %></bdi>: <bdi><%= one.detail %></bdi></li><% } %></ul>
<% } %>
<% if (it.report !== null) { %>
<div class="blocks">
<section><h4>(A) Identifying information</h4>${FIELDS("it.report.identity")}</section>
<section><h4>(C) When it was checked</h4>${FIELDS("it.report.times")}</section>
<section><h4>(D) Resolution</h4>${FIELDS("it.report.resolution")}</section>
<section class="wide"><h4>(C) Methods and results</h4>
<table><thead><tr><th scope="col">Element</th><th scope="col">Result</th><th scope="col">Sources</th></tr></thead><tbody>
<% for (const one of it.report.findings) { %><tr><th scope="row"><%= one.element %></th><td><span class="verdict <%= one.verdict %>"><%= one.verdict %></span></td><td><bdi><%= one.sources %></bdi></td></tr>
<% } %></tbody></table>
<% if (it.report.records.length > 0) { %><p class="records">Watchlist records:</p><ol><% for (const one of it.report.records) { %><li><code><bdi><%= one %></bdi></code></li><% } %></ol><% } %></section>
<section><h4>Self-reported</h4><% if (it.report.selfReported.length === 0) { %><p class="none">Nothing.</p><% } else { %>${FIELDS("it.report.selfReported")}<% } %></section>
<section><h4>Export and retention</h4>${FIELDS("it.outcome")}</section>
<section><h4>(B) Documents</h4><p class="none"><%= it.report.documents %></p></section>
</div>
<% } else { %>
<div class="blocks"><section class="wide">${FIELDS("it.outcome")}</section></div>
<% } %>
</article>
`);

/**
 * A person's section.
 *
 * @param drawnBy strata that drew the person, in words, where it is a page of a sample
 */
export function personSection(view: PersonView, drawnBy?: string): string {
  return section({ ...view, drawnBy });
}

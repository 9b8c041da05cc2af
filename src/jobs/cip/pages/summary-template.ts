import { template } from "../../../pages/template.js";
import { type PageFrame, REPORT_PAGE } from "./page.js";

const COUNTS = new Set([
  "People",
  "Rows",
  "Drawn",
  "Of",
  "Onboardings",
  "With insights",
  "Watchlist entries",
]);

/** The template of a table that scrolls where it is too wide. */
function table(label: string, columns: readonly string[], rows: string, kind = ""): string {
  const heads = columns.map(
    (name) => `<th scope="col"${COUNTS.has(name) ? ' class="count"' : ""}>${name}</th>`,
  );
  return `<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table${kind}><thead><tr>${heads.join("")}</tr></thead><tbody>
${rows}</tbody></table></div>`;
}

const LISTING = ' class="listing"';

/** What else a person is known by, below what the first cell of a row says. */
const IDS = `<% if (one.ids) { %><span class="ids"><bdi><%= one.ids %></bdi></span><% } %>`;

/** The top of the report: what the export is, who made it, when. */
export const summaryTop = template(`<header class="top">
<p class="kicker"><% if (it.facts.institution) { %><bdi><%= it.facts.institution %></bdi> · <% } %>Customer identification program</p>
<h1><%= it.title %></h1>
<dl class="facts">
<div><dt>Export</dt><dd><code><%= it.exportId %></code></dd></div>
<div><dt>Operator</dt><dd><bdi><%= it.facts.operator %></bdi> on <bdi><%= it.facts.host %></bdi></dd></div>
<div><dt>Made</dt><dd><%~ it.made %></dd></div>
<div><dt>Approver</dt><dd><bdi><%= it.facts.approver %></bdi></dd></div>
<div><dt>Service</dt><dd><bdi><%= it.facts.service_url %></bdi><% if (it.facts.service_mode) { %> (<bdi><%= it.facts.service_mode %></bdi>)<% } %></dd></div>
<div><dt>Key</dt><dd><code><bdi><%= it.facts.key_fingerprint %></bdi></code></dd></div>
<div><dt>Program</dt><dd>Nightledger <%= it.facts.version %></dd></div>
<div><dt>Pack before</dt><dd><% if (it.previous === null) { %>none<% } else { %><code><%= it.previous %></code><% } %></dd></div>
<% if (it.facts.amends !== null) { %><div><dt>Amends</dt><dd><code><bdi><%= it.facts.amends %></bdi></code></dd></div><% } %>
<% if (it.facts.reason !== null) { %><div><dt>Reason</dt><dd><bdi><%= it.facts.reason %></bdi></dd></div><% } %>
<div class="whole"><dt>Content sha256</dt><dd><code><%= it.contentSha256 %></code></dd></div>
</dl>
<% if (it.facts.unmasked) { %><p class="warning"><strong>Unmasked.</strong> Tax ids, birth dates, addresses and IP addresses are shown in full. The reason is recorded.</p><% } %>
</header>
`);

/** The numbers, the statement of completeness and what heads the list of exceptions. */
export const summaryNumbers = template(`<ul class="headline cip" aria-label="Headline numbers">
<% for (const one of it.numbers) { %><li class="<%= one.tone %>"><strong><%= one.value %></strong><span><%= one.label %></span></li>
<% } %></ul>
<section class="statement<% if (!it.complete) { %> open<% } %>" aria-labelledby="completeness">
<h2 class="small" id="completeness">Completeness</h2>
<p class="equation"><%= it.counts.population %> = <%= it.counts.exported %> exported + <%= it.counts.failed %> failed + <%= it.counts.excluded %> excluded</p>
<p>The population was frozen before the first call: <%= it.counts.population %> people, <code>population.csv</code> sha256 <code><%= it.populationSha256 %></code>. Each of them is in <code>outcomes.csv</code> exactly once.
<% if (it.complete) { %>Nobody is left without an answer.<% } else { %><strong><%= it.counts.failed %> of them <%= it.counts.failed === 1 ? "has" : "have" %> no report</strong>; why, and what to do, is said below and in <code>outcomes.csv</code>. <% } %>
<% if (it.askedAgain > 0) { %>The service was asked more than once for <%= it.askedAgain %> of them; each time it makes a report of its own.<% } %></p>
</section>
<section aria-labelledby="exceptions">
<h2 id="exceptions">Exceptions</h2>
${table(
  "Exceptions by kind",
  ["Kind", "People", "Rows"],
  `<% for (const one of it.kinds) { %><tr><th scope="row"><%= one.name %></th><td class="count"><%= one.members %></td><td class="count"><%= one.rows %></td></tr>
<% } %>`,
)}
<p><strong>(B) Documents are not covered here</strong>, for any of the <%= it.counts.exported %> reports: <%= it.notCovered %></p>
<p>People with something missing by part of the rule: (A) identifying information <%= it.missing.A %>, (C) methods and results <%= it.missing.C %>, (D) resolution of a discrepancy <%= it.missing.D %>.</p>
`);

export const exceptionsPart = template(
  `${table(
    "List of exceptions",
    ["Person", "Exception", "Element", "Detail"],
    `<% for (const one of it.rows) { %><tr><th scope="row"><a href="<%= one.href %>"><bdi><%= one.name ?? one.fp_id %></bdi></a>${IDS}</th><td><% if (one.isConsider) { %><span class="verdict consider">consider</span><% } else { %><%= one.kind %><% } %><% if (one.rule_part !== null) { %> (<%= one.rule_part %>)<% } %></td><td><bdi><%= one.element %></bdi></td><td><% if (one.detail !== null) { %><bdi><%~ one.detail %></bdi><% } %><% if (one.sources) { %> <span class="aside">sources: <bdi><%= one.sources %></bdi></span><% } %></td></tr>
<% } %>`,
    LISTING,
  )}\n`,
);

/** Changes of a pack, as far as a page shows them. */
export const changesPart = template(`<section aria-labelledby="changes-heading">
<h2 id="changes-heading">Changes</h2>
<% if (it.previous === null) { %><p>This is the first pack of its chain: there is none to compare with.</p>
<% } else { %><p>Against <code><%= it.previous %></code>. All of them are in <code>changes.csv</code>; a new screening alone (<%= it.screenedAgain %> people) is not shown here.</p>
<% if (it.rows.length === 0) { %><p class="none">Nothing else changed.</p><% } else { %>
${table(
  "List of changes",
  ["Person", "Change", "Field", "Before", "Now"],
  `<% for (const one of it.rows) { %><tr><th scope="row"><bdi><%= one.who %></bdi>${IDS}</th><td><% if (one.grave) { %><span class="verdict consider"><%= one.change %></span><% } else { %><%= one.change %><% } %></td><td><bdi><%= one.field %></bdi></td><td><bdi><%~ one.before %></bdi></td><td><bdi><%~ one.after %></bdi><% if (one.note !== null) { %><span class="aside"><%= one.note %></span><% } %></td></tr>
<% } %>`,
  ' class="listing changes"',
)}
<% if (it.more) { %><p>The first <%= it.rows.length %> are shown.</p><% } %>
<% } } %></section>
`);

/** The businesses of an export, as far as the page shows them. */
export const businessesPart = template(`<section aria-labelledby="businesses">
<h2 id="businesses">Businesses</h2>
<p class="equation"><%= it.counts.rows %> = <%= it.counts.exported %> exported + <%= it.counts.empty %> of which the service knows nothing + <%= it.counts.failed %> failed + <%= it.counts.excluded %> excluded</p>
<p>Each of them is in <code>businesses.csv</code> exactly once, and what is known of each in the files <code>business_*.parquet</code>. Screenings found <%= it.counts.watchlist_hits %> entries of watchlists.</p>
${table(
  "List of businesses",
  ["Business", "Person", "Status", "Onboardings", "With insights", "Watchlist entries"],
  `<% for (const one of it.shown) { %><tr><th scope="row"><bdi><%= one.fp_bid %></bdi><% if (one.external_id !== null) { %><span class="ids"><bdi><%= one.external_id %></bdi></span><% } %></th><td><% if (one.fp_id !== null) { %><bdi><%= one.fp_id %></bdi><% } %></td><td><%= one.status %><% if (one.reason !== null) { %> <span class="aside"><bdi><%= one.reason %></bdi></span><% } %></td><td class="count"><%= one.onboardings %></td><td class="count"><%= one.insights %></td><td class="count"><% if (one.watchlist_hits > 0) { %><span class="verdict consider"><%= one.watchlist_hits %></span><% } else { %>0<% } %></td></tr>
<% } %>`,
  LISTING,
)}
<% if (it.shown.length < it.counts.rows) { %><p>The first <%= it.shown.length %> are shown.</p><% } %>
</section>
`);

/** Where the people of a large export are. */
export const pageList = template(`<ol class="pages">
<% for (const one of it.pages) { %><li><a href="<%= one.href %>"><bdi><%= one.first %></bdi> – <bdi><%= one.last %></bdi></a> (<%= one.people %>)</li>
<% } %></ol>
`);

const pager =
  template(`<header class="top"><p class="kicker">CIP export <span class="id"><%= it.exportId %></span></p><h1><%= it.title %></h1>
<nav class="pager" aria-label="Pages"><a href="<%= it.up %>">Report</a><% if (it.before) { %> · <a href="<%= it.before %>">previous page</a><% } %><% if (it.after) { %> · <a href="<%= it.after %>">next page</a><% } %></nav></header>
`);

/** The top of a numbered page: links to the report, at an anchor, and to the paths of the pages before and after. */
export function pagerTop(anchor: string, before: string | undefined, after: string | undefined) {
  const here = (path: string | undefined) => path?.replace("report/", "");
  const links = { up: `../${REPORT_PAGE}${anchor}`, before: here(before), after: here(after) };
  return (frame: PageFrame): string => pager({ ...frame, ...links });
}

/** The top of a sample: how it was drawn, and who. */
export const sampleTop =
  template(`<header class="top"><p class="kicker">CIP export <span class="id"><%= it.exportId %></span></p><h1><%= it.title %></h1>
<p class="lead">Drawn by the seed <code><bdi><%= it.seed %></bdi></code>: of each stratum the people whose sha256 of seed, stratum and id is smallest. The same seed, sizes and population draw the same people again; a person may be drawn from several strata and is shown once.</p>
${table(
  "Strata",
  ["Stratum", "Drawn", "Of"],
  `<% for (const one of it.strata) { %><tr><th scope="row"><%= one.name %></th><td class="count"><%= one.drawn %></td><td class="count"><%= one.of %></td></tr>
<% } %>`,
)}
<h2>People</h2><ol class="pages"><% for (const one of it.people) { %><li><a href="#<%= one.id %>"><bdi><%= one.fpId %></bdi></a>: <%= one.drawnBy %></li>
<% } %></ol></header>
`);

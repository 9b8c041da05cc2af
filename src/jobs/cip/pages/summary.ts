import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import type { SampleDraw } from "../../../domain/bulk/cip/sample.js";
import {
  bdi,
  type Content,
  code,
  facts as factList,
  headline,
  headNumber,
  html,
  joined,
  type Markup,
  paragraph,
  table,
} from "../../../pages/parts.js";
import type { ListedChange } from "../changes/changes-spool.js";
import type { ListedException } from "../exceptions-spool.js";
import { ITEM_SEPARATOR } from "../rows.js";
import { type PageFrame, type PeoplePages, REPORT_PAGE, type Shown } from "./page.js";
import { codeInWords, reasonInWords, withTimes } from "./values.js";
import { CHANGE_NAMES, fieldName, KIND_NAMES, STRATUM_NAMES } from "./words.js";

/** Somebody, and below that what else they are known by. */
function named(who: Content, ids: string): Markup {
  return joined(who, ids === "" ? null : html`<span class="ids">${bdi(ids)}</span>`);
}

function aside(said: Content): Markup {
  return html` <span class="aside">${said}</span>`;
}

function considered(text: string | number): Markup {
  return { ...html`<span class="verdict consider">${text}</span>`, isFigure: typeof text === "number" };
}

/** The top of the report: what the export is, who made it, when. */
export function summaryTop({ exportId, contentSha256 }: PageFrame, { facts, previous }: Shown): Markup {
  const { institution, service_mode: mode, amends, reason } = facts;
  return html`<header class="top">
<p class="kicker">${institution ? joined(bdi(institution), " · ") : null}Customer identification program</p>
<h1>Customer identification report</h1>
${factList({
  Export: code(exportId),
  Operator: joined(bdi(facts.operator), " on ", bdi(facts.host)),
  Made: withTimes(`${facts.started_at} to ${facts.finished_at}`),
  Approver: bdi(facts.approver),
  Service: joined(bdi(facts.service_url), mode && html` (${bdi(mode)})`),
  Key: code(bdi(facts.key_fingerprint)),
  Program: `Nightledger ${facts.version}`,
  "Pack before": previous === null ? "none" : code(previous),
  Amends: amends && code(bdi(amends)),
  Reason: reason && bdi(reason),
  "Content sha256": code(contentSha256),
})}${facts.unmasked ? UNMASKED : null}</header>
`;
}

const UNMASKED = html`<p class="warning"><strong>Unmasked.</strong> Tax ids, birth dates, addresses and IP addresses are shown in full. The reason is recorded.</p>\n`;

/** The numbers, the statement of completeness and what heads the list of exceptions. */
export function summaryNumbers({ overview, counts, facts }: Shown): Markup {
  const { missing, askedAgain, holdUnknown, approvedBy, exceptions } = overview;
  const { population, exported, failed, excluded } = counts;
  const unknown = holdUnknown > 0 ? `; of ${holdUnknown} it is not known` : "";
  const bad = (value: number, label: string) => headNumber(value, label, value > 0);
  const numbers = [
    headNumber(population, "people in the population"),
    bad(overview.onHold, `under a legal hold${unknown}`),
    headNumber(exported, "exported"),
    bad(failed, "without a report"),
    headNumber(excluded, "excluded"),
    bad(overview.considered, "with a consider"),
    bad(exceptions.get("missing")?.members ?? 0, "with something missing"),
    headNumber(approvedBy.automatic, "approved automatically"),
    headNumber(approvedBy.manual, "approved by a reviewer"),
  ];
  const left =
    failed === 0
      ? "Nobody is left without an answer."
      : html`<strong>${failed} of them ${failed === 1 ? "has" : "have"} no report</strong>; why, and what to do, is said below and in <code>outcomes.csv</code>. `;
  const again = `The service was asked more than once for ${askedAgain} of them; each time it makes a report of its own.`;
  const kinds = [...exceptions].map(([kind, { members, rows }]) => [KIND_NAMES[kind], members, rows]);
  return html`${headline(numbers, "cip")}<section class="statement${failed > 0 ? " open" : null}" aria-labelledby="completeness">
<h2 class="small" id="completeness">Completeness</h2>
<p class="equation">${population} = ${exported} exported + ${failed} failed + ${excluded} excluded</p>
<p>The population was frozen before the first call: ${population} people, <code>population.csv</code> sha256 ${code(facts.population.sha256)}. Each of them is in <code>outcomes.csv</code> exactly once.
${left}
${askedAgain > 0 ? again : null}</p>
</section>
<section aria-labelledby="exceptions">
<h2 id="exceptions">Exceptions</h2>
${table("Exceptions by kind", "None.", ["Kind", "People", "Rows"], kinds, "")}<p><strong>(B) Documents are not covered here</strong>, for any of the ${exported} reports: ${NOT_COVERED.detail.replace(/^not covered here: /, "")}</p>
<p>People with something missing by part of the rule: (A) identifying information ${missing.A}, (C) methods and results ${missing.C}, (D) resolution of a discrepancy ${missing.D}.</p>
`;
}

/** Some of the exceptions. @param from the page that they are on */
export function exceptionsTable(rows: readonly ListedException[], pages: PeoplePages, from: string): Markup {
  const cells = rows.map((row) => {
    const { fp_id, external_id, name, kind, rule_part: part } = row;
    const ids = [external_id, name && fp_id].filter(Boolean).join(" · ");
    const isConsider = kind === "consider";
    const sources = row.sources?.split(" ").map(codeInWords).join(", ");
    return [
      named(html`<a href="${pages.personHref(row.position, from)}">${bdi(name ?? fp_id)}</a>`, ids),
      joined(
        isConsider ? considered("consider") : KIND_NAMES[kind as keyof typeof KIND_NAMES],
        part && ` (${part})`,
      ),
      bdi(fieldName(row.element ?? "")),
      joined(
        isConsider ? null : bdi(withTimes(reasonInWords(row.detail ?? ""))),
        sources ? aside(joined("sources: ", bdi(sources))) : null,
      ),
    ];
  });
  return table("List of exceptions", "None.", ["Person", "Exception", "Element", "Detail"], cells, "listing");
}

/** The gravest changes since the pack before, as far as the page shows them. */
export function changesPart(rows: readonly ListedChange[], isMore: boolean, shown: Shown): Markup {
  const { previous, changes } = shown;
  const cells = rows.map(({ external_id, fp_id, change, field, before, after, note }) => [
    named(bdi(external_id ?? fp_id), (external_id && fp_id) ?? ""),
    change === "clear_to_consider" ? considered(CHANGE_NAMES[change]) : CHANGE_NAMES[change],
    bdi(field && fieldName(field)),
    bdi(changedValue(field, before)),
    joined(bdi(changedValue(field, after)), note && aside(note)),
  ]);
  const columns = ["Person", "Change", "Field", "Before", "Now"];
  const against = html`<p>Against ${code(previous)}. All of them are in <code>changes.csv</code>; a new screening alone (${changes.counts.screened_again} people) is not shown here.</p>
${table("List of changes", "Nothing else changed.", columns, cells, "listing changes")}${isMore ? paragraph(`The first ${rows.length} are shown.`) : null}`;
  return html`<section aria-labelledby="changes-heading">
<h2 id="changes-heading">Changes</h2>
${previous === null ? paragraph("This is the first pack of its chain: there is none to compare with.") : against}</section>
`;
}

/** Fields that list sources. */
const SOURCE_LISTS = new Set(["date_of_birth_breakdown", "matched_addresses", "tax_id_breakdown"]);

/** A value before or after a change, as the person's section shows it. */
function changedValue(field: string | null, value: string | null): Markup | null {
  if (value === null) return null;
  const hasCodes = SOURCE_LISTS.has(field ?? "") || field?.startsWith("self_reported_");
  const items = hasCodes ? value.split(ITEM_SEPARATOR).map(codeInWords) : [value];
  return withTimes(items.join(", "));
}

/** Where the people of a large export are. */
export function pageList({ list }: PeoplePages): Markup {
  const pages = list.map(
    ({ href, first, last, people }) =>
      html`<li><a href="${href}">${bdi(first)} – ${bdi(last)}</a> (${people})</li>\n`,
  );
  return html`<ol class="pages">\n${pages}</ol>\n`;
}

function kicker({ exportId, title }: PageFrame): Markup {
  return html`<p class="kicker">CIP export <span class="id">${exportId}</span></p><h1>${title}</h1>\n`;
}

/** The top of a numbered page: links to the report, at an anchor, and to the paths of the pages before and after. */
export function pagerTop(anchor: string, before: string | undefined, after: string | undefined) {
  const to = (path: string | undefined, words: string) =>
    path === undefined ? null : html` · <a href="${path.replace("report/", "")}">${words}</a>`;
  return (frame: PageFrame): Markup => html`<header class="top">${kicker(frame)}
<nav class="pager" aria-label="Pages"><a href="../${REPORT_PAGE}${anchor}">Report</a>${to(before, "previous page")}${to(after, "next page")}</nav></header>
`;
}

/** Who is in a sample, and what drew them, in words. */
export interface DrawnPerson {
  readonly fpId: string;
  readonly id: string;
  readonly drawnBy: string;
}

/** The top of a sample: how it was drawn, and who. */
export function sampleTop(
  frame: PageFrame,
  seed: string,
  sample: SampleDraw,
  people: readonly DrawnPerson[],
): Markup {
  const strata = sample.counts().map(({ stratum, drawn, of }) => [STRATUM_NAMES[stratum], drawn, of]);
  const links = people.map(
    ({ id, fpId, drawnBy }) => html`<li><a href="#${id}">${bdi(fpId)}</a>: ${drawnBy}</li>\n`,
  );
  return html`<header class="top">${kicker(frame)}
<p class="lead">Drawn by the seed ${code(bdi(seed))}: of each stratum the people whose sha256 of seed, stratum and id is smallest. The same seed, sizes and population draw the same people again; a person may be drawn from several strata and is shown once.</p>
${table("Strata", "None.", ["Stratum", "Drawn", "Of"], strata, "")}
<h2>People</h2><ol class="pages">${links}</ol></header>
`;
}

import { NOT_COVERED } from "../../domain/bulk/cip/exceptions.js";
import type { PackCounts } from "../../lake/bulk/pack/manifest.js";
import type { PackFiles, RowSpool } from "../../lake/bulk/pack/pack-files.js";
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
  section,
  table,
} from "../../pages/parts.js";
import type { ChangeKind, ListedChange } from "./changes.js";
import type { PackFacts } from "./facts.js";
import type { ListedException } from "./listed-exceptions.js";
import type { Overview } from "./overview.js";
import { reportFoot, reportHead } from "./report-page.js";
import {
  CHANGE_NAMES,
  codeInWords,
  ELEMENT_NAMES,
  fieldName,
  KIND_NAMES,
  withTimes,
} from "./report-words.js";

const REPORT_FILE = "report.html";

/** Since the earlier pack. */
export interface ShownChanges {
  /** Users by kind of change; null where the lake has no earlier reports. */
  readonly counts: Readonly<Record<ChangeKind, number>> | null;
  /** What matters most first. */
  each(write: (change: ListedChange) => Promise<void>): Promise<void>;
}

interface Shown {
  readonly facts: PackFacts;
  readonly counts: PackCounts;
  readonly contentSha256: string;
  readonly overview: Overview;
  readonly exceptions: RowSpool<ListedException>;
  readonly changes: ShownChanges;
}

type Out = (part: Markup) => Promise<void>;

/** Writes `report.html`, row by row. */
export async function writeReport(files: PackFiles, shown: Shown): Promise<void> {
  const { exportId, institution, unmasked } = shown.facts;
  const frame = { exportId, institution, unmasked, contentSha256: shown.contentSha256 };
  await files.write(REPORT_FILE, async (write) => {
    const out: Out = (part) => write(part.html);
    await write(reportHead(frame));
    await out(html`${top(shown)}<main id="main" class="report">\n${summary(shown)}`);
    await writeExceptions(shown, out);
    await writeChanges(shown, out);
    await write(reportFoot(frame));
    return undefined;
  });
}

const UNMASKED = html`<p class="warning"><strong>Unmasked.</strong> Tax ids, birth dates, addresses and IP addresses are shown in full. The reason is recorded.</p>\n`;

function top({ facts, contentSha256 }: Shown): Markup {
  const { institution, service_mode: mode, previous, amends, reason } = facts;
  return html`<header class="top">
<p class="kicker">${institution ? joined(bdi(institution), " · ") : null}Customer identification program</p>
<h1>Customer identification report</h1>
${factList({
  Export: code(facts.exportId),
  Operator: joined(bdi(facts.operator), " on ", bdi(facts.host)),
  Made: withTimes(`${facts.started_at} to ${facts.finished_at}`),
  Approver: bdi(facts.approver),
  Service: joined(bdi(facts.service_url), mode && html` (${bdi(mode)})`),
  Key: code(bdi(facts.key_fingerprint)),
  Program: `Nightledger ${facts.version}`,
  "Pack before": previous === null ? "none" : code(previous.manifest.export_id),
  Amends: amends && code(bdi(amends)),
  Reason: reason && bdi(reason),
  "Content sha256": code(contentSha256),
})}${facts.unmasked ? UNMASKED : null}</header>
`;
}

function summary({ overview, counts, facts }: Shown): Markup {
  const { askedAgain, holdUnknown, approvedBy, exceptions } = overview;
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
  const verdicts = [...overview.verdicts].map(([element, { clear, consider }]) => [
    ELEMENT_NAMES[element],
    clear,
    consider,
  ]);
  return html`${headline(numbers, "cip")}<section class="statement${failed > 0 ? " open" : null}" aria-labelledby="completeness">
<h2 class="small" id="completeness">Completeness</h2>
<p class="equation">${population} = ${exported} exported + ${failed} failed + ${excluded} excluded</p>
<p>The population was frozen before the first call: ${population} people, <code>population.csv</code> sha256 ${code(facts.population.sha256)}. Each of them is in <code>outcomes.csv</code> exactly once.
${left}
${askedAgain > 0 ? again : null}</p>
</section>
${section("Results", table("Results by element", "None.", ["Element", "Clear", "Consider"], verdicts, ""))}`;
}

// Exceptions and changes are written in parts.
const SECTION_END = html`</section>\n`;
const LISTING_END = html`</tbody></table></div>\n`;

function listingStart(label: string, kind: string, columns: readonly string[]): Markup {
  const heads = columns.map((name) => html`<th scope="col">${name}</th>`);
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table class="listing ${kind}"><thead><tr>${heads}</tr></thead><tbody>\n`;
}

function listingRow(first: Content, ...cells: readonly Content[]): Markup {
  return html`<tr><th scope="row">${first}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>\n`;
}

/** A name above its ids. */
function named(who: string | null, ...ids: readonly (string | null)[]): Markup {
  const others = ids.filter((id) => id !== null && id !== who).join(" · ");
  return joined(bdi(who), others === "" ? null : html`<span class="ids">${bdi(others)}</span>`);
}

function aside(said: Content): Markup {
  return html` <span class="aside">${said}</span>`;
}

function considered(text: string): Markup {
  return html`<span class="verdict consider">${text}</span>`;
}

async function writeExceptions({ overview, counts, exceptions }: Shown, out: Out): Promise<void> {
  const { missing } = overview;
  const kinds = [...overview.exceptions].map(([kind, { members, rows }]) => [
    KIND_NAMES[kind],
    members,
    rows,
  ]);
  await out(html`<section aria-labelledby="exceptions">
<h2 id="exceptions">Exceptions</h2>
${table("Exceptions by kind", "None.", ["Kind", "People", "Rows"], kinds, "")}<p><strong>(B) Documents are not covered here</strong>, for any of the ${counts.exported} reports: ${NOT_COVERED.detail.replace(/^not covered here: /, "")}</p>
<p>People with something missing by part of the rule: (A) identifying information ${missing.A}, (C) methods and results ${missing.C}, (D) resolution of a discrepancy ${missing.D}.</p>
`);
  if (kinds.every(([, , rows]) => rows === 0)) await out(paragraph("No exceptions.", "none"));
  else {
    await out(listingStart("List of exceptions", "", ["Person", "Exception", "Element", "Detail"]));
    await exceptions.read(async (rows) => {
      for (const row of rows) await out(exceptionRow(row));
    });
    await out(LISTING_END);
  }
  await out(SECTION_END);
}

function exceptionRow(row: ListedException): Markup {
  const { fp_id, external_id, name, kind, rule_part: part, element, detail } = row;
  const isConsider = kind === "consider";
  const sources = row.sources?.split(" ").map(codeInWords).join(", ");
  return listingRow(
    named(name ?? fp_id, external_id, fp_id),
    joined(
      isConsider ? considered("consider") : KIND_NAMES[kind as keyof typeof KIND_NAMES],
      part && ` (${part})`,
    ),
    bdi(fieldName(element ?? "")),
    joined(
      isConsider ? null : bdi(withTimes(codeInWords(detail ?? ""))),
      sources ? aside(joined("sources: ", bdi(sources))) : null,
    ),
  );
}

async function writeChanges({ facts, changes }: Shown, out: Out): Promise<void> {
  const { previous } = facts;
  await out(html`<section aria-labelledby="changes"><h2 id="changes">Changes since the last pack</h2>\n`);
  if (previous === null) {
    await out(paragraph("This is the first pack of its chain: there is none to compare with."));
  } else if (changes.counts === null) {
    await out(
      html`<p>The lake has no reports of ${code(previous.manifest.export_id)}, so nothing is compared.</p>\n`,
    );
  } else {
    const kinds = Object.entries(changes.counts).map(([kind, people]) => [
      CHANGE_NAMES[kind as ChangeKind],
      people,
    ]);
    await out(
      html`<p>Against ${code(previous.manifest.export_id)}. A new screening alone is only in <code>changes.csv</code>.</p>\n${table("Changes by kind", "None.", ["Change", "People"], kinds, "")}`,
    );
    await out(listingStart("List of changes", "changes", ["Person", "Change", "Field", "Before", "Now"]));
    await changes.each(async (change) => {
      if (change.change !== "screened_again") await out(changeRow(change));
    });
    await out(LISTING_END);
  }
  await out(SECTION_END);
}

function changeRow({ external_id, fp_id, change, field, before, after, note }: ListedChange): Markup {
  return listingRow(
    named(external_id ?? fp_id, fp_id),
    change === "clear_to_consider" ? considered(CHANGE_NAMES[change]) : CHANGE_NAMES[change],
    bdi(field && fieldName(field)),
    bdi(before && withTimes(before)),
    joined(bdi(after && withTimes(after)), note && aside(note)),
  );
}

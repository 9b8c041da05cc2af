import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import type { Mask } from "../../../domain/bulk/cip/masking.js";
import { findingsOf, instantOf } from "../../../domain/bulk/cip/report.js";
import { bdi, code, html, joined, type Markup, paragraph } from "../../../pages/parts.js";
import type { CipReport } from "../member.js";
import { type JudgedMember, nameOf } from "../member-lines.js";
import { codeInWords, reasonInWords, withTimes } from "./values.js";
import { ELEMENT_NAMES, fieldName, KIND_NAMES } from "./words.js";

/** The anchor of the member with this index in the population. */
export function anchorOf(position: number): string {
  return `p-${position + 1}`;
}

/**
 * A person's section.
 *
 * @param drawnBy strata that drew the person, in words, where it is a page of a sample
 */
export function personSection(one: JudgedMember, position: number, drawnBy?: string): Markup {
  const { member, exceptions, mask } = one;
  const { report, fpId, externalId } = member;
  const id = anchorOf(position);
  const listed = exceptions.map(({ kind, element, detail, part }) => {
    const what = part === null ? KIND_NAMES[kind] : `${KIND_NAMES[kind]} (${part})`;
    const said = withTimes(reasonInWords(mask.text(detail)));
    return html`<li><strong>${what}</strong> ${bdi(fieldName(element))}: ${bdi(said)}</li>`;
  });
  const outcome = outcomeOf(one);
  return html`<article class="person" id="${id}" aria-labelledby="${id}-name">
<header>
<h3 id="${id}-name">${bdi(nameOf(member, mask) ?? fpId)}</h3>
<p class="ids">${code(bdi(fpId))}${externalId === null ? null : html` · ${bdi(externalId)}`}</p>
<ul class="chips">${chipsOf(one)}</ul>
${drawnBy ? paragraph(`Drawn from: ${drawnBy}`, "drawn") : null}</header>
${listed.length === 0 ? null : html`<ul class="exceptions">${listed}</ul>\n`}<div class="blocks">
${report === null ? html`<section class="wide">${list(outcome)}</section>` : reportBlocks(report, one, outcome)}</div>
</article>
`;
}

function chipsOf({ member, approval, exceptions }: JudgedMember): Markup[] {
  const { report, status, risk, legalHold } = member;
  const considered = exceptions.some(({ kind }) => kind === "consider");
  const chips: Markup[] = [];
  const add = (tone: string, text: string) => chips.push(html`<li class="chip ${tone}">${bdi(text)}</li>`);
  if (report !== null) add(considered ? "bad" : "good", considered ? "consider" : "clear");
  else if (status === "failed") add("bad", "no report");
  else add("plain", "excluded");
  if (approval !== null) add(approval === "manual" ? "note" : "plain", `${approval} approval`);
  if (risk !== null) add(risk.trim().toLowerCase() === "high" ? "note" : "plain", `risk ${risk}`);
  if (legalHold) add("note", "legal hold");
  return chips;
}

function outcomeOf({ member, purge }: JudgedMember): Markup[] {
  const { status, reason, action, asked, askedAt, accountClosedOn } = member;
  const asks =
    asked === 1 ? "once" : asked === 0 ? "never" : `${asked} times; the report is of the last answer`;
  const day = (value: string | null, none: string) => value ?? purge.note ?? none;
  return [
    field("Outcome", status),
    ...(reason === null ? [] : [field("Reason", reasonInWords(reason))]),
    ...(action === null ? [] : [field("What to do", action)]),
    field("Service asked", asks, askedAt === null ? undefined : withTimes(`answered ${askedAt}`)),
    field("Account", accountClosedOn === null ? "open" : `closed on ${accountClosedOn}`),
    field("Keep (A) until", day(purge.identity, "no day")),
    field("Keep (B)–(D) until", day(purge.records, "no record was made")),
  ];
}

function reportBlocks(
  report: CipReport,
  { approval, mask }: JudgedMember,
  outcome: readonly Markup[],
): Markup {
  const { checked_data: data, watchlist } = report;
  const findings = findingsOf(report).map(({ element, verdict, sources }) => {
    const named = sources?.map((source) => codeInWords(mask.text(source))).join(", ") || "none named";
    return html`<tr><th scope="row">${ELEMENT_NAMES[element]}</th><td><span class="verdict ${verdict}">${verdict}</span></td><td>${bdi(sources === null ? "—" : named)}</td></tr>
`;
  });
  const records = watchlist.records.map((record) => html`<li>${code(bdi(mask.text(textOf(record))))}</li>`);
  const selfReported = Object.entries(report.self_reported)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) =>
      field(
        fieldName(name),
        shown(textOf(value), (text) => codeInWords(mask.text(text))),
      ),
    );
  const identity = [
    field("Name", shown(data.customer_name, mask.text)),
    field("Date of birth", shown(data.date_of_birth, mask.birthDate)),
    field("Address", shown(data.address, mask.address)),
    field("Tax id", shown(data.tax_id, mask.taxId)),
    field("IP address", shown(report.ip_address, mask.ipAddress)),
  ];
  const times = [
    time("Check started", report.check_initiated_at, mask),
    time("Check completed", report.check_completed_at, mask),
    time("KYC completed", report.kyc_completed_at, mask),
    time("Watchlists screened", watchlist.check_completed_at, mask),
  ];
  const resolution = [
    field("Approved by", shown(report.approved_by, mask.text), `${approval}`),
    time("Approved at", report.approved_at, mask),
    field("Reason", shown(report.approved_reason, mask.text)),
  ];
  return html`<section><h4>(A) Identifying information</h4>${list(identity)}</section>
<section><h4>(C) When it was checked</h4>${list(times)}</section>
<section><h4>(D) Resolution</h4>${list(resolution)}</section>
<section class="wide later"><h4>(C) Methods and results</h4>
<table><thead><tr><th scope="col">Element</th><th scope="col">Result</th><th scope="col">Sources</th></tr></thead><tbody>
${findings}</tbody></table>
${records.length === 0 ? null : html`<p class="records">Watchlist records:</p><ol>${records}</ol>`}</section>
<section class="later"><h4>Self-reported</h4>${selfReported.length === 0 ? paragraph("Nothing.", "none") : list(selfReported)}</section>
<section class="later"><h4>Export and retention</h4>${list(outcome)}</section>
<section><h4>(B) Documents</h4>${paragraph(NOT_COVERED.detail, "none")}</section>
`;
}

function list(fields: readonly Markup[]): Markup {
  return html`<dl>${fields}</dl>`;
}

/** A name and a value, null where the report has none; `aside` is said beside it. */
function field(label: string, value: string | null, aside?: string | Markup): Markup {
  const said = value === null ? html`<span class="none">not given</span>` : bdi(withTimes(value));
  const beside = aside === undefined ? null : html` <span class="aside">${bdi(aside)}</span>`;
  return html`<div><dt>${label}</dt><dd>${joined(said, beside)}</dd></div>\n`;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shown(value: string | null | undefined, mask: (value: string) => string): string | null {
  return value === null || value === undefined || value.trim() === "" ? null : mask(value);
}

/** An instant in UTC, with the original text beside it where that is written otherwise or is none. */
function time(label: string, text: string | null | undefined, mask: Mask): Markup {
  const value = shown(text, mask.text);
  if (value === null) return field(label, value);
  if (instantOf(text) === null) return field(label, value, "no instant");
  return field(label, value, /Z$/.test(value) ? undefined : `written ${value}`);
}

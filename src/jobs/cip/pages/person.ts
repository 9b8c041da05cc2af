import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import type { Mask } from "../../../domain/bulk/cip/masking.js";
import { findingsOf, instantOf } from "../../../domain/bulk/cip/report.js";
import { html } from "../../../pages/parts.js";
import { template } from "../../../pages/template.js";
import type { CipReport } from "../member.js";
import { type JudgedMember, nameOf } from "../member-lines.js";
import { codeInWords, reasonInWords, withTimes } from "./values.js";
import { ELEMENT_NAMES, fieldName, KIND_NAMES } from "./words.js";

/** The anchor of the member with this index in the population. */
export function anchorOf(position: number): string {
  return `p-${position + 1}`;
}

/** All that a member's section shows, as texts. */
export function personView(one: JudgedMember, position: number) {
  const { member, exceptions, mask } = one;
  const { report, fpId, externalId } = member;
  return {
    id: anchorOf(position),
    title: nameOf(member, mask) ?? fpId,
    fpId,
    externalId,
    chips: chipsOf(one),
    exceptions: exceptions.map(({ kind, element, detail, part }) => ({
      what: part === null ? KIND_NAMES[kind] : `${KIND_NAMES[kind]} (${part})`,
      element: fieldName(element),
      detail: withTimes(reasonInWords(mask.text(detail))).html,
    })),
    outcome: outcomeOf(one),
    report: report && reportView(report, one),
  };
}

function chipsOf({ member, approval, exceptions }: JudgedMember) {
  const { report, status, risk, legalHold } = member;
  const considered = exceptions.some(({ kind }) => kind === "consider");
  const chips: { tone: string; text: string }[] = [];
  const add = (tone: string, text: string) => chips.push({ tone, text });
  if (report !== null) add(considered ? "bad" : "good", considered ? "consider" : "clear");
  else if (status === "failed") add("bad", "no report");
  else add("plain", "excluded");
  if (approval !== null) add(approval === "manual" ? "note" : "plain", `${approval} approval`);
  if (risk !== null) add(risk.trim().toLowerCase() === "high" ? "note" : "plain", `risk ${risk}`);
  if (legalHold) add("note", "legal hold");
  return chips;
}

function outcomeOf({ member, purge }: JudgedMember) {
  const { status, reason, action, asked, askedAt, accountClosedOn } = member;
  const asks =
    asked === 1 ? "once" : asked === 0 ? "never" : `${asked} times; the report is of the last answer`;
  const day = (value: string | null, none: string) => value ?? purge.note ?? none;
  return [
    field("Outcome", status),
    ...(reason === null ? [] : [field("Reason", reasonInWords(reason))]),
    ...(action === null ? [] : [field("What to do", action)]),
    field("Service asked", asks, askedAt === null ? undefined : `answered ${askedAt}`),
    field("Account", accountClosedOn === null ? "open" : `closed on ${accountClosedOn}`),
    field("Keep (A) until", day(purge.identity, "no day")),
    field("Keep (B)–(D) until", day(purge.records, "no record was made")),
  ];
}

function reportView(report: CipReport, { approval, mask }: JudgedMember) {
  const { checked_data: data, watchlist } = report;
  return {
    identity: [
      field("Name", shown(data.customer_name, mask.text)),
      field("Date of birth", shown(data.date_of_birth, mask.birthDate)),
      field("Address", shown(data.address, mask.address)),
      field("Tax id", shown(data.tax_id, mask.taxId)),
      field("IP address", shown(report.ip_address, mask.ipAddress)),
    ],
    documents: NOT_COVERED.detail,
    findings: findingsOf(report).map(({ element, verdict, sources }) => ({
      element: ELEMENT_NAMES[element],
      verdict,
      sources:
        sources === null
          ? "—"
          : sources.map((source) => codeInWords(mask.text(source))).join(", ") || "none named",
    })),
    times: [
      time("Check started", report.check_initiated_at, mask),
      time("Check completed", report.check_completed_at, mask),
      time("KYC completed", report.kyc_completed_at, mask),
      time("Watchlists screened", watchlist.check_completed_at, mask),
    ],
    records: watchlist.records.map((record) => mask.text(textOf(record))),
    resolution: [
      field("Approved by", shown(report.approved_by, mask.text), `${approval}`),
      time("Approved at", report.approved_at, mask),
      field("Reason", shown(report.approved_reason, mask.text)),
    ],
    selfReported: Object.entries(report.self_reported)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) =>
        field(
          fieldName(name),
          shown(textOf(value), (text) => codeInWords(mask.text(text))),
        ),
      ),
  };
}

/** A name and a value, null where the report has none; `aside` is said beside it. */
function field(label: string, value: string | null, aside?: string) {
  return { label, value: value && withTimes(value).html, aside: aside && withTimes(aside).html };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shown(value: string | null | undefined, mask: (value: string) => string): string | null {
  return value === null || value === undefined || value.trim() === "" ? null : mask(value);
}

/** An instant in UTC, with the original text beside it where that is written otherwise or is none. */
function time(label: string, text: string | null | undefined, mask: Mask) {
  const value = shown(text, mask.text);
  if (value === null) return field(label, value);
  if (instantOf(text) === null) return field(label, value, "no instant");
  const written = /Z$/.test(value) ? undefined : html`written ${value}`.html;
  return { ...field(label, value), aside: written };
}

const FIELDS = (list: string) => `<dl><% for (const one of ${list}) { %>
<div><dt><%= one.label %></dt><dd><% if (one.value === null) { %><span class="none">not given</span><% } else { %><bdi><%~ one.value %></bdi><% } %><% if (one.aside) { %> <span class="aside"><bdi><%~ one.aside %></bdi></span><% } %></dd></div>
<% } %></dl>`;

const section = template(`<article class="person" id="<%= it.id %>" aria-labelledby="<%= it.id %>-name">
<header>
<h3 id="<%= it.id %>-name"><bdi><%= it.title %></bdi></h3>
<p class="ids"><code><bdi><%= it.fpId %></bdi></code><% if (it.externalId !== null) { %> · <bdi><%= it.externalId %></bdi><% } %></p>
<ul class="chips"><% for (const chip of it.chips) { %><li class="chip <%= chip.tone %>"><bdi><%= chip.text %></bdi></li><% } %></ul>
<% if (it.drawnBy) { %><p class="drawn">Drawn from: <%= it.drawnBy %></p><% } %>
</header>
<% if (it.exceptions.length > 0) { %>
<ul class="exceptions"><% for (const one of it.exceptions) { %><li><strong><%= one.what %></strong> <bdi><%= one.element %></bdi>: <bdi><%~ one.detail %></bdi></li><% } %></ul>
<% } %>
<% if (it.report !== null) { %>
<div class="blocks">
<section><h4>(A) Identifying information</h4>${FIELDS("it.report.identity")}</section>
<section><h4>(C) When it was checked</h4>${FIELDS("it.report.times")}</section>
<section><h4>(D) Resolution</h4>${FIELDS("it.report.resolution")}</section>
<section class="wide later"><h4>(C) Methods and results</h4>
<table><thead><tr><th scope="col">Element</th><th scope="col">Result</th><th scope="col">Sources</th></tr></thead><tbody>
<% for (const one of it.report.findings) { %><tr><th scope="row"><%= one.element %></th><td><span class="verdict <%= one.verdict %>"><%= one.verdict %></span></td><td><bdi><%= one.sources %></bdi></td></tr>
<% } %></tbody></table>
<% if (it.report.records.length > 0) { %><p class="records">Watchlist records:</p><ol><% for (const one of it.report.records) { %><li><code><bdi><%= one %></bdi></code></li><% } %></ol><% } %></section>
<section class="later"><h4>Self-reported</h4><% if (it.report.selfReported.length === 0) { %><p class="none">Nothing.</p><% } else { %>${FIELDS("it.report.selfReported")}<% } %></section>
<section class="later"><h4>Export and retention</h4>${FIELDS("it.outcome")}</section>
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
export function personSection(view: ReturnType<typeof personView>, drawnBy?: string): string {
  return section({ ...view, drawnBy });
}

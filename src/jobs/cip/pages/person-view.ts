import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import { instantOf } from "../../../domain/bulk/cip/instant.js";
import type { Mask } from "../../../domain/bulk/cip/masking.js";
import { findingsOf } from "../../../domain/bulk/cip/report.js";
import type { CipReport } from "../member.js";
import type { JudgedMember } from "../member-lines.js";
import { ELEMENT_NAMES, elementName, KIND_NAMES } from "./words.js";

/** The anchor of the member with this index in the population. */
export function anchorOf(position: number): string {
  return `p-${position + 1}`;
}

export type PersonView = ReturnType<typeof personView>;

/** All that a member's section shows, as texts. */
export function personView(one: JudgedMember, position: number) {
  const { member, exceptions, mask } = one;
  const { report, fpId, externalId } = member;
  return {
    id: anchorOf(position),
    title: report?.checked_data.customer_name.trim() ? mask.text(report.checked_data.customer_name) : fpId,
    fpId,
    externalId,
    chips: chipsOf(one),
    exceptions: exceptions.map(({ kind, element, detail, part }) => ({
      what: part === null ? KIND_NAMES[kind] : `${KIND_NAMES[kind]} (${part})`,
      element: elementName(element),
      detail: mask.text(detail),
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
    ...(reason === null ? [] : [field("Reason", reason)]),
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
      sources: sources === null ? "—" : sources.map((source) => mask.text(source)).join(", ") || "none named",
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
      .map(([name, value]) => field(sentence(name), shown(textOf(value), mask.text))),
  };
}

/** A name and a value, null where the report has none; `aside` is said beside it. */
function field(label: string, value: string | null, aside?: string) {
  return { label, value, aside };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function shown(value: string | null | undefined, mask: (value: string) => string): string | null {
  return value === null || value === undefined || value.trim() === "" ? null : mask(value);
}

/** The original text, with the instant beside it where that is written otherwise. */
function time(label: string, text: string | null | undefined, mask: Mask) {
  const value = shown(text, mask.text);
  if (value === null) return field(label, value);
  const utc = instantOf(text)?.replace(/\.?0*Z$/, "Z");
  if (utc === undefined) return field(label, value, "no instant");
  return field(label, value, utc === value.replace(/\.?0*Z$/, "Z") ? undefined : `UTC ${utc}`);
}

function sentence(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

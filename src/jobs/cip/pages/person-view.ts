import { NOT_COVERED } from "../../../domain/bulk/cip/exceptions.js";
import { instantOf } from "../../../domain/bulk/cip/instant.js";
import type { Mask } from "../../../domain/bulk/cip/masking.js";
import { findingsOf } from "../../../domain/bulk/cip/report.js";
import type { CipReport } from "../member.js";
import type { JudgedMember } from "../member-lines.js";
import { ELEMENT_NAMES, elementName, KIND_NAMES } from "./words.js";

/** A name and a value; null where the report has none. */
interface Field {
  readonly label: string;
  readonly value: string | null;
  /** What is said beside it. */
  readonly aside?: string;
}

/** All that a person's section shows, as texts. */
export interface PersonView {
  /** Anchor of the section. */
  readonly id: string;
  readonly title: string;
  readonly fpId: string;
  readonly externalId: string | null;
  readonly chips: readonly { readonly tone: string; readonly text: string }[];
  readonly exceptions: readonly {
    readonly what: string;
    readonly element: string;
    readonly detail: string;
  }[];
  readonly outcome: readonly Field[];
  readonly report: ReportView | null;
}

interface ReportView {
  readonly identity: readonly Field[];
  readonly documents: string;
  readonly findings: readonly {
    readonly element: string;
    readonly verdict: string;
    readonly sources: string;
  }[];
  readonly times: readonly Field[];
  readonly records: readonly string[];
  readonly resolution: readonly Field[];
  readonly selfReported: readonly Field[];
}

/** The anchor of the member at a place in the population. */
export function anchorOf(position: number): string {
  return `p-${position + 1}`;
}

/** What a member's section shows. */
export function personView(one: JudgedMember, position: number): PersonView {
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

function chipsOf({ member, approval, exceptions }: JudgedMember): PersonView["chips"] {
  const { report, status, risk, legalHold } = member;
  const considered = exceptions.some(({ kind }) => kind === "consider");
  return [
    ...(report === null
      ? [
          {
            tone: status === "failed" ? "bad" : "plain",
            text: status === "failed" ? "no report" : "excluded",
          },
        ]
      : [{ tone: considered ? "bad" : "good", text: considered ? "consider" : "clear" }]),
    ...(approval === null
      ? []
      : [{ tone: approval === "manual" ? "note" : "plain", text: `${approval} approval` }]),
    ...(risk === null
      ? []
      : [{ tone: risk.trim().toLowerCase() === "high" ? "note" : "plain", text: `risk ${risk}` }]),
    ...(legalHold ? [{ tone: "note", text: "legal hold" }] : []),
  ];
}

function outcomeOf({ member, purge }: JudgedMember): Field[] {
  const { status, reason, action, asked, askedAt, accountClosedOn } = member;
  const asks =
    asked === 1 ? "once" : asked === 0 ? "never" : `${asked} times; the report is of the last answer`;
  const day = (value: string | null, none: string) => value ?? purge.note ?? none;
  return [
    { label: "Outcome", value: status },
    ...(reason === null ? [] : [{ label: "Reason", value: reason }]),
    ...(action === null ? [] : [{ label: "What to do", value: action }]),
    { label: "Service asked", value: asks, ...(askedAt === null ? {} : { aside: `answered ${askedAt}` }) },
    { label: "Account", value: accountClosedOn === null ? "open" : `closed on ${accountClosedOn}` },
    { label: "Keep (A) until", value: day(purge.identity, "no day") },
    { label: "Keep (B)–(D) until", value: day(purge.records, "no record was made") },
  ];
}

function reportView(report: CipReport, { approval, mask }: JudgedMember): ReportView {
  const { checked_data: data, watchlist } = report;
  return {
    identity: [
      { label: "Name", value: shown(data.customer_name, mask.text) },
      { label: "Date of birth", value: shown(data.date_of_birth, mask.birthDate) },
      { label: "Address", value: shown(data.address, mask.address) },
      { label: "Tax id", value: shown(data.tax_id, mask.taxId) },
      { label: "IP address", value: shown(report.ip_address, mask.ipAddress) },
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
    records: watchlist.records.map((record) =>
      mask.text(typeof record === "string" ? record : JSON.stringify(record)),
    ),
    resolution: [
      { label: "Approved by", value: shown(report.approved_by, mask.text), aside: `${approval}` },
      time("Approved at", report.approved_at, mask),
      { label: "Reason", value: shown(report.approved_reason, mask.text) },
    ],
    selfReported: Object.entries(report.self_reported)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => ({
        label: sentence(name),
        value: shown(typeof value === "string" ? value : JSON.stringify(value), mask.text),
      })),
  };
}

function shown(value: string | null | undefined, mask: (value: string) => string): string | null {
  return value === null || value === undefined || value.trim() === "" ? null : mask(value);
}

/** The original text, with the instant beside it where that is written otherwise. */
function time(label: string, text: string | null | undefined, mask: Mask): Field {
  const value = shown(text, mask.text);
  const instant = instantOf(text);
  if (value === null) return { label, value };
  if (instant === null) return { label, value, aside: "no instant" };
  const utc = instant.replace(/\.?0*Z$/, "Z");
  return utc === value.replace(/\.?0*Z$/, "Z") ? { label, value } : { label, value, aside: `UTC ${utc}` };
}

function sentence(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

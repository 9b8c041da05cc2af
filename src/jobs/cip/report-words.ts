import type { ExceptionKind } from "../../domain/bulk/cip/exceptions.js";
import { type CipElement, instantOf } from "../../domain/bulk/cip/report.js";
import { html, joined, type Markup } from "../../pages/parts.js";
import type { ChangeKind } from "./changes.js";

export const ELEMENT_NAMES: Readonly<Record<CipElement, string>> = {
  result: "Result",
  date_of_birth: "Date of birth",
  matched_address: "Address",
  tax_id: "Tax id",
  "watchlist.result": "Watchlists: result",
  "watchlist.sanction": "Watchlists: sanctions",
  "watchlist.politically_exposed_person": "Watchlists: politically exposed",
  "watchlist.adverse_media": "Watchlists: adverse media",
  "watchlist.monitored_lists": "Watchlists: monitored lists",
};

/** Others by their own name, with spaces. */
const FIELD_NAMES = new Map<string, string>(
  Object.entries({
    ...ELEMENT_NAMES,
    "checked_data.customer_name": "Checked name",
    "checked_data.date_of_birth": "Checked date of birth",
    "checked_data.address": "Checked address",
    "checked_data.tax_id": "Checked tax id",
    ip_address: "IP address",
    check_initiated_at: "Check started",
    kyc_completed_at: "KYC completed",
    "watchlist.check_completed_at": "Watchlists screened",
    approved_reason: "Reason of the approval",
  }),
);

export function fieldName(field: string): string {
  const path = field.replace(/^(checked_data|watchlist)_/, "$1.").replace(/_text$/, "");
  const words = path.replaceAll("_", " ");
  return FIELD_NAMES.get(path) ?? words.charAt(0).toUpperCase() + words.slice(1);
}

export const KIND_NAMES: Readonly<Record<ExceptionKind, string>> = {
  consider: "Consider",
  no_report: "No report",
  missing: "Missing",
  approved_before_check: "Approved before the check was completed",
  check_older_than_a_year: "Check older than a year",
  manual_approval: "Manual approval",
};

export const CHANGE_NAMES: Readonly<Record<ChangeKind, string>> = {
  clear_to_consider: "clear → consider",
  consider_to_clear: "consider → clear",
  changed: "another field changed",
  added: "added",
  removed: "removed",
  screened_again: "screened again",
};

/** `not_found (…)` as "not found (…)". */
export function codeInWords(text: string): string {
  return text.replace(/^[a-z\d]+(?:_[a-z\d]+)+(?=$|[ :])/i, (code) => code.replaceAll("_", " "));
}

const INSTANTS = /(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d))/;

/** Instants in UTC, to the second, unbroken. */
export function withTimes(text: string): Markup {
  const parts = text.split(INSTANTS).map((part) => {
    const instant = instantOf(part);
    if (instant === null) return part;
    return html`<time datetime="${part}">${instant.slice(0, 10)} ${instant.slice(11, 19)} UTC</time>`;
  });
  return joined(...parts);
}

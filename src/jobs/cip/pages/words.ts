import type { ChangeKind } from "../../../domain/bulk/cip/changes.js";
import type { ExceptionKind } from "../../../domain/bulk/cip/exceptions.js";
import type { CipElement } from "../../../domain/bulk/cip/report.js";
import type { Stratum } from "../../../domain/bulk/cip/sample.js";

/** What pages call the verdicts of a report. */
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

/** What pages call a field of a report: its own name where it has no other. */
export function elementName(element: string): string {
  return ELEMENT_NAMES[element as CipElement] ?? element;
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

export const STRATUM_NAMES: Readonly<Record<Stratum, string>> = {
  exceptions: "Exceptions",
  manual_approval: "Manual approval",
  incomplete: "Incomplete or without a report",
  high_risk: "High risk",
  random: "Random",
};

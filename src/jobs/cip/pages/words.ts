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

/** What pages call a field of a report; any other by its own name, with spaces. */
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
    "watchlist.records": "Watchlists: records",
    approved_reason: "Reason of the approval",
    date_of_birth_breakdown: "Date of birth: sources",
    matched_addresses: "Address: sources",
    tax_id_breakdown: "Tax id: sources",
    us_legal_status: "US legal status",
    is_employed_at_brokerage_firm: "Employed at a brokerage firm",
  }),
);

/** What pages call a field of a report, by its name there (`watchlist.sanction`) or its column (`watchlist_sanction`). */
export function fieldName(field: string): string {
  const path = field.replace(/^(checked_data|watchlist|self_reported)_/, "$1.").replace(/_text$/, "");
  const own = path.replace(/^self_reported\./, "");
  return FIELD_NAMES.get(own) ?? sentence(own);
}

function sentence(name: string): string {
  const words = name.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
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

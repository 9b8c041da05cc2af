import type { TableSpec } from "../delta/delta-schema.js";
import { boolean, date, encrypted, integer, timestamptz, varchar } from "./columns.js";

export const cipReports = {
  name: "cip_reports",
  about: "One row for each report of a CIP export, with every field of the CIP report",
  columns: [
    ...varchar({ run_id: "the export: its id", fp_id: "the user" }),
    ...varchar({ external_id: "the customer's own id, from the roster" }),
    ...integer({ asked: "how often the service was asked; each request makes a new report" }),
    ...timestamptz({ asked_at: "when the answer came" }),
    ...varchar({ user_id: "the user, as the report names it" }),
    ...timestamptz({ approved_at: "when the user was approved; null if the text names no instant" }),
    ...varchar({ approved_at_text: "the whole text that the service gave" }),
    ...varchar({ approved_by: "the reviewer, or the approver of the export if the playbook approved" }),
    ...varchar({ approved_reason: "the reviewer's reason" }),
    ...timestamptz({ check_initiated_at: "when the check began; null if the text names no instant" }),
    ...varchar({ check_initiated_at_text: "the whole text that the service gave" }),
    ...timestamptz({ check_completed_at: "when it was completed; null if the text names no instant" }),
    ...varchar({ check_completed_at_text: "the whole text that the service gave" }),
    ...timestamptz({ kyc_completed_at: "when the identity check was completed" }),
    ...varchar({ kyc_completed_at_text: "the whole text that the service gave" }),
    ...encrypted({ ip_address: "of the customer; encrypted" }),
    ...varchar({ result: "`clear` or `consider`, over all", date_of_birth: "`clear` or `consider`" }),
    ...varchar({ matched_address: "`clear` or `consider`; the sources are in `cip_matched_addresses`" }),
    ...varchar({ tax_id: "`clear` or `consider`; the sources are in `cip_tax_id_sources`" }),
    ...varchar({ checked_data_customer_name: "the name that was checked" }),
    ...encrypted({ checked_data_address: "the address; encrypted" }),
    ...encrypted({ checked_data_date_of_birth: "the birth date; encrypted" }),
    ...encrypted({ checked_data_tax_id: "the tax id; encrypted; null if the report has none" }),
    ...varchar({ watchlist_result: "`clear` or `consider`, over all lists" }),
    ...varchar({ watchlist_sanction: "`clear` or `consider`" }),
    ...varchar({ watchlist_politically_exposed_person: "`clear` or `consider`" }),
    ...varchar({ watchlist_adverse_media: "`clear` or `consider`" }),
    ...varchar({ watchlist_monitored_lists: "`clear` or `consider`" }),
    ...timestamptz({ watchlist_check_completed_at: "when the lists were screened" }),
    ...varchar({ watchlist_check_completed_at_text: "the whole text that the service gave" }),
    ...encrypted({ other_fields: "fields without a column, as JSON; encrypted; null if there are none" }),
    ...date({ account_closed_on: "the day the account was closed, from the roster; null while it is open" }),
    ...boolean({ legal_hold: "whether the roster says that the customer is under a legal hold" }),
  ],
} as const satisfies TableSpec;

/** Columns of `cip_reports` that hold no field of the report. */
export const OWN_CIP_COLUMNS: readonly string[] = [
  ...["run_id", "fp_id", "external_id", "asked", "asked_at", "other_fields"],
  ...["account_closed_on", "legal_hold"],
];

export const NEWEST_CIP_REPORTS = `from cip_reports
  qualify row_number() over (partition by fp_id order by asked_at desc, run_id desc) = 1`;

const SOURCE = [
  ...varchar({ run_id: "the export: its id", fp_id: "the user" }),
  ...integer({ position: "place in the report's list, from 1" }),
  ...varchar({ source: "a verification source, as the service names it" }),
] as const;

export const cipMatchedAddresses = {
  name: "cip_matched_addresses",
  about: "The sources that confirmed the address of a report, one row each",
  columns: [...SOURCE],
} as const satisfies TableSpec;

export const cipDateOfBirthSources = {
  name: "cip_date_of_birth_sources",
  about: "The sources that confirmed the birth date of a report, one row each",
  columns: [...SOURCE],
} as const satisfies TableSpec;

export const cipTaxIdSources = {
  name: "cip_tax_id_sources",
  about: "The sources that confirmed the tax id of a report, one row each",
  columns: [...SOURCE],
} as const satisfies TableSpec;

export const cipWatchlistRecords = {
  name: "cip_watchlist_records",
  about: "What the screening of a report found, one row for each record",
  columns: [
    ...varchar({ run_id: "the export: its id", fp_id: "the user" }),
    ...integer({ position: "place in the report's list, from 1" }),
    ...varchar({ kind: "`text`, `number`, `boolean`, `object`, `list` or `null`" }),
    ...encrypted({ record: "a text as it is, anything else as JSON; encrypted" }),
  ],
} as const satisfies TableSpec;

export const cipSelfReported = {
  name: "cip_self_reported",
  about: "What customers said about themselves",
  columns: [
    ...varchar({ run_id: "the export: its id", fp_id: "the user", annual_income: "yearly income" }),
    ...varchar({ citizenships: "citizenships", declarations: "declarations" }),
    ...varchar({ employment_status: "employment status" }),
    ...varchar({ investment_objectives: "goals" }),
    ...varchar({ is_employed_at_brokerage_firm: "whether a brokerage employs the customer" }),
    ...varchar({ net_worth: "net worth", occupation: "occupation" }),
    ...varchar({ us_legal_status: "legal status in the United States", visa_kind: "kind of visa" }),
  ],
} as const satisfies TableSpec;

/** Keyed to the first one. */
export const CIP_TABLES = [
  cipReports,
  cipMatchedAddresses,
  cipDateOfBirthSources,
  cipTaxIdSources,
  cipWatchlistRecords,
  cipSelfReported,
] as const satisfies readonly TableSpec[];

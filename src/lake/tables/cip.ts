import type { TableSpec } from "../delta/delta-schema.js";

/** One row a report of a CIP export: its fields, each instant with the text that it came as. */
export const cipReports = {
  name: "cip_reports",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "external_id", type: "VARCHAR" },
    { name: "asked", type: "INTEGER" },
    { name: "asked_at", type: "TIMESTAMPTZ" },
    { name: "user_id", type: "VARCHAR" },
    { name: "approved_at", type: "TIMESTAMPTZ" },
    { name: "approved_at_text", type: "VARCHAR" },
    { name: "approved_by", type: "VARCHAR" },
    { name: "approved_reason", type: "VARCHAR" },
    { name: "check_initiated_at", type: "TIMESTAMPTZ" },
    { name: "check_initiated_at_text", type: "VARCHAR" },
    { name: "check_completed_at", type: "TIMESTAMPTZ" },
    { name: "check_completed_at_text", type: "VARCHAR" },
    { name: "kyc_completed_at", type: "TIMESTAMPTZ" },
    { name: "kyc_completed_at_text", type: "VARCHAR" },
    { name: "ip_address", type: "VARCHAR", encrypted: true },
    { name: "result", type: "VARCHAR" },
    { name: "date_of_birth", type: "VARCHAR" },
    { name: "matched_address", type: "VARCHAR" },
    { name: "tax_id", type: "VARCHAR" },
    { name: "checked_data_customer_name", type: "VARCHAR" },
    { name: "checked_data_address", type: "VARCHAR", encrypted: true },
    { name: "checked_data_date_of_birth", type: "VARCHAR", encrypted: true },
    { name: "checked_data_tax_id", type: "VARCHAR", encrypted: true },
    { name: "watchlist_result", type: "VARCHAR" },
    { name: "watchlist_sanction", type: "VARCHAR" },
    { name: "watchlist_politically_exposed_person", type: "VARCHAR" },
    { name: "watchlist_adverse_media", type: "VARCHAR" },
    { name: "watchlist_monitored_lists", type: "VARCHAR" },
    { name: "watchlist_check_completed_at", type: "TIMESTAMPTZ" },
    { name: "watchlist_check_completed_at_text", type: "VARCHAR" },
    { name: "other_fields", type: "VARCHAR", encrypted: true },
  ],
} as const satisfies TableSpec;

const SOURCE = [
  { name: "run_id", type: "VARCHAR" },
  { name: "fp_id", type: "VARCHAR" },
  { name: "position", type: "INTEGER" },
  { name: "source", type: "VARCHAR" },
] as const;

/** The sources that confirmed an address. */
export const cipMatchedAddresses = {
  name: "cip_matched_addresses",
  columns: [...SOURCE],
} as const satisfies TableSpec;

/** The sources that confirmed a birth date. */
export const cipDateOfBirthSources = {
  name: "cip_date_of_birth_sources",
  columns: [...SOURCE],
} as const satisfies TableSpec;

/** The sources that confirmed a tax id. */
export const cipTaxIdSources = {
  name: "cip_tax_id_sources",
  columns: [...SOURCE],
} as const satisfies TableSpec;

/** What a screening found, item by item. */
export const cipWatchlistRecords = {
  name: "cip_watchlist_records",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "position", type: "INTEGER" },
    { name: "kind", type: "VARCHAR" },
    { name: "record", type: "VARCHAR", encrypted: true },
  ],
} as const satisfies TableSpec;

/** What a customer said of himself, one row a report. */
export const cipSelfReported = {
  name: "cip_self_reported",
  columns: [
    { name: "run_id", type: "VARCHAR" },
    { name: "fp_id", type: "VARCHAR" },
    { name: "annual_income", type: "VARCHAR" },
    { name: "citizenships", type: "VARCHAR" },
    { name: "declarations", type: "VARCHAR" },
    { name: "employment_status", type: "VARCHAR" },
    { name: "investment_objectives", type: "VARCHAR" },
    { name: "is_employed_at_brokerage_firm", type: "VARCHAR" },
    { name: "net_worth", type: "VARCHAR" },
    { name: "occupation", type: "VARCHAR" },
    { name: "us_legal_status", type: "VARCHAR" },
    { name: "visa_kind", type: "VARCHAR" },
  ],
} as const satisfies TableSpec;

/** The tables of CIP exports, the one that the others are keyed to first. */
export const CIP_TABLES = [
  cipReports,
  cipMatchedAddresses,
  cipDateOfBirthSources,
  cipTaxIdSources,
  cipWatchlistRecords,
  cipSelfReported,
] as const satisfies readonly TableSpec[];

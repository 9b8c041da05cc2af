import type { TableSpec } from "../delta/delta-schema.js";
import { encrypted, integer, timestamptz, varchar } from "./columns.js";

/** One row per report of a CIP export: its fields, and with each instant the text that it came as. */
export const cipReports = {
  name: "cip_reports",
  columns: [
    ...varchar("run_id", "fp_id", "external_id"),
    ...integer("asked"),
    ...timestamptz("asked_at"),
    ...varchar("user_id"),
    ...timestamptz("approved_at"),
    ...varchar("approved_at_text", "approved_by", "approved_reason"),
    ...timestamptz("check_initiated_at"),
    ...varchar("check_initiated_at_text"),
    ...timestamptz("check_completed_at"),
    ...varchar("check_completed_at_text"),
    ...timestamptz("kyc_completed_at"),
    ...varchar("kyc_completed_at_text"),
    ...encrypted("ip_address"),
    ...varchar("result", "date_of_birth", "matched_address", "tax_id", "checked_data_customer_name"),
    ...encrypted("checked_data_address", "checked_data_date_of_birth", "checked_data_tax_id"),
    ...varchar("watchlist_result", "watchlist_sanction", "watchlist_politically_exposed_person"),
    ...varchar("watchlist_adverse_media", "watchlist_monitored_lists"),
    ...timestamptz("watchlist_check_completed_at"),
    ...varchar("watchlist_check_completed_at_text"),
    ...encrypted("other_fields"),
  ],
} as const satisfies TableSpec;

const SOURCE = [...varchar("run_id", "fp_id"), ...integer("position"), ...varchar("source")] as const;

/** The sources that confirmed an address; the next two tables have those of birth date and tax id. */
export const cipMatchedAddresses = {
  name: "cip_matched_addresses",
  columns: [...SOURCE],
} as const satisfies TableSpec;

export const cipDateOfBirthSources = {
  name: "cip_date_of_birth_sources",
  columns: [...SOURCE],
} as const satisfies TableSpec;

export const cipTaxIdSources = {
  name: "cip_tax_id_sources",
  columns: [...SOURCE],
} as const satisfies TableSpec;

/** One row per item that a screening found. */
export const cipWatchlistRecords = {
  name: "cip_watchlist_records",
  columns: [
    ...varchar("run_id", "fp_id"),
    ...integer("position"),
    ...varchar("kind"),
    ...encrypted("record"),
  ],
} as const satisfies TableSpec;

/** One row per report, with what the customers say about themselves. */
export const cipSelfReported = {
  name: "cip_self_reported",
  columns: [
    ...varchar("run_id", "fp_id", "annual_income", "citizenships", "declarations", "employment_status"),
    ...varchar("investment_objectives", "is_employed_at_brokerage_firm", "net_worth", "occupation"),
    ...varchar("us_legal_status", "visa_kind"),
  ],
} as const satisfies TableSpec;

/** The tables of CIP exports; the others are keyed to the first one. */
export const CIP_TABLES = [
  cipReports,
  cipMatchedAddresses,
  cipDateOfBirthSources,
  cipTaxIdSources,
  cipWatchlistRecords,
  cipSelfReported,
] as const satisfies readonly TableSpec[];

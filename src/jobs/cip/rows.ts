import { instantOf } from "../../domain/bulk/cip/instant.js";
import type { Sealer } from "../../domain/sealer.js";
import {
  CIP_TABLES,
  cipDateOfBirthSources,
  cipMatchedAddresses,
  cipReports,
  cipSelfReported,
  cipTaxIdSources,
  cipWatchlistRecords,
} from "../../lake/tables/cip.js";
import { openColumn, sealColumnRepeatably } from "../../lake/tables/encrypted-column.js";
import type { CipMember, CipReport } from "./member.js";

type Row = Readonly<Record<string, unknown>>;
type CipTable = (typeof CIP_TABLES)[number]["name"];
/** Rows by table; none where a user has no report. */
export type CipRows = Readonly<Record<CipTable, readonly Row[]>>;

/** What the columns of `cip_reports` and the child tables hold; anything else goes into `other_fields`. */
const KNOWN = {
  report: [
    ...["user_id", "approved_at", "approved_by", "approved_reason", "check_initiated_at"],
    ...["check_completed_at", "kyc_completed_at", "ip_address", "result", "date_of_birth"],
    ...["date_of_birth_breakdown", "matched_address", "matched_addresses", "tax_id", "tax_id_breakdown"],
    ...["checked_data", "self_reported", "watchlist"],
  ],
  checked_data: ["address", "customer_name", "date_of_birth", "tax_id"],
  self_reported: cipSelfReported.columns
    .map(({ name }): string => name)
    .filter((name) => name !== "run_id" && name !== "fp_id"),
  watchlist: [
    ...["adverse_media", "monitored_lists", "politically_exposed_person", "result", "sanction"],
    ...["check_completed_at", "records"],
  ],
};

/** The field by which the records of a screening are compared, all of them as one value. */
export const WATCHLIST_RECORDS = "watchlist_records";
/** Between the items of a list that is compared as one value. */
export const ITEM_SEPARATOR = " · ";

/** The columns of `cip_reports` that are encrypted. */
const SEALED_COLUMNS = cipReports.columns.flatMap((column) => ("encrypted" in column ? [column.name] : []));

/** The rows of a user's report, as the files of a pack and the lake's tables both get them. */
export function cipRows(member: CipMember, runId: string, sealer: Sealer): CipRows {
  const { report, fpId } = member;
  const key = { run_id: runId, fp_id: fpId };
  if (report === null) return Object.fromEntries(CIP_TABLES.map(({ name }) => [name, []])) as never;
  const list = (values: readonly string[]) =>
    values.map((source, index) => ({ ...key, position: index + 1, source }));
  return {
    [cipReports.name]: [reportRow(member, report, key, sealer)],
    [cipMatchedAddresses.name]: list(report.matched_addresses),
    [cipDateOfBirthSources.name]: list(report.date_of_birth_breakdown),
    [cipTaxIdSources.name]: list(report.tax_id_breakdown),
    [cipWatchlistRecords.name]: report.watchlist.records.map((record, index) => ({
      ...key,
      position: index + 1,
      kind: kindOf(record),
      // Nobody knows what it says of a customer.
      record: sealColumnRepeatably(sealer, cipWatchlistRecords, "record", {
        owner: fpId,
        text: typeof record === "string" ? record : JSON.stringify(record),
      }),
    })),
    [cipSelfReported.name]: [{ ...key, ...picked(report.self_reported, KNOWN.self_reported) }],
  };
}

/** A compared value of a report in the clear. @throws InputError when it is sealed and its key is not there. */
export function openedValue(sealer: Sealer, field: string, value: string | null): string | null {
  if (value === null) return null;
  if (field === WATCHLIST_RECORDS) {
    const items = value.split(ITEM_SEPARATOR);
    return items
      .map((item) => openColumn(sealer, cipWatchlistRecords.name, "record", item))
      .join(ITEM_SEPARATOR);
  }
  return isSealed(field) ? openColumn(sealer, cipReports.name, field, value) : value;
}

function reportRow(
  { fpId, externalId, asked, askedAt }: CipMember,
  report: CipReport,
  key: Row,
  sealer: Sealer,
): Row {
  const { checked_data, watchlist } = report;
  const plain: Record<string, string | null> = {
    user_id: report.user_id,
    ...timestamp("approved_at", report.approved_at),
    approved_by: report.approved_by,
    approved_reason: report.approved_reason ?? null,
    ...timestamp("check_initiated_at", report.check_initiated_at),
    ...timestamp("check_completed_at", report.check_completed_at),
    ...timestamp("kyc_completed_at", report.kyc_completed_at),
    ip_address: report.ip_address,
    result: report.result,
    date_of_birth: report.date_of_birth,
    matched_address: report.matched_address,
    tax_id: report.tax_id,
    checked_data_customer_name: checked_data.customer_name,
    checked_data_address: checked_data.address,
    checked_data_date_of_birth: checked_data.date_of_birth,
    checked_data_tax_id: checked_data.tax_id ?? null,
    watchlist_result: watchlist.result,
    watchlist_sanction: watchlist.sanction,
    watchlist_politically_exposed_person: watchlist.politically_exposed_person,
    watchlist_adverse_media: watchlist.adverse_media,
    watchlist_monitored_lists: watchlist.monitored_lists,
    ...timestamp("watchlist_check_completed_at", watchlist.check_completed_at),
    other_fields: otherFields(report),
  };
  for (const column of SEALED_COLUMNS) {
    const value = plain[column];
    if (value === null || value === undefined) continue;
    plain[column] = sealColumnRepeatably(sealer, cipReports, column, { owner: fpId, text: value });
  }
  return { ...key, external_id: externalId, asked, asked_at: askedAt, ...plain };
}

function timestamp(name: string, text: string | null | undefined): Record<string, string | null> {
  return { [name]: instantOf(text), [`${name}_text`]: text ?? null };
}

function isSealed(column: string): boolean {
  return (SEALED_COLUMNS as readonly string[]).includes(column);
}

function kindOf(record: unknown): string {
  if (record === null) return "null";
  if (Array.isArray(record)) return "list";
  return typeof record === "number" ? "number" : typeof record === "string" ? "text" : typeof record;
}

function picked(from: Readonly<Record<string, unknown>>, names: readonly string[]): Row {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(from, name)).map((name) => [name, from[name]]),
  );
}

/** The fields that no column has, as JSON with sorted names; null where there is none. */
function otherFields(report: CipReport): string | null {
  const of = (from: Readonly<Record<string, unknown>>, known: readonly string[], prefix = "") =>
    Object.keys(from)
      .sort()
      .filter((name) => !known.includes(name))
      .map((name) => [`${prefix}${name}`, from[name]] as const);
  const others = [
    ...of(report, KNOWN.report),
    ...of(report.checked_data, KNOWN.checked_data, "checked_data."),
    ...of(report.self_reported, KNOWN.self_reported, "self_reported."),
    ...of(report.watchlist, KNOWN.watchlist, "watchlist."),
  ];
  return others.length === 0 ? null : JSON.stringify(Object.fromEntries(others));
}

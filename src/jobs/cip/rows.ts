import { instantOf } from "../../domain/bulk/cip/report.js";
import type { Sealer } from "../../domain/sealer.js";
import {
  CIP_TABLES,
  cipDateOfBirthSources,
  cipMatchedAddresses,
  cipReports,
  cipSelfReported,
  cipTaxIdSources,
  cipWatchlistRecords,
  OWN_CIP_COLUMNS,
} from "../../lake/tables/cip.js";
import { sealRowRepeatably } from "../../lake/tables/encrypted-column.js";
import { TakenFields } from "../kyb/rows.js";
import type { CipMember, CipReport } from "./member.js";

type Row = Readonly<Record<string, unknown>>;
type CipTable = (typeof CIP_TABLES)[number]["name"];
/** None for a user without a report. */
type CipRows = Readonly<Record<CipTable, readonly Row[]>>;

/** Columns of `cip_reports` with fields of the report; those of its parts are `<part>_<field>`. */
const REPORTED = cipReports.columns
  .filter(({ name }) => !OWN_CIP_COLUMNS.includes(name))
  .map(({ name, type }) => {
    const [, part, own] = /^(checked_data|watchlist)_(.+)$/.exec(name) ?? [];
    // An instant has a second column with its text.
    return { name, type, part, field: (own ?? name).replace(/_text$/, "") };
  });
const fieldsOf = (part?: string) => REPORTED.filter((one) => one.part === part).map(({ field }) => field);

/** Fields with a column; others go into `other_fields`. */
const KNOWN = {
  report: [
    ...[...fieldsOf(), "date_of_birth_breakdown", "matched_addresses", "tax_id_breakdown"],
    ...["checked_data", "self_reported", "watchlist"],
  ],
  checked_data: fieldsOf("checked_data"),
  self_reported: cipSelfReported.columns.map(({ name }): string => name).slice(2),
  watchlist: [...fieldsOf("watchlist"), "records"],
};

/** A report's rows, for the pack and the lake's tables. */
export function cipRows(member: CipMember, runId: string, sealer: Sealer): CipRows {
  const { report, fpId } = member;
  const key = { run_id: runId, fp_id: fpId };
  if (report === null) return Object.fromEntries(CIP_TABLES.map(({ name }) => [name, []])) as never;
  const selfReported = Object.fromEntries(
    KNOWN.self_reported.flatMap((name) =>
      Object.hasOwn(report.self_reported, name) ? [[name, report.self_reported[name]]] : [],
    ),
  );
  const list = (values: readonly string[]) =>
    values.map((source, index) => ({ ...key, position: index + 1, source }));
  return {
    [cipReports.name]: [reportRow(member, report, key, sealer)],
    [cipMatchedAddresses.name]: list(report.matched_addresses),
    [cipDateOfBirthSources.name]: list(report.date_of_birth_breakdown),
    [cipTaxIdSources.name]: list(report.tax_id_breakdown),
    // A record may say anything of a customer, so it is sealed.
    [cipWatchlistRecords.name]: report.watchlist.records.map((record, index) =>
      sealRowRepeatably(sealer, cipWatchlistRecords, fpId, {
        ...key,
        position: index + 1,
        kind: kindOf(record),
        record: typeof record === "string" ? record : JSON.stringify(record),
      }),
    ),
    [cipSelfReported.name]: [{ ...key, ...selfReported }],
  };
}

function reportRow(
  { fpId, externalId, asked, askedAt, accountClosedOn, legalHold }: CipMember,
  report: CipReport,
  key: Row,
  sealer: Sealer,
): Row {
  const values: Record<string, string | null> = { other_fields: otherFields(report) };
  for (const { name, type, part, field } of REPORTED) {
    const from = (part === undefined ? report : report[part]) as Readonly<Record<string, unknown>>;
    const text = (from[field] ?? null) as string | null;
    values[name] = type === "TIMESTAMPTZ" ? instantOf(text) : text;
  }
  const kept = { account_closed_on: accountClosedOn, legal_hold: legalHold };
  const row = { ...key, external_id: externalId, asked, asked_at: askedAt, ...values, ...kept };
  return sealRowRepeatably(sealer, cipReports, fpId, row);
}

function kindOf(record: unknown): string {
  if (record === null) return "null";
  if (Array.isArray(record)) return "list";
  return typeof record === "string" ? "text" : typeof record;
}

/** As JSON with sorted names; null for none. */
function otherFields(report: CipReport): string | null {
  const { checked_data, self_reported, watchlist } = report;
  const taken = new TakenFields();
  taken.take(report, KNOWN.report);
  for (const [part, fields] of Object.entries({ checked_data, self_reported, watchlist }))
    taken.take(fields, KNOWN[part as keyof typeof KNOWN], `${part}.`);
  return taken.columns.other_fields;
}

import { join } from "node:path";
import { OUTCOMES_FILE, PackError, type PackManifest, PROOF } from "../../../lake/bulk/pack/manifest.js";
import { csvFile, parquetFiles } from "../../../lake/sql/duckdb-files.js";
import type { SqlRow, SqlSession } from "../../../lake/sql/duckdb-session.js";
import { sqlName, sqlText } from "../../../lake/sql/duckdb-sql.js";
import { isAbsent } from "../../../lake/store/local/local-store-errors.js";
import { fileSha256 } from "../../../lake/store/local/local-store-files.js";
import {
  CIP_TABLES,
  cipDateOfBirthSources,
  cipMatchedAddresses,
  cipReports,
  cipSelfReported,
  cipTaxIdSources,
  cipWatchlistRecords,
} from "../../../lake/tables/cip.js";
import { ITEM_SEPARATOR, WATCHLIST_RECORDS } from "../rows.js";

/** What differs in every export anyway. Instants are left out too, because their texts are compared. */
const NOT_COMPARED = new Set(["run_id", "fp_id", "asked", "asked_at"]);
const isCompared = ({ name, type }: { name: string; type: string }) =>
  type !== "TIMESTAMPTZ" && !NOT_COMPARED.has(name);

const LISTS = [
  { field: "date_of_birth_breakdown", table: cipDateOfBirthSources.name, value: "source" },
  { field: "matched_addresses", table: cipMatchedAddresses.name, value: "source" },
  { field: "tax_id_breakdown", table: cipTaxIdSources.name, value: "source" },
  { field: WATCHLIST_RECORDS, table: cipWatchlistRecords.name, value: "record" },
] as const;
const REPORT_FIELDS = cipReports.columns.filter(isCompared).map(({ name }) => name);
const SELF_REPORTED_FIELDS = cipSelfReported.columns.filter(isCompared).map(({ name }) => name);

/** The fields of a report that two exports are compared by. */
export const COMPARED_FIELDS: readonly string[] = [
  ...REPORT_FIELDS,
  ...LISTS.map(({ field }) => field),
  ...SELF_REPORTED_FIELDS.map((name) => `self_reported_${name}`),
];

/** The files of a pack that a comparison reads. */
const COMPARED_FILES = [...CIP_TABLES.map(({ name }) => `${name}.parquet`), OUTCOMES_FILE];

/** What is read of the pack before. */
export const READ_FILES: readonly string[] = [PROOF.manifest, PROOF.sums, ...COMPARED_FILES];

/** @throws PackError where a pack that is compared with is not what it was when it was written. */
export async function requireUnchanged(directory: string, { export_id, files }: PackManifest): Promise<void> {
  for (const path of COMPARED_FILES) {
    const said = files.find((file) => file.path === path);
    const sha256 = await fileSha256(join(directory, path)).catch((error) => {
      if (!isAbsent(error)) throw error;
    });
    if (said !== undefined && sha256 === said.sha256) continue;
    throw new PackError(
      `${path} of ${export_id} is not the file that its ${PROOF.manifest} names: changes against it would mean nothing`,
    );
  }
}

/** Reports of a pack that are compared at a time, however many there are. */
const REPORTS_AT_ONCE = 5_000;

/** A user whose reports differ between two packs. */
export interface Difference {
  readonly fp_id: string;
  readonly external_id: string | null;
  /** By field; null where there is no report. */
  readonly before: SqlRow | null;
  readonly after: SqlRow | null;
  /** What became of the user; null where it is not in the population. */
  readonly status_before: string | null;
  readonly status_after: string | null;
}

/** Gives the users whose reports differ between two packs, in parts of bounded size. */
export async function eachDifference(
  sql: SqlSession,
  before: string,
  after: string,
  each: (difference: Difference) => Promise<void>,
): Promise<void> {
  const ids = [before, after].map((directory) => `select fp_id from ${table(directory, cipReports.name)}`);
  const starts = await sql.rows(
    `select fp_id from (select fp_id, row_number() over (order by fp_id) as n from (${ids.join(" union ")}))
     where n % ${REPORTS_AT_ONCE} = 1 order by fp_id`,
  );
  for (const [index, { fp_id: from }] of starts.entries()) {
    const to = starts[index + 1]?.fp_id;
    const range = `fp_id >= ${sqlText(String(from))}${to === undefined ? "" : ` and fp_id < ${sqlText(String(to))}`}`;
    for await (const rows of sql.stream(differencesSql(before, after, range)))
      for (const row of rows) await each(row as unknown as Difference);
  }
}

function differencesSql(before: string, after: string, range: string): string {
  const statuses = (directory: string) =>
    `(select fp_id, status from ${csvFile(join(directory, OUTCOMES_FILE))} where ${range})`;
  return `select d.*, was.status as status_before, now.status as status_after from (
      select coalesce(a.fp_id, b.fp_id) as fp_id, coalesce(a.external_id, b.external_id) as external_id,
        b.values as before, a.values as after
      from (${reportsSql(before, range)}) b full join (${reportsSql(after, range)}) a on a.fp_id = b.fp_id
      where b.values is distinct from a.values
    ) d left join ${statuses(before)} was using (fp_id) left join ${statuses(after)} now using (fp_id)`;
}

/** The reports of a pack, one row each: its id and all that is compared as one value. Few joins: each takes memory. */
function reportsSql(directory: string, range: string): string {
  const file = (name: string) => `(select * from ${table(directory, name)} where ${range})`;
  const items = LISTS.map(
    ({ field, table: name, value }) =>
      `select fp_id, "position", ${sqlText(field)} as field, ${value} as item from ${file(name)}`,
  );
  const lists = LISTS.map(
    ({ field }) =>
      `string_agg(item, ${sqlText(ITEM_SEPARATOR)} order by "position") filter (where field = ${sqlText(field)}) as ${field}`,
  );
  const fields = [
    ...REPORT_FIELDS.map((name) => `${sqlText(name)}: r.${sqlName(name)}`),
    ...LISTS.map(({ field }) => `${sqlText(field)}: l.${field}`),
    ...SELF_REPORTED_FIELDS.map((name) => `${sqlText(`self_reported_${name}`)}: s.${sqlName(name)}`),
  ];
  return `select r.fp_id, r.external_id, {${fields.join(", ")}} as "values" from ${file(cipReports.name)} r
    left join ${file(cipSelfReported.name)} s on s.fp_id = r.fp_id
    left join (select fp_id, ${lists.join(", ")} from (${items.join(" union all ")}) group by fp_id) l
      on l.fp_id = r.fp_id`;
}

function table(directory: string, name: string): string {
  return parquetFiles([join(directory, `${name}.parquet`)]);
}

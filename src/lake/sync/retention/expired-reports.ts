import { join } from "node:path";
import type { RecordClass } from "../../../domain/tables/retention.js";
import type { Lake } from "../../lake.js";
import { readTables } from "../../query/query-views.js";
import { parquetFiles } from "../../sql/duckdb-files.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { CIP_TABLES, cipReports, NEWEST_CIP_REPORTS, OWN_CIP_COLUMNS } from "../../tables/cip.js";
import { holds } from "../../tables/erasures.js";
import type { Erasing } from "../forget/erase-rows.js";
import { HELD } from "../forget/holds.js";

/** Rows of one class whose time is over. */
export interface Expired {
  readonly erasing: readonly Omit<Erasing, "owner">[];
  /** Writes down what the rows prove, before they go. */
  readonly before?: () => Promise<void>;
  /** Decides again what was decided with the rows. */
  readonly after?: () => Promise<void>;
}

/** What rules are applied to: until which day records have been kept long enough, and a directory for files. */
export interface Due {
  readonly until: { readonly [record in RecordClass]?: string };
  readonly directory: string;
}

/** Identifying information: name, address, birth date, identification number, and from where the customer came. */
const IDENTITY = [
  ...["checked_data_customer_name", "checked_data_address"],
  ...["checked_data_date_of_birth", "checked_data_tax_id", "ip_address"],
];
/** What is left of a row stays as long as the row: `other_fields` may be of either class. */
const RESULTS = cipReports.columns
  .map(({ name }): string => name)
  .filter((name) => !IDENTITY.includes(name) && !OWN_CIP_COLUMNS.includes(name));

/**
 * Finds the reports of CIP exports of which the time of a class is over: of identifying information some years after the
 * account was closed, as the newest report says, of results after they were made. Of both, the row goes as a whole.
 */
export async function expiredReports(
  lake: Lake,
  { until, directory }: Due,
): Promise<{ readonly [record in RecordClass]?: Expired }> {
  const [identity, results] = [until["cip-identity"], until["cip-results"]];
  if (identity === undefined && results === undefined) return {};
  const file = join(directory, "reports.parquet");
  const isOver = (day: string, end: string | undefined) =>
    end === undefined ? "false" : `coalesce(${day} <= ${sqlText(end)}::date, false)`;
  await readTables(lake, [cipReports, holds], async (sql) => {
    await sql.run(`copy (
      select cip_reports.run_id, fp_id, ${isOver("newest.account_closed_on", identity)} as identity,
        ${isOver("cip_reports.asked_at::date", results)} as results
      from cip_reports join (${NEWEST_CIP_REPORTS}) newest using (fp_id)
      where fp_id not in (${HELD})
    ) to ${sqlText(file)} (format parquet)`);
  });
  const within = (condition: string) =>
    `(run_id, fp_id) in (select (run_id, fp_id) from ${parquetFiles([file])} where ${condition})`;
  const ofIdentity = { spec: cipReports, condition: within("identity and not results"), blank: IDENTITY };
  const ofResults = { spec: cipReports, condition: within("results and not identity"), blank: RESULTS };
  // Reports are last: from their rows a call that follows a killed one knows those of the other tables.
  const whole = CIP_TABLES.toReversed().map((spec) => ({
    spec,
    condition: within(spec === cipReports ? "results and identity" : "results"),
  }));
  return {
    ...(identity !== undefined && { "cip-identity": { erasing: [ofIdentity] } }),
    ...(results !== undefined && { "cip-results": { erasing: [...whole, ofResults] } }),
  };
}

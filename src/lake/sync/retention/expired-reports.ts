import { join } from "node:path";
import type { RecordClass } from "../../../domain/tables/retention.js";
import type { Lake } from "../../lake.js";
import { readTables } from "../../query/query-views.js";
import { parquetFiles } from "../../sql/duckdb-files.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { CIP_TABLES, cipReports } from "../../tables/cip.js";
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
/** What tells reports apart, and what may be of either class: it stays as long as the row. */
const OF_ROW = [
  ...["run_id", "fp_id", "external_id", "asked", "asked_at", "other_fields"],
  ...["account_closed_on", "legal_hold"],
];
const RESULTS = cipReports.columns
  .map(({ name }): string => name)
  .filter((name) => !IDENTITY.includes(name) && !OF_ROW.includes(name));

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
      select run_id, fp_id, ${isOver("newest.account_closed_on", identity)} as identity,
        ${isOver("asked_at::date", results)} as results
      from cip_reports join (
        select fp_id, account_closed_on from cip_reports
        qualify row_number() over (partition by fp_id order by asked_at desc, run_id desc) = 1
      ) newest using (fp_id)
      where fp_id not in (${HELD})
    ) to ${sqlText(file)} (format parquet)`);
  });
  const within = (condition: string) =>
    `(run_id, fp_id) in (select (run_id, fp_id) from ${parquetFiles([file])} where ${condition})`;
  const ofIdentity = { spec: cipReports, condition: within("identity and not results"), blank: IDENTITY };
  const ofResults = { spec: cipReports, condition: within("results and not identity"), blank: RESULTS };
  const [reports, ...details] = CIP_TABLES.map((spec) => ({
    spec,
    condition: within(spec === cipReports ? "results and identity" : "results"),
  }));
  return {
    ...(identity !== undefined && { "cip-identity": { erasing: [ofIdentity] } }),
    ...(results !== undefined && {
      "cip-results": { erasing: [...details, ofResults, ...(reports ? [reports] : [])] },
    }),
  };
}

import { randomUUID } from "node:crypto";
import type { Lake } from "../lake.js";
import type { LakeReader } from "../query/query-views.js";
import { sqlList, sqlText } from "../sql/duckdb-sql.js";
import type { SqlValue } from "../sql/duckdb-values.js";
import { appendOnce } from "../tables/append.js";
import { writeRows } from "../tables/parquet-file.js";
import { quarantineResolutions } from "../tables/quarantine.js";
import { withQuarantine } from "./open-quarantine.js";

/** Which bad rows are meant; fields that are given all count. */
export interface QuarantineFilter {
  /** Closed ones too. */
  readonly all?: boolean | undefined;
  readonly rows?: readonly string[] | undefined;
  readonly link?: string | undefined;
  readonly run?: string | undefined;
}

/** A row of `quarantine`, its id, and what closed it: the columns of `quarantine list --json`. */
export type QuarantinedRow = Readonly<Record<(typeof LISTED)[number] | "payload", SqlValue>>;

const LISTED = [
  "row_id",
  "run_id",
  "stream",
  "fp_id",
  "link_id",
  "page",
  "index",
  "list",
  "reason",
  "fetched_at",
  "closed_by",
  "closed_at",
  "closing_reason",
] as const;

/** Bad rows of a lake, the newest first. Their payloads hold what is personal: they come only when asked for. */
export async function quarantinedRows(
  lake: LakeReader,
  filter: QuarantineFilter,
  payload = false,
): Promise<QuarantinedRow[]> {
  const columns = [...LISTED, ...(payload ? ["payload"] : [])].map((name) => `"${name}"`).join(", ");
  const sql = `select ${columns} from quarantine_states where ${conditionOf(filter)}
    order by fetched_at desc, run_id desc, fp_id, link_id, page, list, "index"`;
  return withQuarantine(lake, async (session) => (await session.rows(sql)) as QuarantinedRow[]);
}

function conditionOf({ all, rows, link, run }: QuarantineFilter): string {
  return [
    ...(all ? ["true"] : ["closed_by is null"]),
    ...(rows === undefined ? [] : [`list_contains(${sqlList(rows)}, row_id)`]),
    ...(link === undefined ? [] : [`link_id = ${sqlText(link)}`]),
    ...(run === undefined ? [] : [`run_id = ${sqlText(run)}`]),
  ].join(" and ");
}

/** Closes open rows for a reason that somebody gives; the rows that it closed. */
export async function resolveRows(
  lake: Lake,
  filter: Omit<QuarantineFilter, "all">,
  reason: string,
): Promise<QuarantinedRow[]> {
  const rows = await quarantinedRows(lake, filter);
  await record(
    lake,
    `resolve/${randomUUID()}`,
    rows.map((row) => ({ ...row, resolved_by: "person", reason })),
  );
  return rows;
}

/**
 * Puts on record what closed rows since the last time, so that nothing looks for it again: a later change of the
 * transaction, or a later reading. Repeated, it finds what it did before.
 */
export async function recordClosedRows(lake: Lake, runId: string): Promise<void> {
  const found = await withQuarantine(lake, (sql) =>
    sql.rows(`select * exclude (payload, reason, fetched_at), closed_by as resolved_by
      from quarantine_states where closed_by is not null and closed_at is null`),
  );
  await record(lake, `${runId}/quarantine`, found);
}

async function record(
  lake: Lake,
  appId: string,
  rows: readonly Readonly<Record<string, SqlValue>>[],
): Promise<void> {
  const resolved_at = new Date().toISOString();
  await appendOnce(lake, quarantineResolutions, appId, () => {
    const written = rows.map((row) => {
      const { row_id, run_id, stream, fp_id, link_id, list, resolved_by, reason } = row;
      const [page, index] = [Number(row.page), Number(row.index)];
      return { row_id, run_id, stream, fp_id, link_id, page, index, list, resolved_by, reason, resolved_at };
    });
    return writeRows(lake, quarantineResolutions, "resolved", written);
  });
}

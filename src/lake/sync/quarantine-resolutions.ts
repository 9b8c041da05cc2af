import { randomUUID } from "node:crypto";
import { isRealDay } from "../../domain/service/transaction-values.js";
import type { WholeList } from "../history/whole-lists.js";
import type { Lake } from "../lake.js";
import { JSON_OF, RECORDED, UNRESOLVED } from "../query/quarantine-view.js";
import { type LakeReader, readTables } from "../query/query-views.js";
import { sqlList, sqlText } from "../sql/duckdb-sql.js";
import type { SqlValue } from "../sql/duckdb-values.js";
import { appendOnce } from "../tables/append.js";
import { type DataFile, writeRows } from "../tables/parquet-file.js";
import { quarantine, quarantineResolutions } from "../tables/quarantine.js";
import { LOOKED, withQuarantine } from "./open-quarantine.js";

/** Selects bad rows; a row must match every field that is given. */
export interface QuarantineFilter {
  /** Whether to include closed rows. */
  readonly all?: boolean | undefined;
  readonly rows?: readonly string[] | undefined;
  readonly link?: string | undefined;
  readonly run?: string | undefined;
  /** Only rows whose payload contains this text. */
  readonly containing?: string | undefined;
}

/** A row of `quarantine` with its id and what closed it: the columns of `quarantine list --json`. */
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
  "transaction_id",
  "reason",
  "fetched_at",
  "closed_by",
  "closed_at",
  "closing_reason",
] as const;

/** Lists bad rows of a lake, the newest first. Payloads are personal data, so they come only when asked for. */
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

function conditionOf({ all, rows, link, run, containing }: QuarantineFilter): string {
  return [
    ...(all ? ["true"] : ["closed_by is null"]),
    ...(rows === undefined ? [] : [`list_contains(${sqlList(rows)}, row_id)`]),
    ...(link === undefined ? [] : [`link_id = ${sqlText(link)}`]),
    ...(run === undefined ? [] : [`run_id = ${sqlText(run)}`]),
    ...(containing === undefined ? [] : [`contains(payload, ${sqlText(containing)})`]),
  ].join(" and ");
}

export async function resolveRows(
  lake: Lake,
  filter: Omit<QuarantineFilter, "all">,
  reason: string,
): Promise<QuarantinedRow[]> {
  const rows = await quarantinedRows(lake, filter);
  const resolved = rows.map((row) => ({ ...row, resolved_by: "person", reason }));
  await appendOnce(lake, quarantineResolutions, `resolve/${randomUUID()}`, () => write(lake, resolved));
  return rows;
}

/**
 * Closes bad rows of earlier runs in lists of a stream that are whole now: a history has no row where nothing has changed.
 * @param day the field with the day of a row, where lists may be read in part by it
 */
export async function closeRowsOfLists(
  lake: Lake,
  stream: string,
  appId: string,
  runId: string,
  lists: readonly WholeList[],
  day?: string,
): Promise<void> {
  if ((await lake.table(quarantine.name).snapshot()).files.size === 0) return;
  const read = new Map(lists.map((list) => [listOf(list.fpId, list.linkId), list]));
  const dayOf = day === undefined ? "null" : `(${JSON_OF})::json ->> ${sqlText(day)}`;
  const open = await readTables(lake, RECORDED, (sql) =>
    sql.rows(`select * exclude (payload, reason, fetched_at), epoch_ms(fetched_at) as fetched, ${dayOf} as day
      from (${UNRESOLVED}) where stream = ${sqlText(stream)} and run_id <> ${sqlText(runId)}`),
  );
  const isClosedBy = (list: WholeList | undefined, row: Record<string, unknown>) => {
    if (list === undefined || list.readAt.getTime() <= Number(row.fetched)) return false;
    const from = list.window?.from ?? null;
    if (day === undefined || from === null) return true;
    return typeof row.day === "string" && isRealDay(row.day) && row.day >= from;
  };
  const closed = open.filter((row) => {
    // A user's list has what those of the links have.
    const lists = [listOf(row.fp_id, row.link_id), listOf(row.fp_id, null)];
    return lists.some((list) => isClosedBy(read.get(list), row));
  });
  if (closed.length === 0) return;
  await appendOnce(lake, quarantineResolutions, `${appId}/${stream}`, () =>
    write(
      lake,
      closed.map((row) => ({ ...row, resolved_by: "reading" })),
    ),
  );
}

const listOf = (fpId: unknown, linkId: unknown) => JSON.stringify([fpId, linkId]);

/** Records what closed rows since the last time, and that nothing closed the others. Gives how many are open. */
export async function recordClosedRows(lake: Lake, runId: string): Promise<number> {
  const looked = { appId: LOOKED, lastUpdated: Date.now() };
  const found = await withQuarantine(lake, (sql) =>
    sql.rows(`select * exclude (payload, reason, fetched_at), closed_by as resolved_by
      from quarantine_states where closed_at is null`),
  );
  const closed = found.filter(({ closed_by }) => closed_by !== null);
  if (found.length > 0) {
    const appId = `${runId}/quarantine`;
    await appendOnce(lake, quarantineResolutions, appId, () => write(lake, closed), looked);
  }
  return found.length - closed.length;
}

function write(lake: Lake, rows: readonly Readonly<Record<string, SqlValue>>[]): Promise<DataFile[]> {
  const resolved_at = new Date().toISOString();
  const written = rows.map((row) => {
    const { row_id, run_id, stream, fp_id, link_id, list, resolved_by, reason } = row;
    const [page, index] = [Number(row.page), Number(row.index)];
    return { row_id, run_id, stream, fp_id, link_id, page, index, list, resolved_by, reason, resolved_at };
  });
  return writeRows(lake, quarantineResolutions, "resolved", written);
}

import { hash, randomUUID } from "node:crypto";
import { HOUR } from "../../domain/duration.js";
import { isIsoDate } from "../../domain/service/transaction-values.js";
import type { AddFile } from "../delta/delta-actions.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import type { WholeList } from "../history/whole-lists.js";
import type { Lake } from "../lake.js";
import { CLOSING, JSON_OF, QUARANTINE_SOURCES, RECORDED, UNRESOLVED } from "../query/quarantine-view.js";
import { type LakeReader, newestView, readTables, tableView } from "../query/query-views.js";
import { viewStatements } from "../query/views.js";
import type { SqlRow, SqlSession } from "../sql/duckdb-session.js";
import { sqlList, sqlText } from "../sql/duckdb-sql.js";
import type { SqlValue } from "../sql/duckdb-values.js";
import { appendOnce } from "../tables/append.js";
import { COMPACTED } from "../tables/compact.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { type DataFile, writeRows } from "../tables/parquet-file.js";
import { quarantine, quarantineResolutions } from "../tables/quarantine.js";

/** Counts open rows (docs/use/tables.md, "Open rows"). */
export async function openQuarantine(lake: LakeReader) {
  return withQuarantine(lake, async (sql) => {
    // A link, or a user with rows of their lists.
    const owners = await sql.rows(
      `select coalesce(link_id, fp_id) as owner, count(*) as rows, epoch_ms(min(fetched_at)) as since
       from quarantine_open group by owner order by rows desc, owner`,
    );
    const oldest = owners.reduce(
      (least, { since }) => Math.min(least, Number(since)),
      Number.POSITIVE_INFINITY,
    );
    return {
      rows: owners.reduce((sum, { rows }) => sum + Number(rows), 0),
      owners: owners.map(({ owner, rows }) => ({ owner: String(owner), rows: Number(rows) })),
      since: owners.length === 0 ? null : new Date(oldest).toISOString(),
    };
  });
}

/** Leaves out rows that are open already, with the same text. */
export async function withoutOpenRows(
  lake: LakeReader,
  links: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<typeof rows> {
  if (links.length === 0) return rows;
  const open = await withQuarantine(lake, (sql) =>
    sql.rows(`select link_id, list, sha256(payload) as payload from quarantine_open
      where stream = 'transactions' and list_contains(${sqlList(links)}, link_id)`),
  );
  const nameOf = ({ link_id, list, payload }: (typeof rows)[number]) =>
    JSON.stringify([link_id, list, payload]);
  const known = new Set(open.map(nameOf));
  return rows.filter((row) => !known.has(nameOf({ ...row, payload: hash("sha256", String(row.payload)) })));
}

/** Runs SQL over the quarantine. Of other tables it reads only files that may have closed a row. */
export async function withQuarantine<T>(lake: LakeReader, work: (sql: SqlSession) => Promise<T>): Promise<T> {
  return readTables(lake, RECORDED, async (sql) => {
    const unresolved = await sql.rows(
      `select link_id, run_id, epoch_ms(min(fetched_at)) as since from (${UNRESOLVED}) group by all`,
    );
    for (const spec of CLOSING) {
      const statement =
        unresolved.length === 0
          ? (await tableView(spec.name, spec.columns, undefined)).statement
          : await newestView(lake, spec, closes(spec.name, unresolved));
      await sql.run(statement);
    }
    for (const view of viewStatements(new Set(QUARANTINE_SOURCES.map(({ name }) => name))))
      await sql.run(view);
    return work(sql);
  });
}

/** Of two machines. */
export const MAX_CLOCK_SKEW = HOUR;
/** With more, almost every file holds some of them. */
const MOST_LINKS = 100;

const FILE_OF_RUN = /^(.+)-[0-9a-f-]{36}\.parquet$/;

/**
 * Whether a file may close a row: written after it, with rows of its link. Files of the row's own run, and merged ones,
 * always count.
 */
function closes(table: string, unresolved: readonly SqlRow[]): (file: AddFile) => boolean {
  const rows = unresolved.filter(({ link_id }) => link_id !== null);
  const oldest = rows.reduce((least, row) => Math.min(least, Number(row.since)), Number.POSITIVE_INFINITY);
  const since = oldest - MAX_CLOCK_SKEW;
  const runs = new Set(table === linkSyncs.name ? rows.map(({ run_id }) => String(run_id)) : []);
  const links = [...new Set(rows.map(({ link_id }) => String(link_id)))];
  const tests = links.length > MOST_LINKS ? [] : links.map((link) => holdsLinks(link, link));
  return (file) => {
    const name = FILE_OF_RUN.exec(file.path)?.[1] ?? COMPACTED;
    const isOfRun = runs.size > 0 && (runs.has(name) || name === COMPACTED);
    if (file.modificationTime < since && !isOfRun) return false;
    const facts = tests.length === 0 ? undefined : factsOf(file);
    return facts === undefined || tests.some((holds) => holds(facts));
  };
}

/** A row must match every field. */
export interface QuarantineFilter {
  /** With closed rows. */
  readonly all?: boolean | undefined;
  readonly rows?: readonly string[] | undefined;
  readonly link?: string | undefined;
  readonly run?: string | undefined;
  readonly containing?: string | undefined;
}

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

/** Lists bad rows, the newest first. Payloads are personal data. */
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
 * Closes bad rows of earlier runs in lists that are whole now: a history has no row where nothing has changed.
 * @param day the field by which lists may be read in part
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
    return typeof row.day === "string" && isIsoDate(row.day) && row.day >= from;
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

function write(lake: Lake, rows: readonly Readonly<Record<string, SqlValue>>[]): Promise<DataFile[]> {
  const resolved_at = new Date().toISOString();
  const written = rows.map((row) => {
    const { row_id, run_id, stream, fp_id, link_id, list, resolved_by, reason } = row;
    const [page, index] = [Number(row.page), Number(row.index)];
    return { row_id, run_id, stream, fp_id, link_id, page, index, list, resolved_by, reason, resolved_at };
  });
  return writeRows(lake, quarantineResolutions, "resolved", written);
}

import { HOUR } from "../../domain/duration.js";
import { turnOf } from "../../domain/sync/link-obstacle.js";
import type { TableSpec } from "../delta/delta-schema.js";
import { type LakeReader, newestView } from "../query/query-views.js";
import type { SqlRow, SqlSession } from "../sql/duckdb-session.js";
import { sqlList, sqlText } from "../sql/duckdb-sql.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { transactionChanges } from "../tables/transactions.js";
import { linkCheckpoints } from "./link-checkpoint.js";

/** A run whose links the caller asks for. */
interface AskedRun {
  readonly runId: string;
  /** Epoch milliseconds before which it wrote nothing. */
  readonly startedAt: number;
}

/** Two machines' clocks may differ by this much. */
const CLOCKS = HOUR;

/** Lists the links that a run skipped. */
export async function linksSkippedBy(lake: LakeReader, { runId, startedAt }: AskedRun): Promise<string[]> {
  const rows = await overFiles(
    lake,
    linkSyncs,
    (at) => at >= startedAt - CLOCKS,
    (sql) =>
      sql.rows(
        `select distinct link_id from link_syncs where run_id = ${sqlText(runId)} and status = 'skipped' order by link_id`,
      ),
  );
  return rows.map(({ link_id }) => String(link_id));
}

/** The links that the caller asks for. */
interface AskedLinks extends AskedRun {
  /** Users of the run's roster. */
  readonly users: ReadonlySet<string>;
  /** Only these links, or all. */
  readonly only: readonly string[] | null;
  /** Epoch milliseconds since which a link must have been read completely. */
  readonly since: number;
}

/**
 * Lists links of a run's users that were known before `since` and that no run has read completely after it, without those
 * that the customer deleted.
 */
export async function staleLinks(lake: LakeReader, asked: AskedLinks): Promise<string[]> {
  const { users, only, since, runId, startedAt } = asked;
  const recent = await overFiles(
    lake,
    linkSyncs,
    (at) => at >= Math.min(since, startedAt) - CLOCKS,
    (sql) =>
      sql.rows(
        `select link_id, arg_max(coalesce(reason, ''), finished_at) as reason, bool_or(run_id = ${sqlText(runId)}) as of_run,
          coalesce(bool_or(status in ('synced', 'unchanged') and finished_at >= ${instant(since)}), false) as is_read
        from link_syncs group by link_id`,
      ),
  );
  const done = new Set(recent.filter(needsNothing).map(({ link_id }) => String(link_id)));
  const stale = new Set<string>();
  const committed = new Set<string>();
  for (const [link, { fp_id, finished_at }] of linkCheckpoints(
    await lake.table(transactionChanges.name).snapshot(),
  )) {
    committed.add(link);
    const isAsked = users.has(fp_id) && (only === null || only.includes(link));
    if (isAsked && !done.has(link) && Date.parse(finished_at) < since) stale.add(link);
  }
  const never = recent.filter(({ link_id, of_run }) => of_run === true && !committed.has(String(link_id)));
  const waiting = never.map(({ link_id }) => String(link_id)).filter((link) => !done.has(link));
  for (const link of await knownBefore(lake, waiting, since)) stale.add(link);
  return [...stale].sort();
}

function needsNothing({ is_read, reason }: SqlRow): boolean {
  return (
    is_read === true || (reason !== "superseded" && reason !== "" && turnOf(String(reason)) === "nobody")
  );
}

/** Selects those of some links that a run found before then. */
async function knownBefore(lake: LakeReader, links: readonly string[], then: number): Promise<string[]> {
  if (links.length === 0) return [];
  const rows = await overFiles(
    lake,
    linkSyncs,
    () => true,
    (sql) =>
      sql.rows(
        `select distinct link_id from link_syncs
       where started_at < ${instant(then)} and list_contains(${sqlList(links)}, link_id)`,
      ),
  );
  return rows.map(({ link_id }) => String(link_id));
}

function instant(ms: number): string {
  return `${sqlText(new Date(ms).toISOString())}::timestamptz`;
}

async function overFiles<T>(
  lake: LakeReader,
  spec: TableSpec,
  keep: (modifiedAt: number) => boolean,
  work: (sql: SqlSession) => Promise<T>,
): Promise<T> {
  const view = await newestView(lake, spec, ({ modificationTime }) => keep(modificationTime));
  return lake.duckdb.exclusive(async (sql) => {
    await sql.run(view);
    return work(sql);
  });
}

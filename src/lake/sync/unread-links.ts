import { turnOf } from "../../domain/sync/link-obstacle.js";
import { type LakeReader, readTables } from "../query/query-views.js";
import type { SqlRow } from "../sql/duckdb-session.js";
import { sqlList, sqlText } from "../sql/duckdb-sql.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { IS_TIMELY } from "../tables/runs.js";
import { transactionChanges } from "../tables/transactions.js";
import { linkCheckpoints } from "./link-checkpoint.js";
import { MAX_CLOCK_SKEW } from "./quarantine.js";

interface RunStart {
  readonly runId: string;
  /** It wrote nothing before. */
  readonly startedAt: number;
}

/** Lists a run's links. @param condition SQL on rows of `link_syncs` */
export async function linksOfRun(
  lake: LakeReader,
  { runId, startedAt }: RunStart,
  condition: string,
): Promise<string[]> {
  const sql = `select distinct link_id from link_syncs
    where run_id = ${sqlText(runId)} and ${condition} order by link_id`;
  return (await linkRows(lake, sql, startedAt)).map(({ link_id }) => String(link_id));
}

interface StaleFilter extends RunStart {
  readonly users: ReadonlySet<string>;
  readonly only: readonly string[] | null;
  /** A link must have been read completely since. */
  readonly since: number;
}

/** Lists links of a run's users, known before `since`, that no run has read completely after it, without deleted ones. */
export async function staleLinks(lake: LakeReader, filter: StaleFilter): Promise<string[]> {
  const { users, only, since, runId, startedAt } = filter;
  const recent = await linkRows(
    lake,
    `select link_id, arg_max(coalesce(reason, ''), finished_at) as reason, bool_or(run_id = ${sqlText(runId)}) as of_run,
      coalesce(bool_or(status in ('synced', 'unchanged') and finished_at >= ${instant(since)} and ${IS_TIMELY}), false) as is_read
    from link_syncs group by link_id`,
    Math.min(since, startedAt),
  );
  const done = new Set(recent.filter(needsNothing).map(({ link_id }) => String(link_id)));
  const stale = new Set<string>();
  const committed = new Set<string>();
  const feed = await lake.table(transactionChanges.name).snapshot();
  for (const [link, { fp_id, finished_at, still_reading }] of linkCheckpoints(feed)) {
    if (!still_reading) committed.add(link);
    const isAsked = users.has(fp_id) && (only === null || only.includes(link));
    const at = Date.parse(finished_at);
    if (isAsked && !done.has(link) && (at < since || at > Date.now() + MAX_CLOCK_SKEW)) stale.add(link);
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

async function knownBefore(lake: LakeReader, links: readonly string[], then: number): Promise<string[]> {
  if (links.length === 0) return [];
  const sql = `select distinct link_id from link_syncs
    where started_at < ${instant(then)} and list_contains(${sqlList(links)}, link_id)`;
  return (await linkRows(lake, sql)).map(({ link_id }) => String(link_id));
}

/** Reads only files that may have been written since, by whichever machine. */
function linkRows(lake: LakeReader, sql: string, writtenSince = 0): Promise<SqlRow[]> {
  return readTables(
    lake,
    [linkSyncs],
    (session) => session.rows(sql),
    ({ modificationTime }) => modificationTime >= writtenSince - MAX_CLOCK_SKEW,
  );
}

function instant(ms: number): string {
  return `${sqlText(new Date(ms).toISOString())}::timestamptz`;
}

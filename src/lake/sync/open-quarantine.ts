import { DAY, HOUR } from "../../domain/duration.js";
import type { AddFile } from "../delta/delta-actions.js";
import { factsOf, holdsLinks } from "../delta/delta-stats.js";
import { CLOSING, QUARANTINE_SOURCES, RECORDED, UNRESOLVED } from "../query/quarantine-view.js";
import { type LakeReader, newestView, readTables, tableView } from "../query/query-views.js";
import { viewStatements } from "../query/views.js";
import type { SqlRow, SqlSession } from "../sql/duckdb-session.js";
import { COMPACTED } from "../tables/compact.js";
import { linkSyncs } from "../tables/link-syncs.js";
import { quarantineResolutions } from "../tables/quarantine.js";

/** Counts the open rows of a lake's quarantine (docs/use/tables.md, "Open rows"). */
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

/** Runs SQL over the views of the quarantine. Of other tables it reads only files that may have closed a row since. */
export async function withQuarantine<T>(lake: LakeReader, work: (sql: SqlSession) => Promise<T>): Promise<T> {
  const { txns } = await lake.table(quarantineResolutions.name).snapshot();
  const lookedAt = txns.get(LOOKED)?.lastUpdated ?? Number.NEGATIVE_INFINITY;
  return readTables(lake, RECORDED, async (sql) => {
    const unresolved = await sql.rows(
      `select link_id, run_id, epoch_ms(min(fetched_at)) as since from (${UNRESOLVED}) group by all`,
    );
    for (const spec of CLOSING) {
      const statement =
        unresolved.length === 0
          ? (await tableView(spec.name, spec.columns, undefined)).statement
          : await newestView(lake, spec, closes(spec.name, unresolved, lookedAt - WAITING_FILES));
      await sql.run(statement);
    }
    for (const view of viewStatements(new Set(QUARANTINE_SOURCES.map(({ name }) => name))))
      await sql.run(view);
    return work(sql);
  });
}

/** Transaction in the log of `quarantine_resolutions` whose time says when open rows were last compared with other tables. */
export const LOOKED = "looked for what closes open rows";
/** A file may wait so long for the commit that refers to it (docs/use/tables.md), so it may be older than its rows' commit. */
const WAITING_FILES = 7 * DAY;
/** Two machines' clocks may differ by this much. */
const MAX_CLOCK_SKEW = HOUR;
/** With more links than these, almost every file holds some of them. */
const MOST_LINKS = 100;

/** The name of a file that a run wrote. */
const FILE_OF_RUN = /^(.+)-[0-9a-f-]{36}\.parquet$/;

/**
 * Makes the test whether a file may close a row: written after the row, with rows of its link, and not compared before. Files
 * of `link_syncs` from the row's own run, and merged ones, always count.
 */
function closes(table: string, unresolved: readonly SqlRow[], from: number): (file: AddFile) => boolean {
  const rows = unresolved.filter(({ link_id }) => link_id !== null);
  const oldest = rows.reduce((least, row) => Math.min(least, Number(row.since)), Number.POSITIVE_INFINITY);
  const since = Math.max(from, oldest - MAX_CLOCK_SKEW);
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

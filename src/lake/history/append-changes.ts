import { rm } from "node:fs/promises";
import { schemaActions } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName, sqlText } from "../sql/duckdb-sql.js";
import { addOf, type DataFile, readable, scratchPath, storeFile } from "../tables/parquet-file.js";
import { APPENDED_FILE, writeFiles } from "../tables/written-files.js";
import { inQueue } from "../queue.js";
import { bringUpCurrent } from "./current-table.js";
import {
  type HistoryFiles,
  type HistoryState,
  historyFiles,
  historyState,
  wholeHistory,
} from "./history-files.js";
import { comparedColumns, GONE, type HistorySpec, OBSERVED_AT, sameIn } from "./history-spec.js";
import { newestRows } from "./newest-rows.js";

/** A list that was read as a whole, without a bad row. */
export interface WholeList {
  readonly fpId: string;
  /** Null for a list of a user. */
  readonly linkId: string | null;
  readonly readAt: Date;
}

/** What was observed of a history's keys. */
export interface Observations {
  /** SQL of the observed rows, with every column of the history. */
  readonly query: string;
  /** What these lists held once and hold no longer is gone; others say nothing about what they lack. */
  readonly whole: readonly WholeList[];
}

/** With so many rows since it was brought up, the small table is brought up before it is read. */
const MOST_ROWS_SINCE = 100_000;

/**
 * Adds those observations to a history that differ from the last row of their key, and a row for each key that is
 * gone, once: where a transaction of that name stands, a lost answer is being repeated and nothing is written. What
 * differs is decided against one version and committed as the next one, or decided again.
 *
 * @param runId names the file, and is the run of rows that say that something is gone
 * @returns whether the observations were read
 */
export async function appendChanges(
  lake: Lake,
  spec: HistorySpec,
  appId: string,
  runId: string,
  observations: Observations,
): Promise<boolean> {
  const table = lake.table(spec.name);
  return inQueue(`${lake.store.address}/${spec.name}`, async () => {
    for (let isRead = false; ; isRead = true) {
      if ((await table.snapshot()).txns.has(appId)) return isRead;
      const { state, files } = await readableState(lake, spec, runId);
      if (state.history.txns.has(appId)) return isRead;
      const file = await changesFile(lake, state, files, runId, observations);
      if (file === undefined) return true;
      const committed = await table.commit((now) => {
        if (now.version !== state.history.version) return null;
        const at = Date.now();
        return [
          ...schemaActions(spec, now, at),
          { txn: { appId, version: now.version + 1, lastUpdated: at } },
          { add: addOf(file) },
        ];
      });
      if (committed !== null) return true;
      await lake.store.delete(`${spec.name}/${file.path}`);
    }
  });
}

/** The newest state with its files: few of them beside the small table, which is brought up first where they are many. */
async function readableState(
  lake: Lake,
  spec: HistorySpec,
  runId: string,
): Promise<{ state: HistoryState; files: HistoryFiles }> {
  for (let brought = false; ; brought = true) {
    const state = await historyState(lake, spec);
    const files = await historyFiles(lake, state);
    if (brought || files.rows <= MOST_ROWS_SINCE) return { state, files };
    await bringUpCurrent(lake, spec, runId);
  }
}

/** Stores the rows to be added as one file; undefined for none. */
async function changesFile(
  lake: Lake,
  state: HistoryState,
  files: HistoryFiles,
  runId: string,
  observations: Observations,
): Promise<DataFile | undefined> {
  const { spec } = state;
  const asked = { ownersIn: "asked" };
  const path = scratchPath(lake, "parquet");
  try {
    const [written] = await lake.duckdb.exclusive(async (sql) => {
      await observe(sql, spec, observations);
      await sql.run(`create or replace temp table last as ${newestRows(spec, files, asked)}`);
      if (await isLate(sql, spec, files.observedUntil)) {
        const whole = await wholeHistory(lake, state);
        await sql.run(`create or replace temp table last as ${newestRows(spec, whole, asked)}`);
      }
      return writeFiles(sql, changesOf(spec, runId), sqlText(path), APPENDED_FILE);
    });
    return written && (await storeFile(lake, spec, runId, path, written));
  } finally {
    await rm(path, { force: true });
  }
}

/** Makes the tables `observed` (one row a key), `whole` (lists that were read as a whole) and `asked` (owners of both). */
async function observe(sql: SqlSession, spec: HistorySpec, { query, whole }: Observations): Promise<void> {
  const compared = comparedColumns(spec).map(sqlName).join(", ");
  const owner = spec.owner.map(sqlName).join(", ");
  // A list that names something twice names it as the same row every time it is read so, whatever their order.
  await sql.run(`create or replace temp table observed as select * from (${query})
    qualify row_number() over (partition by ${spec.key.map(sqlName).join(", ")}
      order by ${OBSERVED_AT} desc, ${compared}) = 1`);
  // As JSON: thousands of rows of values take SQL ten times as long to parse.
  const lists = whole.map(({ fpId, linkId, readAt }) => ({
    fp_id: fpId,
    link_id: linkId,
    read_us: readAt.getTime() * 1000,
  }));
  await sql.run(`create or replace temp table whole as
    select ${owner}, make_timestamptz(max(read_us)) as read_at from (
      select unnest(${sqlText(JSON.stringify(lists, readable))}::json
        ::struct(fp_id varchar, link_id varchar, read_us bigint)[], recursive := true))
    group by ${owner}`);
  await sql.run(
    `create or replace temp table asked as select ${owner} from observed union select ${owner} from whole`,
  );
}

/**
 * Whether an observation without a last row may be older than a row that says that its key is gone: the small table
 * does not hold those.
 */
async function isLate(sql: SqlSession, spec: HistorySpec, observedUntil: number): Promise<boolean> {
  if (observedUntil === Number.NEGATIVE_INFINITY) return false;
  const [found] = await sql.few(`select exists (
    from observed o anti join last l on ${sameIn(spec.key, "o", "l")}
    where epoch_ms(o.${OBSERVED_AT}) <= ${observedUntil}) as late`);
  return found?.late === true;
}

/**
 * SQL of the rows to be added, over what {@link observe} made and the newest rows in `last`. A row older than the last
 * one of its key is left out: something newer is known. Where the last one is later than it is now, though, a clock
 * was wrong, and the new row follows it by a microsecond: no state stands until the clock has come so far.
 */
function changesOf(spec: HistorySpec, runId: string): string {
  const values = [...spec.key, ...comparedColumns(spec)].map(sqlName);
  const columns = (from: string) => values.map((name) => `${from}.${name}`).join(", ");
  const order = spec.columns.map(({ name }) => sqlName(name)).join(", ");
  const same = `not (${sameIn(comparedColumns(spec), "o", "l")})`;
  return `
    with news as (
      select o.run_id, o.${OBSERVED_AT} as seen_at, l.${OBSERVED_AT} as last_at, null::boolean as ${GONE}, ${columns("o")}
      from observed o left join last l on ${sameIn(spec.key, "o", "l")}
      where l.${OBSERVED_AT} is null or l.${GONE} is true or ${same}
      union all
      select ${sqlText(runId)}, whole.read_at, l.${OBSERVED_AT}, true, ${columns("l")}
      from last l join whole using (${spec.owner.map(sqlName).join(", ")})
        anti join observed o on ${sameIn(spec.key, "o", "l")}
      where l.${GONE} is not true
    )
    select ${order} from (
      select *, greatest(seen_at, last_at + interval 1 microsecond) as ${OBSERVED_AT} from news
      where last_at is null or seen_at > last_at or last_at > ${sqlText(new Date().toISOString())}::timestamptz)`;
}

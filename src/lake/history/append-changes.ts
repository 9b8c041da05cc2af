import { schemaActions } from "../delta/delta-schema.js";
import type { Lake } from "../lake.js";
import { inQueue } from "../queue.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { sqlName, sqlText } from "../sql/duckdb-sql.js";
import { withoutHalfPairs } from "../sql/json-lines.js";
import { addOf, writeQuery } from "../tables/parquet-file.js";
import { bringUpCurrent } from "./current-table.js";
import {
  type HistoryFiles,
  type HistoryState,
  historyFiles,
  historyState,
  wholeHistory,
} from "./history-files.js";
import { comparedColumns, type HistorySpec, isThere, markOf, OBSERVED_AT, sameIn } from "./history-spec.js";
import { newestRows } from "./newest-rows.js";
import { readingActions, type WholeList } from "./whole-lists.js";

/** What a run observed of a history's keys. */
export interface Observations {
  /** SQL of the observed rows, with every column of the history. */
  readonly query: string;
  /** Keys that these lists no longer hold are gone; other lists say nothing about what they lack. */
  readonly whole: readonly WholeList[];
}

/** No `DATE` that a row may have is earlier. */
const FIRST_DAY = "0001-01-01";

/** With more rows than this since the last time, the small table is brought up before it is read. */
const MOST_ROWS_SINCE = 100_000;

/**
 * Adds to a history the observations that differ from the last row of their key, and a row for each key that is gone,
 * once: if the table's log has a transaction of that name, this is the repetition of a call whose answer was lost, and
 * writes nothing. The same commit says until which day windowed lists were read. What differs is decided on one version and committed as the next one; if another writer takes that
 * version, it is decided again.
 *
 * @param runId names the file, and is the run in rows that say that a key is gone
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
    let isBroughtUp = false;
    let isRead = false;
    for (;;) {
      const state = await historyState(lake, spec);
      if (state.history.txns.has(appId)) return isRead;
      const files = await historyFiles(lake, state);
      if (files.rows > MOST_ROWS_SINCE && !isBroughtUp) {
        await bringUpCurrent(lake, spec, runId);
        isBroughtUp = true;
        continue;
      }
      const file = await writeQuery(lake, spec, runId, (sql) =>
        changesQuery(lake, sql, { state, files, runId, observations }),
      );
      isRead = true;
      const readings = readingActions(state.history, observations.whole);
      if (file === undefined && readings.length === 0) return true;
      const committed = await table.commit((now) => {
        if (now.version !== state.history.version) return null;
        const at = Date.now();
        return [
          ...schemaActions(spec, now, at),
          { txn: { appId, version: now.version + 1, lastUpdated: at } },
          ...readings,
          ...(file === undefined ? [] : [{ add: addOf(file) }]),
        ];
      });
      if (committed !== null) return true;
      if (file !== undefined) await lake.store.delete(`${spec.name}/${file.path}`);
    }
  });
}

interface Comparison {
  readonly state: HistoryState;
  readonly files: HistoryFiles;
  readonly runId: string;
  readonly observations: Observations;
}

/** Prepares the tables of a comparison, and gives the SQL of the rows to be added. */
async function changesQuery(
  lake: Lake,
  sql: SqlSession,
  { state, files, runId, observations }: Comparison,
): Promise<string> {
  const { spec } = state;
  const readLast = (from: HistoryFiles) =>
    sql.run(`create or replace temp table last as ${newestRows(spec, from, { ownersIn: "asked" })}`);
  await observe(sql, spec, observations);
  await readLast(files);
  if (await isLate(sql, spec, files.observedUntil)) await readLast(await wholeHistory(lake, state));
  return changesOf(spec, runId);
}

/** Makes the tables `observed` (one row per key), `whole` (lists that were read completely) and `asked` (owners of both). */
async function observe(sql: SqlSession, spec: HistorySpec, { query, whole }: Observations): Promise<void> {
  const compared = comparedColumns(spec).map(sqlName).join(", ");
  const owner = spec.owner.map(sqlName).join(", ");
  // A list may name a key twice: choose the same row each time, whatever their order.
  await sql.run(`create or replace temp table observed as select * from (${query})
    qualify row_number() over (partition by ${spec.key.map(sqlName).join(", ")}
      order by ${OBSERVED_AT} desc, ${compared}) = 1`);
  // JSON, because thousands of rows of `values` take SQL ten times as long to parse.
  const lists = whole.map(({ fpId, linkId, readAt, window }) => ({
    fp_id: fpId,
    link_id: linkId,
    read_us: readAt.getTime() * 1000,
    from_day: window?.from ?? FIRST_DAY,
  }));
  await sql.run(`create or replace temp table whole as
    select ${owner}, make_timestamptz(max(read_us)) as read_at, arg_max(from_day, read_us) as from_day from (
      select unnest(${sqlText(JSON.stringify(lists, withoutHalfPairs))}::json
        ::struct(fp_id varchar, link_id varchar, read_us bigint, from_day date)[], recursive := true))
    group by ${owner}`);
  await sql.run(
    `create or replace temp table asked as select ${owner} from observed union select ${owner} from whole`,
  );
}

/** Whether an observation without a last row may be older than its key's `gone` row, which the small table lacks. */
async function isLate(sql: SqlSession, spec: HistorySpec, observedUntil: number): Promise<boolean> {
  if (observedUntil === Number.NEGATIVE_INFINITY) return false;
  const [found] = await sql.few(`select exists (
    from observed o anti join last l on ${sameIn(spec.key, "o", "l")}
    where epoch_ms(o.${OBSERVED_AT}) <= ${observedUntil}) as late`);
  return found?.late === true;
}

/**
 * SQL of the rows to be added, over the tables of {@link observe} and the newest rows in `last`. It leaves out rows older
 * than the last one of their key: the history knows something newer. But a last row in the future means that a clock was
 * wrong: the new row then follows it by a microsecond, so that its state does not last until the clock gets there.
 */
function changesOf(spec: HistorySpec, runId: string): string {
  const values = [...spec.key, ...comparedColumns(spec)].map(sqlName);
  const columns = (from: string) => values.map((name) => `${from}.${name}`).join(", ");
  const order = spec.columns.map(({ name }) => sqlName(name)).join(", ");
  const isKnown = `coalesce(l.${OBSERVED_AT} is not null and ${isThere(spec, "l")}, false)`;
  const isSame = `(${sameIn(comparedColumns(spec), "o", "l")})`;
  const gone = `
      union all
      select ${sqlText(runId)}, whole.read_at, l.${OBSERVED_AT}, ${markOf(spec, "removed")}, ${columns("l")}
      from last l join whole using (${spec.owner.map(sqlName).join(", ")})
        anti join observed o on ${sameIn(spec.key, "o", "l")}
      where ${isThere(spec, "l")}${isInWindow(spec)}`;
  return `
    with changed as (
      select o.run_id, o.${OBSERVED_AT} as seen_at, l.${OBSERVED_AT} as last_at,
        case when ${isKnown} then ${markOf(spec, "updated")} else ${markOf(spec, "created")} end as ${spec.mark},
        ${columns("o")}
      from observed o left join last l on ${sameIn(spec.key, "o", "l")}
      where not (${isKnown} and ${isSame})${spec.lists === "some" ? "" : gone}
    )
    select ${order} from (
      select *, greatest(seen_at, last_at + interval 1 microsecond) as ${OBSERVED_AT} from changed
      where last_at is null or seen_at > last_at or last_at > ${sqlText(new Date().toISOString())}::timestamptz)`;
}

/** SQL of a further condition: whether the list that lacks a row should hold it. */
function isInWindow({ lists }: HistorySpec): string {
  return typeof lists === "string" ? "" : ` and l.${sqlName(lists.since)} >= whole.from_day`;
}

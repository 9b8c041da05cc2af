import type { Removals } from "../../domain/tables/removals.js";
import type { Lake } from "../lake.js";
import { withoutHalfPairs } from "../sql/duckdb-files.js";
import type { SqlSession } from "../sql/duckdb-session.js";
import { columnNames, sqlName, sqlNames, sqlText } from "../sql/duckdb-sql.js";
import { type HistoryFiles, type HistoryState, wholeHistory } from "./history-files.js";
import { comparedColumns, type HistorySpec, isThere, markOf, OBSERVED_AT, sameIn } from "./history-spec.js";
import { newestRows } from "./newest-rows.js";
import { FIRST_DAY, type ListHole, type ReadList, type WholeList } from "./whole-lists.js";

export interface Observations {
  /** Observed rows, with every column of the history. */
  readonly query: string;
  /** Keys that these lists lack are gone. */
  readonly whole: readonly WholeList[];
  /** What lists may lose: anything, or as {@link refusedLists} says after earlier comparisons of the run. */
  readonly removals?: "any" | Removals;
}

/** A whole list, and what it would remove; null for all lists that would remove nothing. */
export interface ComparedList extends Removals {
  readonly list: ReadList | null;
}

export interface Comparison {
  readonly state: HistoryState;
  readonly files: HistoryFiles;
  readonly runId: string;
  readonly observations: Observations;
}

/**
 * Prepares a comparison's tables; returns the SQL of rows to add, and lists that lack rows.
 * @param judge chooses lists to refuse
 */
export async function compare(
  lake: Lake,
  sql: SqlSession,
  { state, files, runId, observations }: Comparison,
  judge: (lists: readonly ComparedList[]) => readonly ComparedList[],
): Promise<{ readonly changes: string; readonly holes: readonly ListHole[] }> {
  const { spec } = state;
  const readLast = (from: HistoryFiles) =>
    sql.run(`create or replace temp table last as ${newestRows(spec, from, "owners")}`);
  await observe(sql, spec, observations);
  await readLast(files);
  if (await isLate(sql, spec, files.observedUntil)) await readLast(await wholeHistory(lake, state));
  if (spec.lists !== "some") await refuse(sql, spec, judge(await comparedLists(sql, spec)));
  return { changes: changesOf(spec, runId), holes: await listHoles(sql, spec) };
}

/** Makes `observed` (one row per key), `whole` (whole lists) and `owners` of both. */
async function observe(sql: SqlSession, spec: HistorySpec, { query, whole }: Observations): Promise<void> {
  const owner = sqlNames(spec.owner);
  await sql.run(`create or replace temp table observed as ${query}`);
  await keepOneOfEach(sql, spec);
  // JSON: SQL takes ten times as long to parse thousands of `values`.
  const lists = whole.map(({ fpId, linkId, readAt, window }) => ({
    fp_id: fpId,
    link_id: linkId,
    read_us: readAt.getTime() * 1000,
    from_day: window?.from ?? FIRST_DAY,
  }));
  await sql.run(`create or replace temp table whole as
    select ${owner}, link_id as list_link, make_timestamptz(max(read_us)) as read_at,
      arg_max(from_day, read_us) as from_day from (
      select unnest(${sqlText(JSON.stringify(lists, withoutHalfPairs))}::json
        ::struct(fp_id varchar, link_id varchar, read_us bigint, from_day date)[], recursive := true))
    group by ${owner}, link_id`);
  await sql.run(
    `create or replace temp table owners as select ${owner} from observed union select ${owner} from whole`,
  );
}

/** Of a key that a list names twice, the same row each time. */
async function keepOneOfEach(sql: SqlSession, spec: HistorySpec): Promise<void> {
  const key = sqlNames(spec.key);
  const [found] = await sql.rowsAtOnce(
    `select exists (select 1 from observed group by ${key} having count(*) > 1) as twice`,
  );
  if (found?.twice !== true) return;
  const compared = sqlNames(comparedColumns(spec));
  await sql.run(`create or replace temp table observed as select * from observed
    qualify row_number() over (partition by ${key} order by ${OBSERVED_AT} desc, ${compared}) = 1`);
}

/** Whether an observation may be older than its key's `gone` row, which the derived table lacks. */
async function isLate(sql: SqlSession, spec: HistorySpec, observedUntil: number): Promise<boolean> {
  if (observedUntil === Number.NEGATIVE_INFINITY) return false;
  const [found] = await sql.rowsAtOnce(`select exists (
    from observed o anti join last l on ${sameIn(spec.key, "o", "l")}
    where epoch_ms(o.${OBSERVED_AT}) <= ${observedUntil}) as late`);
  return found?.late === true;
}

/** Makes the table `lost` of last rows that their list lacks; what each list would remove. */
async function comparedLists(sql: SqlSession, spec: HistorySpec): Promise<ComparedList[]> {
  const listed = `last l join whole on ${sameIn(spec.owner, "l", "whole")} and ${inList(spec, "l")}
    and ${isThere(spec, "l")}${isInWindow(spec)}`;
  await sql.run(`create or replace temp table lost as
    select l.*, whole.list_link, whole.read_at from ${listed} anti join observed o on ${sameIn(spec.key, "o", "l")}
    where ${isNews("whole.read_at", `l.${OBSERVED_AT}`)}`);
  const rows = await sql.rows(`
    with gone as (select fp_id, list_link, count(*) as gone from lost group by all),
      known as (select l.fp_id, list_link, count(*) as known from ${listed} group by all)
    select gone.fp_id, gone.list_link, sum(known) as known, coalesce(any_value(gone), 0) as gone
    from known left join gone on ${sameIn(["fp_id", "list_link"], "known", "gone")} group by all`);
  return rows.map(({ fp_id, list_link, known, gone }) => {
    const linkId = list_link === null ? null : String(list_link);
    const list = fp_id === null ? null : { fpId: String(fp_id), linkId };
    return { list, known: Number(known), gone: Number(gone) };
  });
}

async function refuse(sql: SqlSession, spec: HistorySpec, lists: readonly ComparedList[]): Promise<void> {
  if (lists.length === 0) return;
  const ids = lists.map(({ list }) => ({ fp_id: list?.fpId, list_link: list?.linkId }));
  await sql.run(`create or replace temp table refused as select unnest(${sqlText(JSON.stringify(ids))}::json
    ::struct(fp_id varchar, list_link varchar)[], recursive := true)`);
  const isRefused = sameIn(["fp_id", "list_link"], "refused", "o");
  for (const table of ["whole", "lost"])
    await sql.run(`delete from ${table} o using refused where ${isRefused}`);
  await sql.run(`delete from observed o using refused
    where refused.fp_id = o.fp_id and ${inList(spec, "o", "refused")}`);
}

/** Later than the last row, or after one whose clock was ahead. */
function isNews(seenAt: string, lastAt: string): string {
  return `(${seenAt} > ${lastAt} or ${lastAt} > ${sqlText(new Date().toISOString())}::timestamptz)`;
}

/**
 * Rows to add, over the tables of {@link observe} and `last`: none older than the last one of its key. After a last row
 * in the future, of a wrong clock, the new one follows by a microsecond.
 */
function changesOf(spec: HistorySpec, runId: string): string {
  const values = [...spec.key, ...comparedColumns(spec)];
  const observed = (name: string) =>
    spec.kept?.includes(name) ? `coalesce(o.${sqlName(name)}, l.${sqlName(name)})` : `o.${sqlName(name)}`;
  const columns = values.map((name) => `${observed(name)} as ${sqlName(name)}`).join(", ");
  const order = columnNames(spec.columns);
  const isKnown = `coalesce(l.${OBSERVED_AT} is not null and ${isThere(spec, "l")}, false)`;
  const isSame = comparedColumns(spec)
    .map((name) => `${observed(name)} is not distinct from l.${sqlName(name)}`)
    .join(" and ");
  const gone = `
      union all
      select ${sqlText(runId)}, l.read_at, l.${OBSERVED_AT}, ${markOf(spec, "removed")}, ${values.map((name) => `l.${sqlName(name)}`).join(", ")} from lost l`;
  return `
    with changed as (
      select o.run_id, o.${OBSERVED_AT} as seen_at, l.${OBSERVED_AT} as last_at,
        case when ${isKnown} then ${markOf(spec, "updated")} else ${markOf(spec, "created")} end as ${spec.mark},
        ${columns}
      from observed o left join last l on ${sameIn(spec.key, "o", "l")}
      where not (${isKnown} and (${isSame}))${spec.lists === "some" ? "" : gone}
    )
    select ${order} from (
      select *, greatest(seen_at, last_at + interval 1 microsecond) as ${OBSERVED_AT} from changed
      where last_at is null or ${isNews("seen_at", "last_at")})`;
}

/** In the list of its user, or of its link alone. */
function inList({ key }: HistorySpec, row: string, list = "whole"): string {
  return key.includes("link_id")
    ? `(${list}.list_link is null or ${list}.list_link = ${row}.link_id)`
    : "true";
}

/** Whether the list that lacks a row should hold it. */
function isInWindow({ lists }: HistorySpec): string {
  return typeof lists === "string" ? "" : ` and l.${sqlName(lists.since)} >= whole.from_day`;
}

/**
 * Holes in lists: the first rows of an account from a window, and rows that a window lacks, which may be gone or have
 * moved before it.
 */
async function listHoles(sql: SqlSession, spec: HistorySpec): Promise<ListHole[]> {
  if (typeof spec.lists === "string") return [];
  const owner = sqlNames(spec.owner);
  const account = [...spec.owner, spec.lists.per];
  const rows = await sql.rowsAtOnce(`select ${owner}, epoch_ms(max(seen_at)) as seen_ms from (
      select ${owner}, ${OBSERVED_AT} as seen_at from observed o
        anti join last l on ${sameIn(account, "o", "l")} and ${isThere(spec, "l")}
        anti join (from whole where from_day = '${FIRST_DAY}') w on ${sameIn(spec.owner, "o", "w")}
      union all
      select ${owner}, read_at from lost semi join (from whole where from_day > '${FIRST_DAY}') using (${owner})
    ) group by all`);
  return rows.map(({ fp_id, link_id, seen_ms }) => {
    const linkId = link_id === undefined ? null : String(link_id);
    return { fpId: String(fp_id), linkId, seenAt: new Date(Number(seen_ms)) };
  });
}

import { localFiles } from "../../delta/data-files.js";
import type { AddFile } from "../../delta/delta-actions.js";
import { changesAfter } from "../../delta/delta-log.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { rowsIn } from "../../delta/delta-stats.js";
import { type CurrentSpec, isCurrent, isThere } from "../../history/history-spec.js";
import { inKeyParts, newestRows } from "../../history/newest-rows.js";
import { findNewestUpdates, isReplaced, REFRESHES, ruleOf } from "../../materialize/pending-rows.js";
import { andInPart, inHalves, linkRanges } from "../../materialize/row-parts.js";
import { holdingLinks, linkCounts, reading, sourceFiles } from "../../materialize/sources.js";
import type { LakeReader } from "../../query/query-views.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import { columnNames, sqlText } from "../../sql/duckdb-sql.js";
import { transactionChanges, transactions } from "../../tables/transactions.js";
import { strangeWatermark, watermarkOf } from "../../watermark.js";
import type { Problems } from "../chain-check.js";
import { type Compared, compareRows } from "./row-differences.js";

/** How many derived tables were compared, and notes on those that are behind, or can't be compared. */
export type DerivedReport = Awaited<ReturnType<typeof checkDerived>>;

/** Keys that are compared at once, with a hash of their row: they fit into the memory that a sync has. */
const PART_ROWS = 100_000;

interface SourceName {
  readonly source: string;
  /** As in "the feed says". */
  readonly words: string;
}

type Comparer = (
  lake: LakeReader,
  files: readonly AddFile[],
  compared: Compared,
  problems: Problems,
  /** Files with the refreshes by which pending rows were judged; undefined where the rule is not `replaced`. */
  refreshes: readonly AddFile[] | undefined,
) => Promise<void>;

/** Compares each derived table with a fold of its source, at the version that it has reached; `onTable` hears of each before. */
export async function checkDerived(
  lake: LakeReader,
  tables: readonly TableSpec[],
  problems: Problems,
  onTable: (table: string) => void = () => undefined,
) {
  const notes: string[] = [];
  let done = 0;
  const feed: SourceName = { source: transactionChanges.name, words: "feed" };
  const check = async (
    spec: TableSpec,
    of: SourceName,
    by: Pick<Compared, "key" | "name">,
    compare: Comparer,
  ) => {
    const table = spec.name;
    onTable(table);
    await problems.during(table, async () => {
      const derived = await lake.table(table).snapshot();
      const found = await sourceAtWatermark(lake, table, derived, of.source);
      const refreshes = table === transactions.name ? await refreshesOf(lake, derived) : undefined;
      const again = "run `nightledger materialize`";
      for (const one of [found, refreshes]) {
        if (one?.kind === "strange") {
          const what = `${one.why}; ${again}, which builds it again`;
          problems.add([{ table, link_id: null, run_id: null, what }]);
        }
        if (one?.kind === "not compared") notes.push(`not compared: ${one.why}; ${again}`);
      }
      if (found.kind !== "files" || (refreshes !== undefined && refreshes.kind !== "files")) return;
      if (found.behind > 0)
        notes.push(`behind: ${table} is ${found.behind} versions behind ${of.source}; ${again}`);
      const live = [...derived.files.values()];
      const paths = await localFiles({ ...lake, table }, live);
      const names = live.map(({ path }) => decodeURIComponent(path));
      const compared = { ...by, table, columns: spec.columns, source: of.words, paths, names };
      await compare(lake, found.files, compared, problems, refreshes?.files);
      done += 1;
    });
  };
  const current = { key: ["link_id", "transaction_id"], name: "transaction_id" };
  await check(transactions, feed, current, compareCurrent);
  for (const spec of tables.filter(isCurrent)) {
    const { key, name } = spec.history;
    const by = { key, name: key.at(-1) as string };
    await check(spec, { source: name, words: `history ${name}` }, by, compareSmall(spec));
  }
  return { compared: done, notes };
}

/** The refreshes up to the watermark of a table whose pending rows were replaced; undefined for one that follows the feed alone. */
async function refreshesOf(lake: LakeReader, derived: Snapshot): Promise<DerivedSource | undefined> {
  if (ruleOf(derived) !== "replaced") return undefined;
  if (watermarkOf(derived, REFRESHES) < 0) return { kind: "files", files: [], behind: 0 };
  return sourceAtWatermark(lake, transactions.name, derived, REFRESHES);
}

/** Of `transactions`: the newest change of each key counts, unless it is a removal, or a pending row that was replaced. */
const compareCurrent: Comparer = async (lake, adds, compared, problems, refreshes) => {
  const { paths, columns } = compared;
  const feed = await sourceFiles(lake, transactionChanges.name, adds);
  const observations =
    refreshes && (await localFiles({ store: lake.store, duckdb: lake.duckdb, table: REFRESHES }, refreshes));
  await lake.duckdb.exclusive(async (sql) => {
    if (observations !== undefined)
      await findNewestUpdates(sql, feed.length === 0 ? undefined : reading(feed), observations);
    const stays =
      observations === undefined
        ? ""
        : `anti join newest_update n on n.link_id = c.link_id and ${isReplaced("c")}`;
    for (const range of linkRanges(await linkCounts(sql, feed), PART_ROWS)) {
      await inHalves(range, async (part) => {
        const within = `link_id between ${sqlText(part.from)} and ${sqlText(part.to)}${andInPart(part)}`;
        const files = holdingLinks(feed, part.from, part.to).map(({ path }) => path);
        const changes = parquetRows(files, transactionChanges.columns);
        const newest = `from ${changes} semi join (
          select link_id, max(sequence) as sequence from ${changes} where ${within} group by link_id, transaction_id)
          using (link_id, sequence) where ${within} and change_type <> 'removed'`;
        const expected = `select ${columnNames(columns)} from (${newest}) c ${stays}`;
        await compareRows(
          sql,
          compared,
          { expected, actual: `from ${parquetRows(paths, columns)} where ${within}` },
          problems,
        );
      });
    }
    await compareRows(
      sql,
      compared,
      othersThan(compared, feed.length === 0 ? undefined : `select link_id from ${reading(feed)}`),
      problems,
    );
  });
};

/** The rows of links that the source does not have at all: there should be none. */
function othersThan({ paths, columns }: Compared, known: string | undefined) {
  const rows = parquetRows(paths, columns);
  const others = known === undefined ? "" : ` where link_id is null or link_id not in (${known})`;
  return { expected: `from ${rows} where false`, actual: `from ${rows}${others}` };
}

/** Of a history's small table: the newest row of each key, without those that are gone. */
function compareSmall({ history, columns }: CurrentSpec): Comparer {
  return async (lake, adds, compared, problems) => {
    const since = await localFiles({ ...lake, table: history.name }, adds);
    const files = { current: compared.paths, since };
    await inKeyParts(lake, history, files, Math.ceil(rowsIn(adds) / PART_ROWS), async (part) => {
      const newest = newestRows(history, { current: [], since: part.since });
      const expected = `select ${columnNames(columns)} from (${newest}) where ${isThere(history)}`;
      const actual = `from ${parquetRows(part.current, columns)}`;
      await lake.duckdb.exclusive((sql) => compareRows(sql, compared, { expected, actual }, problems));
    });
  };
}

/** The files of the source that the derived table is made of, or why it is not compared. */
type DerivedSource =
  | { readonly kind: "files"; readonly files: readonly AddFile[]; readonly behind: number }
  | { readonly kind: "not compared" | "strange"; readonly why: string };

/** Finds what a derived table's source had at the table's watermark. */
async function sourceAtWatermark(
  lake: LakeReader,
  table: string,
  derived: Snapshot,
  source: string,
): Promise<DerivedSource> {
  // Read second, so that it is never behind.
  const sources = await lake.table(source).snapshot();
  const at = watermarkOf(derived, source);
  if (at < 0) {
    const [why, kind] =
      derived.files.size > 0
        ? ([`${table} has lost its watermark`, "strange"] as const)
        : ([`${table} is not built yet`, "not compared"] as const);
    return sources.files.size === 0 && kind === "not compared"
      ? { kind: "files", files: [], behind: 0 }
      : { kind, why };
  }
  const strange = await strangeWatermark(
    lake.store,
    { table, snapshot: derived },
    { table: source, snapshot: sources },
  );
  if (strange !== undefined) return { kind: "strange", why: strange };
  const later = await changesAfter({ ...lake, table: source }, at, sources);
  const paths = new Set(later?.map(({ add }) => add.path));
  if (later === undefined || [...paths].some((path) => !sources.files.has(path))) {
    return {
      kind: "not compared",
      why: `${table} is at version ${at} of ${source}, whose log no longer tells what came after it`,
    };
  }
  const files = [...sources.files.values()].filter(({ path }) => !paths.has(path));
  return { kind: "files", files, behind: later.length === 0 ? 0 : sources.version - at };
}

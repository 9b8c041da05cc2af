import { localFiles } from "../../delta/data-files.js";
import type { AddFile } from "../../delta/delta-actions.js";
import { changesAfter } from "../../delta/delta-log.js";
import type { TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { factsOf, holdsLinks } from "../../delta/delta-stats.js";
import { derivedOf, isCurrent } from "../../history/history-spec.js";
import {
  type DerivedTable,
  newestPlaces,
  PLACE,
  placedRows,
  TRANSACTIONS,
} from "../../materialize/derived-table.js";
import { expiryOf, REFRESHES, ruleOf } from "../../materialize/pending-rows.js";
import { andInPart, type RowPart, rowParts } from "../../materialize/row-parts.js";
import type { LakeReader } from "../../query/query-views.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import type { SqlRow } from "../../sql/duckdb-session.js";
import { sqlName, sqlText, typedColumns } from "../../sql/duckdb-sql.js";
import { transactions } from "../../tables/transactions.js";
import { strangeWatermark, watermarkOf } from "../../watermark.js";
import type { Problems } from "../chain-check.js";
import { compareRows } from "./row-differences.js";

/** Notes are about tables that are behind, or can't be compared. */
export type DerivedReport = Awaited<ReturnType<typeof checkDerived>>;

/** A hash of each is in memory. */
const PART_ROWS = 1_000_000;

/** Compares each derived table with a fold of its source at the watermark; `onTable` is called before each. */
export async function checkDerived(
  lake: LakeReader,
  tables: readonly TableSpec[],
  problems: Problems,
  onTable: (table: string) => void = () => undefined,
) {
  const notes: string[] = [];
  let done = 0;
  for (const derived of [
    TRANSACTIONS,
    ...tables.filter(isCurrent).map(({ history }) => derivedOf(history)),
  ]) {
    const table = derived.table.name;
    const source = derived.source.name;
    onTable(table);
    await problems.during(table, async () => {
      const snapshot = await lake.table(table).snapshot();
      const found = await sourceAtWatermark(lake, table, snapshot, source);
      const refreshes = derived === TRANSACTIONS ? await refreshesOf(lake, snapshot) : undefined;
      const again = "run `nightledger materialize`";
      for (const one of [found, refreshes]) {
        if (one?.kind === "strange") problems.say(table, `${one.why}; ${again}, which builds it again`);
        if (one?.kind === "not compared") notes.push(`not compared: ${one.why}; ${again}`);
      }
      if (found.kind !== "files" || (refreshes !== undefined && refreshes.kind !== "files")) return;
      if (found.behind > 0)
        notes.push(`behind: ${table} is ${found.behind} versions behind ${source}; ${again}`);
      await compareDerived(
        lake,
        derived,
        [...snapshot.files.values()],
        found.files,
        refreshes?.files,
        problems,
      );
      done += 1;
    });
  }
  return { compared: done, notes };
}

/** Undefined for a table that follows the feed alone. */
async function refreshesOf(lake: LakeReader, derived: Snapshot): Promise<DerivedSource | undefined> {
  if (ruleOf(derived) !== "replaced") return undefined;
  if (watermarkOf(derived, REFRESHES) < 0) return { kind: "files", files: [], behind: 0 };
  return sourceAtWatermark(lake, transactions.name, derived, REFRESHES);
}

/** With the newest row of each key in files of its source, some owners at a time. */
async function compareDerived(
  lake: LakeReader,
  derived: DerivedTable,
  live: readonly AddFile[],
  adds: readonly AddFile[],
  refreshes: readonly AddFile[] | undefined,
  problems: Problems,
): Promise<void> {
  const { table, source, key, gone } = derived;
  const [owner = "", name = ""] = [key[0], key.at(-1)];
  const local = (of: string, files: readonly AddFile[]) => localFiles({ ...lake, table: of }, files);
  const paths = await local(table.name, live);
  const names = live.map(({ path }) => decodeURIComponent(path));
  const from = await local(source.name, adds);
  const expiry = refreshes && expiryOf(await local(REFRESHES, refreshes));
  const words = source.feed ? "feed" : `history ${source.name}`;
  const compared = { table: table.name, columns: table.columns, key, name, source: words, paths, names };
  const actual = `from ${parquetRows(paths, table.columns)}`;
  const values = typedColumns(table.columns, (column) => `t.${sqlName(column)}`);
  await lake.duckdb.exclusive(async (sql) => {
    const all = placedRows(source, from);
    await expiry?.prepare(sql, all);
    for (const range of ownerRanges(
      await sql.rows(`select ${sqlName(owner)} as owner, count(*) as rows
      from ${all} where ${sqlName(owner)} is not null group by all order by all`),
    )) {
      const within = `${sqlName(owner)} between ${sqlText(range.from)} and ${sqlText(range.to)}${andInPart(range, sqlName(name))}`;
      const holds = holdsLinks(range.from, range.to);
      const files = owner === "link_id" ? from.filter((_, at) => holds(factsOf(adds[at] ?? {}))) : from;
      const rows = `(from ${placedRows(source, files)} where ${within})`;
      const expected = `select ${values} from (
        from ${rows} semi join (${newestPlaces(derived, rows)}) on ${PLACE} = place) t ${expiry?.join ?? ""}
        where not coalesce((${gone}) or ${expiry?.added ?? "false"}, false)`;
      await compareRows(sql, compared, { expected, actual: `${actual} where ${within}` }, problems);
    }
    const others = `${actual} where ${sqlName(owner)} is null or ${sqlName(owner)} not in (select ${sqlName(owner)} from ${all})`;
    await compareRows(sql, compared, { expected: `${actual} where false`, actual: others }, problems);
  });
}

interface OwnerRange extends RowPart {
  readonly from: string;
  readonly to: string;
}

/** A larger owner is cut into parts. */
function ownerRanges(owners: readonly SqlRow[]): OwnerRange[] {
  const ranges: OwnerRange[] = [];
  for (const { owner, rows: counted } of owners) {
    const [name, rows] = [String(owner), Number(counted)];
    const last = ranges.at(-1);
    if (last?.parts === 1 && last.rows + rows <= PART_ROWS) {
      ranges.splice(-1, 1, { ...last, to: name, rows: last.rows + rows });
    } else ranges.push(...rowParts(rows, PART_ROWS).map((part) => ({ from: name, to: name, ...part })));
  }
  return ranges;
}

/** What a derived table is made of, or why it is not compared. */
type DerivedSource =
  | { readonly kind: "files"; readonly files: readonly AddFile[]; readonly behind: number }
  | { readonly kind: "not compared" | "strange"; readonly why: string };

async function sourceAtWatermark(
  lake: LakeReader,
  table: string,
  derived: Snapshot,
  source: string,
): Promise<DerivedSource> {
  // Second, so that it is never behind.
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

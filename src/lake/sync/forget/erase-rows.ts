import { InputError } from "../../../domain/failures.js";
import { localFiles } from "../../delta/data-files.js";
import { type AddFile, type DeltaAction, removeOf } from "../../delta/delta-actions.js";
import { fileKey } from "../../delta/delta-path.js";
import { APPEND_ONLY, schemaActions, type TableSpec } from "../../delta/delta-schema.js";
import { ERASURE, leftOf, type Snapshot } from "../../delta/delta-snapshot.js";
import type { Lake } from "../../lake.js";
import { isDataFile } from "../../maintain/table-upkeep.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { isOutOfMemory } from "../../sql/duckdb.js";
import { parquetRows } from "../../sql/duckdb-files.js";
import { sqlList, sqlName, sqlText } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { knowsColumns } from "../../tables/compact.js";
import { erasures } from "../../tables/erasures.js";
import { addOf, writeRows, writeStored } from "../../tables/parquet-file.js";
import { transactionChanges } from "../../tables/transactions.js";

/** It keeps the order of rows. */
const THREADS = 1;

export interface TableRows {
  readonly table: string;
  readonly rows: number;
}

export interface Erasing {
  readonly spec: TableSpec;
  /** SQL. */
  readonly condition: string;
  /** They become null, and the rows stay. */
  readonly blank?: readonly string[];
  /** The table's log counts the rows under this person, or rule. */
  readonly owner: string;
  readonly also?: (now: Snapshot, at: number) => readonly DeltaAction[];
}

/** Names the transaction whose version is how many rows were erased. */
const erasedOf = (owner: string) => `erased/${owner}`;

function erasable({ condition, blank }: Pick<Erasing, "condition" | "blank">): string {
  if (blank === undefined) return condition;
  return `(${condition}) and (${blank.map((name) => `${sqlName(name)} is not null`).join(" or ")})`;
}

/** Counts what would be erased, of each table that has some. */
export async function erasableRows(
  lake: LakeReader,
  tables: readonly TableSpec[],
  erasing: readonly Pick<Erasing, "spec" | "condition" | "blank">[],
): Promise<TableRows[]> {
  const counts = new Map<string, number>();
  for (const one of erasing) {
    const { name } = one.spec;
    const [row] = await readTables(lake, [one.spec], (sql) =>
      sql.rowsAtOnce(`select count(*) as rows from ${name} where ${erasable(one)}`),
    );
    counts.set(name, (counts.get(name) ?? 0) + Number(row?.rows));
  }
  return tables
    .map(({ name: table }) => ({ table, rows: counts.get(table) ?? 0 }))
    .filter(({ rows }) => rows > 0);
}

/**
 * Writes a table's files again without rows, or values, and deletes every file that has them, so that no earlier version
 * does. Killed anywhere, it does the rest when it is called again.
 * @throws InputError where the table needs a newer version of the program
 */
export async function eraseRows(lake: Lake, erasing: Erasing, signal?: AbortSignal): Promise<void> {
  const { spec } = erasing;
  const condition = erasable(erasing);
  const table = lake.table(spec.name);
  const clean = new Set<string>();
  for (;;) {
    signal?.throwIfAborted();
    const before = await table.snapshot();
    if (before.version < 0) return;
    if (!knowsColumns(spec, before.metadata)) {
      throw new InputError(
        `Table ${spec.name} has columns that this version does not know. Rows of it were not erased; use the newer version of nightledger.`,
      );
    }
    const unseen = [...before.files.values()].filter(({ path }) => !clean.has(path));
    const touched = await holding(lake, spec, unseen, condition);
    if (touched.length === 0) break;
    const paths = new Set(touched.map(({ file }) => file.path));
    for (const { path } of unseen) if (!paths.has(path)) clean.add(path);
    // The next turn looks at what other writers have added.
    await rewrite(lake, { ...erasing, condition }, touched);
  }
  // A feed refuses deletions again once the erasure is committed.
  if (spec.feed) await table.commit((now) => (isAppendOnly(now) ? null : withAppendOnly(now, "true")));
  await deleteOthers(lake, spec, condition, signal);
}

interface Holding {
  readonly file: AddFile;
  readonly rows: number;
}

async function holding(
  lake: Lake,
  spec: TableSpec,
  files: readonly AddFile[],
  condition: string,
): Promise<Holding[]> {
  const found: Holding[] = [];
  for (const file of files) {
    const paths = await localFiles({ ...lake, table: spec.name }, [file]);
    const rows = await countRows(lake, spec, paths, condition);
    if (rows > 0) found.push({ file, rows });
  }
  return found;
}

async function countRows(
  lake: Lake,
  { columns }: TableSpec,
  paths: readonly string[],
  condition: string,
): Promise<number> {
  const [row] = await lake.duckdb.exclusive((sql) =>
    sql.rowsAtOnce(`select count(*) as rows from ${parquetRows(paths, columns)} where ${condition}`),
  );
  return Number(row?.rows);
}

/** Unless another writer has removed a file. */
async function rewrite(
  lake: Lake,
  { spec, condition, blank, owner, also = () => [] }: Erasing,
  touched: readonly Holding[],
): Promise<void> {
  const columns = spec.columns.map(({ name }) => {
    const isBlank = blank?.includes(name);
    return isBlank
      ? `case when not coalesce(${condition}, false) then ${sqlName(name)} end as ${sqlName(name)}`
      : sqlName(name);
  });
  const kept = blank === undefined ? `(${condition}) is not true` : "true";
  const left: AddFile[] = [];
  for (const { file } of touched) {
    const paths = await localFiles({ ...lake, table: spec.name }, [file]);
    const query = `select ${columns.join(", ")} from ${parquetRows(paths, spec.columns)} where ${kept}`;
    const written = await writeStored(lake, spec, "kept", query, THREADS);
    left.push(...written.map((one) => leftOf(file, addOf(one))));
  }
  const rows = touched.reduce((sum, one) => sum + one.rows, 0);
  const committed = await lake.table(spec.name).commit((now) => {
    if (touched.some(({ file }) => !now.files.has(file.path))) return null;
    const at = Date.now();
    const earlier = now.txns.get(erasedOf(owner))?.version ?? 0;
    return [
      { commitInfo: ERASURE },
      ...(isAppendOnly(now) ? withAppendOnly(now, "false") : schemaActions(spec, now, at)),
      { txn: { appId: erasedOf(owner), version: earlier + rows } },
      ...also(now, at),
      ...touched.map(({ file }) => ({ remove: removeOf(file, at) })),
      ...left.map((add) => ({ add })),
    ];
  });
  if (committed !== null) return;
  await Promise.all(left.map(({ path }) => lake.store.delete(fileKey(spec.name, path))));
}

function isAppendOnly({ metadata }: Snapshot): boolean {
  return metadata?.configuration[APPEND_ONLY] === "true";
}

function withAppendOnly({ metadata }: Snapshot, value: "true" | "false") {
  if (metadata === undefined) return [];
  return [{ metaData: { ...metadata, configuration: { ...metadata.configuration, [APPEND_ONLY]: value } } }];
}

/** Those that no newest version names and that hold such rows, or can't be read. */
async function deleteOthers(
  lake: Lake,
  spec: TableSpec,
  condition: string,
  signal?: AbortSignal,
): Promise<void> {
  const { files } = await lake.table(spec.name).snapshot();
  const live = new Set([...files.keys()].map((path) => fileKey(spec.name, path)));
  for (const { key } of await lake.store.list(`${spec.name}/`)) {
    signal?.throwIfAborted();
    if (live.has(key) || !isDataFile(key)) continue;
    const rows = await countRows(lake, spec, [await lake.store.download(key)], condition).catch((error) => {
      if (isOutOfMemory(error)) throw error;
    });
    if (rows !== 0) await lake.store.delete(key);
  }
}

/**
 * Dates rows of `erasures` or `holds` later than every other one about these users, which a clock that was ahead may have
 * written.
 */
export async function recordedNow(
  lake: LakeReader,
  table: TableSpec,
  fpIds: readonly string[],
): Promise<string> {
  const now = new Date().toISOString();
  if (fpIds.length === 0) return now;
  const [row] = await readTables(lake, [table], (sql) =>
    sql.rowsAtOnce(`select greatest(${sqlText(now)}::timestamptz, max(recorded_at) + interval 1 microsecond)::varchar as at
      from ${table.name} where fp_id in ${sqlList(fpIds)}`),
  );
  return String(row?.at);
}

/**
 * Writes into `erasures` what the tables' logs have and it has not: also of calls that were cut short.
 * @param isRecorded SQL of the rows of `erasures` that are there
 * @param row what each row has besides its table
 */
export async function recordErased(
  lake: Lake,
  tables: readonly TableSpec[],
  { owner, isRecorded }: { readonly owner: string; readonly isRecorded: string },
  row: Readonly<Record<string, string>>,
): Promise<TableRows[]> {
  return appendDecided(lake, erasures, async () => {
    const known = await readTables(lake, [erasures], (sql) =>
      sql.rows(
        `select table_name, sum(rows)::bigint as rows from erasures where ${isRecorded} group by table_name`,
      ),
    );
    const recorded = new Map(known.map(({ table_name, rows }) => [table_name, Number(rows)]));
    const fresh: TableRows[] = [];
    for (const { name: table } of tables) {
      const { txns } = await lake.table(table).snapshot();
      const rows = (txns.get(erasedOf(owner))?.version ?? 0) - (recorded.get(table) ?? 0);
      if (rows > 0) fresh.push({ table, rows });
    }
    const recorded_at = await recordedNow(lake, erasures, row.fp_id === undefined ? [] : [row.fp_id]);
    const rows = fresh.map(({ table, rows }) => ({ ...row, table_name: table, rows, recorded_at }));
    return { files: await writeRows(lake, erasures, "erased", rows), result: fresh };
  });
}

/** Resets the watermark: the next materialize makes the table again. */
export async function haveRebuilt(lake: Lake, { name }: TableSpec): Promise<void> {
  await lake
    .table(name)
    .commit(({ version }) =>
      version < 0 ? null : [{ txn: { appId: transactionChanges.name, version: -1 } }],
    );
}

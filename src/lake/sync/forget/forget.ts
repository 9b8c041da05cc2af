import { InputError } from "../../../domain/failures.js";
import { schemaActions, type TableSpec } from "../../delta/delta-schema.js";
import type { Lake } from "../../lake.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { erasures } from "../../tables/erasures.js";
import { writeRows } from "../../tables/parquet-file.js";
import { transactionChanges } from "../../tables/transactions.js";
import { linkCheckpoints } from "../link-checkpoint.js";
import { eraseOutcomes } from "./erase-outcomes.js";
import { erasedOf, eraseRows } from "./erase-rows.js";
import { forgetting, remembering } from "./forgotten.js";
import { onHold } from "./holds.js";
import { personRows } from "./person-rows.js";

/** Who asked for something, and why. */
export interface AskedBy {
  readonly reason: string;
  readonly by: string;
}

/** Rows of a person in a table. */
export interface TableRows {
  readonly table: string;
  readonly rows: number;
}

/** Counts the rows about a person in each table that has some. */
export async function rowsOfPerson(
  lake: LakeReader,
  tables: readonly TableSpec[],
  fpId: string,
): Promise<TableRows[]> {
  const found: TableRows[] = [];
  for (const { spec, condition } of await personRows(lake, tables, fpId, await linksOf(lake, fpId))) {
    const [row] = await readTables(lake, [spec], (sql) =>
      sql.few(`select count(*) as rows from ${spec.name} where ${condition}`),
    );
    if (Number(row?.rows) > 0) found.push({ table: spec.name, rows: Number(row?.rows) });
  }
  return found;
}

/**
 * Erases a person from every table, with all earlier versions (docs/run/operate.md, "Forget a person"). Nothing may run on
 * the lake meanwhile. Killed anywhere, it does the rest when it is called again.
 *
 * @param onTable told of each table before it is looked through
 * @returns the rows that are recorded in `erasures` for this call, and for calls that were cut short before it
 * @throws InputError for a person under a legal hold; StoreFullError on a full disk; the signal's reason once it is aborted
 */
export async function forget(
  lake: Lake,
  tables: readonly TableSpec[],
  fpId: string,
  { by, reason, signal, onTable }: AskedBy & { signal?: AbortSignal; onTable?: (table: string) => void },
): Promise<TableRows[]> {
  if (await onHold(lake, fpId)) {
    throw new InputError(
      `${fpId} is under a legal hold. Nothing was erased. Lift it first: nightledger hold remove ${fpId} --reason … --by …`,
    );
  }
  const links = await linksOf(lake, fpId);
  await lake
    .table(transactionChanges.name)
    .commit((feed) => [
      ...schemaActions(transactionChanges, feed, Date.now()),
      ...forgetting(feed, fpId, links),
    ]);
  for (const { spec, condition } of await personRows(lake, tables, fpId, links)) {
    onTable?.(spec.name);
    await eraseRows(lake, spec, condition, fpId, signal);
  }
  await eraseOutcomes(lake.store, fpId);
  return record(lake, tables, fpId, { by, reason });
}

/** Lets a sync read forgotten persons again. */
export async function readAgain(lake: Lake, fpIds: readonly string[], asked: AskedBy): Promise<void> {
  await lake.table(transactionChanges.name).commit((feed) => remembering(feed, fpIds));
  const recorded_at = new Date().toISOString();
  const rows = fpIds.map((fp_id) => ({ fp_id, state: "again", ...whoOf(asked), recorded_at }));
  await appendDecided(lake, erasures, async () => ({
    files: await writeRows(lake, erasures, "again", rows),
    result: undefined,
  }));
}

/** SQL of the persons of `erasures` who were forgotten, and whom no later command reads again. */
export const FORGOTTEN_NOW = `select fp_id from erasures group by fp_id having arg_max(state, recorded_at) = 'forgotten'`;

/** The bank links that were read for a person, and those of which the feed has rows. */
async function linksOf(lake: LakeReader, fpId: string): Promise<string[]> {
  const feed = await lake.table(transactionChanges.name).snapshot();
  const links = new Set<string>();
  for (const [link, { fp_id }] of linkCheckpoints(feed)) if (fp_id === fpId) links.add(link);
  const rows = await readTables(lake, [transactionChanges], (sql) =>
    sql.rows(`select distinct link_id from transaction_changes where fp_id = ${sqlText(fpId)}`),
  );
  for (const { link_id } of rows) links.add(String(link_id));
  return [...links];
}

/** Writes what the logs of tables say was erased, and `erasures` does not say yet. */
async function record(
  lake: Lake,
  tables: readonly TableSpec[],
  fpId: string,
  asked: AskedBy,
): Promise<TableRows[]> {
  return appendDecided(lake, erasures, async () => {
    const [known, isRecorded] = await readTables(lake, [erasures], async (sql) => [
      await sql.rows(`select table_name, sum(rows)::bigint as rows from erasures
        where fp_id = ${sqlText(fpId)} and state = 'forgotten' group by table_name`),
      (await sql.few(`from (${FORGOTTEN_NOW}) where fp_id = ${sqlText(fpId)}`)).length > 0,
    ]);
    const recorded = new Map(known.map(({ table_name, rows }) => [table_name, Number(rows)]));
    const fresh: TableRows[] = [];
    for (const { name: table } of tables) {
      const { txns } = await lake.table(table).snapshot();
      const rows = (txns.get(erasedOf(fpId))?.version ?? 0) - (recorded.get(table) ?? 0);
      if (rows > 0) fresh.push({ table, rows });
    }
    const recorded_at = new Date().toISOString();
    const of = { fp_id: fpId, state: "forgotten", ...whoOf(asked), recorded_at };
    const rows: Record<string, unknown>[] = fresh.map((one) => ({
      ...of,
      table_name: one.table,
      rows: one.rows,
    }));
    if (rows.length === 0 && !isRecorded) rows.push({ ...of, table_name: null, rows: 0 });
    return { files: await writeRows(lake, erasures, "erased", rows), result: fresh };
  });
}

function whoOf({ by, reason }: AskedBy) {
  return { recorded_by: by, reason };
}

import { InputError } from "../../../domain/failures.js";
import { schemaActions, type TableSpec } from "../../delta/delta-schema.js";
import type { Snapshot } from "../../delta/delta-snapshot.js";
import { unreadActions } from "../../history/whole-lists.js";
import type { Lake } from "../../lake.js";
import { type LakeReader, readTables } from "../../query/query-views.js";
import { sqlText } from "../../sql/duckdb-sql.js";
import { appendDecided } from "../../tables/append.js";
import { erasures } from "../../tables/erasures.js";
import { writeRows } from "../../tables/parquet-file.js";
import { transactionChanges } from "../../tables/transactions.js";
import { linkCheckpoints } from "../link-checkpoint.js";
import { eraseOutcomes } from "./erase-outcomes.js";
import { erasableRows, eraseRows, type TableRows } from "./erase-rows.js";
import { forgetting, remembering, wasForgotten } from "./forgotten.js";
import { heldUsers } from "./holds.js";
import { personRows } from "./person-rows.js";
import { recordErased } from "./record-erased.js";

/** Who asked for something, and why. */
export interface AskedBy {
  readonly reason: string;
  readonly by: string;
}

/** Counts the rows about a person in each table that has some. */
export async function rowsOfPerson(
  lake: LakeReader,
  tables: readonly TableSpec[],
  fpId: string,
): Promise<TableRows[]> {
  return erasableRows(lake, tables, await personRows(lake, tables, fpId, await linksOf(lake, fpId)));
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
  if ((await heldUsers(lake)).has(fpId)) {
    throw new InputError(
      `${fpId} is under a legal hold. Nothing was erased. Lift it first: nightledger hold remove ${fpId} --reason … --by …`,
    );
  }
  const links = await linksOf(lake, fpId);
  const isKnown = wasForgotten(await lake.table(transactionChanges.name).snapshot(), fpId);
  if (!isKnown && (await rowsOfPerson(lake, tables, fpId)).length === 0) {
    throw new InputError(
      `No table has rows of ${fpId}, so there is nothing to forget, and nothing was recorded. Check the id: nightledger query "select distinct fp_id from transactions"`,
    );
  }
  await lake
    .table(transactionChanges.name)
    .commit((feed) => [
      ...schemaActions(transactionChanges, feed, Date.now()),
      ...forgetting(feed, fpId, links),
    ]);
  for (const rows of await personRows(lake, tables, fpId, links)) {
    onTable?.(rows.spec.name);
    const also = (now: Snapshot, at: number) => unreadActions(now, fpId, at);
    await eraseRows(lake, { ...rows, owner: fpId, also }, signal);
  }
  await eraseOutcomes(lake.store, fpId);
  const isRecorded = `fp_id = ${sqlText(fpId)} and state = 'forgotten'`;
  const row = { fp_id: fpId, state: "forgotten", ...whoOf({ by, reason }) };
  return recordErased(lake, tables, { owner: fpId, isRecorded }, row);
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

function whoOf({ by, reason }: AskedBy) {
  return { recorded_by: by, reason };
}

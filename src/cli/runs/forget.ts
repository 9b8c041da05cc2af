import { InputError } from "../../domain/failures.js";
import { leftOf, runOfLeft } from "../../domain/run.js";
import { counted } from "../../domain/words/counted.js";
import { type Lake, lakeAt } from "../../lake/lake.js";
import { eraseStaged, type StagedCustomer, stagedCustomer } from "../../lake/onboarding/forget-customer.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import type { TableRows } from "../../lake/sync/forget/erase-rows.js";
import { type AskedBy, forget, rowsOfPerson } from "../../lake/sync/forget/forget.js";
import { runs } from "../../lake/tables/runs.js";
import { TABLES } from "../../tables.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { existingLake } from "../lake/query.js";
import { showRows } from "../lake/row-table.js";
import { assertSaid } from "../sync/forget/hold.js";
import { showText } from "../terminal/colours.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { unfinishedRuns } from "./unfinished-runs.js";
import { type RunsView, withRunsView } from "./view.js";

export interface ForgetFlags extends AskedBy {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

/** Erases a person from the configured lake. @throws InputError where it must wait, or where there is nothing to erase */
export async function runForget(terminal: Terminal, fpId: string, flags: ForgetFlags): Promise<void> {
  const { reason, by, dryRun = false, json } = flags;
  assertSaid(flags);
  const place = await existingLake(terminal);
  await withInterruption(async ({ signal, releases }) => {
    const lake = lakeAt(place);
    releases.add(() => lake.close());
    const { packs, staged } = await withRunsView(terminal, TABLES, async (view) => {
      if (!dryRun) await assertNothingRuns(view, fpId, "Nothing was erased.");
      await assertSettled(view.query, fpId);
      return { packs: await packsWith(view.query, fpId), staged: await stagedRows(lake, view, fpId) };
    });
    // What began since the first look may have read the person before it could know.
    const beforeErasing = async () => {
      const what = `Nothing was erased, but syncs leave ${fpId} out from now on.`;
      await withRunsView(terminal, [runs], (view) => assertNothingRuns(view, fpId, what));
      // While the tables still say which rows are the person's.
      if (staged.sealed !== undefined) await eraseStaged(staged.sealed, staged);
    };
    const onTable = (table: string) => {
      if (terminal.interactive) terminal.say(`erasing from ${table}`);
    };
    const asked = { by: by.trim(), reason: reason.trim(), signal, onTable, beforeErasing };
    const tables = dryRun ? await rowsOfPerson(lake, TABLES, fpId) : await forget(lake, TABLES, fpId, asked);
    if (json) {
      const batches = staged.batches.map(({ batchId }) => batchId);
      const found = { tables, packs, batches, retries: staged.retries };
      return terminal.result(JSON.stringify({ dry_run: dryRun, fp_id: fpId, rows: sumOf(tables), ...found }));
    }
    if (tables.length > 0)
      showRows(
        terminal,
        tables.map((one) => ({ ...one })),
      );
    const what = `${counted(sumOf(tables), "row")} in ${counted(tables.length, "table")}`;
    // Whom nobody knows is refused before.
    const erased =
      tables.length === 0
        ? `${fpId} was forgotten before, and no table has had rows since`
        : `erased ${what}, and every earlier version of them`;
    showText(terminal, dryRun ? `would erase ${what}; nothing was changed` : erased);
    for (const { batchId, lines } of staged.batches) {
      const rows = `${counted(lines.size, "row")} of the file of batch ${batchId}`;
      showText(terminal, dryRun ? `would erase ${rows}, which the lake keeps` : `erased ${rows}`);
    }
    for (const pack of packs) {
      terminal.say(
        `the pack of ${pack} holds ${fpId} too, and stays: delete it when it need not be kept any more`,
      );
    }
    for (const run of staged.retries) {
      terminal.say(
        `${stagingOf(leftOf(run))} of the lake holds ${fpId} too, among the rows that a retry of ${run} would run again, and stays: retry the run, or delete the folder`,
      );
    }
  });
}

function sumOf(tables: readonly TableRows[]): number {
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** @throws InputError naming a run that has not ended */
async function assertNothingRuns(view: RunsView, fpId: string, what: string): Promise<void> {
  const [running] = await unfinishedRuns(view);
  if (running === undefined) return;
  throw new InputError(
    `${running.run_id} has not ended, and may hold rows of ${fpId}. ${what} Wait for it (nightledger runs watch ${running.run_id}) or cancel it, then try again.`,
  );
}

/** A customer who waits for a decision would get further rows. */
async function assertSettled(query: LakeQuery, fpId: string): Promise<void> {
  const [open] = await rowsOf<{ batch_id: string }>(
    query,
    `select batch_id from (from onboardings qualify row_number() over
      (partition by batch_id, line order by attempt desc, version desc) = 1)
      where fp_id = ${sqlText(fpId)} and settled_at is null`,
  );
  if (open === undefined) return;
  throw new InputError(
    `${fpId} waits for a decision in batch ${open.batch_id}. Nothing was erased. Wait for it, or cancel it: nightledger runs cancel ${open.batch_id}`,
  );
}

/** The runs whose packs name a person. */
async function packsWith(query: LakeQuery, fpId: string): Promise<string[]> {
  const rows = await rowsOf<{ run_id: string }>(
    query,
    `select distinct run_id from (select run_id, fp_id from cip_reports union all select run_id, fp_id from business_insights)
      where fp_id = ${sqlText(fpId)} order by run_id`,
  );
  return rows.map(({ run_id }) => run_id);
}

const stagingOf = (id: string) => `_staging/${id}/`;

/** What the staging area has of a person. */
interface StagedRows extends StagedCustomer {
  /** Undefined in a lake without keys, which has nothing. */
  readonly sealed?: SealedStore;
  /** Runs whose rows for a retry name the person. */
  readonly retries: readonly string[];
}

async function stagedRows(lake: Lake, { lake: { keys } }: RunsView, fpId: string): Promise<StagedRows> {
  if (keys === undefined) return { batches: [], onboardingIds: [], retries: [] };
  const sealed = new SealedStore(lake.store, createSealer(keys));
  const retries: string[] = [];
  for (const folder of await lake.store.folders("_staging/")) {
    const run = runOfLeft(folder);
    if (run !== undefined && (await holds(lake.store, sealed, folder, fpId))) retries.push(run);
  }
  return { sealed, ...(await stagedCustomer(lake, sealed, fpId)), retries };
}

/** Whether an object of a folder of rows for a retry names a person. Rosters are not sealed. */
async function holds(
  store: ObjectStore,
  sealed: SealedStore,
  folder: string,
  fpId: string,
): Promise<boolean> {
  const named = JSON.stringify(fpId);
  for (const { key } of await store.list(stagingOf(folder))) {
    const bytes = key.endsWith(".jsonl") ? await store.get(key) : await sealed.getBytes(key);
    if (bytes?.includes(named)) return true;
  }
  return false;
}

import { InputError } from "../../domain/failures.js";
import { leftOf, runOfLeft } from "../../domain/run.js";
import type { Person } from "../../domain/tables/person.js";
import { counted } from "../../domain/words/counted.js";
import { isInPack } from "../../jobs/cip/earlier-exports.js";
import { type Lake, lakeAt } from "../../lake/lake.js";
import { eraseStaged, type StagedCustomer, stagedCustomer } from "../../lake/onboarding/forget-customer.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { sqlList, sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import type { TableRows } from "../../lake/sync/forget/erase-rows.js";
import { forget, type Requester, rowsOfPerson } from "../../lake/sync/forget/forget.js";
import { assertNotHeld } from "../../lake/sync/forget/holds.js";
import { personOf } from "../../lake/sync/forget/person.js";
import { LATEST_OF_A_LINE } from "../../lake/tables/onboardings.js";
import { runs } from "../../lake/tables/runs.js";
import { TABLES } from "../../tables.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { existingLake } from "../lake/query.js";
import { showRows } from "../lake/row-table.js";
import { assertSaid } from "../sync/forget/hold.js";
import { showText } from "../terminal/colours.js";
import { withInterruption } from "../terminal/interruption.js";
import { canAsk, questionsOn } from "../terminal/questions.js";
import type { Terminal } from "../terminal/terminal.js";
import { unfinishedRuns } from "./unfinished-runs.js";
import { type RunsView, withRunsView } from "./view.js";

export interface ForgetFlags extends Requester {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/**
 * Erases a person from the configured lake. On a terminal it shows what would go, and asks.
 *
 * @throws InputError where it must wait, or may not, or where there is nothing to erase
 */
export async function runForget(terminal: Terminal, id: string, flags: ForgetFlags): Promise<void> {
  assertSaid(flags);
  if (!flags.dryRun && !flags.yes) {
    if (!canAsk(terminal))
      throw new InputError(`Nobody can be asked here. ${NOTHING} Give --dry-run or --yes.`);
    await forgetOrCount({ ...terminal, result: terminal.say }, id, { ...flags, dryRun: true, json: false });
    const { ask, close } = questionsOn(process.stdin, process.stderr, NOTHING);
    const answer = await ask("Erase all of it, for good? Type yes: ").finally(close);
    if (answer.trim() !== "yes") throw new InputError(NOTHING);
  }
  await forgetOrCount(terminal, id, flags);
}

const NOTHING = "Nothing was erased.";

async function forgetOrCount(terminal: Terminal, id: string, flags: ForgetFlags): Promise<void> {
  const { reason, by, dryRun = false, json } = flags;
  const place = await existingLake(terminal);
  await withInterruption(async ({ signal, releases }) => {
    const lake = lakeAt(place);
    releases.add(() => lake.close());
    const person = await personOf(lake, TABLES, id);
    const { fpId, externalIds } = person;
    const { packs, staged } = await withRunsView(terminal, TABLES, async (view) => {
      if (!dryRun) await assertNothingRuns(view, fpId, NOTHING);
      await assertSettled(view.query, person);
      return {
        packs: await packsWith(lake, view.query, person),
        staged: await stagedRows(lake, view, person),
      };
    });
    await assertNotHeld(lake, person, NOTHING);
    if (fpId !== id) terminal.say(`${id} is ${fpId}`);
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
    const isStaged = staged.batches.length > 0;
    const asked = { by: by.trim(), reason: reason.trim(), signal, isStaged, onTable, beforeErasing };
    const tables = dryRun ? await rowsOfPerson(lake, TABLES, person) : await forget(lake, TABLES, id, asked);
    if (json) {
      const batches = staged.batches.map(({ batchId }) => batchId);
      const found = { tables, packs, batches, retries: staged.retries };
      const who = { dry_run: dryRun, fp_id: fpId, external_ids: externalIds };
      return terminal.result(JSON.stringify({ ...who, rows: sumOf(tables), ...found }));
    }
    if (tables.length > 0)
      showRows(
        terminal,
        tables.map((one) => ({ ...one })),
      );
    const what = `${counted(sumOf(tables), "row")} in ${counted(tables.length, "table")}`;
    // Whom nobody knows is refused before.
    const erased =
      tables.length === 0 && !isStaged
        ? `${fpId} was forgotten before, and no table has had rows since`
        : `erased ${what}, and every earlier version of them`;
    showText(terminal, dryRun ? `would erase ${what}; nothing was changed` : erased);
    for (const { batchId, lines } of staged.batches) {
      const rows = `${counted(lines.size, "row")} of the file of batch ${batchId}`;
      showText(terminal, dryRun ? `would erase ${rows}, which the lake keeps` : `erased ${rows}`);
    }
    for (const pack of packs) {
      terminal.say(
        `the pack of ${pack} names ${fpId} too, and stays: delete it when it need not be kept any more`,
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
async function assertSettled(query: LakeQuery, { fpId, lines }: Person): Promise<void> {
  const named = lines.map(({ batch_id, line }) => `${batch_id} ${line}`);
  const [open] = await rowsOf<{ batch_id: string }>(
    query,
    `select batch_id from (from onboardings ${LATEST_OF_A_LINE})
      where batch_id || ' ' || line in ${sqlList(named)} and settled_at is null`,
  );
  if (open === undefined) return;
  throw new InputError(
    `${fpId} waits for a decision in batch ${open.batch_id}. ${NOTHING} Wait for it, or cancel it: nightledger runs cancel ${open.batch_id}`,
  );
}

/** Exports whose packs name a person. One that can't be reached counts if it left a report of the person in the lake. */
async function packsWith(lake: Lake, query: LakeQuery, { fpId, externalIds }: Person): Promise<string[]> {
  const exports = await rowsOf<{ run_id: string; out: string | null; reported: boolean }>(
    query,
    `select run_id, max(options->>'$.out') as out, bool_or(reported) as reported from (
        select run_id, options, false as reported from runs where kind = 'cip' union all
        select run_id, null, true from cip_reports where fp_id = ${sqlText(fpId)}) group by run_id order by run_id`,
  );
  const named: string[] = [];
  for (const one of exports)
    if (one.reported || (await isInPack(lake, one, [fpId, ...externalIds]))) named.push(one.run_id);
  return named;
}

const stagingOf = (id: string) => `_staging/${id}/`;

/** What the staging area has of a person. */
interface StagedRows extends StagedCustomer {
  /** Undefined in a lake without keys, which has nothing. */
  readonly sealed?: SealedStore;
  /** Runs whose rows for a retry name the person. */
  readonly retries: readonly string[];
}

async function stagedRows(lake: Lake, { lake: { keys } }: RunsView, person: Person): Promise<StagedRows> {
  if (keys === undefined) return { batches: [], onboardingIds: [], retries: [] };
  const sealed = new SealedStore(lake.store, createSealer(keys));
  const retries: string[] = [];
  for (const folder of await lake.store.folders("_staging/")) {
    const run = runOfLeft(folder);
    if (run !== undefined && (await holds(lake.store, sealed, folder, person))) retries.push(run);
  }
  return { sealed, ...(await stagedCustomer(lake.store, sealed, person)), retries };
}

/** Whether an object of a folder of rows for a retry names a person. Rosters are not sealed. */
async function holds(
  store: ObjectStore,
  sealed: SealedStore,
  folder: string,
  { fpId, externalIds }: Person,
): Promise<boolean> {
  const ids = externalIds.map((id) => `"external_id":${JSON.stringify(id)}`);
  const named = [JSON.stringify(fpId), ...ids];
  for (const { key } of await store.list(stagingOf(folder))) {
    const bytes = key.endsWith(".jsonl") ? await store.get(key) : await sealed.getBytes(key);
    if (named.some((id) => bytes?.includes(id))) return true;
  }
  return false;
}

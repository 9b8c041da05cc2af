import { cp } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { openTable } from "../../../../src/lake/delta/delta-table.js";
import { createLocalStore } from "../../../../src/lake/store/local/local-store.js";
import type { StoreFault } from "../../kill/fault-store.js";
import type { TestLake } from "../delta-lake.js";
import { runDeltaChild } from "../delta-process.js";
import { counting, EAGER } from "./counted-actions.js";
import { expectWholeLog, makeOldTable, readCounted } from "./counted-table.js";
import { logNames } from "./log-entries.js";
import { type STRIKES, strikeAt } from "./struck-store.js";

const TABLE = "struck";

/**
 * Has every step of a commit with its checkpoint and clean-up go wrong once, each time on a copy of one old table, and
 * checks log and table at once and after further commits. Gives the number of steps.
 */
export async function strikeEachStep(lake: TestLake, strike: (typeof STRIKES)[number]): Promise<number> {
  if ((await logNames(lake.store, TABLE)).length === 0) await makeOldTable(lake, TABLE, 7);
  const isKilled = strike.startsWith("killed");
  for (let nth = 1; ; nth += 1) {
    const copy = join(lake.directory, "..", `${strike}-${nth}`);
    await cp(join(lake.directory, TABLE), join(copy, TABLE), { recursive: true });
    const store = createLocalStore(copy);
    const struck = strikeAt(store, nth, strike);
    const table = openTable(struck, TABLE, lake.duckdb, EAGER);
    const isCommitted = await table.commit(counting).then(
      () => true,
      () => false,
    );
    if (!struck.struck()) return nth;
    const version = await readCounted(lake, TABLE, store);
    if (isCommitted) expect(version).toBe(7);
    else expect([6, 7]).toContain(version);
    await expectWholeLog(store, TABLE);
    if (!isKilled) await table.commit(counting);
    await openTable(store, TABLE, lake.duckdb, EAGER).commit(counting);
    expect(await readCounted(lake, TABLE, store)).toBe(version + (isKilled ? 1 : 2));
    await expectWholeLog(store, TABLE);
    // The checkpoint of version 6 may be the older one of the two that stay.
    expect((await logNames(store, TABLE)).length).toBeLessThanOrEqual(7);
  }
}

/** Steps of a checkpoint and the clean-up after it, and what a test says of them. */
export const KILLS: readonly (readonly [string, Pick<StoreFault, "on" | "key">])[] = [
  ["the checkpoint is written", { on: "upload", key: "7.checkpoint.parquet$" }],
  ["the checkpoint is named", { on: "put", key: "_last_checkpoint$" }],
  ["the first file is deleted", { on: "delete", key: "0000.json$" }],
  ["a checkpoint is deleted", { on: "delete", key: "2.checkpoint.parquet$" }],
  ["the last file is deleted", { on: "delete", key: "5.json$" }],
];

/** Kills a process by SIGKILL at a step of its clean-up, and checks log and table. */
export async function killCleaning(
  lake: TestLake,
  at: Pick<StoreFault, "on" | "key">,
  when: StoreFault["when"],
): Promise<void> {
  const table = `killed-${when}-${at.on}-${at.key.slice(0, 4)}`;
  await makeOldTable(lake, table, 7);
  const fault = JSON.stringify({ ...at, when, effect: "kill" } satisfies StoreFault);
  const scratch = join(lake.duckdb.scratchDirectory, "killed");
  await expect(runDeltaChild(["clean", lake.directory, scratch, table, fault])).rejects.toMatchObject({
    signal: "SIGKILL",
  });
  expect(await readCounted(lake, table)).toBe(7);
  await expectWholeLog(lake.store, table);
  const next = openTable(lake.store, table, lake.duckdb, EAGER);
  for (let more = 0; more < 2; more += 1) await next.commit(counting);
  expect(await logNames(lake.store, table)).toHaveLength(5);
  expect(await readCounted(lake, table)).toBe(9);
}

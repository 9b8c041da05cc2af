import { expect, test } from "vitest";
import { type DeltaTable, openTable } from "../../../src/lake/delta/delta-table.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { eachFile } from "../../helpers/each-test.js";
import { createTable, FEED, openTestLake } from "../../helpers/lake/delta-lake.js";
import { counting, EAGER, NO_CHECKPOINTS } from "../../helpers/lake/log/counted-actions.js";
import { expectCounted, expectWholeLog, readCounted } from "../../helpers/lake/log/counted-table.js";
import { logNames } from "../../helpers/lake/log/log-entries.js";

const lake = eachFile(openTestLake);

/** The table of another process, which commits, checkpoints and cleans up. */
const other = (table: string) => openTable(lake.store, table, lake.duckdb, EAGER);

async function commits(table: DeltaTable, count: number): Promise<void> {
  for (let done = 0; done < count; done += 1) await table.commit(counting, { maxAttempts: 500 });
}

/** A store on which something happens right before, or after, its first step of a kind. */
function once<K extends "putIfAbsent" | "put" | "list" | "get">(
  on: K,
  key: RegExp,
  happens: { readonly before?: () => Promise<void>; readonly after?: () => Promise<void> },
): ObjectStore {
  let isOver = false;
  const step = lake.store[on] as (...given: unknown[]) => Promise<unknown>;
  const struck = async (...given: unknown[]) => {
    if (isOver || !key.test(String(given[0]))) return step(...given);
    isOver = true;
    await happens.before?.();
    const done = await step(...given);
    await happens.after?.();
    return done;
  };
  return { ...lake.store, [on]: struck };
}

test("two tables that commit and clean up at once lose nothing, and readers see each state whole", async () => {
  const writers = [other("both"), other("both")];
  await commits(writers[0]!, 3);
  const [follower, late] = [other("both"), other("both")];
  await late.snapshot();
  let isOver = false;
  const read = async (open: () => DeltaTable) => {
    let newest = 0;
    while (!isOver) {
      const version = expectCounted(await open().snapshot());
      expect(version).toBeGreaterThanOrEqual(newest);
      newest = version;
    }
  };
  const readers = [read(() => follower), read(() => openTable(lake.store, "both", lake.duckdb))];
  try {
    await Promise.all(writers.map((writer) => commits(writer, 25)));
  } finally {
    isOver = true;
  }
  await Promise.all(readers);
  expect(expectCounted(await late.snapshot())).toBe(52);
  await commits(other("both"), 2);
  expect(await readCounted(lake, "both")).toBe(54);
  expect(await logNames(lake.store, "both")).toHaveLength(5);
  await expectWholeLog(lake.store, "both");
});

test.each([
  ["from a known version", true],
  ["from the beginning", false],
])("a reader %s whose commits are deleted after it listed them reads on", async (_, isKnown) => {
  const table = `listed-${isKnown}`;
  const writer = openTable(lake.store, table, lake.duckdb, NO_CHECKPOINTS);
  const store = once("get", /5\.json$/, { before: () => commits(other(table), 3) });
  const reader = openTable(store, table, lake.duckdb);
  await commits(writer, 2);
  if (isKnown) await reader.snapshot();
  await commits(writer, 4);
  expect(expectCounted(await reader.snapshot())).toBe(8);
});

test("a reader whose checkpoint is deleted before it is read reads a newer one", async () => {
  await commits(other("replaced"), 4);
  const store = once("get", /_last_checkpoint$/, { after: () => commits(other("replaced"), 3) });
  expect(expectCounted(await openTable(store, "replaced", lake.duckdb).snapshot())).toBe(6);
});

test("a commit that was held back until its version was cleaned up is made again on the newest one", async () => {
  await commits(other("held"), 4);
  const store = once("putIfAbsent", /_delta_log/, { before: () => commits(other("held"), 5) });
  const held = openTable(store, "held", lake.duckdb, NO_CHECKPOINTS);
  expect(await held.commit(counting)).toMatchObject({ version: 9 });
  expect(await readCounted(lake, "held")).toBe(9);
  await expectWholeLog(lake.store, "held");
});

test("a table that was made and cleaned up while another process made it is not made twice", async () => {
  const store = once("putIfAbsent", /_delta_log/, {
    before: async () => {
      await commits(other("made"), 5);
    },
  });
  await createTable(openTable(store, "made", lake.duckdb), { ...FEED, name: "made" });
  expect(await readCounted(lake, "made")).toBe(4);
  await expectWholeLog(lake.store, "made");
});

test("_last_checkpoint never stays at an older checkpoint, whichever process writes it last", async () => {
  await commits(other("named"), 3);
  const store = once("put", /_last_checkpoint$/, { before: () => commits(other("named"), 4) });
  await openTable(store, "named", lake.duckdb, EAGER).commit(counting);
  const hint = JSON.parse(String(await lake.store.get("named/_delta_log/_last_checkpoint")));
  expect(hint).toMatchObject({ version: 7, size: 10, numOfAddFiles: 0 });
  expect(await readCounted(lake, "named")).toBe(7);
  await expectWholeLog(lake.store, "named");
});

test("a checkpoint that another process wrote is not written again", async () => {
  const floor = { checkpointFloorBytes: 4 * 64_000 };
  const [one, two] = [0, 1].map(() => openTable(lake.store, "shared", lake.duckdb, floor));
  for (let turn = 0; turn < 7; turn += 1) for (const table of [one, two]) await table!.commit(counting);
  const names = await logNames(lake.store, "shared");
  expect(names.filter((name) => name.includes("checkpoint.parquet"))).toEqual([
    "7.checkpoint.parquet",
    "11.checkpoint.parquet",
  ]);
});

test("a checkpoint that failed is tried again ten versions later, and its table keeps its commits", async () => {
  const failures: unknown[] = [];
  const uploadAll = () => Promise.reject(new Error("no room"));
  const table = openTable({ ...lake.store, uploadAll }, "full", lake.duckdb, {
    ...EAGER,
    onCheckpointFailed: (error) => failures.push(error),
  });
  for (let done = 0; done < 25; done += 1) await table.commit(counting);
  expect(failures).toHaveLength(3);
  expect(await readCounted(lake, "full")).toBe(24);
});

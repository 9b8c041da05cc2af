import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { falseCheckpoint } from "../../../src/lake/delta/delta-log.js";
import type { Snapshot } from "../../../src/lake/delta/delta-snapshot.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { eachTest } from "../../helpers/each-test.js";
import { createTable, fakeAdd, openTestLake, PLAIN, storedAdd } from "../../helpers/lake/delta-lake.js";
import { domainAction } from "../../helpers/lake/log/counted-actions.js";

const lake = eachTest(openTestLake);

const location = () => ({ ...lake, table: PLAIN.name });

/** A table whose newest version has a checkpoint that says what `change` makes of it, after a true one where asked. */
async function withCheckpoint(change: (snapshot: Snapshot) => Snapshot, afterTrueOne: boolean) {
  const table = openTable(lake.store, PLAIN.name, lake.duckdb);
  await createTable(table, PLAIN);
  const [a, b] = [await storedAdd(lake, PLAIN.name, "a"), await storedAdd(lake, PLAIN.name, "b")];
  await table.commit(() => [{ add: { ...a, tags: { "nightledger.sha256": "a" } } }, domainAction("d", "1")]);
  if (afterTrueOne) await table.checkpoint(await table.snapshot());
  await table.commit(() => [{ add: b }, domainAction("d", "2")]);
  const snapshot = await table.snapshot();
  await table.checkpoint(change(snapshot));
  return { version: snapshot.version, found: await falseCheckpoint(location()) };
}

const without = (path: string) => (snapshot: Snapshot) => ({
  ...snapshot,
  files: new Map([...snapshot.files].filter(([name]) => name !== path)),
});

test.each([false, true])(
  "a true checkpoint is none that lies, after another one: %j",
  async (afterTrueOne) => {
    expect((await withCheckpoint((snapshot) => snapshot, afterTrueOne)).found).toBeUndefined();
  },
);

test.each([
  ["lacks a file", without("b")],
  ["lacks one of an earlier commit", without("a")],
  ["has another domain", (snapshot: Snapshot) => ({ ...snapshot, domains: new Map([["d", "3"]]) })],
  [
    "has another hash",
    (snapshot: Snapshot) => ({ ...snapshot, files: new Map(snapshot.files).set("a", fakeAdd("a")) }),
  ],
])("a checkpoint that %s is found: readers begin with it", async (_, change) => {
  const { version, found } = await withCheckpoint(change, true);
  expect(found).toBe(version);
});

test("of commits that are gone nobody can tell", async () => {
  const { version } = await withCheckpoint(without("b"), false);
  await rm(join(lake.directory, PLAIN.name, "_delta_log", `${version}.json`.padStart(25, "0")));
  expect(await falseCheckpoint(location())).toBeUndefined();
});

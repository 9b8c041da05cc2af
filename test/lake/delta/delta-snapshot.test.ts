import fc from "fast-check";
import { expect, test } from "vitest";
import { type DeltaAction, removeOf } from "../../../src/lake/delta/delta-actions.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { advance, NO_TABLE, type Snapshot } from "../../../src/lake/delta/delta-snapshot.js";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { eachFile } from "../../helpers/each-test.js";
import { createTable, fakeAdd, openTestLake, PLAIN, storedAdd } from "../../helpers/lake/delta-lake.js";

const lake = eachFile(openTestLake);

const NOW = Date.now();
const NAMES = ["a", "b", "c d", "é", "f%20", "'g\""];
const name = fc.constantFrom(...NAMES);
const action: fc.Arbitrary<DeltaAction> = fc.oneof(
  name.map((path) => ({ add: fakeAdd(encodeURIComponent(path)) })),
  name.map((path) => ({ remove: removeOf(fakeAdd(encodeURIComponent(path)), NOW) })),
  fc
    .record({ domain: name, configuration: fc.string({ unit: "binary" }), removed: fc.boolean() })
    .map((d) => ({
      domainMetadata: d,
    })),
  fc.record({ appId: name, version: fc.nat() }).map((txn) => ({ txn })),
  fc.record({ appId: name, version: fc.nat(), lastUpdated: fc.constant(NOW) }).map((txn) => ({ txn })),
);
const commits = fc.array(fc.array(action, { maxLength: 6 }), { minLength: 1, maxLength: 12 });

/** The order of entries is not part of a state. */
function stateOf({ files, domains, txns, tombstones, ...rest }: Snapshot) {
  const sorted = (map: ReadonlyMap<string, unknown>) => [...map].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...rest,
    files: sorted(files),
    domains: sorted(domains),
    txns: sorted(txns),
    tombstones: sorted(tombstones),
  };
}

test("the state is the same read step by step, at once, from a checkpoint, and with its commits gone", async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      commits,
      fc.constantFrom(Infinity, 128_000, 0),
      async (sequence, checkpointFloorBytes) => {
        const table = `t${run++}`;
        const open = (options = {}) => openTable(lake.store, table, lake.duckdb, options);
        const [writer, follower] = [open({ checkpointFloorBytes }), open()];
        await createTable(writer, { ...PLAIN, name: table });
        for (const path of NAMES) await storedAdd(lake, table, path);
        for (const actions of sequence) {
          await writer.commit(() => actions);
          await follower.snapshot();
        }
        const written = await writer.snapshot();
        expect(written.version).toBe(sequence.length);
        const expected = stateOf(written);
        expect(stateOf(await follower.snapshot())).toEqual(expected);
        expect(stateOf(await open().snapshot())).toEqual(expected);
        await writer.checkpoint(written);
        expect(stateOf(await open().snapshot())).toEqual(expected);
        for (const { key } of await lake.store.list(`${table}/_delta_log/`)) {
          if (key.endsWith(".json")) await lake.store.delete(key);
        }
        expect(stateOf(await open().snapshot())).toEqual(expected);
        await lake.store.delete(`${table}/_delta_log/_last_checkpoint`);
        expect(stateOf(await open().snapshot())).toEqual(expected);
      },
    ),
    { numRuns: 25 },
  );
});

test("a snapshot that was given out never changes", async () => {
  const before = advance(NO_TABLE, [
    { version: 0, actions: [...creationOf(PLAIN, 1), { add: fakeAdd("a") }] },
  ]);
  const after = advance(before, [
    { version: 1, actions: [{ remove: removeOf(fakeAdd("a"), 1) }, { txn: { appId: "x", version: 1 } }] },
  ]);
  expect([...before.files.keys()]).toEqual(["a"]);
  expect(before.txns.size).toBe(0);
  expect([...after.files.keys()]).toEqual([]);
  expect(after.domains).toBe(before.domains);
});

test("a table that was removed and made again is read from its beginning", async () => {
  const table = openTable(lake.store, "again", lake.duckdb);
  await createTable(table, { ...PLAIN, name: "again" });
  const add = await storedAdd(lake, "again", "old");
  await table.commit(() => [{ add }]);
  await lake.store.deletePrefix("again/");
  expect((await table.snapshot()).version).toBe(-1);
  await createTable(openTable(lake.store, "again", lake.duckdb), { ...PLAIN, name: "again" });
  const { version, files } = await table.snapshot();
  expect([version, files.size]).toEqual([0, 0]);
});

test("a log with a version missing is refused in words, not read past the gap", async () => {
  const table = openTable(lake.store, "gap", lake.duckdb);
  await createTable(table, { ...PLAIN, name: "gap" });
  for (const path of ["a", "b", "c"]) {
    const add = await storedAdd(lake, "gap", path);
    await table.commit(() => [{ add }]);
  }
  await lake.store.delete("gap/_delta_log/00000000000000000002.json");
  const failure = await openTable(lake.store, "gap", lake.duckdb)
    .snapshot()
    .catch((error) => error);
  expect(failure).toMatchObject({
    name: "InputError",
    message: expect.stringMatching(/Version 2 of table gap is missing.*Restore/),
  });
});

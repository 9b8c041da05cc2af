import { describe, expect, test } from "vitest";
import { removeOf } from "../../../src/lake/delta/delta-actions.js";
import { changesAfter, newestVersion } from "../../../src/lake/delta/delta-log.js";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { ERASURE, leftOf } from "../../../src/lake/delta/delta-snapshot.js";
import { type DeltaTable, openTable } from "../../../src/lake/delta/delta-table.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { eachTest } from "../../helpers/each-test.js";
import { createTable, FEED, fakeAdd, openTestLake, PLAIN, storedAdd } from "../../helpers/lake/delta-lake.js";

const lake = eachTest(openTestLake);

const domain = (name: string, configuration: string) => ({
  domainMetadata: { domain: name, configuration, removed: false },
});

/** A store whose next commit is written, but whose answer to it is `answer`. */
function losingAcknowledgement(store: ObjectStore, answer: "throws" | "says it was taken"): ObjectStore {
  let armed = true;
  return {
    ...store,
    async putIfAbsent(key, body) {
      const won = await store.putIfAbsent(key, body);
      if (!armed) return won;
      armed = false;
      if (answer === "throws") throw new Error("connection lost after the write");
      return false;
    },
  };
}

const added = async (table: string, path: string) => ({ add: await storedAdd(lake, table, path) });

describe("a commit", () => {
  test("makes the table in the same version as its first data", async () => {
    const table = openTable(lake.store, "feed", lake.duckdb);
    expect((await table.snapshot()).version).toBe(-1);
    const done = await table.commit(async () => [...creationOf(FEED, 1), await added("feed", "a.parquet")]);
    expect(done?.version).toBe(0);
    const { files, protocol, metadata } = await table.snapshot();
    expect([...files.keys()]).toEqual(["a.parquet"]);
    expect(protocol).toEqual({
      minReaderVersion: 1,
      minWriterVersion: 7,
      writerFeatures: ["domainMetadata", "appendOnly"],
    });
    expect(metadata?.configuration).toMatchObject({ "delta.appendOnly": "true" });
  });

  test.each([
    ["is missing", async () => undefined],
    ["is cut short", () => lake.store.put("plain/b.parquet", "")],
  ])("is refused where a file that it adds %s, and publishes nothing", async (_, damage) => {
    const table = await madeTable();
    const whole = await added("plain", "a.parquet");
    await damage();
    const failure = await table.commit(() => [whole, { add: fakeAdd("b.parquet") }]).catch((error) => error);
    expect(failure).toMatchObject({
      name: "TransientError",
      message: expect.stringContaining("adds b.parquet to table plain"),
    });
    const { version, files } = await table.snapshot();
    expect([version, files.size]).toEqual([0, 0]);
    await lake.store.put("plain/b.parquet", "x");
    expect((await table.commit(() => [whole, { add: fakeAdd("b.parquet") }]))?.version).toBe(1);
  });

  test("is nothing when the plan finds nothing to do", async () => {
    const table = openTable(lake.store, "feed", lake.duckdb);
    expect(await table.commit(() => null)).toBeNull();
    expect(await lake.store.list("feed/")).toEqual([]);
  });

  test("is planned again on the newer state when another writer took the version", async () => {
    const [mine, other] = [0, 1].map(() => openTable(lake.store, "feed", lake.duckdb));
    await createTable(mine!, FEED);
    const seen: (string | undefined)[] = [];
    const done = await mine!.commit(async ({ domains }) => {
      seen.push(domains.get("link"));
      if (seen.length === 1) await other!.commit(() => [domain("link", "theirs")]);
      return domains.has("link") ? [domain("other", "mine")] : [domain("link", "mine")];
    });
    expect(seen).toEqual([undefined, "theirs"]);
    expect(done?.version).toBe(2);
    expect([...(await other!.snapshot()).domains]).toEqual([
      ["link", "theirs"],
      ["other", "mine"],
    ]);
  });

  test.each(["throws", "says it was taken"] as const)(
    "whose answer was lost (the store %s) is known for its own and not repeated",
    async (answer) => {
      await createTable(openTable(lake.store, "feed", lake.duckdb), FEED);
      const table = openTable(losingAcknowledgement(lake.store, answer), "feed", lake.duckdb);
      let plans = 0;
      const done = await table.commit(() => {
        plans += 1;
        return [domain("link", "head")];
      });
      expect(done?.version).toBe(1);
      expect(plans).toBe(1);
      expect((await table.snapshot()).version).toBe(1);
    },
  );

  test("whose write failed throws the store's error and leaves the table as it was", async () => {
    await createTable(openTable(lake.store, "feed", lake.duckdb), FEED);
    const broken = { ...lake.store, putIfAbsent: () => Promise.reject(new Error("no route")) };
    const table = openTable(broken, "feed", lake.duckdb);
    await expect(table.commit(() => [domain("link", "head")])).rejects.toThrow("no route");
    expect((await table.snapshot()).version).toBe(0);
  });

  test("gives up after its attempts with an error that may be tried again", async () => {
    const told: string[] = [];
    const onConflict = (table: string) => told.push(table);
    const [mine, other] = [0, 1].map(() => openTable(lake.store, "feed", lake.duckdb, { onConflict }));
    await createTable(mine!, FEED);
    const plan = async () => {
      await other!.commit(() => [domain("theirs", "x")]);
      return [domain("mine", "x")];
    };
    const failure = await mine!.commit(plan, { maxAttempts: 2 }).catch((error) => error);
    expect(failure).toMatchObject({
      name: "TransientError",
      message: expect.stringContaining("2 times in a row"),
    });
    expect((await other!.snapshot()).domains.has("mine")).toBe(false);
  });

  test("never takes rows out of an append-only table", async () => {
    const table = openTable(lake.store, "feed", lake.duckdb);
    const add = await storedAdd(lake, "feed", "a.parquet");
    await table.commit(() => [...creationOf(FEED, 1), { add }]);
    await expect(table.commit(() => [{ remove: removeOf(add, 1) }])).rejects.toThrow("append-only");
  });
});

describe("a table of a newer protocol", () => {
  const made = (protocol: object) =>
    [
      JSON.stringify({ protocol }),
      JSON.stringify(creationOf(PLAIN, 1).find((action) => "metaData" in action)),
    ].join("\n");
  const key = "plain/_delta_log/00000000000000000000.json";

  test("is not read when its reader version is newer", async () => {
    await lake.store.put(
      key,
      made({ minReaderVersion: 3, minWriterVersion: 7, readerFeatures: ["deletionVectors"] }),
    );
    const failure = await openTable(lake.store, "plain", lake.duckdb)
      .snapshot()
      .catch((error) => error);
    expect(failure.name).toBe("InputError");
    expect(failure.message).toMatch(/plain .*newer protocol .*reader version 3 with deletionVectors/);
  });

  test("is read but not written when only a writer feature is unknown", async () => {
    await lake.store.put(
      key,
      made({ minReaderVersion: 1, minWriterVersion: 7, writerFeatures: ["rowTracking", "appendOnly"] }),
    );
    const table = openTable(lake.store, "plain", lake.duckdb);
    expect((await table.snapshot()).version).toBe(0);
    await expect(table.commit(() => [])).rejects.toThrow(/writer version 7 with rowTracking/);
    expect(await lake.store.list("plain/")).toHaveLength(1);
  });
});

/** The table `plain`, without rows. */
async function madeTable(): Promise<DeltaTable> {
  const table = openTable(lake.store, "plain", lake.duckdb);
  await createTable(table, PLAIN);
  return table;
}

describe("changes after a version", () => {
  const changesIn = async (table: DeltaTable, from = 0) =>
    changesAfter({ ...lake, table: "plain" }, from, await table.snapshot());
  const paths = (changed: Awaited<ReturnType<typeof changesAfter>>) =>
    changed?.map(({ version, add }) => [version, add.path]);

  test("are the files with new rows, in order, and not those of a compaction", async () => {
    const table = await madeTable();
    await table.commit(async () => [await added("plain", "1.parquet")]);
    const compacted = await storedAdd(lake, "plain", "compacted.parquet");
    await table.commit(() => [{ add: { ...compacted, dataChange: false } }]);
    await table.commit(async () => [await added("plain", "3.parquet")]);
    expect(paths(await changesIn(table))).toEqual([
      [1, "1.parquet"],
      [3, "3.parquet"],
    ]);
    expect(await changesIn(table, 3)).toEqual([]);
  });

  test("are undefined when a version between them is gone", async () => {
    const table = await madeTable();
    await table.commit(async () => [await added("plain", "1.parquet")]);
    await table.commit(async () => [await added("plain", "2.parquet")]);
    const head = await table.snapshot();
    await lake.store.delete("plain/_delta_log/00000000000000000001.json");
    expect(await changesAfter({ ...lake, table: "plain" }, 0, head)).toBeUndefined();
  });

  test("are undefined when a version took rows away, as another tool's DELETE does", async () => {
    const table = await madeTable();
    const add = await storedAdd(lake, "plain", "1.parquet");
    await table.commit(() => [{ add }]);
    await table.commit(() => [{ remove: removeOf(add, 1) }]);
    expect(await changesIn(table)).toBeUndefined();
  });

  test("are what an erasure left of a file, in the version that brought it", async () => {
    const table = await madeTable();
    const [erased, rewritten] = [await added("plain", "1.parquet"), await added("plain", "2.parquet")];
    await table.commit(() => [erased, rewritten]);
    const left = leftOf(rewritten.add, await storedAdd(lake, "plain", "left.parquet"));
    const removed = [erased, rewritten].map(({ add }) => ({ remove: removeOf(add, 1) }));
    await table.commit(() => [{ commitInfo: ERASURE }, ...removed, { add: left }]);
    expect(paths(await changesIn(table))).toEqual([[1, "left.parquet"]]);
  });

  test("are undefined when a file of theirs is gone that the table no longer has", async () => {
    const table = await madeTable();
    const add = await storedAdd(lake, "plain", "1.parquet");
    await table.commit(() => [{ add }]);
    await table.commit(() => [{ remove: { ...removeOf(add, 1), dataChange: false } }]);
    const head = await table.snapshot();
    expect(await changesAfter({ ...lake, table: "plain" }, 0, head)).toHaveLength(1);
    await lake.store.delete("plain/1.parquet");
    expect(await changesAfter({ ...lake, table: "plain" }, 0, head)).toBeUndefined();
  });
});

// A lake that was restored from an older copy: the hint is to a version that it does not have any more.
test("the newest version is found where a hint is later than the log", async () => {
  const table = await madeTable();
  await table.commit(async () => [await added("plain", "1.parquet")]);
  await lake.store.put("plain/_delta_log/_last_checkpoint", JSON.stringify({ version: 5, size: 1 }));
  expect(await newestVersion({ ...lake, table: "plain" })).toBe(1);
});

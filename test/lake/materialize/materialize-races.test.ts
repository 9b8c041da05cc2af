import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import type { AddFile } from "../../../src/lake/delta/delta-actions.js";
import { openLake } from "../../../src/lake/lake.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { eachTest } from "../../helpers/each-test.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

const at = eachTest(() => FeedLake.open());

test("a file that is replaced while its rewrite is being written makes it plan again", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  await materialize(at.lake);
  await at.feed({ id: "x", sequence: 3, type: "updated", amount: "8" });
  let compacted: Promise<AddFile> | undefined;
  const { exclusive } = at.lake.duckdb;
  const done = await materialize(
    { ...at.lake, duckdb: { ...at.lake.duckdb, exclusive: (work) => exclusive(work).then(afterwards) } },
    {},
  );
  async function afterwards<T>(value: T): Promise<T> {
    compacted ??= at.compact();
    await compacted;
    return value;
  }
  expect(done).toMatchObject({ rewritten: 1, rows: 2 });
  const tombstones = (await at.lake.table("transactions").snapshot()).tombstones;
  expect(tombstones.has((await compacted!).path)).toBe(true);
  expect(await at.rows()).toEqual(["a/x 8 2026-05-05", "a/y 1 2026-05-05"]);
  expect(await at.unreferenced()).toEqual([]);
});

test("of several instances on one lake one commits, the others stop at its watermark and leave no file", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  const others = Array.from({ length: 3 }, () => openLake({ directory: `${at.directory}/.` }));
  const addressed = others.map((other, n) => ({
    ...other,
    store: { ...other.store, address: `other-${n}` },
  }));
  const done = await Promise.all([at.lake, ...addressed].map((each) => materialize(each)));
  expect(done.map((each) => each.to)).toEqual([0, 0, 0, 0]);
  expect(done.reduce((sum, each) => sum + each.rows, 0)).toBe(2);
  expect((await at.lake.table("transactions").snapshot()).version).toBe(0);
  expect(await at.rows()).toHaveLength(2);
  expect(await at.unreferenced()).toEqual([]);
  for (const other of others) await other.close();
});

test("two calls in one process run one after the other, and the second finds nothing to do", async () => {
  await at.feed({ id: "x", sequence: 1 });
  const [first, second] = await Promise.all([materialize(at.lake), materialize(at.lake)]);
  expect(first).toMatchObject({ from: -1, rows: 1 });
  expect(second).toMatchObject({ from: 0, rows: 0 });
});

test("a failure before the commit leaves the table as it was and a later call succeeds", async () => {
  await at.feed({ id: "x", sequence: 1 });
  await materialize(at.lake);
  await at.feed({ id: "x", sequence: 2, type: "updated", amount: "2" });
  const store = { ...at.lake.store, uploadAll: () => Promise.reject(new Error("disk gone")) };
  await expect(materialize({ ...at.lake, store })).rejects.toThrow("disk gone");
  expect(await at.rows()).toEqual(["a/x 1 2026-05-05"]);
  expect(await readdir(at.lake.duckdb.scratchDirectory)).toEqual([]);
  await materialize(at.lake);
  expect(await at.rows()).toEqual(["a/x 2 2026-05-05"]);
});

test("a crash between file and commit leaves files that no version refers to", async () => {
  await at.feed({ id: "x", sequence: 1 });
  const crashed = {
    ...at.lake,
    table: (name: string) => (name === "transactions" ? dying() : at.lake.table(name)),
  };
  function dying() {
    const table = openLake({ directory: at.directory }).table("transactions");
    table.commit = () => Promise.reject(new Error("killed"));
    return table;
  }
  await expect(materialize(crashed)).rejects.toThrow("killed");
  expect((await at.lake.table("transactions").snapshot()).version).toBe(-1);
  expect(await at.unreferenced()).toHaveLength(1);
  expect(await materialize(at.lake)).toMatchObject({ rows: 1 });
  expect(await at.rows()).toEqual(["a/x 1 2026-05-05"]);
});

test("new files are named by their run", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  await materialize(at.lake, { runId: "run" });
  expect((await at.live()).map(({ path }) => path)).toEqual([expect.stringMatching(/^run-.*\.parquet$/)]);
});

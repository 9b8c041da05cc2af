import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { creationOf } from "../../../src/lake/delta/delta-schema.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { transactions } from "../../../src/lake/tables/transactions.js";
import { eachTest } from "../../helpers/each-test.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

const at = eachTest(() => FeedLake.open());

test("nothing new makes no commit, and neither do versions that moved cursors only", async () => {
  await at.feed({ id: "x", sequence: 1 });
  await materialize(at.lake);
  expect(await materialize(at.lake)).toEqual({ from: 0, to: 0, rows: 0, rewritten: 0, rebuilt: false });
  await at.feed();
  expect(await materialize(at.lake)).toEqual({ from: 0, to: 1, rows: 0, rewritten: 0, rebuilt: false });
  expect((await at.lake.table("transactions").snapshot()).version).toBe(0);
});

test("a hundred versions of cursors alone are worth a watermark, which changes no file", async () => {
  await at.feed({ id: "x", sequence: 1 });
  await materialize(at.lake);
  const before = await at.live();
  for (let version = 1; version <= 100; version += 1) await at.feed();
  expect(await materialize(at.lake)).toMatchObject({ from: 0, to: 100, rows: 0, rewritten: 0 });
  const { txns } = await at.lake.table("transactions").snapshot();
  expect(txns.get("transaction_changes")?.version).toBe(100);
  expect(await at.live()).toEqual(before);
});

test("rebuilds from the live files when a version after the watermark can't be read", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  await materialize(at.lake);
  await at.feed({ id: "x", sequence: 3, type: "removed" });
  await at.feed({ id: "z", sequence: 4 });
  const table = at.lake.table("transaction_changes");
  await table.checkpoint(await table.snapshot());
  await rm(join(at.directory, "transaction_changes/_delta_log/00000000000000000001.json"));
  expect(await materialize(at.lake)).toMatchObject({ from: 0, to: 2, rows: 2, rebuilt: true });
  expect(await at.rows()).toEqual(["a/y 1 2026-05-05", "a/z 1 2026-05-05"]);
});

test("a table that lost its watermark is rebuilt, not added to", async () => {
  await at.feed({ id: "x", sequence: 1 });
  await materialize(at.lake);
  const [file] = await at.live();
  await rm(join(at.directory, "transactions/_delta_log"), { recursive: true });
  await at.lake.table("transactions").commit(() => [...creationOf(transactions, 1), { add: file! }]);
  expect(await materialize(at.lake)).toMatchObject({ from: -1, rows: 1, rewritten: 1, rebuilt: true });
  expect(await at.rows()).toEqual(["a/x 1 2026-05-05"]);
});

test("the bounds of a file are those of its rows, texts in the order of their UTF-8 bytes", async () => {
  await at.feed({ link: "\u{1F600}", id: "x", sequence: 1 }, { link: "\uFF5E'", id: "y", sequence: 7 });
  await materialize(at.lake);
  await at.feed({ link: "\uFF5E'", id: "y", sequence: 8, type: "updated", date: "2026-05-09" });
  await materialize(at.lake);
  expect((await at.live()).map((file) => JSON.parse(file.stats!))).toEqual([
    {
      numRecords: 2,
      minValues: { link_id: "\uFF5E'", date: "2026-05-05", sequence: 1 },
      maxValues: { link_id: "\u{1F600}", date: "2026-05-09", sequence: 8 },
      nullCount: { link_id: 0, date: 0, sequence: 0 },
    },
  ]);
});

test.each([256, 257, 300, 1000])(
  "a text of %d bytes is never a bound, not even its beginning",
  async (size) => {
    const link = "l".repeat(size);
    await at.feed({ link, id: "z", sequence: 1 }, { link: "a", id: "z", sequence: 2 });
    await materialize(at.lake);
    const [stats] = (await at.live()).map((file) => JSON.parse(file.stats!));
    expect(stats.minValues).toEqual({ link_id: "", date: "2026-05-05", sequence: 1 });
    expect(stats.maxValues).toEqual({ link_id: "\u{10ffff}", date: "2026-05-05", sequence: 2 });
    await at.feed({ link, id: "z", sequence: 3, type: "removed" });
    await materialize(at.lake);
    expect(await at.rows()).toEqual(["a/z 1 2026-05-05"]);
  },
);

import { join } from "node:path";
import { expect, test } from "vitest";
import { openTable } from "../../../src/lake/delta/delta-table.js";
import { eachFile } from "../../helpers/each-test.js";
import { createTable, FEED, openTestLake } from "../../helpers/lake/delta-lake.js";
import { runDeltaChild } from "../../helpers/lake/delta-process.js";

const lake = eachFile(openTestLake);

const COMMITS = 60;

test("two processes that race for every version lose no commit and share no version", async () => {
  const table = openTable(lake.store, "feed", lake.duckdb);
  await createTable(table, FEED);
  const race = (writer: string) =>
    runDeltaChild<{ versions: number[] }>([
      "race",
      lake.directory,
      join(lake.duckdb.scratchDirectory, writer),
      writer,
      String(COMMITS),
    ]);
  const [left, right] = await Promise.all([race("left"), race("right")]);
  const versions = [...left.versions, ...right.versions].sort((a, b) => a - b);
  expect(versions).toEqual(Array.from({ length: 2 * COMMITS }, (_, at) => at + 1));
  const { version, domains } = await table.snapshot();
  expect(version).toBe(2 * COMMITS);
  expect(Object.fromEntries(domains)).toEqual({
    count: String(2 * COMMITS),
    left: String(COMMITS),
    right: String(COMMITS),
  });
});

test("of two creators of a table one wins and the other finds it made", async () => {
  const tables = [0, 1, 2, 3].map(() => openTable(lake.store, "created", lake.duckdb));
  await Promise.all(tables.map((table) => createTable(table, { ...FEED, name: "created" })));
  const ids = await Promise.all(tables.map(async (table) => (await table.snapshot()).metadata?.id));
  expect(new Set(ids).size).toBe(1);
  expect((await tables[0]!.snapshot()).version).toBe(0);
});

test("a write that the disk has no room for publishes nothing, leaves nothing, and may be tried again", async () => {
  const full = join(lake.directory, "full");
  const { outcomes, names } = await runDeltaChild<{
    outcomes: { write: string; failure?: object }[];
    names: string[];
  }>(["fill", full, lake.duckdb.scratchDirectory], { limitKb: 512 });
  const refused = {
    name: "TransientError",
    code: "ENOSPC",
    message: expect.stringMatching(/No space left.*Nothing was published.*make room/),
  };
  expect(outcomes).toEqual([
    { write: "put", failure: refused },
    { write: "putIfAbsent", failure: refused },
    { write: "sql", failure: refused },
    { write: "small" },
  ]);
  expect(names).toEqual(["done", "t", "t/small"]);
});

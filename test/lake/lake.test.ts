import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openTable } from "../../src/lake/delta/delta-table.js";
import { inferRemovals } from "../../src/lake/sync/feed-file.js";
import { sayHere } from "../helpers/command/command-here.js";
import { eachTest, tempDirectory } from "../helpers/each-test.js";
import { FeedLake } from "../helpers/lake/feed-lake.js";
import { STRANGE_PATHS } from "../helpers/lake/strange-paths.js";

const temp = eachTest(tempDirectory);

/** What a command prints of a lake, as JSON. */
async function command(lake: string, ...args: string[]): Promise<unknown> {
  const folder = { directory: temp.path, env: { NIGHTLEDGER_LAKE: lake } };
  return (await sayHere(folder, ...args)).said;
}

// SQL can't name a file below both a backslash and a pattern.
const TOGETHER = STRANGE_PATHS.filter((name) => name !== "back\\slash").join("/");

describe.each([TOGETHER, "back\\slash"])("a lake below %j", (strange) => {
  test("is written, checkpointed, materialized, listed and queried as any other", async () => {
    for (const neighbour of ["aXb", "a", "x]y"]) {
      const other = await FeedLake.openAt(join(temp.path, neighbour, "lake"));
      await other.feed({ id: "foreign", sequence: 1 });
      await other.lake.close();
    }
    const directory = join(temp.path, strange, "lake");
    await mkdir(directory, { recursive: true });
    const lake = await FeedLake.openAt(directory);
    await lake.feed({ id: "1", sequence: 1, date: "2026-05-05" }, { id: "2", sequence: 2 });
    const feed = lake.lake.table("transaction_changes");
    await feed.checkpoint(await feed.snapshot());
    await lake.feed({ id: "2", sequence: 3, type: "removed" }, { link: "b", id: "3", sequence: 1 });
    const { store, duckdb } = lake.lake;
    expect((await store.list("transaction_changes/_delta_log/")).map(({ key }) => key)).toContainEqual(
      expect.stringMatching(/checkpoint\.parquet$/),
    );
    const again = await openTable(store, "transaction_changes", duckdb).snapshot();
    expect(again.files.size).toBe(2);
    expect(await inferRemovals(lake.lake, reading())).toMatchObject({ known: 1, gone: 1 });
    await lake.lake.close();

    expect(await command(directory, "materialize")).toMatchObject({ rows: 2 });
    expect(await lake.rows()).toEqual(["a/1 1 2026-05-05", "b/3 1 2026-05-05"]);
    const sql =
      'select link_id, transaction_id as id, "date" as day, currency from transactions order by all';
    expect(await command(directory, "query", sql)).toEqual([
      { link_id: "a", id: "1", day: "2026-05-05", currency: "CZK" },
      { link_id: "b", id: "3", day: "2026-05-05", currency: "CZK" },
    ]);
    expect(await command(directory, "tables")).toMatchObject([
      { table: "transaction_changes", rows: 4 },
      { table: "transactions", rows: 2 },
    ]);
    await lake.lake.close();
  });
});

function reading() {
  const link = { linkId: "a", fpId: "fp_a", externalId: null, runId: "r", generation: 2 };
  return { ...link, resyncFrom: 4, sequenceFrom: 4, files: [], quarantinedIds: [], at: new Date(0) };
}

import { expect, test } from "vitest";
import { removeOf } from "../../src/lake/delta/delta-actions.js";
import type { Lake } from "../../src/lake/lake.js";
import { materialize } from "../../src/lake/materialize/materialize.js";
import { eachTest } from "../helpers/each-test.js";
import { HistoryLake } from "../helpers/history/history-lake.js";
import { FeedLake } from "../helpers/lake/feed-lake.js";

const at = eachTest(() => FeedLake.open());

/** Takes every row of a table away, as another tool's DELETE does; `dataChange` false is what a compaction does. */
async function empty(lake: Lake, table: string, dataChange = true): Promise<void> {
  await lake
    .table(table)
    .commit(({ files }) => [
      { commitInfo: { operation: "DELETE", engineInfo: "delta-rs" } },
      ...[...files.values()].map((file) => ({ remove: { ...removeOf(file, 1), dataChange } })),
    ]);
}

const because = expect.stringMatching(/another tool changed rows of \w+ in its version \d+/);

test("transactions of which another tool deleted rows is rebuilt, though the feed has nothing new", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  await materialize(at.lake);
  await empty(at.lake, "transactions");
  expect(await materialize(at.lake)).toMatchObject({ rebuilt: true, because, rows: 2 });
  expect(await at.rows()).toEqual(["a/x 1 2026-05-05", "a/y 1 2026-05-05"]);
  expect(await materialize(at.lake)).toMatchObject({ rebuilt: false, rows: 0 });
});

test("a deletion behind an idle feed's cursors is found too, and so is one that a compaction follows", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  await materialize(at.lake);
  const [first] = await at.live();
  await at.lake
    .table("transactions")
    .commit(() => [{ remove: removeOf(first!, 1) }, { add: { ...first!, dataChange: true } }]);
  await at.feed();
  await at.compact();
  expect(await materialize(at.lake)).toMatchObject({ rebuilt: true, because });
});

test("a table that another tool has only compacted is not rebuilt", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  await materialize(at.lake);
  await at.compact();
  await at.compact();
  expect(await materialize(at.lake)).toMatchObject({ rebuilt: false, rows: 0 });
  await at.feed({ id: "z", sequence: 3 });
  expect(await materialize(at.lake)).toMatchObject({ rebuilt: false });
});

test("rows that are deleted while a part is being written are brought back", async () => {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2, date: "2026-06-06" });
  await materialize(at.lake);
  await at.feed({ id: "z", sequence: 3, date: "2026-07-07" });
  let deleted: Promise<void> | undefined;
  const { exclusive } = at.lake.duckdb;
  const slow = (work: Parameters<typeof exclusive>[0]) =>
    exclusive(work).then(async (value) => {
      deleted ??= empty(at.lake, "transactions");
      await deleted;
      return value;
    });
  const duckdb = { ...at.lake.duckdb, exclusive: slow as typeof exclusive };
  await materialize({ ...at.lake, duckdb });
  expect(await at.rows()).toHaveLength(3);
});

test("a small table of which another tool deleted rows is rebuilt, and until then its history tells the rows", async () => {
  const things = await HistoryLake.open();
  try {
    await things.observe({ run: "r1", at: new Date(0), things: [{ owner: "u", id: "a", state: "on" }] });
    await things.bringUp();
    await empty(things.lake, "things_current");
    expect(await things.current()).toEqual(["u/a on"]);
    expect(await things.bringUp()).toMatchObject({ because, rows: 1 });
    expect(await things.small()).toEqual(["u/a on"]);
  } finally {
    await things.release();
  }
});

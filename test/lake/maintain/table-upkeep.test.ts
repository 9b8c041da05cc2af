import { cp, readdir, rename, rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { DAY } from "../../../src/domain/duration.js";
import { changesAfter } from "../../../src/lake/delta/delta-log.js";
import { openLake } from "../../../src/lake/lake.js";
import { maintainTable } from "../../../src/lake/maintain/table-upkeep.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { transactionChanges, transactions } from "../../../src/lake/tables/transactions.js";
import { eachFile, eachTest } from "../../helpers/each-test.js";
import { type StoreFault, withFaults } from "../../helpers/kill/fault-store.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

const NIGHTS = 22;

const base = eachFile(() => FeedLake.open());
const feed = eachTest(() =>
  FeedLake.copied((directory) => cp(base.directory, directory, { recursive: true })),
);
beforeAll(async () => {
  for (let night = 0; night < NIGHTS; night += 1) {
    const same = { id: "same", sequence: 100 + night, type: "updated" } as const;
    await base.feed({ id: `t${night}`, sequence: night + 1 }, same);
    if (night >= NIGHTS - 3) await materialize(base.lake);
  }
});

/** Makes everything of a table so many days old; the log's commits too. */
async function age(table: string, days: number): Promise<void> {
  for (const directory of [table, join(table, "_delta_log")]) {
    for (const name of await readdir(join(feed.directory, directory))) {
      const at = new Date(Date.now() - days * DAY);
      await utimes(join(feed.directory, directory, name), at, at);
    }
  }
}

const dataFiles = async (table: string) =>
  (await readdir(join(feed.directory, table))).filter((name) => name.endsWith(".parquet"));

const feedRows = () =>
  readTables(feed.lake, [transactionChanges], (sql) =>
    sql.rows("select * from transaction_changes order by sequence"),
  );

const weekAgo = () => Date.now() - 7 * DAY;
const upkeep = (before = weekAgo(), dryRun = false) =>
  maintainTable(feed.lake, transactionChanges, { before, dryRun });

test("the feed's small files become one; its rows and what came by version stay, and nothing young goes", async () => {
  const rows = await feedRows();
  const location = { ...feed.lake, table: "transaction_changes" };
  const head = () => feed.lake.table("transaction_changes").snapshot();
  const came = await changesAfter(location, -1, await head());
  expect(await upkeep()).toMatchObject({ live: { before: NIGHTS, after: 1 }, old: { freed: { files: 0 } } });
  expect(await feedRows()).toEqual(rows);
  expect(await changesAfter(location, -1, await head())).toEqual(came);
  // A reader that has opened an earlier version finds its files.
  expect(await dataFiles("transaction_changes")).toHaveLength(NIGHTS + 1);
  expect(await materialize(feed.lake)).toMatchObject({ rebuilt: false, rows: 0 });
});

test("what was merged away goes a week later, and what is live stays", async () => {
  const rows = await feedRows();
  await upkeep();
  await age("transaction_changes", 8);
  expect((await upkeep()).old.freed.files).toBe(0);
  // The tombstones are of today; a week from now:
  const later = await upkeep(Date.now() + 1);
  expect(later).toMatchObject({
    live: { before: 1, after: 1 },
    old: { kept: { files: 0 }, freed: { files: NIGHTS } },
  });
  expect(await dataFiles("transaction_changes")).toHaveLength(1);
  expect(await feedRows()).toEqual(rows);
  await feed.feed({ id: "new", sequence: 900 });
  expect(await materialize(feed.lake)).toMatchObject({ rebuilt: false });
  expect(await feed.rows()).toContain("a/new 1 2026-05-05");
});

test("a table that its writer keeps in form is not merged, and loses only what it has replaced", async () => {
  const live = (await feed.live()).length;
  const rows = await feed.rows();
  const done = await maintainTable(feed.lake, transactions, { before: Date.now() + 1, dryRun: false });
  expect(done).toMatchObject({ live: { before: live, after: live }, old: { kept: { files: 0 } } });
  expect(done.old.freed.files).toBeGreaterThan(0);
  expect(await feed.rows()).toEqual(rows);
});

test("a process that knew the table before it was restored deletes nothing that is live", async () => {
  const nights = async (lake: FeedLake, from: number, to: number) => {
    for (let night = from; night < to; night += 1) {
      await lake.feed({ id: `n${night}`, sequence: night, date: `2025-0${night % 9}-05` });
      await materialize(lake.lake);
    }
  };
  const backup = join(feed.directory, "backup");
  await feed.backUp("transactions", backup);
  await nights(feed, 1_001, 1_003);
  await rm(join(feed.directory, "transactions"), { recursive: true });
  await rename(join(backup, "transactions"), join(feed.directory, "transactions"));
  const other = await FeedLake.openAt(feed.directory);
  await nights(other, 1_003, 1_006);
  const rows = await other.rows();
  await maintainTable(feed.lake, transactions, { before: Date.now() + 1, dryRun: false });
  expect(await other.rows()).toEqual(rows);
  await other.lake.close();
});

test("a dry run says what would be done, and does nothing", async () => {
  const before = await readdir(feed.directory, { recursive: true });
  const said = await upkeep(Date.now() + 1, true);
  expect(said).toMatchObject({ live: { before: NIGHTS, after: 1 } });
  expect(await readdir(feed.directory, { recursive: true })).toEqual(before);
});

const STEPS: readonly (readonly [StoreFault["on"], string])[] = [
  ["upload", "^transaction_changes/compacted"],
  ["putIfAbsent", "^transaction_changes/_delta_log/"],
  ["upload", "checkpoint"],
  ["put", "_last_checkpoint"],
  ["delete", "^transaction_changes/.*parquet$"],
];

test.for(STEPS.flatMap(([on, key]) => (["before", "after"] as const).map((when) => ({ on, key, when }))))(
  "a kill $when $on $key leaves every row, and the next call ends it",
  async (fault) => {
    const rows = await feedRows();
    const store = withFaults(createLocalStore(feed.directory), [
      { ...fault, effect: "lost", nth: 1, blind: true },
    ]);
    const killed = openLake({ directory: feed.directory, store });
    const options = { before: Date.now() + 1, dryRun: false };
    const twice = async () => {
      await maintainTable(killed, transactionChanges, options);
      await maintainTable(killed, transactionChanges, { ...options, before: Date.now() + 1 });
    };
    await twice().catch(() => undefined);
    await killed.close();
    expect(store.fired).toHaveLength(1);
    expect(await feedRows()).toEqual(rows);
    await upkeep();
    await upkeep(Date.now() + 1);
    expect(await feedRows()).toEqual(rows);
    expect(await dataFiles("transaction_changes")).toHaveLength(1);
  },
);

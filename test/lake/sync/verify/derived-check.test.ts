import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { removeOf } from "../../../../src/lake/delta/delta-actions.js";
import { currentOf } from "../../../../src/lake/history/history-spec.js";
import { openLake } from "../../../../src/lake/lake.js";
import { materialize } from "../../../../src/lake/materialize/materialize.js";
import { Problems } from "../../../../src/lake/sync/chain-check.js";
import { checkDerived } from "../../../../src/lake/sync/verify/derived-check.js";
import { eachTest } from "../../../helpers/each-test.js";
import { HistoryLake, THINGS } from "../../../helpers/history/history-lake.js";
import { FeedLake } from "../../../helpers/lake/feed-lake.js";
import { DamagedLake } from "../../../helpers/tampering/lake-damage.js";

const at = eachTest(() => FeedLake.open());
let damage: DamagedLake;
beforeEach(async () => {
  damage = new DamagedLake(at.directory);
  await at.feed(
    { id: "x", sequence: 1, amount: "51297.00" },
    { id: "p", sequence: 2, pending: true, date: "2026-06-06" },
    { link: "b", id: "y", sequence: 1 },
  );
  await at.feed(
    { id: "p", sequence: 3, type: "removed" },
    { id: "q", sequence: 4, date: "2026-06-07" },
    { id: "x", sequence: 5, type: "updated", amount: "51297.00" },
  );
  await materialize(at.lake);
});

/** Checks as a new process does, which knows nothing of the logs yet. */
async function check(directory = at.directory, tables: Parameters<typeof checkDerived>[1] = []) {
  const lake = openLake({ directory });
  const problems = new Problems();
  try {
    const report = await checkDerived(lake, tables, problems);
    return { ...report, total: problems.total, what: problems.first.map(({ what }) => what) };
  } finally {
    await lake.close();
  }
}

test("what is derived equals the fold of its source", async () => {
  expect(await check()).toEqual({ compared: 1, notes: [], total: 0, what: [] });
});

// "it can't be checked: Binder Error" was all that it said.
test("rows that a table without any file lacks are named", async () => {
  await at.lake
    .table("transactions")
    .commit(({ files }) => [...files.values()].map((file) => ({ remove: removeOf(file, Date.now()) })));
  expect((await check()).what).toEqual(
    ["q", "x", "y"].map((id) => `transactions: ${id} is missing; the feed has it`),
  );
});

test("an amount that was changed is named with its file, row, column and both values", async () => {
  const file = await damage.fileWith("transactions", "transaction_id = 'x'");
  await damage.set("transactions", "transaction_id = 'x'", "amount", "1.23");
  expect(await check()).toMatchObject({
    total: 1,
    what: [`transactions/${file}: amount of x is 1.23; the feed says 51297.00`],
  });
});

test("a row that is missing, one too many, and one that is there twice are told apart", async () => {
  await damage.rewrite("transactions", "transaction_id = 'y'", "from old where transaction_id <> 'y'");
  await damage.rewrite(
    "transactions",
    "transaction_id = 'q'",
    "from old union all from old where transaction_id = 'q'",
  );
  const file = await damage.fileWith("transactions", "transaction_id = 'x'");
  await damage.rewrite(
    "transactions",
    "transaction_id = 'x'",
    "from old union all select * replace ('none' as transaction_id) from old where transaction_id = 'x'",
  );
  const found = await check();
  expect(found.total).toBe(3);
  expect(found.what).toEqual([
    `transactions/${file}: none has a row; the feed has none`,
    expect.stringMatching(/^transactions\/.*parquet: q has more than one row$/),
    "transactions: y is missing; the feed has it",
  ]);
});

test("rows of a link that the feed does not know are found", async () => {
  await damage.set("transactions", "link_id = 'b'", "link_id", "'zz'");
  expect((await check()).what).toEqual([
    "transactions: y is missing; the feed has it",
    expect.stringMatching(/y has a row; the feed has none$/),
  ]);
});

test("a table that is behind is compared at its watermark, and said to be behind", async () => {
  await at.feed({ id: "new", sequence: 6 });
  const notes = [
    "behind: transactions is 1 versions behind transaction_changes; run `nightledger materialize`",
  ];
  expect(await check()).toEqual({ compared: 1, notes, total: 0, what: [] });
  await damage.set("transactions", "transaction_id = 'y'", "amount", "9");
  expect(await check()).toMatchObject({ notes, total: 1 });
});

test("a table whose watermark is of another feed is wrong", async () => {
  await damage.editLog("transactions", (action) =>
    "txn" in action && action.txn.appId.endsWith("/commit") ? { txn: { ...action.txn, version: 1 } } : action,
  );
  const found = await check();
  expect(found.what).toEqual([expect.stringContaining("is not the commit that it was brought up to")]);
});

test("a table that is not there is not compared", async () => {
  await rm(join(at.directory, "transactions"), { recursive: true });
  const notes = [expect.stringContaining("transactions is not built yet")];
  expect(await check()).toMatchObject({ compared: 0, notes, what: [] });
});

test("a small table is compared with its history, in one part or in several", async () => {
  const things = await HistoryLake.open();
  try {
    const all = ["a", "b", "c"].map((id) => ({ owner: "u", id, state: "on" }));
    await things.observe({ run: "r1", at: new Date(0), things: all });
    await things.observe({ run: "r2", at: new Date(1000), things: all.slice(1), whole: ["u"] });
    await things.bringUp();
    const directory = join(things.base, "lake");
    expect(await check(directory, [currentOf(THINGS)])).toMatchObject({ total: 0 });
    await new DamagedLake(directory).set("things_current", "thing_id = 'b'", "state", "'off'");
    expect((await check(directory, [currentOf(THINGS)])).what).toEqual([
      expect.stringMatching(/^things_current\/.*parquet: state of b is off; the history things says on$/),
    ]);
  } finally {
    await things.release();
  }
});

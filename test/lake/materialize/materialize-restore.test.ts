import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

const FEED = "transaction_changes";
const CURRENT = "transactions";

let at: FeedLake;
let backups: string;
const restored: FeedLake[] = [];
beforeEach(async () => {
  at = await FeedLake.open();
  backups = await mkdtemp(join(tmpdir(), "nightledger-backups-"));
});
afterEach(async () => {
  for (const lake of [at, ...restored.splice(0)]) await lake.release();
  await rm(backups, { recursive: true, force: true });
});

/** Two nights, with a copy of each table after each of them. */
async function twoNights(): Promise<void> {
  await at.feed({ id: "x", sequence: 1 }, { id: "y", sequence: 2 });
  await materialize(at.lake);
  await backUp("first");
  await at.feed({ id: "x", sequence: 3, type: "updated", amount: "2" }, { id: "z", sequence: 4 });
  await materialize(at.lake);
  await backUp("second");
}

async function backUp(name: string): Promise<void> {
  for (const table of [FEED, CURRENT]) await at.backUp(table, join(backups, name));
}

/** A lake made of copies of its tables. */
async function restore(copies: { readonly feed?: string; readonly current: string }): Promise<FeedLake> {
  const lake = await FeedLake.copied(async (directory) => {
    const parts = [
      [FEED, copies.feed],
      [CURRENT, copies.current],
    ] as const;
    for (const [table, copy] of parts) {
      if (copy === undefined) continue;
      const copied = new FeedLake(join(backups, copy));
      await copied.backUp(table, directory);
      await copied.lake.close();
    }
  });
  restored.push(lake);
  return lake;
}

test("tables of one copy continue where they were", async () => {
  await twoNights();
  const lake = await restore({ feed: "first", current: "first" });
  expect(await materialize(lake.lake)).toMatchObject({ from: 0, to: 0, rows: 0, rebuilt: false });
  await lake.feed({ id: "w", sequence: 3 });
  expect(await materialize(lake.lake)).toMatchObject({ from: 0, to: 1, rebuilt: false });
  expect(await lake.rows()).toEqual(["a/w 1 2026-05-05", "a/x 1 2026-05-05", "a/y 1 2026-05-05"]);
});

test("an older copy of transactions beside a newer feed is brought up, not rebuilt", async () => {
  await twoNights();
  const lake = await restore({ feed: "second", current: "first" });
  expect(await materialize(lake.lake)).toMatchObject({ from: 0, to: 1, rebuilt: false });
  expect(await lake.rows()).toEqual(await at.rows());
});

test("an older copy of the feed beside newer transactions: the table is rebuilt, and says why", async () => {
  await twoNights();
  const lake = await restore({ feed: "first", current: "second" });
  expect(await materialize(lake.lake)).toMatchObject({
    from: 1,
    to: 0,
    rebuilt: true,
    because: expect.stringContaining("restored from an older copy"),
  });
  expect(await lake.rows()).toEqual(["a/x 1 2026-05-05", "a/y 1 2026-05-05"]);
  await lake.feed({ id: "z", sequence: 3, amount: "7" });
  expect(await materialize(lake.lake)).toMatchObject({ from: 0, to: 1, rebuilt: false });
  expect(await lake.rows()).toEqual(["a/x 1 2026-05-05", "a/y 1 2026-05-05", "a/z 7 2026-05-05"]);
});

test.each([0, 1])(
  "a restored feed that has counted on, %i versions past the watermark: the table is rebuilt",
  async (further) => {
    await twoNights();
    const lake = await restore({ feed: "first", current: "second" });
    for (let version = 0; version <= further; version += 1) {
      await lake.feed({ id: `other${version}`, sequence: 3 + version });
    }
    expect(await materialize(lake.lake)).toMatchObject({
      from: 1,
      to: 1 + further,
      rebuilt: true,
      because: expect.stringContaining("not the commit that it was brought up to"),
    });
    const others = ["a/other0 1 2026-05-05", "a/other1 1 2026-05-05"].slice(0, 1 + further);
    expect(await lake.rows()).toEqual([...others, "a/x 1 2026-05-05", "a/y 1 2026-05-05"]);
  },
);

test("transactions without any feed are left as they are, with an error that says what to do", async () => {
  await twoNights();
  const lake = await restore({ current: "second" });
  await expect(materialize(lake.lake)).rejects.toThrow(
    /is missing.*restore transaction_changes from a backup/,
  );
  expect(await lake.rows()).toEqual(await at.rows());
});

test("a table that has lost the id of the feed's commit is rebuilt once", async () => {
  await twoNights();
  const log = join(backups, "second", CURRENT, "_delta_log");
  for (const name of await readdir(log)) {
    const lines = (await readFile(join(log, name), "utf8")).split("\n");
    const old = lines.filter((line) => !line.includes('"appId":"transaction_changes/commit"'));
    expect(old).toHaveLength(lines.length - 1);
    await writeFile(join(log, name), old.join("\n"));
  }
  const lake = await restore({ feed: "second", current: "second" });
  expect(await materialize(lake.lake)).toMatchObject({
    from: 1,
    to: 1,
    rebuilt: true,
    because: expect.stringContaining("lost the id"),
  });
  expect(await lake.rows()).toEqual(await at.rows());
  expect(await materialize(lake.lake)).toMatchObject({ from: 1, to: 1, rebuilt: false });
});

test("a lake that is copied in the order of the page while nights run is whole, and not rebuilt", async () => {
  const page = await readFile(new URL("../../../docs/run/back-up.md", import.meta.url), "utf8");
  const order = /for name in (.*?) quarantine/.exec(page)?.[1]?.split(" ") ?? [];
  expect(order).toEqual(expect.arrayContaining([FEED, CURRENT]));
  await twoNights();
  let sequence = 5;
  const night = async () => {
    await at.feed({ id: `n${sequence}`, sequence });
    sequence += 1;
    await materialize(at.lake);
  };
  for (const table of order.filter((name) => name === FEED || name === CURRENT)) {
    await night();
    await at.backUp(table ?? "", join(backups, "live"));
    await night();
  }
  const lake = await restore({ feed: "live", current: "live" });
  expect(await materialize(lake.lake)).toMatchObject({ rebuilt: false });
  const { files } = await lake.lake.table(FEED).snapshot();
  expect(await lake.rows()).toHaveLength(files.size + 1);
});

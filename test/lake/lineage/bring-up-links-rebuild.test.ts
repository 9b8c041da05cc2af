import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { bringUpLinks } from "../../../src/lake/lineage/bring-up-links.js";
import { materialize } from "../../../src/lake/materialize/materialize.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";
import { auditLinks } from "../../helpers/lake/lineage/audit-links.js";
import { linksInShort } from "../../helpers/lake/lineage/link-rows.js";

const LINKS = "transaction_links";
const ALL = ["transaction_changes", "transactions", LINKS];

let at: FeedLake;
let backup: string;
beforeEach(async () => {
  at = await FeedLake.open();
  backup = await mkdtemp(join(tmpdir(), "nightledger-backup-"));
});
afterEach(async () => {
  await at.release();
  await rm(backup, { recursive: true, force: true });
});

const NIGHTS: Change[][] = [
  [
    { id: "p", sequence: 1, pending: true },
    { id: "w", sequence: 2, pending: true, amount: "7" },
  ],
  [
    { id: "p", sequence: 3, type: "removed", run: "r2" },
    { id: "w", sequence: 4, type: "removed", run: "r2" },
  ],
  [
    { id: "q", sequence: 5, run: "r3" },
    { id: "v", sequence: 6, pending: true, amount: "8", run: "r3" },
  ],
  [
    { id: "x", sequence: 7, amount: "7", run: "r4" },
    { id: "v", sequence: 8, type: "removed", run: "r4" },
  ],
];
const PAIRS = ["a/p → q exact 1:1", "a/w → x exact 1:1", "a/v → ? waiting 0:0"];

async function nights(from: number, to: number, links = true): Promise<void> {
  for (const changes of NIGHTS.slice(from, to)) {
    await at.feed(...changes);
    await materialize(at.lake);
    if (links) await bringUpLinks(at.lake, { prefix: "r" });
  }
}

/** Puts copies of some tables in place of what they are now. */
async function restore(tables: readonly string[]): Promise<void> {
  for (const table of tables) await rm(join(at.directory, table), { recursive: true, force: true });
  const copies = await FeedLake.openAt(backup);
  for (const table of tables) await copies.backUp(table, at.directory);
  await copies.lake.close();
  const { directory } = at;
  await at.lake.close();
  at = await FeedLake.openAt(directory);
}

async function backUp(): Promise<void> {
  for (const table of ALL) await at.backUp(table, backup);
}

test("an older copy of the table is brought up from the files that transactions has replaced since", async () => {
  await nights(0, 2);
  await backUp();
  await nights(2, 4);
  await restore([LINKS]);
  expect(await bringUpLinks(at.lake, { prefix: "r" })).not.toHaveProperty("because");
  expect(await linksInShort(at)).toEqual(PAIRS);
  expect(await auditLinks(at.directory)).toEqual([]);
});

test("a vacuum has deleted what transactions replaced: the table is built again, and says why", async () => {
  await nights(0, 1);
  await nights(1, 4, false);
  const { tombstones } = await at.lake.table("transactions").snapshot();
  for (const path of tombstones.keys()) await rm(join(at.directory, "transactions", path), { force: true });
  expect(await bringUpLinks(at.lake, { prefix: "r" })).toEqual({
    rows: 3,
    because: "the files that transactions had then can't be read any more",
  });
  expect(await linksInShort(at)).toEqual(PAIRS);
});

test("a feed and transactions from an older copy: the table is built again, and says why", async () => {
  await nights(0, 2);
  await backUp();
  await nights(2, 4);
  await restore(["transaction_changes", "transactions"]);
  expect(await bringUpLinks(at.lake, { prefix: "r" })).toEqual({
    rows: 2,
    because: expect.stringContaining("transaction_changes was restored from an older copy"),
  });
  expect(await linksInShort(at)).toEqual(["a/p → ? waiting 0:0", "a/w → ? waiting 0:0"]);
  await nights(2, 4);
  expect(await linksInShort(at)).toEqual(PAIRS);
});

test("a table that is lost is built again without a word, as in a lake of an earlier release", async () => {
  await nights(0, 4);
  await rm(join(at.directory, LINKS), { recursive: true });
  await restore([]);
  expect(await bringUpLinks(at.lake, { prefix: "r" })).toEqual({ rows: 3 });
  expect(await linksInShort(at)).toEqual(PAIRS);
});

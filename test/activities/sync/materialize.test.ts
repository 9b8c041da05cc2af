import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CancelledFailure } from "@temporalio/activity";
import { MockActivityEnvironment } from "@temporalio/testing";
import { afterEach, beforeEach, expect, test } from "vitest";
import { materialize } from "../../../src/activities/sync/materialize.js";
import type { Lake } from "../../../src/lake/lake.js";
import { watermarkOf } from "../../../src/lake/watermark.js";
import { type Change, FeedLake } from "../../helpers/lake/feed-lake.js";
import { linksInShort } from "../../helpers/lake/lineage/link-rows.js";
import { type ActivityBench, openActivityBench } from "../../helpers/temporal/activity-bench.js";

let bench: ActivityBench;
let at: FeedLake;
beforeEach(async () => {
  bench = await openActivityBench();
  at = await FeedLake.openAt(bench.deps.lake.store.address);
});
afterEach(async () => {
  await at.release();
  await bench.close();
});

const NIGHTS: Change[][] = [
  [{ id: "p", sequence: 1, pending: true, run: "run-1" }],
  [
    { id: "p", sequence: 2, type: "removed", run: "run-2" },
    { id: "q", sequence: 3, run: "run-2" },
  ],
];

const bringUp = (runId: string) => bench.run(() => materialize(bench.deps, { runId }));
const reached = async (table: string) =>
  watermarkOf(await at.lake.table(table).snapshot(), "transaction_changes");

test("pairs that can't be brought up fail no run: a warning says so, and the next run catches up", async () => {
  const log = join(at.directory, "transaction_links", "_delta_log");
  await at.feed(...NIGHTS[0]!);
  await mkdir(log, { recursive: true });
  await writeFile(join(log, "00000000000000000000.json"), "no log at all\n");
  await bringUp("run-1");
  await at.feed(...NIGHTS[1]!);
  await bringUp("run-2");
  expect(await reached("transactions")).toBe(1);
  const warnings = bench.logged().filter(({ msg }) => String(msg).startsWith("transaction_links"));
  expect(warnings).toHaveLength(2);
  expect(warnings[0]).toMatchObject({
    msg: "transaction_links was not brought up to the feed; the next sync tries again",
  });
  await rm(log, { recursive: true });
  await bringUp("run-3");
  expect(await linksInShort(at)).toEqual(["a/p → q exact 1:1"]);
});

test("a run that is cancelled while pairs are made is cancelled, and warns of nothing", async () => {
  await at.feed(...NIGHTS[0]!);
  const env = new MockActivityEnvironment();
  const { lake } = bench.deps;
  const cancelling: Lake = {
    ...lake,
    table(name) {
      if (name !== "transaction_links") return lake.table(name);
      env.cancel();
      throw new Error("no pairs");
    },
  };
  const run = env.run(() => materialize({ ...bench.deps, lake: cancelling }, { runId: "run-1" }));
  await expect(run).rejects.toThrow(CancelledFailure);
  expect(await reached("transactions")).toBe(0);
  expect(bench.logged()).toEqual([]);
});

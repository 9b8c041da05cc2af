import { afterEach, beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../../sandbox/index.js";
import { load } from "../../../../src/activities/sync/load/load.js";
import { extract } from "../../../../src/activities/sync/read/extract.js";
import { freshProgress } from "../../../../src/domain/sync/link-progress.js";
import { rawRow } from "../../../helpers/sync/sync-harness.js";
import { type ActivityBench, newLink, openActivityBench } from "../../../helpers/temporal/activity-bench.js";

let bench: ActivityBench;
beforeEach(async () => {
  bench = await openActivityBench();
  bench.sandbox.addLink({ fp_id: "fp_1", id: "a" });
  await bench.plan(newLink("a"));
});
afterEach(() => bench.close());

const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    change: "created" as const,
    row: transactionRow({ transaction_id: `t${n}` }),
  }));
const start = freshProgress(0, null, 10, false);
const name = { runId: "run", stream: "transactions", owner: "a", attempt: 0, page: 0 };
const slice = (attempt: number, budgetMs = 5_000, from = start) =>
  bench.run(() => extract(bench.deps, { ...bench.ref, links: [from], budgetMs }), attempt);

test("a first attempt asks, whatever stands in staging; a repeated one takes what it finds whole and counts it", async () => {
  bench.sandbox.append("a", rows(25));
  const first = await slice(1);
  expect(first).toMatchObject({ calls: 3, links: [{ outcome: { kind: "complete" } }] });
  bench.sandbox.clearRequests();
  const again = await slice(2);
  expect(bench.sandbox.calls().total).toBe(0);
  expect(again.calls).toBe(3);
  expect(again.links).toEqual(first.links);
});

test("a repeated attempt asks again for a page that it finds torn, and goes on from what is whole", async () => {
  bench.sandbox.append("a", rows(25));
  const first = await slice(1);
  const { staging } = bench.deps.lake;
  const body = (await staging.page({ ...name, page: 1 }))?.body ?? Buffer.alloc(0);
  await staging.putPage({ ...name, page: 1 }, body.subarray(0, 50));
  bench.sandbox.clearRequests();
  const again = await slice(2);
  expect(bench.sandbox.calls().total).toBe(1);
  expect(again.links).toEqual(first.links);
});

test("a clean page that a lost attempt left for another answer is not loaded for this one", async () => {
  const { staging } = bench.deps.lake;
  const bad = { list: "created", index: 0, reason: "x", payload: "{}" };
  await staging.putCleanPage(name, '{"transactions":{"created":[null],"updated":[],"removed":[]}}', [bad]);
  bench.sandbox.append("a", rows(1));
  const { links } = await slice(2);
  const progress = links[0]?.progress ?? start;
  const loaded = await bench.run(() =>
    load(bench.deps, { ...bench.ref, links: [{ progress, complete: true }] }),
  );
  expect(loaded.refused).toEqual([]);
  const manifest = await staging.document<{ files: { file?: { links: object[] } }[] }>(
    "run",
    loaded.manifest,
  );
  expect(manifest.files[0]?.file?.links).toMatchObject([{ link_id: "a", created: 1 }]);
});

test("when time is up the link comes back open, as far as it got", async () => {
  bench.sandbox.append("a", rows(100));
  bench.sandbox.setLatency(40);
  const { links } = await slice(1, 150);
  expect(links[0]?.outcome).toEqual({ kind: "open" });
  const reached = links[0]?.progress;
  expect(reached?.pages).toBeGreaterThan(0);
  expect(reached?.pages).toBeLessThan(10);
  bench.sandbox.setLatency(0);
  const rest = await slice(1, 5_000, reached);
  expect(rest.links[0]).toMatchObject({
    outcome: { kind: "complete" },
    progress: { entries: 100, pages: 10 },
  });
});

test("an open link comes back untouched where the gate is closed", async () => {
  bench.sandbox.append("a", rows(5));
  bench.sandbox.addFault({ kind: "status", status: 429, retryAfter: 60, times: 1 });
  const first = await slice(1, 500);
  expect(first).toMatchObject({
    calls: 1,
    links: [{ outcome: { kind: "transient", retryAfterMs: 60_000 } }],
  });
  const second = await slice(1, 500);
  expect(second).toMatchObject({ calls: 0, links: [{ outcome: { kind: "open" }, progress: start }] });
  expect(Number(second.gateUntil) - second.at).toBeGreaterThan(50_000);
});

test("counts what came, bad rows apart, and rolls the hash over the bodies", async () => {
  bench.sandbox.append("a", [
    ...rows(2),
    { change: "updated", raw: rawRow("t0") },
    { change: "created", raw: rawRow(""), id: "bad" },
    { change: "removed", id: "t1" },
  ]);
  const { links } = await slice(1);
  expect(links[0]?.progress).toMatchObject({
    pages: 1,
    entries: 5,
    created: 2,
    updated: 1,
    removed: 1,
    quarantined: 1,
    pageEntries: [5],
    pagesSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
});

import { EventEmitter, once } from "node:events";
import { afterEach, beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../../sandbox/index.js";
import { type LoadManifest, load } from "../../../../src/activities/sync/load/load.js";
import { advance, extract } from "../../../../src/activities/sync/read/extract.js";
import { freshProgress, type LinkProgress } from "../../../../src/domain/sync/link-progress.js";
import type { LinkOutcome } from "../../../../src/domain/sync/link-reading.js";
import { pageSha256, Staging } from "../../../../src/lake/staging.js";
import type { ObjectStore } from "../../../../src/lake/store/object-store.js";
import { pageFacts } from "../../../../src/streams/transaction-page.js";
import { startFaultServer } from "../../../helpers/api/fault-server.js";
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
  const clean = '{"transactions":{"created":[null],"updated":[],"removed":[]}}';
  await staging.putCleanPage(name, pageSha256(Buffer.from("another answer")), { clean, bad: [bad] });
  bench.sandbox.append("a", rows(1));
  const { links } = await slice(2);
  const progress = links[0]?.progress ?? start;
  expect(await loadedRows(progress)).toMatchObject([{ link_id: "a", created: 1 }]);
});

test("the clean page that a stalled attempt writes late is not loaded beside the page of the next attempt", async () => {
  const gate = new EventEmitter();
  const [stalled, awake] = [once(gate, "stalled"), once(gate, "awake")];
  const { lake } = bench.deps;
  const put: ObjectStore["put"] = async (key, body, options) => {
    if (/\d\.json$/.test(key)) throw new Error("killed");
    gate.emit("stalled");
    await awake;
    await lake.store.put(key, body, options);
  };
  const asleep = { ...bench.deps, lake: { ...lake, staging: new Staging({ ...lake.store, put }) } };
  bench.sandbox.append("a", [{ change: "created", raw: rawRow(""), id: "bad" }]);
  const first = bench.run(() => extract(asleep, { ...bench.ref, links: [start], budgetMs: 5_000 }), 1);
  await Promise.race([stalled, first]);
  bench.sandbox.append("a", rows(2));
  const { links } = await slice(2);
  gate.emit("awake");
  await expect(first).rejects.toThrow("killed");
  const progress = links[0]?.progress ?? start;
  expect(progress).toMatchObject({ entries: 3, created: 2, quarantined: 1 });
  expect(await loadedRows(progress)).toMatchObject([{ link_id: "a", created: 2 }]);
});

async function loadedRows(progress: LinkProgress) {
  const links = [{ progress, complete: true }];
  const { manifest, refused } = await bench.run(() => load(bench.deps, { ...bench.ref, links }));
  expect(refused).toEqual([]);
  const { files } = await bench.deps.lake.staging.document<LoadManifest>("run", manifest);
  return files.flatMap(({ file }) => file?.links ?? []);
}

test("a page that repeats the one before adds nothing, also where a lost attempt staged it", async () => {
  bench.sandbox.append("a", rows(25));
  bench.sandbox.addFault({ kind: "page_replayed", page: 1, times: 1 });
  const { links } = await slice(1);
  const progress = links[0]?.progress ?? start;
  expect(progress).toMatchObject({ pages: 4, entries: 25, pageEntries: [10, 10, 0, 5] });
  expect((await slice(2)).links[0]?.progress).toEqual(progress);
  expect(await loadedRows(progress)).toMatchObject([{ link_id: "a", created: 25, sequence_to: 25 }]);
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

/** What a page of `n` rows says, with more to come behind a cursor. */
const pageBody = (next: string, n: number) =>
  JSON.stringify({
    transactions: {
      created: Array.from({ length: n % 3 }, (_, at) => transactionRow({ transaction_id: `c${n}-${at}` })),
      updated: [],
      removed: [],
    },
    cursor: { next },
    has_more: true,
  });

test.for([
  { tail: 0, circle: 2 },
  { tail: 0, circle: 3 },
  { tail: 5, circle: 1 },
  { tail: 3, circle: 7 },
  { tail: 11, circle: 20 },
])(
  "cursors that come round, $circle of them after $tail, are a loop whatever is on the pages",
  async (form) => {
    const { tail, circle } = form;
    let asked = 0;
    const server = await startFaultServer((_, response) => {
      const place = asked < tail ? asked : tail + ((asked - tail) % circle);
      response.setHeader("content-type", "application/json").end(pageBody(`cursor-${place}`, asked));
      asked += 1;
    });
    try {
      const deps = { ...bench.deps, api: server.client() };
      // Slices of a few pages: what is known of the cursors travels with the link's progress.
      let links = [{ progress: start, outcome: { kind: "open" } as LinkOutcome }];
      while (links[0]?.outcome.kind === "open" && asked < 500) {
        const input = { ...bench.ref, links: links.map(({ progress }) => progress), budgetMs: 10 };
        links = [...(await bench.run(() => extract(deps, input))).links];
      }
      expect(links[0]?.outcome).toEqual({ kind: "broken", reason: "cursor_loop" });
      expect(asked).toBeLessThanOrEqual(3 * Math.max(tail, circle) + 1);
      expect(links[0]?.progress.cursorMark?.length).toBe(64);
    } finally {
      await server.close();
    }
  },
);

test("a thousand cursors that never come back are no loop", () => {
  let progress = start;
  for (let page = 0; page < 1_000; page += 1) {
    const body = Buffer.from(pageBody(`cursor-${page}`, page));
    const step = advance(progress, { facts: pageFacts(body), body, repeats: false });
    expect(step.outcome).toBeUndefined();
    progress = step.progress;
  }
});

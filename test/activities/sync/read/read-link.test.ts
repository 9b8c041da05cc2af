import { hash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../../sandbox/index.js";
import { load } from "../../../../src/activities/sync/load/load.js";
import type { LoadManifest } from "../../../../src/activities/sync/page-files/load-pages.js";
import { advance } from "../../../../src/activities/sync/read/read-link.js";
import { freshProgress, type Link, type LinkProgress } from "../../../../src/domain/sync/link.js";
import type { Place } from "../../../../src/domain/sync/place.js";
import type { ObjectStore } from "../../../../src/lake/store/object-store.js";
import { addCleaned, Journal } from "../../../../src/lake/sync/journal/journal.js";
import { pageFacts } from "../../../../src/streams/transaction-page.js";
import { startFaultServer } from "../../../helpers/api/fault-server.js";
import { eachTest } from "../../../helpers/each-test.js";
import { flipByte, stageLink } from "../../../helpers/sync/staged-links.js";
import { rawRow } from "../../../helpers/sync/sync-harness.js";
import { openActivityBench, type SliceGiven } from "../../../helpers/temporal/activity-bench.js";

const bench = eachTest(openActivityBench);
let link: Place;
beforeEach(async () => {
  bench.sandbox.addLink({ fp_id: "fp_1", id: "a" });
  link = await stageLink(bench.deps.lake.store, { link_id: "a" });
});

const rows = (count: number) =>
  Array.from({ length: count }, (_, n) => ({
    change: "created" as const,
    row: transactionRow({ transaction_id: `t${n}` }),
  }));
const start = freshProgress(null, 10, false);

/** Reads the link in slice 1, which is not the one that found it. */
async function slice(attempt: number, given: SliceGiven & { from?: LinkProgress } = {}) {
  const { from = start, ...more } = given;
  const links: Link[] = [{ link, stage: "reading", progress: from }];
  const result = await bench.read({ slice: 1, attempt, links, fresh: null, ...more });
  const { finished, ended } = result.parsed;
  const [end] = [...result.links, ...finished, ...ended.map(({ stage }) => ({ stage, progress: from }))];
  if (end === undefined) throw new Error("nothing became of the link");
  return { ...result, stage: end.stage, progress: end.progress };
}

/** A progress without the places of its pages. */
const contents = ({ staged, lastPage: _, ...rest }: LinkProgress) => ({
  ...rest,
  entriesOf: staged.map(({ entries }) => entries),
});

test("a first attempt requests pages, whatever is in staging; a repeated one uses what it finds whole and counts it", async () => {
  bench.sandbox.append("a", rows(25));
  const first = await slice(1);
  expect(first).toMatchObject({ calls: 3, stage: "read" });
  bench.sandbox.clearRequests();
  expect(contents((await slice(1, { slice: 2 })).progress)).toEqual(contents(first.progress));
  expect(bench.sandbox.calls().total).toBe(3);
  bench.sandbox.clearRequests();
  const again = await slice(2);
  expect(bench.sandbox.calls().total).toBe(0);
  expect(again.calls).toBe(3);
  expect(again.progress).toEqual(first.progress);
});

test("a repeated attempt requests a torn page again, and continues from what is whole", async () => {
  bench.sandbox.append("a", rows(25));
  const first = await slice(1);
  await flipByte(bench.deps.lake.store, first.progress.staged[1] as Place);
  bench.sandbox.clearRequests();
  const late = await slice(2, { budgetMs: 0 });
  expect(late).toMatchObject({ calls: 1, stage: "reading", progress: { pages: 1 } });
  const again = await slice(2);
  // It ignores what is behind the torn page.
  expect(bench.sandbox.calls().total).toBe(2);
  expect(again.calls).toBe(3);
  expect(contents(again.progress)).toEqual(contents(first.progress));
  expect(again.progress.staged[0]).toEqual(first.progress.staged[0]);
});

test("without time, a repeated attempt takes the pages of a waiting link that a lost one began", async () => {
  const { store } = bench.deps.lake;
  bench.sandbox.addLink({ fp_id: "fp_1", id: "b" });
  bench.sandbox.append("b", rows(25));
  const waiting = [link, await stageLink(store, { link_id: "b" })];
  const report = await new Journal(store, "run", "0").addValue("report", { waiting });
  const given = { slice: 1, fresh: null };
  await bench.read({ ...given, waiting: [{ report, from: 1, to: 2 }] });
  const late = { ...given, attempt: 2, budgetMs: 0, waiting: [{ report, from: 0, to: 2 }] };
  const parsed = { finished: [{ link: waiting[1], progress: { pages: 3 } }] };
  expect(await bench.read(late)).toMatchObject({ calls: 3, notBegun: 0, parsed });
  expect(bench.sandbox.calls().total).toBe(3);
});

const CLEAN = '{"transactions":{"created":[null],"updated":[],"removed":[]}}';

test("a clean page that a lost attempt left for another answer is not loaded for this one", async () => {
  const lost = new Journal(bench.deps.lake.store, "run", "1");
  const bad = { list: "created", index: 0, reason: "x", payload: "{}" };
  const cleaned = await addCleaned(lost, { clean: CLEAN, bad: [bad] });
  const page = { stream: "transactions", owner: "a", attempt: 0, page: 0, after: "another" };
  await lost.add({ kind: "page", page, cleaned }, Buffer.from("another answer"));
  // Killed before the page itself.
  await addCleaned(lost, { clean: CLEAN, bad: [bad] });
  await lost.close();
  bench.sandbox.append("a", rows(1));
  const { progress, calls } = await slice(2);
  expect(calls).toBe(1);
  expect(await loadedRows(progress)).toMatchObject([{ link_id: "a", created: 1 }]);
});

test("what a stalled attempt writes late is not loaded beside the page of the next attempt", async () => {
  const gate = new EventEmitter();
  const [stalled, awake] = [once(gate, "stalled"), once(gate, "awake")];
  const { lake } = bench.deps;
  const grow: ObjectStore["grow"] = async (key) => {
    gate.emit("stalled");
    await awake;
    return lake.store.grow(key);
  };
  const asleep = { ...bench.deps, lake: { ...lake, store: { ...lake.store, grow } } };
  bench.sandbox.append("a", [{ change: "created", raw: rawRow(""), id: "bad" }]);
  const first = slice(1, { deps: asleep });
  await Promise.race([stalled, first]);
  bench.sandbox.append("a", rows(2));
  const { progress } = await slice(2);
  gate.emit("awake");
  expect((await first).progress).toMatchObject({ entries: 1, quarantined: 1 });
  expect(progress).toMatchObject({ entries: 3, created: 2, quarantined: 1 });
  expect(await loadedRows(progress)).toMatchObject([{ link_id: "a", created: 2 }]);
});

async function loadedRows(progress: LinkProgress) {
  const links: Link[] = [{ link, stage: "read", progress }];
  const { manifest, refused } = await bench.run(() => load(bench.deps, { runId: "run", reports: [], links }));
  expect(refused).toEqual([]);
  const { files } = await bench.deps.lake.staging.document<LoadManifest>("run", manifest);
  return files.flatMap(({ file }) => file?.parts ?? []);
}

test("a page that repeats the one before adds nothing, also where a lost attempt staged it", async () => {
  bench.sandbox.append("a", rows(25));
  bench.sandbox.addFault({ kind: "page_replayed", page: 1, times: 1 });
  const { progress } = await slice(1);
  expect(contents(progress)).toMatchObject({ pages: 4, entries: 25, entriesOf: [10, 10, 0, 5] });
  expect((await slice(2)).progress).toEqual(progress);
  expect(await loadedRows(progress)).toMatchObject([
    { link_id: "a", created: 10 },
    { created: 10 },
    { created: 5, sequence_to: 25 },
  ]);
});

test("when time is up the link comes back open, as far as it got", async () => {
  bench.sandbox.append("a", rows(100));
  bench.sandbox.setLatency(150);
  const { progress, report, links } = await slice(1, { budgetMs: 1_000 });
  expect(links).toMatchObject([{ link, stage: "reading" }]);
  expect(report).toBeNull();
  expect(progress.pages).toBeGreaterThan(0);
  expect(progress.pages).toBeLessThan(10);
  bench.sandbox.setLatency(0);
  const rest = await slice(1, { slice: 2, from: progress });
  expect(rest).toMatchObject({ stage: "read", progress: { entries: 100, pages: 10 } });
  // It was begun by an earlier slice: its run holds it one by one.
  expect(rest.links).toHaveLength(1);
});

test("a link that is long by the end of a slice comes back with its name, another one without", async () => {
  bench.sandbox.append("a", rows(300));
  const delay = (nth: number) => bench.sandbox.addFault({ kind: "latency", ms: 1_500, nth });
  delay(5);
  const short = await slice(1, { budgetMs: 1_000 });
  expect(short.links).toMatchObject([{ stage: "reading", progress: { pages: 5 } }]);
  expect(short.links[0]).not.toHaveProperty("long");
  bench.sandbox.clearFaults();
  delay(10);
  const long = await slice(1, { budgetMs: 1_000, slice: 2, from: short.progress });
  expect(long.links).toMatchObject([{ stage: "reading", progress: { pages: 15 } }]);
});

test("a link comes back untouched while its calls are paused, and is not due before the pause ends", async () => {
  bench.sandbox.append("a", rows(5));
  bench.sandbox.addFault({ kind: "status", status: 429, retryAfter: 60, times: 1 });
  const first = await slice(1, { budgetMs: 500 });
  expect(first).toMatchObject({ calls: 1, progress: { streak: { count: 1 } } });
  expect(first.progress.notBefore - first.at).toBeGreaterThan(50_000);
  expect(first).toMatchObject({ gateUntil: null, pausedUntil: expect.any(Number) });
  const second = await slice(1, { budgetMs: 500, slice: 2 });
  expect(second).toMatchObject({
    calls: 0,
    ...{ stage: "reading", progress: { pages: 0, streak: null } },
    gateUntil: null,
  });
});

test("counts what came, bad rows apart, and rolls the hash over the bodies", async () => {
  bench.sandbox.append("a", [
    ...rows(2),
    { change: "updated", raw: rawRow("t0") },
    { change: "created", raw: rawRow(""), id: "bad" },
    { change: "removed", id: "t1" },
  ]);
  const { progress } = await slice(1);
  expect(contents(progress)).toMatchObject({
    pages: 1,
    entries: 5,
    created: 2,
    updated: 1,
    removed: 1,
    quarantined: 1,
    entriesOf: [5],
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
      let end: Pick<Link, "stage" | "progress"> = { progress: start, stage: "reading" };
      for (let number = 1; end.stage === "reading" && asked < 500; number += 1) {
        end = await slice(1, { deps, slice: number, from: end.progress, budgetMs: 10 });
      }
      expect(end.stage).toEqual({ status: "failed", reason: "cursor_loop" });
      expect(asked).toBeLessThanOrEqual(3 * Math.max(tail, circle) + 1);
      expect(end.progress.cursorMark ?? "").toMatch(/^([0-9a-f]{64})?$/);
    } finally {
      await server.close();
    }
  },
);

test("a thousand cursors that never come back are not a loop", () => {
  let progress = start;
  for (let page = 0; page < 1_000; page += 1) {
    const body = Buffer.from(pageBody(`cursor-${page}`, page));
    const sha256 = hash("sha256", body);
    const step = advance(progress, { facts: pageFacts(body), body, sha256, place: link, repeats: false });
    expect(step.outcome).toBeUndefined();
    progress = step.progress;
  }
});

test.for([
  ["without rows", false, 3],
  ["that repeat the one before", true, 4],
] as const)(
  "a hundred pages in a row %s are a loop, and none where a row comes in between",
  ([, repeats, rows]) => {
    const read = (before: LinkProgress, page: number, adds: boolean) => {
      const body = Buffer.from(pageBody(`cursor-${page}`, adds ? 1 : rows));
      const [sha256, facts] = [hash("sha256", body), pageFacts(body)];
      return advance(before, { facts, body, sha256, place: link, repeats: repeats && !adds });
    };
    let step: ReturnType<typeof advance> = { progress: start };
    for (let page = 1; page < 200; page += 1) {
      expect(step.outcome).toBeUndefined();
      // What is known of the pages travels with the link's progress.
      step = read(JSON.parse(JSON.stringify(step.progress)) as LinkProgress, page, page === 100);
    }
    expect(step.outcome).toBeUndefined();
    expect(read(step.progress, 200, false).outcome).toEqual({ kind: "broken", reason: "cursor_loop" });
  },
);

import { readdir, rm, truncate, utimes } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/index.js";
import { type CommitInput, commit } from "../../../src/activities/sync/commit/commit.js";
import { load } from "../../../src/activities/sync/load/load.js";
import {
  freshProgress,
  handedToLoading,
  type Link,
  type LinkProgress,
} from "../../../src/domain/sync/link.js";
import { type Place, placeKey } from "../../../src/domain/sync/place.js";
import type { ReportRef } from "../../../src/domain/sync/run/slice-work.js";
import { openLake } from "../../../src/lake/lake.js";
import { journalPrefix } from "../../../src/lake/sync/journal/journal.js";
import { linkCheckpoint } from "../../../src/lake/sync/link-checkpoint.js";
import { eachTest } from "../../helpers/each-test.js";
import { flipByte, stageLink } from "../../helpers/sync/staged-links.js";
import { openActivityBench } from "../../helpers/temporal/activity-bench.js";

const LINKS = ["a", "b"];

const bench = eachTest(openActivityBench);
let slice: number;
beforeEach(async () => {
  for (const id of LINKS) {
    bench.sandbox.addLink({ fp_id: "fp_1", id });
    const events = Array.from({ length: 25 }, (_, n) => ({
      change: "created" as const,
      row: transactionRow({ transaction_id: `${id}${n}` }),
    }));
    bench.sandbox.append(id, events);
  }
  await bench.freeze([{ fp_id: "fp_1" }]);
  slice = 0;
});

/** Reads each link in a slice of its own. */
async function read(): Promise<Link[]> {
  const links: Link[] = [];
  for (const link_id of LINKS) {
    const link = await stageLink(bench.deps.lake.store, { link_id });
    slice += 1;
    const begun: Link = { link, stage: "reading", progress: freshProgress(null, 10, false) };
    const { parsed } = await bench.read({ slice, links: [begun], fresh: null });
    links.push(...parsed.finished);
  }
  return links;
}

const loading = (links: readonly Link[], reports: readonly ReportRef[] = []) =>
  bench.run(() => load(bench.deps, { runId: "run", reports, links }));

/** Reads both links and loads them, in one file or in a file each. */
async function loaded(inOneFile: boolean): Promise<Partial<CommitInput> & { links: Link[] }> {
  const links = await read();
  const manifests: string[] = [];
  for (const part of inOneFile ? [links] : links.map((one) => [one])) {
    manifests.push((await loading(part)).manifest);
  }
  return {
    links: links.map((one) => ({ ...one, progress: handedToLoading(one.progress) })),
    manifests,
  };
}

/** The same of links that one slice found and finished: they are named by its report. */
async function loadedReport(): Promise<Partial<CommitInput>> {
  slice += 1;
  const { report } = await bench.read({ slice, streams: ["transactions"] });
  if (report === null) throw new Error("the slice has no report");
  const { manifest } = await loading([], [report]);
  return {
    reports: [report],
    loaded: [{ report, manifest, without: [] }],
    manifests: [manifest],
  };
}

const inputOf = (given: Partial<CommitInput>): CommitInput => ({
  ...{ runId: "run", chunk: 0, streams: ["transactions"], full: false, removed: {} },
  ...{ reports: [], loaded: [], links: [], manifests: [], failed: [] },
  ...given,
});
const committed = (given: Partial<CommitInput>) => bench.run(() => commit(bench.deps, inputOf(given)));

/** Rows that the feed has for each link with a cursor; what it can't read is an error. */
async function feed() {
  const { lake } = bench.deps;
  const snapshot = await lake.table("transaction_changes").snapshot();
  const paths = await Promise.all(
    [...snapshot.files.keys()].map((path) => lake.store.download(`transaction_changes/${path}`)),
  );
  const found = await lake.duckdb.exclusive((sql) =>
    paths.length === 0
      ? Promise.resolve([])
      : sql.rows(`select link_id, count(*)::int as n from read_parquet([${paths.map((path) => `'${path}'`)}])
          group by link_id order by link_id`),
  );
  const cursors = LINKS.filter((link) => linkCheckpoint(snapshot, link)?.cursor);
  return { cursors, rows: found.map(({ link_id, n }) => [link_id, Number(n)]) };
}

test("several links whose pages are torn are all refused, and the others of the load are loaded", async () => {
  const { store } = bench.deps.lake;
  bench.sandbox.addLink({ fp_id: "fp_1", id: "c" });
  bench.sandbox.append("c", [{ change: "created", row: transactionRow({ transaction_id: "c0" }) }]);
  const { report, parsed } = await bench.read({ streams: ["transactions"] });
  if (report === null) throw new Error("the slice has no report");
  const damaged = parsed.finished.filter(({ progress }) => progress.entries === 25);
  expect(damaged).toHaveLength(2);
  for (const { progress } of damaged) await flipByte(store, pageOf(progress));
  const { manifest, refused } = await loading([], [report]);
  expect(refused).toMatchObject(
    damaged.map(({ link }) => ({ link, stage: "reading", progress: { attempt: 1, restarts: 1, pages: 0 } })),
  );
  const without = refused.map(({ link }) => placeKey(link));
  const given = { loaded: [{ report, manifest, without }], manifests: [manifest] };
  expect((await committed(given)).totals).toMatchObject({ links: { synced: 1, failed: 0 }, failures: [] });
  expect((await feed()).rows).toEqual([["c", 1]]);
});

/** A page of a link in the middle of others. */
function pageOf({ staged, lastPage }: LinkProgress): Place {
  const place = staged[1] ?? lastPage;
  if (!place) throw new Error("the link has no page");
  return place;
}

const directory = () => join(bench.deps.lake.store.address, "transaction_changes");
const dataFiles = async () => (await readdir(directory())).filter((name) => name.endsWith(".parquet"));

const THREE_DAYS_AGO = new Date(Date.now() - 3 * 86_400_000);
const DAMAGES = [
  ["gone", (path: string) => rm(path)],
  ["cut short", (path: string) => truncate(path, 100)],
  ["three days old", (path: string) => utimes(path, THREE_DAYS_AGO, THREE_DAYS_AGO)],
] as const;
const FORMS = [
  ["of links that are named", () => loaded(true)],
  ["of a report", () => loadedReport()],
] as const;

test.each(DAMAGES.flatMap(([how, damage]) => FORMS.map(([of, form]) => [how, of, damage, form] as const)))(
  "files that are %s when they are committed, %s, are made again from their pages",
  async (_, __, damage, form) => {
    const complete = await form();
    const damaged = await dataFiles();
    for (const name of damaged) await damage(join(directory(), name));
    const { totals } = await committed(complete);
    const { files } = await bench.deps.lake.table("transaction_changes").snapshot();
    expect(damaged.filter((name) => files.has(name))).toEqual([]);
    expect(totals).toMatchObject({ links: { synced: 2 }, rows: { created: 50 }, failures: [] });
    expect(await feed()).toEqual({
      cursors: ["a", "b"],
      rows: [
        ["a", 25],
        ["b", 25],
      ],
    });
  },
);

test.each([
  [
    "gone",
    "staged_page_gone",
    (page: Place) => bench.deps.lake.store.deletePrefix(journalPrefix("run", page.journal.split("/")[0])),
  ],
  ["torn", "staged_page_torn", (page: Place) => flipByte(bench.deps.lake.store, page)],
] as const)(
  "a link whose rows are gone and whose pages are %s fails, and its cursor stays",
  async (_, reason, damage) => {
    for (const inOneFile of [true, false]) {
      await bench.deps.lake.store.deletePrefix("transaction_changes/");
      await bench.deps.lake.store.deletePrefix("link_syncs/");
      const complete = await loaded(inOneFile);
      for (const name of await dataFiles()) await rm(join(directory(), name));
      await damage(pageOf(complete.links[0]?.progress as LinkProgress));
      const { totals } = await committed(complete);
      expect(totals).toMatchObject({ links: { synced: 1, failed: 1 }, failures: [{ owner: "a", reason }] });
      expect(await feed()).toEqual({ cursors: ["b"], rows: [["b", 25]] });
    }
  },
);

test("a file that is deleted after the commit has seen it is noticed by the commit itself, and made again by the next attempt", async () => {
  const complete = await loaded(true);
  const { store } = bench.deps.lake;
  let looks = 0;
  const stats: typeof store.stats = async (keys) => {
    if (keys.some((key) => key.startsWith("transaction_changes/"))) looks += 1;
    if (looks === 2) for (const key of keys) await store.delete(key);
    return store.stats(keys);
  };
  const lake = openLake({ directory: store.address, store: { ...store, stats } });
  const attempt = (which: typeof lake) =>
    bench.run(() => commit({ ...bench.deps, lake: which }, inputOf(complete)));
  await expect(attempt(lake)).rejects.toMatchObject({
    name: "TransientError",
    message: expect.stringContaining("A commit adds"),
  });
  await lake.close();
  expect((await feed()).cursors).toEqual([]);
  expect((await attempt(bench.deps.lake)).totals).toMatchObject({ links: { synced: 2 }, failures: [] });
  expect((await feed()).cursors).toEqual(["a", "b"]);
});

test("the log names a link's failure each time, and its bank's signs once for ever", async () => {
  const signs = () => bench.logged().filter(({ msg }) => String(msg).startsWith("amounts have another sign"));
  await committed(await loaded(true));
  expect(signs()).toMatchObject([
    { level: "warn", run_id: "run", link_id: "a", rows: 25 },
    { level: "warn", run_id: "run", link_id: "b", rows: 25 },
  ]);
  for (const id of LINKS) {
    bench.sandbox.append(id, [{ change: "created", row: transactionRow({ transaction_id: `${id}-later` }) }]);
  }
  await bench.freeze([{ fp_id: "fp_1" }], "later");
  const { parsed, report } = await bench.read({ runId: "later", streams: ["transactions"] });
  const [a, b] = parsed.finished;
  if (a === undefined || b === undefined || report === null) throw new Error("both links have new rows");
  const input = { runId: "later", reports: [report], links: [] };
  const { manifest } = await bench.run(() => load(bench.deps, input));
  const { totals } = await committed({
    runId: "later",
    loaded: [{ report, manifest, without: [placeKey(a.link)] }],
    manifests: [manifest],
    links: [{ ...a, stage: { status: "failed", reason: "cursor_loop" } }],
  });
  expect(totals).toMatchObject({ links: { synced: 1, failed: 1 } });
  expect(signs()).toHaveLength(2);
  expect(bench.logged().at(-1)).toMatchObject({
    run_id: "later",
    link_id: "a",
    reason: "cursor_loop",
    msg: "failed",
  });
  expect((await feed()).rows).toEqual([
    ["a", 25],
    ["b", 26],
  ]);
});

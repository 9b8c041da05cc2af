import { readdir, rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { transactionRow } from "../../../sandbox/index.js";
import { commit } from "../../../src/activities/sync/commit/commit.js";
import { load } from "../../../src/activities/sync/load/load.js";
import { extract } from "../../../src/activities/sync/read/extract.js";
import { freshProgress, handedToLoading, type LinkProgress } from "../../../src/domain/sync/link-progress.js";
import { openLake } from "../../../src/lake/lake.js";
import { pageKey } from "../../../src/lake/staging.js";
import { linkDomain } from "../../../src/lake/sync/link-checkpoint.js";
import { type ActivityBench, newLink, openActivityBench } from "../../helpers/temporal/activity-bench.js";

const LINKS = ["a", "b"];

let bench: ActivityBench;
beforeEach(async () => {
  bench = await openActivityBench();
  for (const id of LINKS) {
    bench.sandbox.addLink({ fp_id: "fp_1", id });
    const events = Array.from({ length: 25 }, (_, n) => ({
      change: "created" as const,
      row: transactionRow({ transaction_id: `${id}${n}` }),
    }));
    bench.sandbox.append(id, events);
  }
  await bench.plan(...LINKS.map(newLink));
});
afterEach(() => bench.close());

/** Reads both links and loads them, in one file or in a file each. */
async function loaded(inOneFile: boolean) {
  const links = LINKS.map((_, link) => freshProgress(link, null, 10, false));
  const read = await bench.run(() => extract(bench.deps, { ...bench.ref, links, budgetMs: 5_000 }));
  const complete = (progress: LinkProgress) => ({ progress, complete: true });
  const progress = read.links.map((link) => link.progress);
  const parts = inOneFile ? [progress] : progress.map((one) => [one]);
  const names: string[] = [];
  for (const part of parts) {
    const input = { ...bench.ref, links: part.map(complete) };
    names.push((await bench.run(() => load(bench.deps, input))).manifest);
  }
  return progress.map((one, at) => ({
    progress: handedToLoading(one),
    manifests: [names[inOneFile ? 0 : at] ?? ""],
  }));
}

type Complete = Awaited<ReturnType<typeof loaded>>;

const committed = (complete: Complete) =>
  bench.run(() => commit(bench.deps, { ...bench.ref, chunk: 0, complete, ended: [], full: false }));

/** Rows that the feed has for each link with a cursor; what it can't read is an error. */
async function feed() {
  const { lake } = bench.deps;
  const snapshot = await lake.table("transaction_changes").snapshot();
  const paths = await Promise.all(
    [...snapshot.files.keys()].map((path) => lake.store.download(`transaction_changes/${path}`, "")),
  );
  const found = await lake.duckdb.exclusive((sql) =>
    paths.length === 0
      ? Promise.resolve([])
      : sql.rows(`select link_id, count(*)::int as n from read_parquet([${paths.map((path) => `'${path}'`)}])
          group by link_id order by link_id`),
  );
  const cursors = LINKS.filter((link) => linkDomain(snapshot, link)?.cursor);
  return { cursors, rows: found.map(({ link_id, n }) => [link_id, Number(n)]) };
}

test("several links whose pages are torn are all refused, and the others of the load are loaded", async () => {
  const links = LINKS.map((_, link) => freshProgress(link, null, 10, false));
  const read = await bench.run(() => extract(bench.deps, { ...bench.ref, links, budgetMs: 5_000 }));
  for (const owner of LINKS) await bench.deps.lake.staging.putPage({ ...page, owner }, Buffer.alloc(0));
  const input = { ...bench.ref, links: read.links.map(({ progress }) => ({ progress, complete: true })) };
  const { refused } = await bench.run(() => load(bench.deps, input));
  expect(refused.map(({ link, outcome }) => [link, outcome.kind]).sort()).toEqual([
    [0, "torn"],
    [1, "torn"],
  ]);
});

const directory = () => join(bench.deps.lake.store.address, "transaction_changes");
const dataFiles = async () => (await readdir(directory())).filter((name) => name.endsWith(".parquet"));

test.each([
  ["gone", (path: string) => rm(path)],
  ["cut short", (path: string) => truncate(path, 100)],
])("files that are %s when their group is committed are made again from their pages", async (_, damage) => {
  const complete = await loaded(true);
  for (const name of await dataFiles()) await damage(join(directory(), name));
  const { totals } = await committed(complete);
  expect(totals).toMatchObject({ links: { synced: 2 }, rows: { created: 50 }, failures: [] });
  expect(await feed()).toEqual({
    cursors: ["a", "b"],
    rows: [
      ["a", 25],
      ["b", 25],
    ],
  });
});

const page = { runId: "run", stream: "transactions", owner: "a", attempt: 0, page: 1 };

test.each([
  ["gone", "staged_page_gone", () => bench.deps.lake.store.delete(pageKey(page))],
  ["torn", "staged_page_torn", () => bench.deps.lake.staging.putPage(page, Buffer.from("{"))],
] as const)(
  "a link whose rows are gone and whose pages are %s fails, and its cursor stays",
  async (_, reason, damage) => {
    for (const inOneFile of [true, false]) {
      await bench.deps.lake.store.deletePrefix("transaction_changes/");
      const complete = await loaded(inOneFile);
      for (const name of await dataFiles()) await rm(join(directory(), name));
      await damage();
      const { totals } = await committed(complete);
      expect(totals).toMatchObject({ links: { synced: 1, failed: 1 }, failures: [{ owner: "a", reason }] });
      expect(await feed()).toEqual({ cursors: ["b"], rows: [["b", 25]] });
    }
  },
);

test("a file that goes after the commit looked is noticed by the commit itself, and made again by the next attempt", async () => {
  const complete = await loaded(true);
  const { store } = bench.deps.lake;
  let looks = 0;
  const stat: typeof store.stat = async (key) => {
    if (key.startsWith("transaction_changes/") && key.endsWith(".parquet")) {
      looks += 1;
      if (looks === 2) await store.delete(key);
    }
    return store.stat(key);
  };
  const lake = openLake({ directory: store.address, store: { ...store, stat } });
  const attempt = (which: typeof lake) =>
    bench.run(() =>
      commit({ ...bench.deps, lake: which }, { ...bench.ref, chunk: 0, complete, ended: [], full: false }),
    );
  await expect(attempt(lake)).rejects.toMatchObject({ name: "TransientError", table: "transaction_changes" });
  await lake.close();
  expect((await feed()).cursors).toEqual([]);
  expect((await attempt(bench.deps.lake)).totals).toMatchObject({ links: { synced: 2 }, failures: [] });
  expect((await feed()).cursors).toEqual(["a", "b"]);
});

test("the log names a link's failure each time, and its bank's signs once for ever", async () => {
  const { lake } = bench.deps;
  const signs = () => bench.logged().filter(({ msg }) => String(msg).startsWith("amounts have another sign"));
  const base = async (link_id: string) => {
    const domain = linkDomain(await lake.table("transaction_changes").snapshot(), link_id);
    return {
      ...newLink(link_id),
      base: domain ? { ...domain, signs_differ: domain.signs_differ === true } : null,
    };
  };
  await committed(await loaded(true));
  expect(signs()).toMatchObject([
    { level: "warn", run_id: "run", link_id: "a", rows: 25 },
    { level: "warn", run_id: "run", link_id: "b", rows: 25 },
  ]);
  const ref = { ...bench.ref, runId: "later" };
  await bench.deps.lake.staging.putDocument("later", ref.plan, {
    links: [await base("a"), await base("b")],
    started_at: new Date(0).toISOString(),
  });
  for (const id of LINKS) {
    bench.sandbox.append(id, [{ change: "created", row: transactionRow({ transaction_id: `${id}-later` }) }]);
  }
  const links = await Promise.all(
    LINKS.map(async (id, link) => freshProgress(link, (await base(id)).base?.cursor ?? null, 10, false)),
  );
  const read = await bench.run(() => extract(bench.deps, { ...ref, links, budgetMs: 5_000 }));
  const input = { ...ref, links: read.links.map(({ progress }) => ({ progress, complete: true })) };
  const { manifest } = await bench.run(() => load(bench.deps, input));
  const complete = read.links.map(({ progress }) => ({
    progress: handedToLoading(progress),
    manifests: [manifest],
  }));
  const ended = [
    { progress: freshProgress(0, null, 10, false), status: "failed", reason: "cursor_loop" },
  ] as const;
  const { totals } = await bench.run(() =>
    commit(bench.deps, { ...ref, chunk: 0, complete: complete.slice(1), ended, full: false }),
  );
  expect(totals).toMatchObject({ links: { synced: 1, failed: 1 } });
  expect(signs()).toHaveLength(2);
  expect(bench.logged().at(-1)).toMatchObject({
    run_id: "later",
    link_id: "a",
    reason: "cursor_loop",
    msg: "failed",
  });
});

import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openLake } from "../../../src/lake/lake.js";
import { readTables } from "../../../src/lake/query/query-views.js";
import { appendRun, rootParts, stateSha256 } from "../../../src/lake/root/lake-root.js";
import { Problems } from "../../../src/lake/sync/chain-check.js";
import { checkRoots } from "../../../src/lake/sync/verify/root-check.js";
import { appendOnce } from "../../../src/lake/tables/append.js";
import { createTables } from "../../../src/lake/tables/create.js";
import { erasures } from "../../../src/lake/tables/erasures.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { writeRows } from "../../../src/lake/tables/parquet-file.js";
import { runFailures, runs } from "../../../src/lake/tables/runs.js";
import { TABLES } from "../../../src/tables.js";
import { eachTest } from "../../helpers/each-test.js";
import { FeedLake } from "../../helpers/lake/feed-lake.js";

const at = eachTest(() => FeedLake.open());

const sha256 = (text: string | Buffer) => hash("sha256", text);
const never = (error: unknown) => {
  throw error;
};
const row = (run_id: string) => ({
  run_id,
  kind: "sync",
  status: "completed",
  links: 2,
  started_at: "2026-05-05T01:02:03Z",
  finished_at: "2026-05-05T01:02:03.250Z",
});

const written = () => readTables(at.lake, [runs], (sql) => sql.rows("from runs order by run_id"));

async function certify(runId: string, ...links: string[]): Promise<void> {
  const rows = links.map((link_id) => ({ run_id: runId, link_id, certificate: `c-${link_id}` }));
  await appendOnce(at.lake, linkSyncs, `${runId}/commit`, () => writeRows(at.lake, linkSyncs, runId, rows));
}

test("a root is the hash of what the row says it was made of, all of which can be computed again", async () => {
  await at.feed({ id: "x", sequence: 1 });
  await createTables(at.lake.store, [erasures]);
  await certify("r0", "z");
  await certify("r1", "b", "a");
  const root = await appendRun(at.lake, "r1", row("r1"), never);
  const [found] = await written();
  const text = String(found?.lake_root_of);
  expect([found?.lake_root, sha256(text)]).toEqual([root, root]);
  const state = async (name: string) => stateSha256(await at.lake.table(name).snapshot());
  expect(rootParts(text)).toEqual({
    previous: null,
    run: sha256(
      "run_id=r1\nkind=sync\nstatus=completed\nlinks=2\n" +
        "started_at=2026-05-05T01:02:03.000000Z\nfinished_at=2026-05-05T01:02:03.250000Z\na c-a\nb c-b\n",
    ),
    tables: new Map([
      ["erasures", `0 ${sha256("")}`],
      ["link_syncs", `1 ${await state("link_syncs")}`],
      ["transaction_changes", `0 ${await state("transaction_changes")}`],
    ]),
  });
});

test("a table that another process wrote is named as that process left it", async () => {
  await createTables(at.lake.store, [runFailures]);
  await appendRun(at.lake, "r1", row("r1"), never);
  const another = openLake({ directory: at.directory });
  const owner = { run_id: "r0", owner: "x", reason: "gone" };
  await appendOnce(another, runFailures, "r0", () => writeRows(another, runFailures, "r0", [owner]));
  const left = stateSha256(await another.table(runFailures.name).snapshot());
  await another.close();
  await appendRun(at.lake, "r2", row("r2"), never);
  const [before, after] = (await written()).map((one) => rootParts(String(one.lake_root_of)).tables);
  expect(before?.get(runFailures.name)).toBe(`0 ${sha256("")}`);
  expect(after?.get(runFailures.name)).toBe(`1 ${left}`);
  expect(after?.get(runs.name)).toMatch(/^0 [0-9a-f]{64}$/);
});

test("a repeated attempt finds the row and gives the same root, whatever came meanwhile", async () => {
  const first = await appendRun(at.lake, "r1", row("r1"), never);
  await appendRun(at.lake, "r2", row("r2"), never);
  const again = openLake({ directory: at.directory });
  expect(await appendRun(again, "r1", { ...row("r1"), finished_at: "2027-01-01T00:00:00.000Z" }, never)).toBe(
    first,
  );
  await again.close();
  expect(await written()).toHaveLength(2);
});

test("runs that end at once follow each other, in the order of their commits", async () => {
  const others = Array.from({ length: 4 }, () => openLake({ directory: at.directory }));
  const ended = await Promise.all(others.map((lake, n) => appendRun(lake, `r${n}`, row(`r${n}`), never)));
  const rows = await written();
  const previous = rows.map(({ lake_root_of }) => rootParts(String(lake_root_of)).previous);
  expect(new Set(previous)).toEqual(new Set([null, ...ended.filter((root) => previous.includes(root))]));
  expect(new Set(previous).size).toBe(4);
  for (const lake of others) await lake.close();
});

test("of two runs that end together, the later root has no table at an older version", async () => {
  await at.feed({ id: "x", sequence: 1 });
  const other = openLake({ directory: at.directory });
  const { store } = other;
  const put = store.putIfAbsent.bind(store);
  let isFirst = true;
  store.putIfAbsent = async (key, body) => {
    if (isFirst && key.startsWith("runs/")) {
      isFirst = false;
      await at.feed({ id: "x", sequence: 2 });
      await appendRun(at.lake, "r1", row("r1"), never);
    }
    return put(key, body);
  };
  await appendRun(other, "r2", row("r2"), never);
  await other.close();
  const problems = new Problems();
  await checkRoots(at.lake, TABLES, problems);
  const told = problems.first.map(({ what }) => what);
  expect(told.filter((what) => what.includes("later roots have older ones"))).toEqual([]);
  expect(await written()).toHaveLength(2);
});

test("a lake of which a table is damaged records the end of its runs, without a root, and the chain goes on", async () => {
  const first = await appendRun(at.lake, "r1", row("r1"), never);
  await at.feed({ id: "x", sequence: 1 });
  const log = join(at.directory, "transaction_changes", "_delta_log", `${"0".padStart(20, "0")}.json`);
  const good = await readFile(log);
  await writeFile(log, "not a commit");
  const damaged = openLake({ directory: at.directory });
  const told: unknown[] = [];
  expect(await appendRun(damaged, "r2", row("r2"), (error) => told.push(error))).toBeNull();
  await damaged.close();
  expect(told).toHaveLength(1);
  await writeFile(log, good);
  await appendRun(at.lake, "r3", row("r3"), never);
  const rows = await written();
  expect(rows[1]).toMatchObject({ lake_root: null, lake_root_of: null });
  expect(rootParts(String(rows[2]?.lake_root_of)).previous).toBe(first);
});

import { expect, test } from "vitest";
import { openLake } from "../../../src/lake/lake.js";
import { maintain } from "../../../src/lake/maintain/maintain.js";
import { maintainTable } from "../../../src/lake/maintain/table-upkeep.js";
import type { ObjectStore } from "../../../src/lake/store/object-store.js";
import { TABLES } from "../../../src/tables.js";
import { runHere } from "../../helpers/command/command-here.js";
import { expectLakeEqualsTruth } from "../../helpers/lake/lake-truth.js";
import { addLink, addRows, created, removed, updated } from "../../helpers/sync/scripted-links.js";
import { createdRaw, type SyncWorld } from "../../helpers/sync/sync-harness.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";
import { verified } from "../../helpers/tampering/verified.js";

const worlds = syncWorlds();
const tram = { amount: "4.20", description: "Tram", currency: "EUR" };

/** What happens at the bank before one night: rows come, change and go, one of them bad, and a pending one is posted. */
function beforeNight({ sandbox }: SyncWorld, night: number): void {
  sandbox.append("a", [created(`p${night}`, { ...tram, date: "2026-11-18", pending: true })]);
  if (night > 0) {
    sandbox.append("a", [removed(`p${night - 1}`), created(`q${night}`, { ...tram, date: "2026-11-20" })]);
    sandbox.append("b", [updated("b-0001")]);
    sandbox.append("c", [createdRaw(`bad${night}`, { amount: '"1e3"' }), created(`good${night}`, tram)]);
  }
  sandbox.addAccount("d", { id: `d${night}`, fields: { name: `night ${night}` } });
  addRows(sandbox, "b", 3, 100 * (night + 1));
}

async function nights(world: SyncWorld, from: number, to: number): Promise<void> {
  for (let night = from; night < to; night += 1) {
    beforeNight(world, night);
    expect((await world.sync()).result).toMatchObject({
      links: { failed: 0 },
      status: expect.stringMatching(/^completed/),
    });
  }
}

/** Every row of every table. */
async function allRows(world: SyncWorld): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  const there = new Set(await world.store.folders(""));
  for (const { name } of TABLES) {
    if (!there.has(name)) continue;
    const rows = await world.rows(`select * from ${name}`);
    if (rows.length > 0) found[name] = rows.map((row) => JSON.stringify(row)).sort();
  }
  return found;
}

/** Maintains as if a week had passed: nothing that is not live stays. */
async function maintainLater(directory: string): Promise<number> {
  const lake = openLake({ directory });
  let freed = 0;
  try {
    for (const spec of TABLES) {
      if ((await lake.table(spec.name).snapshot()).version < 0) continue;
      await maintainTable(lake, spec, { before: Date.now() + 1, dryRun: false });
      const again = await maintainTable(lake, spec, { before: Date.now() + 1, dryRun: false });
      freed += again.old.freed.files;
      expect(again.old.kept.files, spec.name).toBe(0);
    }
  } finally {
    await lake.close();
  }
  return freed;
}

test("a maintained lake has the same rows, proves itself, explains the same, and the next night goes on", async () => {
  const world = await worlds.open();
  for (const link of ["a", "b", "c", "d"]) addLink(world, link, link === "d" ? 0 : 8, `fp_${link}`);
  await nights(world, 0, 3);
  const explain = async () => {
    const { code, stdout } = await runHere({ directory: world.lake, env: { NIGHTLEDGER_LAKE: world.lake } }, [
      ...["explain", "p0", "--link", "a", "--json"],
    ]);
    expect(code).toBe(0);
    const [{ proof, state, became, changes }] = JSON.parse(stdout).items;
    return {
      proof,
      state,
      became,
      changes: changes.map(
        ({ file: _, version: __, moved_in: ___, ...change }: object & Record<string, unknown>) => change,
      ),
    };
  };
  const [rows, explained] = [await allRows(world), await explain()];
  const run = await world.rows("select run_id from runs order by started_at limit 1");
  expect(await maintainLater(world.lake)).toBeGreaterThan(10);
  expect(await allRows(world)).toEqual(rows);
  expect(await explain()).toEqual(explained);
  expect((await verified(world.lake)).text).toMatch(/^proved: /);
  const root = await world.rows(`select lake_root from runs where run_id = '${run[0]?.run_id}'`);
  expect((await verified(world.lake, { root: String(root[0]?.lake_root) })).code).toBe(0);
  await nights(world, 3, 5);
  await expectLakeEqualsTruth(world, ["a", "b"]);
  expect(await verified(world.lake)).toMatchObject({ code: 0, text: expect.stringMatching(/^proved: /) });
  const pairs = await world.rows(
    "select pending_transaction_id as p, tier from transaction_links order by p",
  );
  expect(pairs).toEqual(["p0", "p1", "p2", "p3"].map((p) => ({ p, tier: "exact" })));
  expect(await world.log()).not.toMatch(/rebuilt/);
});

/** A store that does something before or after each commit, but not while that is done. */
function besideCommits(
  store: ObjectStore,
  when: "before" | "after",
  work: () => Promise<unknown>,
): ObjectStore {
  let isAtIt = false;
  const once = async () => {
    if (isAtIt) return;
    isAtIt = true;
    await work().finally(() => {
      isAtIt = false;
    });
  };
  return {
    ...store,
    async putIfAbsent(key, body) {
      if (when === "before") await once();
      const done = await store.putIfAbsent(key, body);
      if (when === "after") await once();
      return done;
    },
  };
}

const maintained = async (directory: string) => {
  const lake = openLake({ directory });
  try {
    return await maintain(lake, TABLES, { retainDays: 7 });
  } finally {
    await lake.close();
  }
};

test.for(["before", "after"] as const)("maintain %s each commit of a night costs nothing", async (when) => {
  let directory: string | undefined;
  let times = 0;
  const world = await worlds.open({
    store: (store) =>
      besideCommits(store, when, async () => {
        if (directory === undefined) return;
        times += 1;
        await maintained(directory);
      }),
  });
  for (const link of ["a", "b", "c", "d"]) addLink(world, link, link === "d" ? 0 : 8, `fp_${link}`);
  await nights(world, 0, 2);
  directory = world.lake;
  await nights(world, 2, 4);
  expect(times).toBeGreaterThan(10);
  await expectLakeEqualsTruth(world, ["a", "b"]);
  expect(await verified(world.lake)).toMatchObject({ code: 0, text: expect.stringMatching(/^proved: /) });
  expect((await world.rows("select * from runs")).length).toBe(4);
});

test("a night that ends while maintain is about to commit, or to delete, costs neither anything", async () => {
  const world = await worlds.open();
  for (const link of ["a", "b", "c", "d"]) addLink(world, link, link === "d" ? 0 : 8, `fp_${link}`);
  await nights(world, 0, 3);
  let night = 3;
  const store = besideCommits(world.store, "before", async () => {
    if (night < 6) await nights(world, night, night + 1);
    night += 1;
  });
  const lake = openLake({ directory: world.lake, store });
  await maintain(lake, TABLES, { retainDays: 7 });
  await lake.close();
  expect(night).toBeGreaterThan(6);
  await maintainLater(world.lake);
  await nights(world, 6, 7);
  await expectLakeEqualsTruth(world, ["a", "b"]);
  expect(await verified(world.lake)).toMatchObject({ code: 0, text: expect.stringMatching(/^proved: /) });
});

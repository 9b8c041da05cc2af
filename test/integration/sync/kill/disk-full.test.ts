import { afterAll, afterEach, expect, test } from "vitest";
import { startSandbox } from "../../../../sandbox/index.js";
import { openSmallLake } from "../../../helpers/command/small-lake.js";
import { type FaultStore, withFaults } from "../../../helpers/kill/fault-store.js";
import { auditLake } from "../../../helpers/lake/lake-audit.js";
import { openSyncWorld, type SyncWorld } from "../../../helpers/sync/sync-harness.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const NO_SPACE = /is tried again: No space left.*make room/;

const temporal = sharedTemporal();
const releases: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const release of releases.splice(0).reverse()) await release();
});
afterAll(() => temporal.stop());

test("a disk that is full while pages are staged is named within seconds; with room the same command ends exact", async ({
  skip,
}) => {
  const sandbox = await startSandbox({
    population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 800, seed: 8 },
  });
  releases.push(() => sandbox.close());
  const folder = await openSmallLake(sandbox, 512);
  if (folder === undefined) return skip("this user may not mount a small file system");
  releases.push(() => folder.release());
  const first = folder.sync("--page-size", "100");
  await first.says(NO_SPACE);
  const stopped = await first.end("SIGINT");
  expect(stopped.code, stopped.stderr).toBe(1);
  expect(folder.servers()).toEqual([]);
  await folder.grow();
  const second = await folder.sync("--page-size", "100").ended;
  expect(second.code, second.stderr).toBe(0);
  expect(JSON.parse(second.stdout).run_id).toBe(JSON.parse(stopped.stdout).run_id);
  expect(await auditLake(folder.lake, sandbox)).toEqual([]);
});

const STEPS = [
  ["rows are loaded", "upload", "^transaction_changes/"],
  ["materialize writes", "upload", "^transactions/"],
] as const;

test.each(STEPS)(
  "a disk that is full when %s publishes no half; with room the run ends exact",
  async (_, on, key) => {
    let store: FaultStore | undefined;
    const world = await openWorld((inner) => {
      store = withFaults(inner, [{ on, key, when: "before", effect: "full", nth: 0 }]);
      return store;
    });
    const { handle } = await world.start();
    await expect.poll(() => store?.fired.length, { timeout: 20_000 }).toBeGreaterThanOrEqual(2);
    const isLoaded = !key.startsWith("^transaction_changes");
    expect(await world.rows("select distinct run_id from transaction_changes")).toHaveLength(
      Number(isLoaded),
    );
    expect(await world.rows("from transactions")).toEqual([]);
    store?.mend();
    await handle.result();
    expect(await auditLake(world.lake, world.sandbox)).toEqual([]);
  },
);

async function openWorld(store: (inner: SyncWorld["store"]) => SyncWorld["store"]): Promise<SyncWorld> {
  const world = await openSyncWorld(temporal, {
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 120, seed: 9 } },
    direct: true,
    store,
  });
  releases.push(() => world.close());
  return world;
}

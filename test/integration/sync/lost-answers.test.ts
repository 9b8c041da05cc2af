import { afterAll, afterEach, expect, test } from "vitest";
import { type FaultStore, type StoreFault, WRITE_STEPS, withFaults } from "../../helpers/kill/fault-store.js";
import { auditLake } from "../../helpers/lake/lake-audit.js";
import { openSyncWorld, type SyncWorld } from "../../helpers/sync/sync-harness.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

/** Worlds beside each other, so that no activity of a run fails often enough to wait long. */
const WORLDS = 4;

const temporal = sharedTemporal();
const worlds: SyncWorld[] = [];

afterEach(async () => {
  for (const world of worlds.splice(0)) await world.close();
});
afterAll(() => temporal.stop());

const FORMS = [
  ["the answer is lost", { when: "after" }],
  ["the answer is lost, and what stands can't be looked up", { when: "after", blind: true }],
  ["the step itself fails", { when: "before" }],
] as const;

test.each(FORMS)("each step of a run, once %s: the same rows, one row a link and run", async (_, form) => {
  const faults = WRITE_STEPS.map(([on, key]): StoreFault => ({ on, key, effect: "lost", ...form }));
  const parts = Array.from({ length: WORLDS }, (_, part) => faults.filter((_, at) => at % WORLDS === part));
  expect((await Promise.all(parts.map(runWith))).flat()).toEqual([]);
});

/** Runs a sync against a store with faults; what is not right afterwards, in words. */
async function runWith(faults: readonly StoreFault[]): Promise<string[]> {
  let faulty: FaultStore | undefined;
  const world = await openSyncWorld(temporal, {
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 150, seed: 6 } },
    direct: true,
    store: (store) => {
      faulty = withFaults(store, faults);
      return faulty;
    },
  });
  worlds.push(world);
  const [link = ""] = world.sandbox.world.links.keys();
  world.sandbox.append(link, [
    { change: "created", raw: '{"transaction_id":"bad","amount":"1e3"}', id: "bad" },
  ]);
  const { result } = await world.sync();
  expect(result).toMatchObject({ status: "completed_with_failures", rows: { quarantined: 1 } });
  expect(await world.rows("select count(*) as n from quarantine")).toEqual([{ n: 1 }]);
  const missed = faults.filter((fault) => !faulty?.fired.includes(fault));
  const problems = await auditLake(world.lake, world.sandbox);
  return [
    ...missed.map(({ on, key }) => `no ${on} of ${key} was met`),
    // The row that is in quarantine is in the stand-in's truth all the same.
    ...problems.filter((problem) => !/[ /]bad\b/.test(problem)),
  ];
}

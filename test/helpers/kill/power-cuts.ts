import { addBadRow, problemsOf } from "../sync/bad-row.js";
import type { SyncWorlds } from "../sync/sync-worlds.js";
import { WRITE_STEPS } from "./fault-store.js";
import { type ForgetfulStore, forgetful, type PowerCut } from "./forgetful-store.js";

/** Every step of a run's writes, and the moment at which its journals are synced. */
const STEPS: readonly (readonly [PowerCut["on"], string])[] = [
  ...WRITE_STEPS,
  ["persist", "_staging/.*/journals/"],
];

/** Parallel worlds: each has a cut at every n-th step. */
const WORLDS = 4;

/**
 * Cuts the power once before, or after, each step of a run, or each fourth one; what is not right afterwards, in words.
 */
export async function cutPowerAtEachStep(
  worlds: SyncWorlds,
  when: PowerCut["when"],
  only?: "each fourth",
): Promise<string[]> {
  const cuts = STEPS.map(([on, key]): PowerCut => ({ on, key, when }));
  const parts = Array.from({ length: WORLDS }, (_, part) => cuts.filter((_, at) => at % WORLDS === part));
  const chosen = only === undefined ? parts : parts.slice(0, 1);
  return (await Promise.all(chosen.map((part) => runWith(worlds, part)))).flat();
}

/** Runs a sync with one power cut after the other; what is not right afterwards, in words. */
async function runWith(worlds: SyncWorlds, cuts: readonly PowerCut[]): Promise<string[]> {
  let left = [...cuts];
  let store: ForgetfulStore | undefined;
  const world = await worlds.open({
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 150, seed: 6 } },
    direct: true,
    store: (disk) => {
      store = forgetful(disk, left);
      return store;
    },
  });
  addBadRow(world);
  const { handle } = await world.start({ pageSize: 50 });
  const ended = handle.result().then(() => "ended" as const);
  while ((await Promise.race([ended, store?.dark])) !== "ended") {
    left = left.filter((one) => one !== store?.cut);
    await world.stopWorker();
    await world.startWorker();
  }
  const quarantined = await world.rows("select count(*) as n from quarantine");
  return [
    ...left.map(({ on, key }) => `no ${on} of ${key} was met`),
    ...quarantined.filter(({ n }) => n !== 1).map(({ n }) => `quarantine has ${n} rows`),
    ...(await problemsOf(world)),
  ];
}

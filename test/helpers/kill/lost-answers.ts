import { addBadRow, problemsOf } from "../sync/bad-row.js";
import { openSyncWorld } from "../sync/sync-harness.js";
import type { TestTemporal } from "../temporal/temporal-environment.js";
import { type FaultStore, type StoreFault, WRITE_STEPS, withFaults } from "./fault-store.js";

/** Parallel worlds, so that no activity of a run fails often enough to wait long. */
const WORLDS = 4;

/** Syncs with each write step, or each fourth one, failing once in a form; what is not right afterwards, in words. */
export async function loseEachStep(
  temporal: TestTemporal,
  form: Pick<StoreFault, "when" | "blind">,
  only?: "each fourth",
): Promise<string[]> {
  const faults = WRITE_STEPS.map(([on, key]): StoreFault => ({ on, key, effect: "lost", ...form }));
  const parts = Array.from({ length: WORLDS }, (_, part) => faults.filter((_, at) => at % WORLDS === part));
  const chosen = only === undefined ? parts : parts.slice(0, 1);
  return (await Promise.all(chosen.map((part) => runWith(temporal, part)))).flat();
}

async function runWith(temporal: TestTemporal, faults: readonly StoreFault[]): Promise<string[]> {
  let faulty: FaultStore | undefined;
  const world = await openSyncWorld(temporal, {
    sandbox: { population: { kind: "synthetic", users: 2, linksPerUser: 2, rows: 150, seed: 6 } },
    direct: true,
    store: (store) => {
      faulty = withFaults(store, faults);
      return faulty;
    },
  });
  try {
    addBadRow(world);
    const { result } = await world.sync();
    const quarantined = await world.rows("select * from quarantine");
    const missed = faults.filter((fault) => !faulty?.fired.includes(fault));
    return [
      ...missed.map(({ on, key }) => `no ${on} of ${key} was met`),
      ...(result.status === "completed_with_failures" ? [] : [`the run is ${result.status}`]),
      ...(result.rows.quarantined === 1 ? [] : [`the run quarantined ${result.rows.quarantined} rows`]),
      ...(quarantined.length === 1 ? [] : [`quarantine has ${quarantined.length} rows`]),
      ...(await problemsOf(world)),
    ];
  } finally {
    await world.close();
  }
}
